// SPDX-License-Identifier: GPL-2.0
/*
 * test_pft_loss.c - what a buffer says of packets that are missing, and when it waits for them
 *
 * Requirements PFT-54, PFT-55 and PFT-42; the lists DataLoss, ChunkGaps, SequenceGaps, Patching,
 * PacketDropOnOverwrite, Clone.
 */
#include "pft_chunk.h"

#include <sys/mman.h>

static struct made m;

/* Chunk 2 is missing: what follows waits, and comes in order when it is there (PFT-54). */
static void gap_waits(void)
{
	for (uint32_t first = 0xfffffff8; first != 3; first++) {
		struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

		put_one(c, 1, first, 0, 'a', 5);
		put_one(c, 1, first + 1, 0, 'b', 5);
		put_one(c, 1, first + 3, 0, 'd', 5);
		put_one(c, 1, first + 4, 0, 'e', 5);
		put_one(c, 2, 0, 0, 'x', 5);
		trace_buffer_read_begin(c);
		EXPECT(c, 'a', 5);
		EXPECT(c, 'b', 5);
		EXPECT(c, 'x', 5);
		EXPECT_END(c);
		put_one(c, 1, first + 2, 0, 'c', 5);
		CHECK_EQ(c->stats.chunks_committed_out_of_order, 1);
		trace_buffer_read_begin(c);
		EXPECT(c, 'c', 5);
		EXPECT(c, 'd', 5);
		EXPECT(c, 'e', 5);
		EXPECT_END(c);
		trace_buffer_free(c);
	}
}

enum end {
	END_FINISH,
	END_SETTLE,
	END_WRITER,
	END_NR,
};

static void end_gap(struct trace_buffer *c, enum end end)
{
	const struct trace_buffer_origin origin = { .producer = 1, .writer = 1 };

	if (end == END_FINISH)
		trace_buffer_finish(c);
	else if (end == END_SETTLE)
		trace_buffer_settle(c, 1);
	else
		trace_buffer_end_writer(c, &origin);
}

/* When it is known that it will not come, the next packet says so. */
static void gap_is_lost(void)
{
	for (enum end end = 0; end < END_NR; end++) {
		struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

		put_one(c, 1, 0, 0, 'a', 5);
		put_one(c, 1, 2, 0, 'c', 5);
		put_one(c, 1, 3, 0, 'd', 5);
		trace_buffer_read_begin(c);
		EXPECT(c, 'a', 5);
		EXPECT_END(c);
		end_gap(c, end);
		trace_buffer_read_begin(c);
		EXPECT_LOST(c, 'c', 5, TRACE_BUFFER_DROPPED | TRACE_BUFFER_READ_GAP);
		EXPECT(c, 'd', 5);
		EXPECT_END(c);
		trace_buffer_free(c);
	}
}

/* Another producer's flush says nothing of it, nor does a flush of what comes later. */
static void settled_gaps_only(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	put_one(c, 1, 0, 0, 'a', 5);
	trace_buffer_settle(c, 1);
	put_one(c, 1, 2, 0, 'c', 5);
	trace_buffer_settle(c, 2);
	trace_buffer_read_begin(c);
	EXPECT(c, 'a', 5);
	EXPECT_END(c);
	trace_buffer_free(c);
}

/* What was read and could not be kept is told by the next one, with what that one was to tell. */
static void lost_by_reader(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);
	struct trace_buffer_packet p;

	put_one(c, 1, 0, 0, 'a', 5);
	put_one(c, 2, 0, 0, 'x', 5);
	put_one(c, 1, 2, 0, 'c', 5);
	put_one(c, 1, 3, 0, 'd', 5);
	put_one(c, 1, 4, 0, 'e', 5);
	trace_buffer_settle(c, 1);
	trace_buffer_read_begin(c);
	EXPECT(c, 'a', 5);
	EXPECT(c, 'x', 5);
	CHECK(trace_buffer_read(c, &p));
	CHECK_EQ(p.dropped, TRACE_BUFFER_DROPPED | TRACE_BUFFER_READ_GAP);
	trace_buffer_lose(c, &p);
	EXPECT_LOST(c, 'd', 5, TRACE_BUFFER_DROPPED | TRACE_BUFFER_READ_GAP);
	EXPECT(c, 'e', 5);
	EXPECT_END(c);
	trace_buffer_free(c);
}

static void orphan_continuation(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	put_one(c, 1, 0, 0, 'a', 5);
	made_begin(&m, 1, 1, 1);
	made_packet(&m, 'x', 5);
	made_packet(&m, 'b', 5);
	m.chunk.flags = SHMEM_CONTINUES_PREVIOUS;
	trace_buffer_put(c, &m.chunk);
	put_one(c, 1, 2, SHMEM_CONTINUES_PREVIOUS | SHMEM_CONTINUES_NEXT, 'y', 5);
	put_one(c, 1, 3, 0, 'c', 5);
	trace_buffer_read_begin(c);
	EXPECT(c, 'a', 5);
	EXPECT_LOST(c, 'b', 5, TRACE_BUFFER_DROPPED | TRACE_BUFFER_ORPHAN);
	EXPECT_LOST(c, 'c', 5, TRACE_BUFFER_DROPPED | TRACE_BUFFER_ORPHAN);
	EXPECT_END(c);
	trace_buffer_free(c);
}

static void reassembly_gap(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	put_one(c, 1, 0, 0, 'a', 5);
	put_one(c, 1, 1, SHMEM_CONTINUES_NEXT, 'x', 5);
	put_one(c, 1, 3, 0, 'b', 5);
	trace_buffer_read_begin(c);
	EXPECT(c, 'a', 5);
	EXPECT_END(c);
	trace_buffer_finish(c);
	trace_buffer_read_begin(c);
	EXPECT_LOST(c, 'b', 5, TRACE_BUFFER_DROPPED | TRACE_BUFFER_REASSEMBLY_GAP |
		    TRACE_BUFFER_READ_GAP);
	EXPECT_END(c);
	trace_buffer_free(c);
}

static void broken_chain(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	put_one(c, 1, 0, SHMEM_CONTINUES_NEXT, 'x', 5);
	put_one(c, 1, 1, 0, 'a', 5);
	put_one(c, 1, 2, SHMEM_CONTINUES_NEXT, 'y', 5);
	put_one(c, 1, 3, SHMEM_CONTINUES_NEXT, 'b', 5);
	put_one(c, 1, 4, SHMEM_CONTINUES_PREVIOUS, 'b', 5);
	trace_buffer_read_begin(c);
	EXPECT_LOST(c, 'a', 5, TRACE_BUFFER_DROPPED | TRACE_BUFFER_BROKEN_CHAIN);
	EXPECT_LOST(c, 'b', 10, TRACE_BUFFER_DROPPED | TRACE_BUFFER_BROKEN_CHAIN);
	EXPECT_END(c);
	trace_buffer_free(c);
}

/* A packet given up in its first, or in a later chunk; the next one says so (PFT-25). */
static void writer_abort(void)
{
	for (uint32_t parts = 0; parts < 3; parts++) {
		struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

		put_one(c, 1, 0, 0, 'a', 5);
		for (uint32_t i = 0; i < parts; i++)
			put_one(c, 1, 1 + i, (i ? SHMEM_CONTINUES_PREVIOUS : 0) |
				SHMEM_CONTINUES_NEXT,
				'x', 9);
		made_begin(&m, 1, 1, 1 + parts);
		if (!parts)
			made_packet(&m, 'b', 5);
		made_aborted(&m);
		m.chunk.flags = parts ? SHMEM_CONTINUES_PREVIOUS : 0;
		trace_buffer_put(c, &m.chunk);
		put_one(c, 1, 2 + parts, 0, 'c', 5);
		trace_buffer_read_begin(c);
		EXPECT(c, 'a', 5);
		if (!parts)
			EXPECT(c, 'b', 5);
		EXPECT_LOST(c, 'c', 5, TRACE_BUFFER_DROPPED | TRACE_BUFFER_WRITER_ABORT);
		EXPECT_END(c);
		CHECK_EQ(c->stats.trace_writer_packet_loss, 1);
		CHECK_EQ(c->stats.abi_violations, 0);
		trace_buffer_free(c);
	}
}

static void corrupt_chunk(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	made_begin(&m, 1, 1, 0);
	made_packet(&m, 'a', 5);
	made_raw(&m, "\xff\xff\x01", 3);
	m.chunk.packets++;
	trace_buffer_put(c, &m.chunk);
	put_one(c, 1, 1, 0, 'b', 5);
	trace_buffer_read_begin(c);
	EXPECT(c, 'a', 5);
	EXPECT_LOST(c, 'b', 5, TRACE_BUFFER_DROPPED | TRACE_BUFFER_CORRUPT);
	EXPECT_END(c);
	CHECK_EQ(c->stats.abi_violations, 1);
	trace_buffer_free(c);
}

/* Old packets of one, two or all writers give way; each writer's next packet says so. */
static void overwritten(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	for (uint32_t i = 0; i < 8; i++)
		put_one(c, i % 2 ? 2 : 1, i / 2, 0, (char)('a' + i), 512 - RECORD - 2);
	put_one(c, 3, 0, 0, 'x', 512 - RECORD - 2);
	trace_buffer_read_begin(c);
	EXPECT(c, 'b', 512 - RECORD - 2);
	EXPECT_LOST(c, 'c', 512 - RECORD - 2, TRACE_BUFFER_DROPPED | TRACE_BUFFER_OVERWRITTEN);
	for (int i = 3; i < 8; i++)
		EXPECT(c, (char)('a' + i), 512 - RECORD - 2);
	EXPECT(c, 'x', 512 - RECORD - 2);
	EXPECT_END(c);
	CHECK_EQ(c->stats.chunks_overwritten, 1);
	CHECK_EQ(c->stats.bytes_overwritten, 512);
	trace_buffer_free(c);
}

/* The beginning is gone: the rest never comes out as a packet (PFT-53). */
static void overwritten_beginning(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	put_one(c, 1, 0, SHMEM_CONTINUES_NEXT, 'a', 1500);
	put_one(c, 2, 0, 0, 'x', 2000);
	put_one(c, 2, 1, 0, 'y', 1000);
	put_one(c, 1, 1, SHMEM_CONTINUES_PREVIOUS, 'a', 50);
	put_one(c, 1, 2, 0, 'b', 50);
	trace_buffer_read_begin(c);
	EXPECT(c, 'x', 2000);
	EXPECT(c, 'y', 1000);
	EXPECT_LOST(c, 'b', 50, TRACE_BUFFER_DROPPED | TRACE_BUFFER_OVERWRITTEN |
		    TRACE_BUFFER_ORPHAN);
	EXPECT_END(c);
	trace_buffer_free(c);
}

/* A reader that keeps up loses nothing, however often the buffer goes round. */
static void reader_keeps_up(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	for (uint32_t i = 0; i < 5000; i++) {
		put_one(c, 1, i, 0, (char)('a' + i % 26), i % 1500 + 1);
		trace_buffer_read_begin(c);
		EXPECT(c, (char)('a' + i % 26), i % 1500 + 1);
		EXPECT_END(c);
	}
	CHECK_EQ(c->stats.chunks_overwritten, 0);
	CHECK_EQ(c->stats.chunks_read, 5000);
	trace_buffer_free(c);
}

static bool patch(struct trace_buffer *c, uint32_t id, uint32_t offset, const char *data,
		  bool has_more)
{
	const struct trace_buffer_origin origin = { .producer = 1, .writer = 1 };
	struct trace_buffer_patch p = { .offset = offset };

	memcpy(p.data, data, 4);
	return trace_buffer_patch(c, &origin, id, &p, 1, has_more);
}

static void patching(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);
	struct trace_buffer_packet p;

	made_begin(&m, 1, 1, 0);
	made_packet(&m, 'a', 9);
	made_packet(&m, 'b', 9);
	m.chunk.flags = SHMEM_CONTINUES_NEXT | SHMEM_NEEDS_PATCHING;
	trace_buffer_put(c, &m.chunk);
	put_one(c, 1, 1, SHMEM_CONTINUES_PREVIOUS, 'b', 9);
	trace_buffer_read_begin(c);
	EXPECT(c, 'a', 9);
	EXPECT_END(c);
	/* At the very beginning and the very end of the packet; the first one is not enough. */
	CHECK(patch(c, 0, 11, "1234", true));
	trace_buffer_read_begin(c);
	EXPECT_END(c);
	CHECK(patch(c, 0, 16, "5678", false));
	trace_buffer_read_begin(c);
	CHECK(trace_buffer_read(c, &p));
	CHECK_EQ(p.size, 18);
	CHECK(!memcmp(p.data, "1234b5678bbbbbbbbb", 18));
	EXPECT_END(c);
	CHECK_EQ(c->stats.patches_succeeded, 2);
	trace_buffer_free(c);
}

/* Two chunks of a packet lack something; the one that comes last is patched first. */
static void patching_out_of_order(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	put_one(c, 1, 0, SHMEM_CONTINUES_NEXT | SHMEM_NEEDS_PATCHING, 'a', 100);
	put_one(c, 1, 2, SHMEM_CONTINUES_PREVIOUS, 'b', 100);
	put_one(c, 1, 1, SHMEM_CONTINUES_PREVIOUS | SHMEM_CONTINUES_NEXT | SHMEM_NEEDS_PATCHING,
		'c', 4);
	CHECK(patch(c, 1, 1, "bbbb", false));
	trace_buffer_read_begin(c);
	EXPECT_END(c);
	for (uint32_t at = 0; at < 100; at += 4)
		CHECK(patch(c, 0, 1 + at, "bbbb", at < 96));
	trace_buffer_read_begin(c);
	EXPECT(c, 'b', 204);
	EXPECT_END(c);
	trace_buffer_free(c);
}

static void patching_fails(void)
{
	static const uint32_t offsets[] = { 17, 18, 20, 21, 0x7fffffff, 0xfffffffc, 0xffffffff };
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);
	uint64_t failed = 0;

	CHECK(!patch(c, 0, 0, "xxxx", false));
	put_one(c, 1, 5, SHMEM_NEEDS_PATCHING | SHMEM_CONTINUES_NEXT, 'a', 19);
	for (size_t i = 0; i < sizeof(offsets) / sizeof(*offsets); i++)
		CHECK(!patch(c, 5, offsets[i], "xxxx", false));
	CHECK(!patch(c, 4, 0, "xxxx", false));
	CHECK(!patch(c, 6, 0, "xxxx", false));
	failed = 3 + sizeof(offsets) / sizeof(*offsets);
	CHECK_EQ(c->stats.patches_failed, failed);
	CHECK_EQ(c->stats.patches_succeeded, 0);
	put_one(c, 1, 6, SHMEM_CONTINUES_PREVIOUS, 'a', 1);
	CHECK(patch(c, 5, 1, "aaaa", false));
	trace_buffer_read_begin(c);
	EXPECT(c, 'a', 20);
	EXPECT_END(c);
	trace_buffer_free(c);
}

/* A patch that never came: the packet is lost when it is overwritten, or at the end. */
static void patch_never_came(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	put_one(c, 1, 0, SHMEM_NEEDS_PATCHING | SHMEM_CONTINUES_NEXT, 'a', 9);
	put_one(c, 1, 1, SHMEM_CONTINUES_PREVIOUS, 'a', 9);
	put_one(c, 1, 2, 0, 'b', 9);
	trace_buffer_read_begin(c);
	EXPECT_END(c);
	trace_buffer_finish(c);
	trace_buffer_read_begin(c);
	CHECK_EQ(c->sequences.nr, 1);
	EXPECT_LOST(c, 'b', 9, TRACE_BUFFER_DROPPED | TRACE_BUFFER_BROKEN_CHAIN |
		    TRACE_BUFFER_ORPHAN);
	EXPECT_END(c);
	trace_buffer_free(c);
}

/* A clone has what is unread, in any state; reading one leaves the other as it is (PFT-83). */
static void clones(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING), *clone;

	for (uint32_t i = 0; i < 12; i++)
		put_one(c, 1, i, 0, (char)('a' + i), 400);
	put_one(c, 2, 1, SHMEM_CONTINUES_PREVIOUS | SHMEM_NEEDS_PATCHING, 'y', 10);
	put_one(c, 2, 0, SHMEM_CONTINUES_NEXT, 'y', 10);
	CHECK_EQ(trace_buffer_clone(c, &clone), 0);
	put_one(clone, 1, 12, 0, 'z', 5);
	CHECK(!trace_buffer_patch(clone, &clone->sequences.rows[1]->origin, 1, NULL, 0, false));
	CHECK(trace_buffer_patch(c, &c->sequences.rows[1]->origin, 1, NULL, 0, false));
	for (int i = 0; i < 2; i++) {
		struct trace_buffer *of = i ? clone : c;

		/* Nine fit; the two of writer 2 took the place of one more. */
		trace_buffer_read_begin(of);
		for (int k = 4; k < 12; k++)
			EXPECT_LOST(of, (char)('a' + k), 400,
				    k == 4 ? TRACE_BUFFER_DROPPED | TRACE_BUFFER_OVERWRITTEN : 0);
		if (!i)
			EXPECT(of, 'y', 20);
		EXPECT_END(of);
	}
	trace_buffer_free(c);
	trace_buffer_free(clone);
}

/* A clone of a large buffer with little in it takes little memory. */
static void clone_of_little(void)
{
	struct trace_buffer *c = make_trace_buffer(64 << 12, TRACE_BUFFER_RING), *clone;
	unsigned char pages[64];
	unsigned int resident = 0;

	put_one(c, 1, 0, 0, 'a', 1000);
	CHECK_EQ(trace_buffer_clone(c, &clone), 0);
	CHECK_EQ(mincore(clone->memory, clone->size, pages), 0);
	for (int i = 0; i < 64; i++)
		resident += pages[i] & 1;
	CHECK(resident < 32);
	trace_buffer_free(c);
	trace_buffer_free(clone);
}

static void clear(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_DISCARD), *old;

	put_one(c, 1, 0, 0, 'a', 3000);
	put_one(c, 1, 1, 0, 'b', 3000);
	CHECK_EQ(c->stats.chunks_discarded, 1);
	CHECK_EQ(trace_buffer_clear(c, &old), 0);
	trace_buffer_free(old);
	check_ledger(c);
	CHECK_EQ(trace_buffer_fill(c), 0);
	trace_buffer_read_begin(c);
	EXPECT_END(c);
	put_one(c, 1, 2, 0, 'c', 3000);
	trace_buffer_finish(c);
	trace_buffer_read_begin(c);
	EXPECT_LOST(c, 'c', 3000, TRACE_BUFFER_DROPPED | TRACE_BUFFER_OVERWRITTEN |
		    TRACE_BUFFER_READ_GAP);
	EXPECT_END(c);
	trace_buffer_free(c);
}

/* A writer's id that comes again is another writer, which begins with chunk 0 (PFT-36). */
static void writer_comes_again(void)
{
	const struct trace_buffer_origin origin = { .producer = 1, .writer = 1 };
	struct trace_buffer *c = make_trace_buffer(1 << 20, TRACE_BUFFER_RING);

	for (uint32_t i = 0; i < 50; i++)
		put_one(c, 1, i, 0, 'a', 5);
	trace_buffer_read_begin(c);
	for (int i = 0; i < 49; i++)
		EXPECT(c, 'a', 5);
	trace_buffer_end_writer(c, &origin);
	put_one(c, 1, 0, 0, 'b', 5);
	trace_buffer_read_begin(c);
	EXPECT(c, 'a', 5);
	EXPECT(c, 'b', 5);
	EXPECT_END(c);
	CHECK_EQ(c->stats.chunks_discarded, 0);
	trace_buffer_free(c);
}

/* Thousands of writers that wrote once: what is kept of them does not grow without end. */
static void many_writers(void)
{
	struct trace_buffer *c = make_trace_buffer(1 << 16, TRACE_BUFFER_RING);

	for (uint32_t i = 0; i < 60000; i++) {
		made_begin(&m, (uint16_t)(1 + i / 30000), (uint16_t)(1 + i % 30000), 0);
		made_packet(&m, (char)i, 20);
		trace_buffer_put(c, &m.chunk);
		CHECK(c->sequences.nr <= 2 * SEQUENCE_IDLE_MAX);
	}
	check_ledger(c);
	trace_buffer_read_begin(c);
	while (c->is_reading) {
		struct trace_buffer_packet p;
		uint32_t i;

		if (!trace_buffer_read(c, &p))
			break;
		i = (uint32_t)(p.origin.producer - 1) * 30000 + p.origin.writer - 1;
		CHECK_EQ(*p.data, (uint8_t)i);
	}
	check_ledger(c);
	CHECK_EQ(trace_buffer_fill(c), 0);
	trace_buffer_free(c);
}

/* A writer with many chunks keeps its row when others lose theirs: nobody goes through them. */
static void rows_stay(void)
{
	struct trace_buffer *c = make_trace_buffer(1 << 20, TRACE_BUFFER_RING);
	const struct sequence *s;
	struct trace_buffer_packet p;
	uint32_t row;

	for (uint32_t i = 1; i < SEQUENCE_IDLE_MAX; i++)
		put_one(c, (uint16_t)i, 0, 0, 'a', 5);
	trace_buffer_read_begin(c);
	while (trace_buffer_read(c, &p))
		CHECK_EQ(*p.data, 'a');
	for (uint32_t i = 0; i < 1000; i++)
		put_one(c, SEQUENCE_IDLE_MAX, i, 0, 'b', 5);
	s = c->sequences.rows[c->sequences.nr - 1];
	row = s->index;
	CHECK_EQ(s->origin.writer, SEQUENCE_IDLE_MAX);
	for (uint32_t i = 1; i < SEQUENCE_IDLE_MAX; i++)
		put_one(c, (uint16_t)(SEQUENCE_IDLE_MAX + i), 0, 0, 'c', 5);
	CHECK_EQ(s->index, row);
	CHECK(c->sequences.nr <= 2 * SEQUENCE_IDLE_MAX);
	check_ledger(c);
	trace_buffer_free(c);
}

int main(void)
{
	rows_stay();
	gap_waits();
	gap_is_lost();
	settled_gaps_only();
	lost_by_reader();
	orphan_continuation();
	reassembly_gap();
	broken_chain();
	writer_abort();
	corrupt_chunk();
	overwritten();
	overwritten_beginning();
	reader_keeps_up();
	patching();
	patching_out_of_order();
	patching_fails();
	patch_never_came();
	clones();
	clone_of_little();
	clear();
	writer_comes_again();
	many_writers();
	return 0;
}
