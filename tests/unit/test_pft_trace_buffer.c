// SPDX-License-Identifier: GPL-2.0
/*
 * test_pft_trace_buffer.c - a buffer of a session: what is put in comes out, by writer and in order
 *
 * Requirements PFT-50..54 and PFT-60; the lists ReadWrite, Fragments, DiscardPolicy.
 */
#include "pft_chunk.h"

#include <errno.h>

static struct made m;

static void read_write_empty(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	EXPECT_END(c);
	trace_buffer_read_begin(c);
	EXPECT_END(c);
	CHECK_EQ(trace_buffer_fill(c), 0);
	trace_buffer_free(c);
}

static void read_write_simple(void)
{
	for (size_t size = 1; size <= 3000; size = size * 2 + 1) {
		struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

		put_one(c, 1, 0, 0, 'a', size);
		CHECK_EQ(trace_buffer_fill(c), size + (size > 127 ? 2 : 1));
		trace_buffer_read_begin(c);
		EXPECT(c, 'a', size);
		EXPECT_END(c);
		trace_buffer_read_begin(c);
		EXPECT_END(c);
		CHECK_EQ(trace_buffer_fill(c), 0);
		trace_buffer_free(c);
	}
}

static void read_write_one_chunk_per_writer(void)
{
	for (unsigned int writers = 1; writers <= 10; writers++) {
		struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

		for (unsigned int w = 1; w <= writers; w++)
			put_one(c, (uint16_t)w, 0, 0, (char)('a' + w), 32);
		trace_buffer_read_begin(c);
		for (unsigned int w = 1; w <= writers; w++)
			EXPECT(c, (char)('a' + w), 32);
		EXPECT_END(c);
		trace_buffer_free(c);
	}
}

/* Up to the last byte, over again: nothing is between the records. */
static void read_write_fill_till_end(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	for (uint32_t i = 0; i < 3; i++) {
		for (uint32_t k = 0; k < 4; k++)
			put_one(c, 1, i * 4 + k, 0, (char)('a' + k), 1024 - RECORD - 2);
		CHECK_EQ(c->used, 4096);
		trace_buffer_read_begin(c);
		for (uint32_t k = 0; k < 4; k++)
			EXPECT(c, (char)('a' + k), 1024 - RECORD - 2);
		EXPECT_END(c);
		CHECK_EQ(c->stats.chunks_overwritten, 0);
	}
	CHECK_EQ(c->stats.write_wrap_count, 2);
	trace_buffer_free(c);
}

/* A smaller record takes the place of a larger one: padding of each size that there is */
static void read_write_padding(void)
{
	for (size_t rest = 8; rest <= 960; rest += 8) {
		struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);
		const size_t room = 1024 - rest - RECORD, x = room - (room > 129 ? 2 : 1);

		for (uint32_t k = 0; k < 4; k++)
			put_one(c, 1, k, 0, (char)('a' + k), 1024 - RECORD - 2);
		put_one(c, 2, 0, 0, 'x', x);
		check_ledger(c);
		CHECK_EQ(c->stats.padding_bytes_written, rest);
		CHECK_EQ(c->stats.chunks_overwritten, 1);
		trace_buffer_read_begin(c);
		EXPECT_LOST(c, 'b', 1024 - RECORD - 2, TRACE_BUFFER_DROPPED |
			    TRACE_BUFFER_OVERWRITTEN);
		EXPECT(c, 'c', 1024 - RECORD - 2);
		EXPECT(c, 'd', 1024 - RECORD - 2);
		EXPECT(c, 'x', x);
		EXPECT_END(c);
		put_one(c, 2, 1, 0, 'y', 2000);
		check_ledger(c);
		CHECK_EQ(c->stats.padding_bytes_cleared, rest);
		trace_buffer_free(c);
	}
}

/* What was read is passed once: then it is one record on each side of the tail. */
static void read_write_join(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);
	unsigned int records = 0;

	for (uint32_t k = 0; k < 50; k++)
		put_one(c, 1, k, 0, 'a', 100);
	trace_buffer_read_begin(c);
	while (trace_buffer_fill(c)) {
		struct trace_buffer_packet p;

		CHECK(trace_buffer_read(c, &p));
	}
	EXPECT_END(c);
	trace_buffer_read_begin(c);
	EXPECT_END(c);
	for (size_t off = 0; off < c->used; off += record_off(c, off)->size)
		records++;
	CHECK_EQ(records, 2);
	/* A part of it that is written to is not padding. */
	put_one(c, 1, 50, 0, 'b', 1000);
	CHECK_EQ(c->stats.padding_bytes_written, 0);
	check_ledger(c);
	trace_buffer_read_begin(c);
	EXPECT(c, 'b', 1000);
	EXPECT_END(c);
	trace_buffer_free(c);
}

/* What does not fit at the end goes to the beginning; what was at the end is gone, too. */
static void read_write_wrapping(void)
{
	for (size_t last = 8; last <= 1000; last += 8) {
		struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

		put_one(c, 1, 0, 0, 'a', 4096 - last - RECORD - 2);
		put_one(c, 2, 0, 0, 'b', 1024 - RECORD - 2);
		CHECK_EQ(c->tail, last < 1024 ? 1024 : 4096);
		CHECK_EQ(c->stats.write_wrap_count, 1);
		trace_buffer_read_begin(c);
		EXPECT(c, 'b', 1024 - RECORD - 2);
		EXPECT_END(c);
		put_one(c, 1, 1, 0, 'c', 10);
		trace_buffer_read_begin(c);
		EXPECT_LOST(c, 'c', 10, TRACE_BUFFER_DROPPED | TRACE_BUFFER_OVERWRITTEN);
		EXPECT_END(c);
		trace_buffer_free(c);
	}
}

static void read_write_empty_packet(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	made_begin(&m, 1, 1, 0);
	made_packet(&m, 'a', 5);
	made_packet(&m, 0, 0);
	made_packet(&m, 'b', 5);
	made_packet(&m, 0, 0);
	trace_buffer_put(c, &m.chunk);
	trace_buffer_read_begin(c);
	EXPECT(c, 'a', 5);
	EXPECT(c, 'b', 5);
	EXPECT_END(c);
	CHECK_EQ(c->stats.abi_violations, 0);
	trace_buffer_free(c);
}

static void fragments_simple(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	made_begin(&m, 1, 1, 0);
	made_packet(&m, 'a', 10);
	made_packet(&m, 'b', 20);
	m.chunk.flags = SHMEM_CONTINUES_NEXT;
	trace_buffer_put(c, &m.chunk);
	trace_buffer_read_begin(c);
	EXPECT(c, 'a', 10);
	EXPECT_END(c);
	made_begin(&m, 1, 1, 1);
	made_packet(&m, 'b', 30);
	made_packet(&m, 'c', 40);
	m.chunk.flags = SHMEM_CONTINUES_PREVIOUS;
	trace_buffer_put(c, &m.chunk);
	trace_buffer_read_begin(c);
	EXPECT(c, 'b', 50);
	EXPECT(c, 'c', 40);
	EXPECT_END(c);
	CHECK_EQ(c->stats.readaheads_succeeded, 1);
	CHECK_EQ(c->stats.readaheads_failed, 1);
	trace_buffer_free(c);
}

/* One writer waits for the rest of a packet, the others go on (PFT-13). */
static void fragments_edge_cases(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	put_one(c, 1, 0, SHMEM_CONTINUES_NEXT, 'a', 22);
	put_one(c, 2, 0, 0, 'b', 23);
	put_one(c, 3, 0, SHMEM_CONTINUES_NEXT, 'c', 24);
	trace_buffer_read_begin(c);
	EXPECT(c, 'b', 23);
	EXPECT_END(c);
	put_one(c, 3, 1, SHMEM_CONTINUES_PREVIOUS, 'c', 1);
	trace_buffer_read_begin(c);
	EXPECT(c, 'c', 25);
	EXPECT_END(c);
	put_one(c, 1, 1, SHMEM_CONTINUES_PREVIOUS | SHMEM_CONTINUES_NEXT, 'a', 1);
	trace_buffer_read_begin(c);
	EXPECT_END(c);
	put_one(c, 1, 2, SHMEM_CONTINUES_PREVIOUS, 'a', 1);
	trace_buffer_read_begin(c);
	EXPECT(c, 'a', 24);
	EXPECT_END(c);
	trace_buffer_free(c);
}

/* Any order of arrival of chunks is one order of packets, also across the wrap of ids. */
static void fragments_out_of_order(void)
{
	static const char orders[][5] = {
		"0123", "0132", "0213", "0231", "0312", "0321", "1023", "1032",
		"1203", "1230", "1302", "1320", "2013", "2031", "2103", "2130",
		"2301", "2310", "3012", "3021", "3102", "3120", "3201", "3210",
	};

	for (size_t i = 0; i < 24; i++) {
		for (uint32_t first = 0xfffffffd; first != 2; first++) {
			struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

			for (int k = 0; k < 4; k++) {
				const unsigned int n = (unsigned int)(orders[i][k] - '0');

				made_begin(&m, 1, 1, first + n);
				made_packet(&m, n ? (char)('a' + n - 1) : 'z', 10);
				made_packet(&m, (char)('a' + n), 7);
				m.chunk.flags = (n ? SHMEM_CONTINUES_PREVIOUS : 0) |
						(n < 3 ? SHMEM_CONTINUES_NEXT : 0);
				trace_buffer_put(c, &m.chunk);
			}
			trace_buffer_read_begin(c);
			EXPECT(c, 'z', 10);
			EXPECT(c, 'a', 17);
			EXPECT(c, 'b', 17);
			EXPECT(c, 'c', 17);
			EXPECT(c, 'd', 7);
			EXPECT_END(c);
			trace_buffer_free(c);
		}
	}
}

/* A chunk with nothing in it before, in or after a long packet. */
static void fragments_empty_chunk(void)
{
	for (uint32_t empty = 0; empty < 5; empty++) {
		struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

		for (uint32_t id = 0; id < 5; id++) {
			const uint32_t part = id < empty ? id : id - 1;

			made_begin(&m, 1, 1, id);
			if (id != empty) {
				made_packet(&m, 'a', 100);
				m.chunk.flags = (part ? SHMEM_CONTINUES_PREVIOUS : 0) |
						(part < 3 ? SHMEM_CONTINUES_NEXT : 0);
			}
			trace_buffer_put(c, &m.chunk);
		}
		trace_buffer_read_begin(c);
		EXPECT(c, 'a', 400);
		EXPECT_END(c);
		CHECK_EQ(c->stats.abi_violations, 0);
		trace_buffer_free(c);
	}
}

/* Hundreds of chunks, with ids that wrap in the packet */
static void fragments_long_packet(void)
{
	struct trace_buffer *c = make_trace_buffer(1 << 20, TRACE_BUFFER_RING);
	const uint32_t first = 0xffffff00;

	for (uint32_t i = 0; i < 500; i++)
		put_one(c, 1, first + i, (i ? SHMEM_CONTINUES_PREVIOUS : 0) |
			(i < 499 ? SHMEM_CONTINUES_NEXT : 0), 'a', 1000);
	trace_buffer_read_begin(c);
	EXPECT(c, 'a', 500000);
	EXPECT_END(c);
	trace_buffer_free(c);
}

static void fragments_preserve_origin(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);
	struct trace_buffer_packet p;

	for (uint16_t producer = 1; producer <= 2; producer++) {
		made_begin(&m, producer, 7, 0);
		made_packet(&m, 'a', 5);
		made_packet(&m, 'b', 5);
		trace_buffer_put(c, &m.chunk);
	}
	trace_buffer_read_begin(c);
	for (int i = 0; i < 4; i++) {
		CHECK(trace_buffer_read(c, &p));
		CHECK_EQ(p.origin.producer, i / 2 + 1);
		CHECK_EQ(p.origin.uid, 1001 + i / 2);
		CHECK_EQ(p.origin.pid, 5001 + i / 2);
		CHECK_EQ(p.origin.writer, 7);
		CHECK_EQ(p.is_first, i % 2 == 0);
	}
	EXPECT_END(c);
	trace_buffer_free(c);
}

/* The first chunk that does not fit is the end, smaller ones after it included (PFT-51). */
static void discard_policy(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_DISCARD);

	put_one(c, 1, 0, 0, 'a', 2000);
	put_one(c, 1, 1, 0, 'b', 3000);
	put_one(c, 1, 2, 0, 'c', 10);
	put_one(c, 2, 0, 0, 'd', 10);
	CHECK_EQ(c->stats.chunks_discarded, 3);
	CHECK_EQ(c->stats.chunks_written, 1);
	trace_buffer_read_begin(c);
	EXPECT(c, 'a', 2000);
	EXPECT_END(c);
	put_one(c, 1, 3, 0, 'e', 10);
	trace_buffer_read_begin(c);
	EXPECT_END(c);
	trace_buffer_free(c);
}

static void discard_policy_fills_exactly(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_DISCARD);

	for (uint32_t i = 0; i < 4; i++)
		put_one(c, 1, i, 0, (char)('a' + i), 1024 - RECORD - 2);
	CHECK_EQ(c->stats.chunks_discarded, 0);
	put_one(c, 1, 4, 0, 'e', 1);
	CHECK_EQ(c->stats.chunks_discarded, 1);
	trace_buffer_read_begin(c);
	for (int i = 0; i < 4; i++)
		EXPECT(c, (char)('a' + i), 1024 - RECORD - 2);
	EXPECT_END(c);
	trace_buffer_free(c);
}

/* A packet whose end was discarded never comes out, not even in part (PFT-53). */
static void discard_policy_fragment_at_boundary(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_DISCARD);

	put_one(c, 1, 0, 0, 'a', 100);
	put_one(c, 1, 1, SHMEM_CONTINUES_NEXT, 'b', 3700);
	put_one(c, 1, 2, SHMEM_CONTINUES_PREVIOUS, 'b', 3700);
	trace_buffer_read_begin(c);
	EXPECT(c, 'a', 100);
	EXPECT_END(c);
	trace_buffer_finish(c);
	trace_buffer_read_begin(c);
	EXPECT_END(c);
	trace_buffer_free(c);
}

static void sizes(void)
{
	struct trace_buffer *c;

	CHECK_EQ(trace_buffer_alloc(&c, 0, TRACE_BUFFER_RING), -EINVAL);
	CHECK_EQ(trace_buffer_alloc(&c, 1ul << 32, TRACE_BUFFER_RING), -EINVAL);
	c = make_trace_buffer(1, TRACE_BUFFER_RING);
	CHECK_EQ(trace_buffer_stats(c)->buffer_size, 4096);
	/* Longer than the buffer: refused, and nothing is hurt */
	put_one(c, 1, 0, 0, 'a', 5000);
	CHECK_EQ(c->stats.abi_violations, 1);
	CHECK_EQ(c->stats.chunks_written, 0);
	trace_buffer_free(c);
	trace_buffer_free(NULL);
}

/* A flood in one buffer evicts nothing of another (PFT-60). */
static void buffers_are_apart(void)
{
	struct trace_buffer *slow = make_trace_buffer(4096, TRACE_BUFFER_RING);
	struct trace_buffer *fast = make_trace_buffer(4096, TRACE_BUFFER_RING);

	for (uint32_t i = 0; i < 1000; i++) {
		put_one(fast, 1, i, 0, 'f', 100);
		if (i % 100 == 0)
			put_one(slow, 2, i / 100, 0, 's', 100);
	}
	trace_buffer_read_begin(slow);
	for (int i = 0; i < 10; i++)
		EXPECT(slow, 's', 100);
	EXPECT_END(slow);
	CHECK(fast->stats.chunks_overwritten > 900);
	trace_buffer_free(slow);
	trace_buffer_free(fast);
}

static void histogram(void)
{
	struct trace_buffer *c = make_trace_buffer(1 << 20, TRACE_BUFFER_RING);
	struct trace_buffer_origin origin;
	const uint64_t *counts;
	const int64_t *sums;
	uint32_t cursor = 0;

	put_one(c, 1, 0, 0, 'a', 7);		/* 8 with its size: the first class */
	put_one(c, 1, 1, 0, 'a', 8);
	put_one(c, 1, 2, 0, 'a', 30000);
	CHECK(trace_buffer_writer(c, &cursor, &origin, &counts, &sums));
	CHECK_EQ(origin.writer, 1);
	CHECK_EQ(counts[0], 1);
	CHECK_EQ(sums[0], 8);
	CHECK_EQ(counts[1], 1);
	CHECK_EQ(sums[1], 9);
	CHECK_EQ(counts[TRACE_BUFFER_BUCKETS], 1);
	CHECK_EQ(sums[TRACE_BUFFER_BUCKETS], 30003);
	CHECK(!trace_buffer_writer(c, &cursor, &origin, &counts, &sums));
	trace_buffer_free(c);
}

/* Each patch of the first chunk costs as many steps as there are chunks: not for ever. */
static void far_behind(void)
{
	const uint32_t nr = 300000;
	const struct trace_buffer_patch patch = { .offset = 1, .data = "bbbb" };
	struct trace_buffer *c = make_trace_buffer(16 << 20, TRACE_BUFFER_RING);
	const struct trace_buffer_origin origin = { .producer = 1, .writer = 1, .uid = 1001,
					       .pid = 5001 };

	for (uint32_t i = 0; i < nr; i++)
		put_one(c, 1, i, 0, 'a', 4);
	CHECK(trace_buffer_patch(c, &origin, 0, &patch, 1, false));
	for (unsigned int i = 0; i < 9; i++)
		trace_buffer_patch(c, &origin, 0, &patch, 1, false);
	CHECK_EQ(c->stats.patches_succeeded, 3);
	CHECK_EQ(c->stats.patches_failed, 7);
	/* In order, all goes on; and what was far can be paid for again. */
	for (uint32_t i = nr; i < nr + 20000; i++)
		put_one(c, 1, i, 0, 'a', 4);
	CHECK(trace_buffer_patch(c, &origin, nr, &patch, 1, false));
	CHECK(trace_buffer_patch(c, &origin, 0, &patch, 1, false));
	CHECK_EQ(c->stats.chunks_discarded, 0);
	trace_buffer_free(c);
}

/* A large buffer is given back piece by piece: others go on meanwhile. */
static void freed_in_steps(void)
{
	struct trace_buffer *c = make_trace_buffer(64 << 20, TRACE_BUFFER_RING);
	unsigned int nr = 0;

	while (trace_buffer_free_step(c))
		nr++;
	CHECK(nr >= 16);
}

/* So is what a large buffer had when it is cleared: between the steps it takes and gives chunks. */
static void cleared_in_steps(void)
{
	struct trace_buffer *c = make_trace_buffer(64 << 20, TRACE_BUFFER_RING), *old;
	unsigned int nr = 0;

	put_one(c, 1, 0, 0, 'x', 16);
	put_one(c, 2, 0, 0, 'y', 16);
	trace_buffer_read_begin(c);
	EXPECT(c, 'x', 16);
	CHECK_EQ(trace_buffer_clear(c, &old), 0);
	CHECK_EQ(c->stats.chunks_read, 1);
	CHECK_EQ(c->stats.chunks_overwritten, 1);
	do {
		put_one(c, 1, ++nr, 0, 'a', 16);
		trace_buffer_read_begin(c);
		EXPECT(c, 'a', 16);
		EXPECT_END(c);
	} while (trace_buffer_free_step(old));
	CHECK(nr >= 16);
	put_one(c, 2, 1, 0, 'b', 16);
	trace_buffer_read_begin(c);
	EXPECT_LOST(c, 'b', 16, TRACE_BUFFER_DROPPED | TRACE_BUFFER_OVERWRITTEN);
	EXPECT_END(c);
	trace_buffer_free(c);
}

/* So is one that went while it was copied, by the last copy: when it is whole, or goes, too. */
static void freed_by_copy(void)
{
	for (int goes = 0; goes < 2; goes++) {
		struct trace_buffer *c = make_trace_buffer(64 << 20, TRACE_BUFFER_RING);
		struct trace_buffer *copy, *first;
		unsigned int nr = 0;

		put_one(c, 1, 0, 0, 'a', 16);
		CHECK_EQ(trace_buffer_copy_begin(c, &first), 0);
		CHECK_EQ(trace_buffer_copy_begin(c, &copy), 0);
		CHECK(!trace_buffer_free_step(c));
		CHECK(trace_buffer_copy_step(first));
		CHECK(!trace_buffer_copy_step(first));
		trace_buffer_free(first);
		CHECK(trace_buffer_copy_step(copy));
		while (goes ? trace_buffer_free_step(copy) : trace_buffer_copy_step(copy))
			nr++;
		/* The one that goes has as much of its own. */
		CHECK(nr >= (goes ? 100 : 16));
		if (goes)
			continue;
		trace_buffer_read_begin(copy);
		EXPECT(copy, 'a', 16);
		EXPECT_END(copy);
		trace_buffer_free(copy);
	}
}

/* Very many packets of no size: reading pauses between them, and none of the others is lost. */
static void pauses(void)
{
	struct trace_buffer *c = make_trace_buffer(1 << 20, TRACE_BUFFER_RING);
	struct trace_buffer_packet p;
	unsigned int nr = 0;

	for (uint32_t i = 0; i < 100; i++) {
		made_begin(&m, 1, 1, i);
		for (unsigned int k = 0; k < 1000; k++)
			made_packet(&m, 'a', i == 50 && k == 500);
		trace_buffer_put(c, &m.chunk);
	}
	trace_buffer_read_begin(c);
	do {
		CHECK(trace_buffer_read(c, &p));
		nr++;
	} while (!p.size);
	CHECK(nr > 1);
	CHECK_EQ(p.size, 1);
	for (nr = 0; trace_buffer_read(c, &p); nr++)
		CHECK_EQ(p.size, 0);
	CHECK(nr > 1);
	check_ledger(c);
	CHECK_EQ(trace_buffer_fill(c), 0);
	trace_buffer_free(c);
}

int main(void)
{
	far_behind();
	read_write_empty();
	read_write_simple();
	read_write_one_chunk_per_writer();
	read_write_fill_till_end();
	read_write_padding();
	read_write_join();
	read_write_wrapping();
	read_write_empty_packet();
	fragments_simple();
	fragments_edge_cases();
	fragments_out_of_order();
	fragments_empty_chunk();
	fragments_long_packet();
	fragments_preserve_origin();
	discard_policy();
	discard_policy_fills_exactly();
	discard_policy_fragment_at_boundary();
	sizes();
	buffers_are_apart();
	histogram();
	freed_in_steps();
	cleared_in_steps();
	freed_by_copy();
	pauses();
	return 0;
}
