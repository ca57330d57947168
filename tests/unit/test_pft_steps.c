// SPDX-License-Identifier: GPL-2.0
/*
 * test_pft_steps.c - no call for a buffer takes very many steps, whatever its writers have made
 *
 * Between the calls others are served. Steps are counted, not measured.
 */
#include "pft_chunk.h"

/* A packet in @nr chunks, each with @size bytes of it; the ids begin with @first. */
static void put_chain(struct trace_buffer *c, uint16_t writer, uint32_t first, uint32_t nr,
		      size_t size)
{
	for (uint32_t i = 0; i < nr; i++)
		put_one(c, writer, first + i, (i ? SHMEM_CONTINUES_PREVIOUS : 0) |
			(i < nr - 1 ? SHMEM_CONTINUES_NEXT : 0), 'a', size);
}

/* The next packet that is one. Return: how often reading paused before. */
static unsigned int next(struct trace_buffer *c, struct trace_buffer_packet *p)
{
	unsigned int nr = 0;

	for (;; nr++) {
		CHECK(trace_buffer_read(c, p));
		if (p->size)
			return nr;
	}
}

/* Return: how often it paused before the pass was over. */
static unsigned int rest(struct trace_buffer *c)
{
	struct trace_buffer_packet p;
	unsigned int nr = 0;

	for (; trace_buffer_read(c, &p); nr++)
		CHECK_EQ(p.size, 0);
	check_ledger(c);
	return nr;
}

/* The largest packet there may be, in bytes and in chunks, and one that is a little larger */
static void largest(void)
{
	const struct { uint32_t nr; size_t size; } cases[] = {
		{ TRACE_BUFFER_PACKET_MAX / 32768, 32768 },
		{ TRACE_BUFFER_PACKET_CHUNKS, 1 },
	};

	for (size_t i = 0; i < 2; i++) {
		const uint32_t nr = cases[i].nr;
		struct trace_buffer *c = make_trace_buffer(64 << 20, TRACE_BUFFER_RING);
		struct trace_buffer_packet p;

		put_chain(c, 1, 0, nr, cases[i].size);
		put_chain(c, 1, nr, nr + 1, cases[i].size);
		put_one(c, 1, 2 * nr + 1, 0, 'b', 5);
		put_one(c, 2, 0, 0, 'c', 5);
		trace_buffer_read_begin(c);
		next(c, &p);
		CHECK_EQ(p.size, nr * cases[i].size);
		CHECK_EQ(trace_buffer_too_large(c), 0);
		next(c, &p);
		CHECK_EQ(p.size, 5);
		CHECK_EQ(p.data[0], 'b');
		CHECK_EQ(p.dropped, TRACE_BUFFER_DROPPED | TRACE_BUFFER_BROKEN_CHAIN);
		next(c, &p);
		CHECK_EQ(p.data[0], 'c');
		rest(c);
		CHECK_EQ(trace_buffer_too_large(c), 1);
		CHECK_EQ(trace_buffer_too_large(c), 0);
		CHECK_EQ(trace_buffer_fill(c), 0);
		trace_buffer_free(c);
	}
}

/* One that is still being written is dropped as soon as it is too large, and all of it. */
static void endless(void)
{
	struct trace_buffer *c = make_trace_buffer(64 << 20, TRACE_BUFFER_RING);
	const uint32_t nr = 4 * TRACE_BUFFER_PACKET_CHUNKS;
	struct trace_buffer_packet p;

	put_chain(c, 1, 0, nr, 1);
	trace_buffer_read_begin(c);
	CHECK(rest(c) >= (nr - TRACE_BUFFER_PACKET_CHUNKS) / 10000);
	CHECK_EQ(trace_buffer_too_large(c), 1);
	put_one(c, 1, nr, 0, 'b', 5);
	trace_buffer_read_begin(c);
	next(c, &p);
	CHECK_EQ(p.dropped, TRACE_BUFFER_DROPPED | TRACE_BUFFER_BROKEN_CHAIN | TRACE_BUFFER_ORPHAN);
	trace_buffer_free(c);
}

/*
 * Very many chunks wait for one that is missing. Between the steps through them another writer goes
 * on, far enough to write over what is being read: each pass ends, and nothing of it is lost.
 */
static void stalled(void)
{
	struct trace_buffer *c = make_trace_buffer(12 << 20, TRACE_BUFFER_RING);
	struct trace_buffer_packet p;
	unsigned int pauses, passes = 0;
	uint32_t written = 0, read = 0;

	for (uint32_t i = 0; i < 250000; i++)
		put_one(c, 1, i + (i > 0), 0, 'a', 4);
	do {
		pauses = 0;
		trace_buffer_read_begin(c);
		while (trace_buffer_read(c, &p)) {
			read += p.size && p.origin.writer == 2;
			CHECK(!p.size || p.origin.writer == 2 || !p.dropped || p.is_first ||
			      p.dropped & TRACE_BUFFER_OVERWRITTEN);
			if (p.size)
				continue;
			pauses++;
			for (int i = 0; i < 10 && passes < 3; i++)
				put_one(c, 2, written++, 0, 'b', 30000);
		}
		check_ledger(c);
		CHECK(pauses >= (passes ? 0 : 10) && pauses < 100);
	} while (++passes < 4);
	CHECK_EQ(read, written);
	CHECK(c->stats.chunks_overwritten > 1000);
	trace_buffer_free(c);
}

/* Open packets of many writers: each is looked through once a pass, and others come between. */
static void open_chains(void)
{
	struct trace_buffer *c = make_trace_buffer(64 << 20, TRACE_BUFFER_RING);
	const uint32_t nr = 20000;

	for (uint16_t writer = 1; writer <= 20; writer++)
		for (uint32_t i = 0; i < nr; i++)
			put_one(c, writer, i, (i ? SHMEM_CONTINUES_PREVIOUS : 0) |
				SHMEM_CONTINUES_NEXT,
				'a', 1);
	trace_buffer_read_begin(c);
	CHECK(rest(c) >= 40);
	trace_buffer_free(c);
}

/*
 * The oldest chunk has the highest id: to drop it in order would drop all others. It goes alone,
 * and the next ones one after the other.
 */
static void dropped_alone(void)
{
	const uint32_t nr = 200000;
	struct trace_buffer *c = make_trace_buffer((nr + 1) * (RECORD + 4), TRACE_BUFFER_RING);

	put_one(c, 1, nr, 0, 'a', 3);
	for (uint32_t i = 0; c->used + RECORD + 4 <= c->size; i++)
		put_one(c, 1, i, 0, 'a', 3);
	CHECK_EQ(c->stats.chunks_overwritten, 0);
	for (uint32_t i = 1; i < 10; i++) {
		put_one(c, 2, i, 0, 'b', 3);
		CHECK(c->stats.chunks_overwritten < 9000 + 2 * i);
		check_ledger(c);
	}
	CHECK(c->stats.chunks_overwritten > 5);
	trace_buffer_read_begin(c);
	trace_buffer_finish(c);
	while (trace_buffer_read(c, &(struct trace_buffer_packet){ 0 }))
		;
	check_ledger(c);
	CHECK_EQ(trace_buffer_fill(c), 0);
	trace_buffer_free(c);
}

/* What has been read of a writer whose first chunk came last becomes free, not all at once. */
static void joined(void)
{
	struct trace_buffer *c = make_trace_buffer(16 << 20, TRACE_BUFFER_RING);
	const uint32_t nr = 300000;

	put_one(c, 1, nr, 0, 'a', 0);
	for (uint32_t i = 0; i < nr; i++)
		put_one(c, 1, i, 0, 'a', 0);
	trace_buffer_read_begin(c);
	CHECK(rest(c) >= 2 * nr / 20000);
	CHECK_EQ(c->stats.chunks_read, nr + 1);
	CHECK(record_off(c, 0)->size < nr * RECORD / 10);
	trace_buffer_free(c);
}

int main(void)
{
	largest();
	endless();
	stalled();
	open_chains();
	dropped_alone();
	joined();
	return 0;
}
