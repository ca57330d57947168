// SPDX-License-Identifier: GPL-2.0
/* test_pft_sequence_ids.c - numbers of writers: one each, given once, in bounded memory */
#include "check.h"

#include "service/buffer/sequence_ids.h"

static struct sequence_ids numbers;

static uint32_t number_of(uint16_t producer, uint16_t writer)
{
	const struct trace_buffer_origin origin = { .producer = producer, .writer = writer };

	return sequence_ids_get(&numbers, &origin);
}

/* Return: number of the last of them. */
static uint32_t make(uint16_t producer, uint32_t first, uint32_t last)
{
	uint32_t number = 0;

	for (uint32_t writer = first; writer <= last; writer++) {
		const uint32_t before = number;

		number = number_of(producer, (uint16_t)writer);
		CHECK(number > before);
	}
	return number;
}

/* One that has more writers than all others together leaves them their numbers. */
static void one_floods(void)
{
	const uint32_t others = make(1, 1, 1000);
	uint32_t last = others, first;

	CHECK_EQ(others, 1001);
	for (uint16_t producer = 2; numbers.nr + 65535 < SEQUENCE_IDS_MAX; producer++)
		last = make(producer, 1, 65535);
	last = make(9, 1, SEQUENCE_IDS_MAX - numbers.nr);
	CHECK_EQ(numbers.nr, SEQUENCE_IDS_MAX);
	first = number_of(9, 65535);
	CHECK_EQ(first, last + 1);
	CHECK(numbers.nr < SEQUENCE_IDS_MAX);
	CHECK_EQ(number_of(1, 1000), others);
	CHECK_EQ(number_of(9, 65535), first);
	CHECK_EQ(number_of(9, 1), first + 1);
	sequence_ids_exit(&numbers);
}

/* If no peer has many, all start over, and no number is given twice. */
static void many_flood(void)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i <= SEQUENCE_IDS_MAX; i++) {
		const uint32_t number = number_of((uint16_t)(1 + i % 60000), (uint16_t)(i / 60000));

		CHECK(number > last);
		last = number;
	}
	CHECK_EQ(numbers.nr, 1);
	CHECK_EQ(number_of(1, 0), last + 1);
	CHECK_EQ(numbers.room, 2 * SEQUENCE_IDS_MAX);
	sequence_ids_exit(&numbers);
}

int main(void)
{
	one_floods();
	many_flood();
	return 0;
}
