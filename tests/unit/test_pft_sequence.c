// SPDX-License-Identifier: GPL-2.0
/* test_pft_sequence.c - the table of a buffer's writers: it finds each, and is not too large */
#include "pft_chunk.h"

#define KEYS 3000

static struct made m;
static uint32_t seed;

static uint32_t number(uint32_t below)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % below;
}

static struct trace_buffer_origin origin_of(uint32_t i)
{
	return (struct trace_buffer_origin){
		.producer = (uint16_t)(1 + i / 1000), .writer = (uint16_t)(1 + i % 1000),
	};
}

/* Writers come, end, and come again: the one that is found is the latest, if it has not ended. */
static void found(void)
{
	static struct sequence *latest[KEYS];
	struct sequences t = { 0 };
	unsigned int ended = 0, again = 0;

	for (uint32_t step = 0; step < 20000; step++) {
		const uint32_t i = number(KEYS);
		const struct trace_buffer_origin origin = origin_of(i);
		struct sequence *s = sequences_find(&t, &origin);

		CHECK(s == latest[i]);
		if (!s) {
			latest[i] = sequences_get(&t, &origin);
			latest[i]->first = 1;	/* something is in it: it stays */
			again += step > KEYS * 4;
		} else if (number(3)) {
			sequences_end(&t, s);
			latest[i] = NULL;
			ended++;
		}
	}
	for (uint32_t i = 0; i < KEYS; i++) {
		const struct trace_buffer_origin origin = origin_of(i);

		CHECK(sequences_find(&t, &origin) == latest[i]);
	}
	CHECK(ended > KEYS && again);
	sequences_exit(&t);
}

static struct trace_buffer_origin writer_of(uint32_t i)
{
	return (struct trace_buffer_origin){
		.producer = (uint16_t)(1 + i / 30000), .writer = (uint16_t)(1 + i % 30000),
	};
}

static void put(struct trace_buffer *c, uint32_t i)
{
	const struct trace_buffer_origin origin = writer_of(i);

	made_begin(&m, origin.producer, origin.writer, 0);
	made_packet(&m, 'a', 1);
	trace_buffer_put(c, &m.chunk);
}

/* Those of too many that have something unread are not taken, until it is read; all are counted. */
static void too_many(void)
{
	struct trace_buffer *c = make_trace_buffer(8 << 20, TRACE_BUFFER_DISCARD);
	struct trace_buffer_packet p;

	for (uint32_t i = 0; i < SEQUENCE_MAX + 1000; i++)
		put(c, i);
	CHECK_EQ(c->sequences.used, SEQUENCE_MAX);
	CHECK_EQ(c->stats.chunks_discarded, 1000);
	check_ledger(c);
	trace_buffer_read_begin(c);
	for (uint32_t i = 0; i < SEQUENCE_MAX; i++)
		CHECK(trace_buffer_read(c, &p));
	EXPECT_END(c);
	for (uint32_t i = SEQUENCE_MAX; i < 2 * SEQUENCE_MAX; i++)
		put(c, i);
	CHECK_EQ(c->sequences.used, SEQUENCE_MAX);
	CHECK_EQ(c->stats.chunks_discarded, 1000);
	check_ledger(c);
	trace_buffer_free(c);
}

/* A ring has the newest ones, in one piece, also where the oldest are not at its beginning. */
static void newest(void)
{
	struct trace_buffer *c = make_trace_buffer(8 << 20, TRACE_BUFFER_RING);
	const uint32_t last = 4 * SEQUENCE_MAX + 1000;
	struct trace_buffer_packet p;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < last; i++) {
		put(c, i);
		CHECK(c->sequences.used <= SEQUENCE_MAX);
	}
	CHECK_EQ(c->stats.chunks_discarded, 0);
	check_ledger(c);
	for (uint32_t i = last - SEQUENCE_MAX / 2; i < last; i++) {
		const struct trace_buffer_origin origin = writer_of(i);
		const struct sequence *s = sequences_find(&c->sequences, &origin);

		CHECK(s && s->first);
	}
	trace_buffer_read_begin(c);
	while (trace_buffer_read(c, &p))
		nr++;
	CHECK(nr >= SEQUENCE_MAX / 2 && nr <= SEQUENCE_MAX);
	CHECK_EQ(c->stats.chunks_overwritten, last - nr);
	check_ledger(c);
	trace_buffer_free(c);
}

int main(void)
{
	found();
	too_many();
	newest();
	return 0;
}
