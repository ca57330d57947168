// SPDX-License-Identifier: GPL-2.0
/*
 * test_pft_copy.c - a buffer that is copied in steps, while all that can be done with it is done
 *
 * Of the moment when it begins two copies are made: one at once, which the other is to be like
 * (PFT-83).
 */
#include "pft_chunk.h"

#define WRITERS 6
#define BUFFER (1u << 20)

static struct made m;
static uint32_t seed;

static uint32_t number(uint32_t below)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % below;
}

/* The chunk that each writer has reached, begun or whole */
static uint32_t ids[WRITERS];

/* One of a writer, not always in its order; some are not whole, or are to be patched. */
static void put_chunk(struct trace_buffer *c)
{
	const uint16_t writer = (uint16_t)number(WRITERS);
	uint32_t id = ids[writer];

	if (!number(5))
		id += number(4);
	else if (!number(5))
		id -= number(4);
	else
		ids[writer]++;
	made_begin(&m, 1, (uint16_t)(writer + 1), id);
	for (uint32_t i = 1 + id % 7; i; i--)
		made_packet(&m, (char)('a' + id % 26), 1 + id * 37 % 900);
	made_slack(&m, 16);
	m.chunk.flags = (uint8_t)(id * 5 % 8);
	m.chunk.is_complete = number(4) != 0;
	if (!m.chunk.is_complete)
		m.chunk.packets--;
	trace_buffer_put(c, &m.chunk);
}

static void patch_chunk(struct trace_buffer *c)
{
	/* What its size becomes so is that of a packet that was given up. */
	const struct trace_buffer_patch patch = {
		.offset = number(2) * number(200), .data = { 0xff, 0xff, 0xff, 0x7f },
	};
	const struct trace_buffer_origin origin = {
		.producer = 1, .writer = (uint16_t)(1 + number(WRITERS)),
	};

	trace_buffer_patch(c, &origin, ids[origin.writer - 1] - number(4), &patch, 1, number(2));
}

static void read_some(struct trace_buffer *c)
{
	struct trace_buffer_packet p;

	trace_buffer_read_begin(c);
	for (uint32_t i = number(2) ? 4 : 4000; i && trace_buffer_read(c, &p); i--)
		;
}

static void change(struct trace_buffer *c)
{
	const uint32_t what = number(20);

	if (!what)
		read_some(c);
	else if (what == 1)
		trace_buffer_settle(c, 1);
	else if (what < 9)
		patch_chunk(c);
	else
		put_chunk(c);
}

static void fill(struct trace_buffer *c)
{
	for (int i = 0; i < 2000; i++)
		change(c);
}

static void check_same(struct trace_buffer *copy, struct trace_buffer *like)
{
	struct trace_buffer_packet a, b;

	CHECK(!copy->original && copy->used == like->used && copy->tail == like->tail);
	CHECK(!memcmp(copy->memory, like->memory, like->used));
	CHECK(!memcmp(&copy->stats, &like->stats, sizeof(like->stats)));
	trace_buffer_read_begin(copy);
	trace_buffer_read_begin(like);
	while (trace_buffer_read(like, &a)) {
		CHECK(trace_buffer_read(copy, &b));
		CHECK(a.size == b.size && !memcmp(a.data, b.data, a.size));
		CHECK_EQ(a.dropped, b.dropped);
	}
	EXPECT_END(copy);
}

/* Whatever happens between the steps, and however many happen between two */
static void changes(void)
{
	unsigned int differ = 0;

	for (uint32_t round = 0; round < 150; round++) {
		struct trace_buffer *c = make_trace_buffer(BUFFER, TRACE_BUFFER_RING), *copy, *like;

		seed = round;
		fill(c);
		CHECK_EQ(trace_buffer_clone(c, &like), 0);
		CHECK_EQ(trace_buffer_copy_begin(c, &copy), 0);
		do {
			for (uint32_t i = 1 + number(1 + round); i; i--)
				change(c);
		} while (trace_buffer_copy_step(copy));
		check_ledger(c);
		differ += c->used != like->used || memcmp(c->memory, like->memory, c->used) != 0;
		check_same(copy, like);
		trace_buffer_free(copy);
		trace_buffer_free(like);
		trace_buffer_free(c);
	}
	CHECK_EQ(differ, 150);
}

/* Two at a time, of different moments; the original is cleared, or goes, before they are whole. */
static void ends(void)
{
	for (int is_cleared = 0; is_cleared < 2; is_cleared++) {
		struct trace_buffer *c = make_trace_buffer(BUFFER, TRACE_BUFFER_RING), *copy[2],
			*like[2], *old;

		for (int i = 0; i < 2; i++) {
			fill(c);
			CHECK_EQ(trace_buffer_clone(c, &like[i]), 0);
			CHECK_EQ(trace_buffer_copy_begin(c, &copy[i]), 0);
			CHECK(trace_buffer_copy_step(copy[i]));
		}
		if (is_cleared) {
			CHECK_EQ(trace_buffer_clear(c, &old), 0);
			trace_buffer_free(old);
			/* Nothing was copied for that. */
			CHECK(copy[0]->original == old && copy[1]->original == old);
			check_ledger(c);
			fill(c);
		} else {
			trace_buffer_free(c);
		}
		for (int i = 0; i < 2; i++) {
			while (trace_buffer_copy_step(copy[i]))
				;
			check_same(copy[i], like[i]);
			trace_buffer_free(copy[i]);
			trace_buffer_free(like[i]);
		}
		if (is_cleared)
			trace_buffer_free(c);
	}
}

/* One that nobody wants any more ends it; an empty one has nothing to copy. */
static void stopped(void)
{
	struct trace_buffer *c = make_trace_buffer(BUFFER, TRACE_BUFFER_RING), *copy;

	CHECK_EQ(trace_buffer_copy_begin(c, &copy), 0);
	CHECK(!trace_buffer_copy_step(copy));
	EXPECT_END(copy);
	trace_buffer_free(copy);
	fill(c);
	for (int i = 0; i < 2; i++) {
		CHECK_EQ(trace_buffer_copy_begin(c, &copy), 0);
		CHECK(trace_buffer_copy_step(copy));
		if (i)
			trace_buffer_free(c);
		trace_buffer_free(copy);
		if (!i)
			fill(c);
	}
}

int main(void)
{
	changes();
	ends();
	stopped();
	return 0;
}
