// SPDX-License-Identifier: GPL-2.0
/*
 * test_pft_scraped.c - chunks that were taken while they were written, in a ring that goes round
 *
 * Requirements PFT-54, PFT-56 and E.12; the lists ScrapedChunkRecommit, RescrapeAfterEviction,
 * BytesOverwritten, ChunkGaps. What was read before its chunk is overwritten is no loss, and what
 * is new in a chunk that comes again is told once, wherever it is put.
 */
#include "pft_chunk.h"

static struct made m;

/* A chunk of packets of 20 bytes, a letter each, with room for more; @whole: it is complete */
static void put(struct trace_buffer *c, uint32_t id, const char *letters, uint8_t flags, bool whole)
{
	made_begin(&m, 1, 1, id);
	for (; *letters; letters++)
		made_packet(&m, *letters, 20);
	made_slack(&m, 200 - m.chunk.size);
	m.chunk.flags = flags;
	m.chunk.is_complete = whole;
	trace_buffer_put(c, &m.chunk);
}

/* A record of @size bytes with one packet, of another writer */
static void put_record(struct trace_buffer *c, uint16_t writer, uint32_t id, char letter,
		       size_t size)
{
	put_one(c, writer, id, 0, letter, size - RECORD - 2);
}

/* So much by others that nothing of before is left; three of them are there then. */
static void go_round(struct trace_buffer *c)
{
	for (uint32_t i = 0; i < 4; i++)
		put_record(c, 2, i, (char)('w' + i), 1024);
}

static void expect_round(struct trace_buffer *c)
{
	EXPECT_LOST(c, 'x', 1024 - RECORD - 2, TRACE_BUFFER_DROPPED | TRACE_BUFFER_OVERWRITTEN);
	EXPECT(c, 'y', 1024 - RECORD - 2);
	EXPECT(c, 'z', 1024 - RECORD - 2);
}

/* A packet was read, the reader has not gone on: what is written over is no loss. */
static void read_is_not_lost(void)
{
	for (int begins_again = 0; begins_again < 2; begins_again++) {
		struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

		put_record(c, 1, 0, 'a', 512);
		trace_buffer_read_begin(c);
		EXPECT(c, 'a', 512 - RECORD - 2);
		if (begins_again)
			trace_buffer_read_begin(c);
		put_record(c, 2, 0, 'b', 1024);
		put_record(c, 2, 1, 'c', 1024);
		put_record(c, 3, 0, 'd', 2048);
		CHECK_EQ(c->stats.write_wrap_count, 1);
		CHECK_EQ(c->stats.chunks_overwritten, 2);
		CHECK_EQ(c->stats.bytes_overwritten, 2048);
		CHECK_EQ(c->stats.chunks_read, 1);
		CHECK_EQ(c->stats.bytes_read, 512);
		check_ledger(c);
		trace_buffer_free(c);
	}
}

/* Nor is it if the packet was in several chunks. */
static void read_chain_is_not_lost(void)
{
	static const uint8_t flags[] = {
		SHMEM_CONTINUES_NEXT, SHMEM_CONTINUES_PREVIOUS | SHMEM_CONTINUES_NEXT,
		SHMEM_CONTINUES_PREVIOUS,
	};
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	for (uint32_t i = 0; i < 3; i++)
		put_one(c, 1, i, flags[i], 'a', 512 - RECORD - 2);
	trace_buffer_read_begin(c);
	EXPECT(c, 'a', 3 * (512 - RECORD - 2));
	put_record(c, 2, 0, 'b', 2048);
	put_record(c, 3, 0, 'c', 1536);
	CHECK_EQ(c->stats.write_wrap_count, 1);
	CHECK_EQ(c->stats.chunks_overwritten, 0);
	CHECK_EQ(c->stats.chunks_read, 3);
	check_ledger(c);
	trace_buffer_free(c);
}

/* It is if a patch was missing, and the packet was never read. */
static void unpatched_is_lost(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	put_one(c, 1, 0, SHMEM_CONTINUES_NEXT | SHMEM_NEEDS_PATCHING, 'a', 1024 - RECORD - 2);
	put_one(c, 1, 1, SHMEM_CONTINUES_PREVIOUS, 'a', 1024 - RECORD - 2);
	trace_buffer_read_begin(c);
	EXPECT_END(c);
	put_record(c, 2, 0, 'b', 2048);
	put_record(c, 3, 0, 'c', 2048);
	CHECK_EQ(c->stats.chunks_overwritten, 2);
	CHECK_EQ(c->stats.bytes_overwritten, 2048);
	check_ledger(c);
	trace_buffer_free(c);
}

/* The rest comes when the ring is full to its end: behind all others, at the beginning. */
static void relocated_over_the_end(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	put(c, 0, "ab", 0, false);
	trace_buffer_read_begin(c);
	EXPECT(c, 'a', 20);
	EXPECT_END(c);
	put_record(c, 2, 0, 'x', 2048);
	put_record(c, 2, 1, 'y', 4096 - c->tail);
	CHECK_EQ(c->tail, 4096);
	trace_buffer_read_begin(c);
	EXPECT(c, 'x', 2048 - RECORD - 2);
	EXPECT(c, 'y', 4096 - 2048 - record_size(200) - RECORD - 2);
	EXPECT_END(c);
	put(c, 0, "abc", SHMEM_CONTINUES_NEXT, true);
	CHECK_EQ(c->stats.chunks_relocated, 1);
	CHECK_EQ(c->stats.chunks_rewritten, 0);
	CHECK_EQ(c->stats.write_wrap_count, 1);
	put_record(c, 2, 2, 'z', 512);
	put(c, 1, "cd", SHMEM_CONTINUES_PREVIOUS, true);
	trace_buffer_read_begin(c);
	EXPECT(c, 'b', 20);
	EXPECT(c, 'c', 40);
	EXPECT(c, 'z', 512 - RECORD - 2);
	EXPECT(c, 'd', 20);
	EXPECT_END(c);
	CHECK_EQ(c->stats.chunks_overwritten, 0);
	CHECK_EQ(c->stats.readaheads_failed, 0);
	CHECK_EQ(c->stats.readaheads_succeeded, 1);
	trace_buffer_free(c);
}

/* The rest stays where the beginning is while that is not read to its end, or not complete. */
static void in_its_place(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	put(c, 0, "ab", 0, false);
	trace_buffer_read_begin(c);
	EXPECT(c, 'a', 20);
	EXPECT_END(c);
	put(c, 0, "abc", 0, false);
	CHECK_EQ(c->stats.chunks_rewritten, 1);
	put(c, 0, "abcd", 0, true);
	CHECK_EQ(c->stats.chunks_rewritten, 2);
	CHECK_EQ(c->stats.chunks_relocated, 0);
	trace_buffer_read_begin(c);
	EXPECT(c, 'b', 20);
	EXPECT(c, 'c', 20);
	EXPECT(c, 'd', 20);
	EXPECT_END(c);
	trace_buffer_free(c);
}

/* What follows was there before the rest came. */
static void relocated_before_the_next(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	put(c, 0, "ab", 0, false);
	trace_buffer_read_begin(c);
	EXPECT(c, 'a', 20);
	EXPECT_END(c);
	put(c, 1, "cd", SHMEM_CONTINUES_PREVIOUS, true);
	put(c, 0, "abc", SHMEM_CONTINUES_NEXT, true);
	CHECK_EQ(c->stats.chunks_relocated, 1);
	trace_buffer_read_begin(c);
	EXPECT(c, 'b', 20);
	EXPECT(c, 'c', 40);
	EXPECT(c, 'd', 20);
	EXPECT_END(c);
	trace_buffer_free(c);
}

/* Taken twice with the same in it: it is still not complete. */
static void scraped_twice(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	for (int i = 0; i < 2; i++) {
		put(c, 0, "abc", SHMEM_CONTINUES_NEXT, false);
		trace_buffer_read_begin(c);
		if (!i) {
			EXPECT(c, 'a', 20);
			EXPECT(c, 'b', 20);
		}
		EXPECT_END(c);
	}
	CHECK_EQ(c->stats.chunks_discarded, 0);
	put(c, 0, "abc", SHMEM_CONTINUES_NEXT, true);
	put(c, 1, "cd", SHMEM_CONTINUES_PREVIOUS, true);
	trace_buffer_read_begin(c);
	EXPECT(c, 'c', 40);
	EXPECT(c, 'd', 20);
	EXPECT_END(c);
	trace_buffer_free(c);
}

/* Read, overwritten, and taken again with more in it: that is new, and nothing was lost. */
static void scraped_after_eviction(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	put(c, 0, "ab", SHMEM_CONTINUES_NEXT, false);
	trace_buffer_read_begin(c);
	EXPECT(c, 'a', 20);
	EXPECT_END(c);
	go_round(c);
	put(c, 0, "abc", SHMEM_CONTINUES_NEXT, false);
	trace_buffer_read_begin(c);
	expect_round(c);
	EXPECT(c, 'b', 20);
	EXPECT_END(c);
	trace_buffer_free(c);
}

/* The same, complete, with a packet that goes on in the next chunk */
static void completed_after_eviction(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	put(c, 0, "abc", SHMEM_CONTINUES_NEXT, false);
	trace_buffer_read_begin(c);
	EXPECT(c, 'a', 20);
	EXPECT(c, 'b', 20);
	EXPECT_END(c);
	go_round(c);
	put(c, 0, "abc", SHMEM_CONTINUES_NEXT, true);
	put(c, 1, "cd", SHMEM_CONTINUES_PREVIOUS, true);
	trace_buffer_read_begin(c);
	expect_round(c);
	EXPECT(c, 'c', 40);
	EXPECT(c, 'd', 20);
	EXPECT_END(c);
	trace_buffer_free(c);
}

/* One that was complete does not come again, whatever it has now. */
static void complete_is_over(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	put(c, 0, "abc", 0, true);
	trace_buffer_read_begin(c);
	EXPECT(c, 'a', 20);
	EXPECT(c, 'b', 20);
	EXPECT(c, 'c', 20);
	EXPECT_END(c);
	go_round(c);
	put(c, 0, "abcd", 0, true);
	CHECK_EQ(c->stats.chunks_discarded, 1);
	trace_buffer_read_begin(c);
	expect_round(c);
	EXPECT_END(c);
	trace_buffer_free(c);
}

/* One that is never completed is overwritten as others are. */
static void incomplete_goes(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	for (uint32_t i = 1; i <= 6; i++) {
		made_begin(&m, 1, 1, i);
		made_packet(&m, (char)('0' + i), 1024 - RECORD - 2);
		m.chunk.is_complete = i != 2;
		trace_buffer_put(c, &m.chunk);
	}
	trace_buffer_read_begin(c);
	EXPECT_LOST(c, '3', 1024 - RECORD - 2, TRACE_BUFFER_DROPPED | TRACE_BUFFER_OVERWRITTEN);
	for (char letter = '4'; letter <= '6'; letter++)
		EXPECT(c, letter, 1024 - RECORD - 2);
	EXPECT_END(c);
	trace_buffer_free(c);
}

/* A writer of which nothing is in the buffer any more: what it wrote last is not forgotten. */
static void gaps_of_who_was_gone(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	for (uint32_t id = 1; id <= 4; id++) {
		if (id == 3)
			continue;
		put_one(c, 1, id, 0, (char)('a' + id), 16);
		trace_buffer_settle(c, 1);
		trace_buffer_read_begin(c);
		EXPECT_LOST(c, (char)('a' + id), 16,
			    id == 4 ? TRACE_BUFFER_DROPPED | TRACE_BUFFER_READ_GAP : 0);
		EXPECT_END(c);
		put_record(c, 2, 2 * id, 'x', 4096);
		put_record(c, 2, 2 * id + 1, 'x', 4096);
	}
	trace_buffer_free(c);
}

int main(void)
{
	read_is_not_lost();
	read_chain_is_not_lost();
	unpatched_is_lost();
	relocated_over_the_end();
	in_its_place();
	relocated_before_the_next();
	scraped_twice();
	scraped_after_eviction();
	completed_after_eviction();
	complete_is_over();
	incomplete_goes();
	gaps_of_who_was_gone();
	return 0;
}
