// SPDX-License-Identifier: GPL-2.0
/*
 * test_pft_again.c - chunks that come twice, and chunks that lie
 *
 * Requirements PFT-56 and PFT-43; the lists Override, ScrapedChunkRecommit, RescrapeAfterEviction,
 * Malicious; and random chunks against a plain list of what must come out.
 */
#include "pft_chunk.h"

static struct made m;

/* A chunk of 'a' x 10, 'b' x 10, ...: @nr are begun; @whole: it is complete */
static void put_part(struct trace_buffer *c, uint32_t id, unsigned int nr, bool whole)
{
	made_begin(&m, 1, 1, id);
	for (unsigned int i = 0; i < nr; i++)
		made_packet(&m, (char)('a' + i), 10);
	made_slack(&m, 200 - m.chunk.size);
	m.chunk.is_complete = whole;
	trace_buffer_put(c, &m.chunk);
}

static void commit_before_read(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	put_part(c, 0, 3, false);
	put_part(c, 0, 5, true);
	trace_buffer_read_begin(c);
	for (int i = 0; i < 5; i++)
		EXPECT(c, (char)('a' + i), 10);
	EXPECT_END(c);
	CHECK_EQ(c->stats.chunks_written, 1);
	CHECK_EQ(c->stats.chunks_rewritten, 1);
	trace_buffer_free(c);
}

/* Read in between, in any number of parts: nothing comes twice, the last begun one not at all. */
static void commit_after_read(void)
{
	for (unsigned int first = 1; first < 6; first++) {
		for (unsigned int read = 0; read < first; read++) {
			struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

			put_part(c, 0, first, false);
			put_one(c, 1, 1, 0, 'z', 7);
			trace_buffer_read_begin(c);
			for (unsigned int i = 0; i < read; i++)
				EXPECT(c, (char)('a' + i), 10);
			if (read == first - 1)
				EXPECT_END(c);
			put_part(c, 0, first + 1, false);
			trace_buffer_read_begin(c);
			for (unsigned int i = read; i < first; i++)
				EXPECT(c, (char)('a' + i), 10);
			EXPECT_END(c);
			put_part(c, 0, first + 1, true);
			trace_buffer_read_begin(c);
			EXPECT(c, (char)('a' + first), 10);
			EXPECT(c, 'z', 7);
			EXPECT_END(c);
			CHECK_EQ(c->stats.abi_violations, 0);
			trace_buffer_free(c);
		}
	}
}

/* All was read, the chunk comes whole with more: a new place, as the old one is in danger. */
static void commit_is_relocated(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	put_part(c, 0, 3, false);
	trace_buffer_read_begin(c);
	EXPECT(c, 'a', 10);
	EXPECT(c, 'b', 10);
	EXPECT_END(c);
	put_one(c, 2, 0, 0, 'x', 3000);
	put_part(c, 0, 4, true);
	CHECK_EQ(c->stats.chunks_relocated, 1);
	put_one(c, 2, 1, 0, 'y', 500);
	trace_buffer_read_begin(c);
	EXPECT(c, 'x', 3000);
	EXPECT(c, 'c', 10);
	EXPECT(c, 'd', 10);
	EXPECT(c, 'y', 500);
	EXPECT_END(c);
	CHECK_EQ(c->stats.chunks_overwritten, 0);
	trace_buffer_free(c);
}

/* Not so where nothing goes round: there the rest fits into the place that was kept for it. */
static void commit_on_full_discard_buffer(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_DISCARD);

	put_part(c, 0, 3, false);
	trace_buffer_read_begin(c);
	EXPECT(c, 'a', 10);
	EXPECT(c, 'b', 10);
	EXPECT_END(c);
	put_one(c, 2, 0, 0, 'x', 4000);
	put_part(c, 0, 4, true);
	CHECK_EQ(c->stats.chunks_relocated, 0);
	CHECK_EQ(c->stats.chunks_rewritten, 1);
	trace_buffer_read_begin(c);
	EXPECT(c, 'c', 10);
	EXPECT(c, 'd', 10);
	EXPECT_END(c);
	trace_buffer_free(c);
}

/* The same again, complete or not, before or after it was read: as if it had come once. */
static void same_again(void)
{
	for (int when = 0; when < 4; when++) {
		struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

		put_part(c, 0, 3, true);
		if (when & 1)
			put_part(c, 0, 3, true);
		trace_buffer_read_begin(c);
		for (int i = 0; i < 3; i++)
			EXPECT(c, (char)('a' + i), 10);
		EXPECT_END(c);
		if (when & 2)
			put_part(c, 0, 3, true);
		trace_buffer_read_begin(c);
		EXPECT_END(c);
		CHECK_EQ(c->stats.chunks_written, 1);
		CHECK_EQ(c->stats.abi_violations, 0);
		CHECK_EQ(c->stats.chunks_discarded, when & 2 ? 1 : 0);
		trace_buffer_free(c);
	}
}

/* It was scraped and overwritten; what it has more is still told when it comes (evicted). */
static void comes_after_eviction(void)
{
	for (int is_read = 0; is_read < 2; is_read++) {
		struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

		put_part(c, 0, 3, false);
		trace_buffer_read_begin(c);
		if (is_read) {
			EXPECT(c, 'a', 10);
			EXPECT(c, 'b', 10);
			EXPECT_END(c);
		}
		put_one(c, 2, 0, 0, 'x', 3950);
		put_one(c, 2, 1, 0, 'y', 100);
		put_part(c, 0, 2, false);
		CHECK_EQ(c->stats.chunks_discarded, 1);
		put_part(c, 0, 4, true);
		trace_buffer_read_begin(c);
		EXPECT_LOST(c, 'y', 100, TRACE_BUFFER_DROPPED | TRACE_BUFFER_OVERWRITTEN);
		EXPECT_LOST(c, 'c', 10, is_read ? 0 : TRACE_BUFFER_DROPPED |
			    TRACE_BUFFER_OVERWRITTEN);
		EXPECT(c, 'd', 10);
		EXPECT_END(c);
		trace_buffer_free(c);
	}
}

/* An incomplete chunk in the middle holds up its sequence only. */
static void incomplete_stalls(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	put_part(c, 0, 2, false);
	put_one(c, 1, 1, 0, 'y', 5);
	put_one(c, 2, 0, 0, 'z', 5);
	trace_buffer_read_begin(c);
	EXPECT(c, 'a', 10);
	EXPECT(c, 'z', 5);
	EXPECT_END(c);
	put_part(c, 0, 2, true);
	trace_buffer_read_begin(c);
	EXPECT(c, 'b', 10);
	EXPECT(c, 'y', 5);
	EXPECT_END(c);
	trace_buffer_free(c);
}

/* Its last packet goes on in the next chunk; the scraped copy does not know that yet. */
static void incomplete_fragment(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	made_begin(&m, 1, 1, 0);
	made_packet(&m, 'a', 10);
	made_packet(&m, 'b', 10);
	m.chunk.flags = SHMEM_CONTINUES_NEXT | SHMEM_NEEDS_PATCHING;
	m.chunk.is_complete = false;
	trace_buffer_put(c, &m.chunk);
	put_one(c, 1, 1, SHMEM_CONTINUES_PREVIOUS, 'b', 10);
	trace_buffer_read_begin(c);
	EXPECT(c, 'a', 10);
	EXPECT_END(c);
	m.chunk.flags = SHMEM_CONTINUES_NEXT;
	made_begin(&m, 1, 1, 0);
	made_packet(&m, 'a', 10);
	made_packet(&m, 'b', 10);
	m.chunk.flags = SHMEM_CONTINUES_NEXT;
	trace_buffer_put(c, &m.chunk);
	trace_buffer_read_begin(c);
	EXPECT(c, 'b', 20);
	EXPECT_END(c);
	CHECK_EQ(c->stats.abi_violations, 0);
	trace_buffer_free(c);
}

/* Shorter, longer than its room, other bytes, fewer flags: refused, and what was there stays. */
static void lies_when_it_comes_again(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	put_part(c, 0, 4, true);
	put_part(c, 0, 3, true);
	CHECK_EQ(c->stats.abi_violations, 1);
	put_part(c, 0, 5, true);
	CHECK_EQ(c->stats.abi_violations, 2);
	put_one(c, 1, 0, 0, 'x', 43);
	CHECK_EQ(c->stats.abi_violations, 3);
	put_one(c, 1, 1, SHMEM_CONTINUES_NEXT, 'y', 20);
	put_one(c, 1, 1, 0, 'y', 20);
	CHECK_EQ(c->stats.abi_violations, 4);
	trace_buffer_read_begin(c);
	for (int i = 0; i < 4; i++)
		EXPECT(c, (char)('a' + i), 10);
	EXPECT_END(c);
	trace_buffer_free(c);
}

/* Payloads that break the rules: what is whole before stays, and others are not touched. */
static void malicious(void)
{
	static const struct {
		const char *bytes;
		size_t size;
		uint16_t packets;
	} bad[] = {
		{ "", 0, 1 },				/* zero sized chunk */
		{ "", 0, 1023 },
		{ "\x05xxxx", 5, 1 },			/* beyond the boundary */
		{ "\x80", 1, 1 },			/* a varint without an end */
		{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12, 1 },
		{ "\xff\xff\xff\xff\x0f", 5, 1 },	/* 4 GiB */
		{ "\xfe\xff\xff\x7f", 4, 1 },		/* one less than what gives up a packet */
		{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, 1 },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

		put_one(c, 2, 0, 0, 'x', 5);
		made_begin(&m, 1, 1, 0);
		made_packet(&m, 'a', 5);
		made_raw(&m, bad[i].bytes, bad[i].size);
		m.chunk.packets = (uint16_t)(m.chunk.packets + bad[i].packets);
		m.chunk.flags = SHMEM_CONTINUES_NEXT | SHMEM_NEEDS_PATCHING;
		trace_buffer_put(c, &m.chunk);
		put_one(c, 1, 1, 0, 'b', 5);
		CHECK_EQ(c->stats.abi_violations, 1);
		trace_buffer_read_begin(c);
		EXPECT(c, 'x', 5);
		EXPECT(c, 'a', 5);
		EXPECT_LOST(c, 'b', 5, TRACE_BUFFER_DROPPED | TRACE_BUFFER_CORRUPT);
		EXPECT_END(c);
		trace_buffer_free(c);
	}
}

static void malicious_size(void)
{
	struct trace_buffer *c = make_trace_buffer(1 << 20, TRACE_BUFFER_RING);

	made_begin(&m, 1, 1, 0);
	made_slack(&m, 65536);
	trace_buffer_put(c, &m.chunk);
	CHECK_EQ(c->stats.abi_violations, 1);
	CHECK_EQ(c->used, 0);
	made_begin(&m, 1, 1, 0);
	made_packet(&m, 'a', 65535 - 3);
	trace_buffer_put(c, &m.chunk);
	trace_buffer_read_begin(c);
	EXPECT(c, 'a', 65535 - 3);
	EXPECT_END(c);
	trace_buffer_free(c);
}

/* Zeros where a size is expected are empty packets. */
static void zero_sizes(void)
{
	struct trace_buffer *c = make_trace_buffer(4096, TRACE_BUFFER_RING);

	made_begin(&m, 1, 1, 0);
	made_slack(&m, 10);
	made_packet(&m, 'a', 5);
	made_slack(&m, 4);
	m.chunk.packets = 15;
	trace_buffer_put(c, &m.chunk);
	trace_buffer_read_begin(c);
	EXPECT(c, 'a', 5);
	EXPECT_END(c);
	CHECK_EQ(c->stats.abi_violations, 0);
	trace_buffer_free(c);
}

static unsigned int seed;

static unsigned int number(unsigned int below)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 8) % below;
}

#define WRITERS 4

/* What a writer has written: packets have its number, counted, in their first bytes. */
struct writer {
	uint32_t id;		/* of its next chunk */
	uint32_t written;	/* packets that were begun */
	uint32_t read;		/* the last one that came out */
	size_t open;		/* bytes of a packet that goes on */
};

static void fill(uint8_t *data, size_t size, uint32_t value)
{
	for (size_t i = 0; i < size; i++)
		data[i] = (uint8_t)(value >> 8 * (i % 4));
}

/* One chunk of some packets, the last of which may go on */
static void put_random(struct trace_buffer *c, struct writer *w, uint16_t index)
{
	made_begin(&m, 1, (uint16_t)(index + 1), w->id++);
	m.chunk.flags = w->open ? SHMEM_CONTINUES_PREVIOUS : 0;
	for (unsigned int i = number(4) + 1; i; i--) {
		const size_t size = 4 * (number(60) + 1);
		uint8_t *data = m.bytes + m.chunk.size;

		w->written += !w->open;
		w->open = 0;
		made_packet(&m, 0, size);
		data = m.bytes + m.chunk.size - size;
		fill(data, size, w->written);
	}
	if (number(3) == 0) {
		m.chunk.flags |= SHMEM_CONTINUES_NEXT;
		w->open = 1;
	}
	trace_buffer_put(c, &m.chunk);
}

static uint32_t value_of(const struct trace_buffer_packet *p)
{
	uint32_t value;

	memcpy(&value, p->data, 4);
	for (size_t i = 0; i < p->size; i += 4)
		CHECK(!memcmp(p->data + i, &value, 4));
	return value;
}

static bool lost_is_told;

/* Packets of each writer ascend; where one is missing the next says so, and only then. */
static void read_some(struct trace_buffer *c, struct writer *writers, unsigned int nr)
{
	struct trace_buffer_packet p;

	trace_buffer_read_begin(c);
	while (nr-- && trace_buffer_read(c, &p)) {
		struct writer *w = &writers[p.origin.writer - 1];
		const uint32_t value = value_of(&p);

		CHECK(value > w->read && value <= w->written);
		if (!p.is_first)
			CHECK_EQ(p.dropped != 0, value != w->read + 1);
		lost_is_told |= p.dropped & ~(p.is_first ? TRACE_BUFFER_DROPPED : 0);
		w->read = value;
	}
	check_ledger(c);
}

/* E.12: where all writers' last packets came out, loss was told if it was counted. */
static unsigned int check_losses(const struct trace_buffer *c, const struct writer *writers)
{
	const struct trace_buffer_stats *stats = &c->stats;

	for (unsigned int i = 0; i < WRITERS; i++)
		if (writers[i].read != writers[i].written)
			return 0;
	CHECK_EQ(lost_is_told, stats->chunks_overwritten || stats->chunks_discarded ||
		 stats->trace_writer_packet_loss);
	return lost_is_told ? 1 << 16 : 1;
}

static void random_chunks(void)
{
	unsigned int checked = 0;

	for (unsigned int round = 0; round < 400; round++) {
		struct writer writers[WRITERS] = { 0 };
		struct trace_buffer *c = make_trace_buffer(4096u << round % 3, TRACE_BUFFER_RING);

		seed = round;
		lost_is_told = false;
		for (unsigned int i = 0; i < WRITERS; i++)
			writers[i].id = number(2) ? 0xfffffff0 : 0;
		for (unsigned int step = 0; step < 300; step++) {
			if (number(4 + round % 7) == 0) {
				read_some(c, writers, number(2) ? 1000 : number(5));
			} else {
				const unsigned int index = number(WRITERS);

				put_random(c, &writers[index], (uint16_t)index);
				check_ledger(c);
			}
		}
		trace_buffer_finish(c);
		read_some(c, writers, 100000);
		CHECK_EQ(trace_buffer_fill(c), 0);
		checked += check_losses(c, writers);
		trace_buffer_free(c);
	}
	/* Of both kinds */
	CHECK(checked >> 16 && checked & 0xffff);
}

#define ARRIVALS 40

/* What has come of a writer: all before @low, and some of the next four */
struct arrivals {
	bool has_come[ARRIVALS];
	uint32_t first;
	uint32_t low;
	uint32_t next;		/* to be read */
};

/* A chunk of one writer, not always the next one; the first one is the first. */
static void arrive(struct trace_buffer *c, struct arrivals *a, uint16_t writer)
{
	uint32_t i = a->low;

	if (i == ARRIVALS)
		return;
	if (i)
		i += number(i + 4 < ARRIVALS ? 4 : ARRIVALS - i);
	if (a->has_come[i])
		i = a->low;
	put_one(c, writer, a->first + i, 0, (char)('0' + i), i + 1);
	a->has_come[i] = true;
	while (a->low < ARRIVALS && a->has_come[a->low])
		a->low++;
}

/* In any order, read at any time: each writer's packets come in theirs, all of them (PFT-52). */
static void random_arrival(void)
{
	for (seed = 0; seed < 100; seed++) {
		struct trace_buffer *c = make_trace_buffer(1 << 18, TRACE_BUFFER_RING);
		struct arrivals writers[WRITERS] = { 0 };
		const unsigned int began = seed;
		struct trace_buffer_packet p;

		for (unsigned int i = 0; i < WRITERS; i++)
			writers[i].first = number(2) ? 0xfffffff0 : 0;
		for (unsigned int step = 0; step < 3 * WRITERS * ARRIVALS; step++) {
			const unsigned int index = step % WRITERS;

			arrive(c, &writers[index], (uint16_t)(index + 1));
			if (number(3))
				continue;
			trace_buffer_read_begin(c);
			while (trace_buffer_read(c, &p)) {
				struct arrivals *a = &writers[p.origin.writer - 1];

				CHECK_EQ(*p.data, '0' + a->next);
				CHECK_EQ(p.size, ++a->next);
				CHECK_EQ(p.dropped, p.is_first);
				CHECK(a->next <= a->low);
			}
		}
		for (unsigned int i = 0; i < WRITERS; i++)
			CHECK_EQ(writers[i].next, ARRIVALS);
		CHECK(c->stats.chunks_committed_out_of_order);
		CHECK_EQ(c->stats.chunks_discarded, 0);
		check_ledger(c);
		trace_buffer_free(c);
		seed = began;
	}
}

int main(void)
{
	commit_before_read();
	commit_after_read();
	commit_is_relocated();
	commit_on_full_discard_buffer();
	same_again();
	comes_after_eviction();
	incomplete_stalls();
	incomplete_fragment();
	lies_when_it_comes_again();
	malicious();
	malicious_size();
	zero_sizes();
	random_chunks();
	random_arrival();
	return 0;
}
