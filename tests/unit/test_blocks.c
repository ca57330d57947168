// SPDX-License-Identifier: GPL-2.0
/*
 * test_blocks.c - several blocks at a time, from a ring and into a file
 *
 * From a ring: what is handed out is what reading one by one would give, and nothing that
 * is odd is touched or counted. Into a file: all or none.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../../userspace/lib/session/internal.h"
#include "make_trace.h"

#define RING 65536u
#define BLOCK 4096u
/* A record with 8 bytes of payload takes 24; a block's header 64. */
#define PER_BLOCK ((BLOCK - 64) / 24)

static struct ktrace_session *make(void)
{
	const struct ktrace_session_options opts = {
		.size = sizeof(opts), .backend = KTRACE_BACKEND_SHM, .policy = KTRACE_POLICY_DROP,
		.ring_size = RING, .thread_size = RING, .registry_size = 65536,
		.block_size = BLOCK, .thread_nr = 1, .filter = "",
	};
	struct ktrace_session *s;

	CHECK_EQ(ktrace_session_create(&opts, &s, NULL), 0);
	return s;
}

/* The only thread ring, and its number as a stream. */
static struct kt_ring *ring_of(struct ktrace_session *s, __u32 *stream)
{
	*stream = s->user.control.cpu_nr;
	return &s->user.readers[*stream].ring;
}

static void write_events(const struct kt_ring *ring, unsigned int nr)
{
	while (nr--) {
		struct kt_slot slot;

		CHECK_EQ(kt_ring_reserve(ring, KTRACE_ID_FIRST, 8, 1, &slot), KT_RING_OK);
		memset(slot.rec + 1, 0, 8);
		kt_ring_commit(ring, &slot);
	}
}

static __u64 lost(struct ktrace_session *s, __u32 stream)
{
	struct ktrace_lost sum;
	__u64 total = 0;

	ktrace_stream_lost(s, stream, &sum);
	for (int i = 0; i < KTRACE_LOST_NR; i++)
		total += sum.count[i];
	return total;
}

static void test_full_blocks_only(void)
{
	struct ktrace_session *s = make();
	struct ktrace_chunk many[8], one;
	__u32 stream, i;

	write_events(ring_of(s, &stream), 5 * PER_BLOCK + 1);
	CHECK_EQ(ktrace_stream_peek_blocks(s, stream, 3, many), 3);
	CHECK_EQ(ktrace_stream_peek_blocks(s, stream, 8, many), 5);
	CHECK_EQ(ktrace_stream_pos(s, stream), 0);
	for (i = 0; i < 5; i++) {
		CHECK(ktrace_stream_peek(s, stream, true, &one));
		CHECK(one.pos == many[i].pos && one.next_pos == many[i].next_pos);
		CHECK(one.data == many[i].data && one.size == many[i].size);
		CHECK(one.first_ts == many[i].first_ts && one.last_ts == many[i].last_ts);
		CHECK_EQ(one.records, many[i].records);
		CHECK_EQ(one.records, PER_BLOCK);
		ktrace_stream_advance(s, stream, &many[i]);
	}
	CHECK_EQ(ktrace_stream_peek_blocks(s, stream, 8, many), 0);
	CHECK(ktrace_stream_peek(s, stream, true, &one) && one.records == 1);
	ktrace_session_destroy(s);
}

static void test_room_belongs_to_the_writer_again(void)
{
	struct ktrace_session *s = make();
	struct ktrace_chunk many[16];
	__u32 stream, nr;
	int turn;

	for (turn = 0; turn < 10; turn++) {
		write_events(ring_of(s, &stream), 10 * PER_BLOCK);
		nr = ktrace_stream_peek_blocks(s, stream, 16, many);
		CHECK(nr >= 9);
		for (__u32 i = 0; i < nr; i++)
			ktrace_stream_advance(s, stream, &many[i]);
	}
	CHECK_EQ(lost(s, stream), 0);
	ktrace_session_destroy(s);
}

static void test_ends_before_a_bad_record(void)
{
	struct ktrace_session *s = make();
	struct ktrace_chunk many[8], one;
	struct ktrace_record *bad;
	struct kt_ring *ring;
	__u32 stream;

	ring = ring_of(s, &stream);
	write_events(ring, 4 * PER_BLOCK);
	bad = (struct ktrace_record *)((char *)ring->data + 2 * BLOCK + 64);
	bad->len = 0xffff;
	CHECK_EQ(ktrace_stream_peek_blocks(s, stream, 8, many), 2);
	CHECK_EQ(lost(s, stream), 0);
	ktrace_stream_advance(s, stream, &many[0]);
	ktrace_stream_advance(s, stream, &many[1]);
	CHECK_EQ(ktrace_stream_peek_blocks(s, stream, 8, many), 0);
	CHECK(ktrace_stream_peek(s, stream, false, &one) && one.corrupt);
	ktrace_stream_advance(s, stream, &one);
	CHECK_EQ(lost(s, stream), 1);
	ktrace_session_destroy(s);
}

static void test_forged_head(void)
{
	struct ktrace_session *s = make();
	struct ktrace_chunk many[8], one;
	struct kt_ring *ring;
	__u32 stream;

	ring = ring_of(s, &stream);
	write_events(ring, 4 * PER_BLOCK);
	kt_store(&ring->w->head, 100ull * RING);
	CHECK_EQ(ktrace_stream_peek_blocks(s, stream, 8, many), 0);
	CHECK_EQ(lost(s, stream), 0);
	CHECK(!ktrace_stream_peek(s, stream, true, &one));
	CHECK_EQ(lost(s, stream), 1);
	ktrace_session_destroy(s);
}

/* The file cannot take the second of three: then it has none, and goes on later. */
static void test_all_or_none(const char *path)
{
	struct ktrace_tracefile *tf = make_file(path, 0);
	struct ktrace_tracefile_block blocks[KTRACE_TRACEFILE_BLOCKS + 1];
	static char data[BLOCK];
	struct rlimit limit, old;
	__u64 size = ktrace_tracefile_size(tf);

	for (__u32 i = 0; i <= KTRACE_TRACEFILE_BLOCKS; i++)
		blocks[i] = (struct ktrace_tracefile_block) {
			.pos = i * BLOCK, .data = data, .size = BLOCK,
		};
	CHECK_EQ(ktrace_tracefile_blocks(tf, blocks, KTRACE_TRACEFILE_BLOCKS + 1), -E2BIG);
	signal(SIGXFSZ, SIG_IGN);
	CHECK(!getrlimit(RLIMIT_FSIZE, &old));
	limit = old;
	limit.rlim_cur = (rlim_t)size + BLOCK + BLOCK / 2;
	CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
	CHECK_EQ(ktrace_tracefile_blocks(tf, blocks, 3), -EFBIG);
	CHECK_EQ(ktrace_tracefile_size(tf), size);
	CHECK(!setrlimit(RLIMIT_FSIZE, &old));
	CHECK_EQ(ktrace_tracefile_blocks(tf, blocks, 3), 0);
	CHECK_EQ(ktrace_tracefile_size(tf), size + 3 * (BLOCK + sizeof(struct ktrace_section)));
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	unlink(path);
}

int main(void)
{
	char path[] = "/tmp/test_blocks.XXXXXX";
	int fd = mkstemp(path);

	CHECK(fd >= 0);
	close(fd);
	test_full_blocks_only();
	test_room_belongs_to_the_writer_again();
	test_ends_before_a_bad_record();
	test_forged_head();
	test_all_or_none(path);
	puts("blocks: all passed");
	return 0;
}
