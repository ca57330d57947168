// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_pft_trace_buffer.c - chunks and patches of hostile producers, in any order
 *
 * The input is the buffer's size and policy, then steps: a chunk with any header, complete or not,
 * patches, reading, a clone, an end. The ledger is exact at each step: what was put in was read,
 * dropped, or is there. A packet lies in memory of its own or in the buffer. In the end nothing
 * is left.
 */
#include "fuzz.h"

#include "pft_chunk.h"

#define STEPS 400

static void put(struct trace_buffer *c, struct input *in)
{
	const unsigned int bits = (unsigned int)input_number(in, 1);
	struct trace_buffer_chunk chunk = {
		.origin = { .producer = (uint16_t)(bits & 1), .writer = bits >> 1 & 3 },
		.id = (uint32_t)input_any(in) - 4, .flags = bits >> 3 & 7,
		.is_complete = !(bits & 0x40), .packets = (uint16_t)input_any(in) & 1023,
	};
	uint8_t *payload;

	chunk.size = (size_t)input_any(in) % 70000;
	chunk.size = chunk.size < input_left(in) ? chunk.size : input_left(in);
	payload = malloc(chunk.size + !chunk.size);
	REQUIRE(payload);
	memcpy(payload, in->at, chunk.size);
	in->at += chunk.size;
	chunk.payload = payload;
	trace_buffer_put(c, &chunk);
	free(payload);
}

static void apply(struct trace_buffer *c, struct input *in)
{
	const unsigned int bits = (unsigned int)input_number(in, 1);
	const struct trace_buffer_origin origin = {
		.producer = (uint16_t)(bits & 1), .writer = bits >> 1 & 3,
	};
	const uint32_t id = (uint32_t)input_any(in) - 4;
	struct trace_buffer_patch patches[3];

	for (int i = 0; i < 3; i++) {
		patches[i].offset = (uint32_t)input_any(in);
		memset(patches[i].data, (int)input_number(in, 1), 4);
	}
	trace_buffer_patch(c, &origin, id, patches, bits >> 3 & 3, bits & 0x40);
}

static void read_all(struct trace_buffer *c, unsigned int nr)
{
	struct trace_buffer_packet p;
	unsigned int sum = 0;

	trace_buffer_read_begin(c);
	while (nr-- && trace_buffer_read(c, &p)) {
		REQUIRE(p.size);
		for (size_t i = 0; i < p.size; i++)
			sum += p.data[i];
		REQUIRE(!p.dropped || p.dropped & TRACE_BUFFER_DROPPED);
	}
	/* For the compiler: the bytes are looked at. */
	REQUIRE(sum != 0x7fffffff);
}

static void step(struct trace_buffer *c, struct input *in)
{
	const struct trace_buffer_origin origin = { .producer = 1, .writer = 1 };
	struct trace_buffer *clone, *old;

	switch (input_number(in, 1) % 12) {
	case 0:
		read_all(c, (unsigned int)input_any(in));
		break;
	case 1:
		apply(c, in);
		break;
	case 2:
		REQUIRE(!trace_buffer_clone(c, &clone));
		read_all(clone, 100000);
		check_ledger(clone);
		REQUIRE(!trace_buffer_fill(clone));
		trace_buffer_free(clone);
		break;
	case 3:
		trace_buffer_settle(c, 1);
		break;
	case 4:
		trace_buffer_end_writer(c, &origin);
		break;
	case 5:
		if (input_number(in, 1) == 0) {
			REQUIRE(!trace_buffer_clear(c, &old));
			trace_buffer_free(old);
		}
		break;
	default:
		put(c, in);
	}
	check_ledger(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	const unsigned int how = (unsigned int)input_number(&in, 1);
	struct trace_buffer *c;

	REQUIRE(!trace_buffer_alloc(&c, 4096u << (how & 3), how & 4 ? TRACE_BUFFER_DISCARD :
				    TRACE_BUFFER_RING));
	for (int i = 0; i < STEPS && input_left(&in); i++)
		step(c, &in);
	trace_buffer_finish(c);
	read_all(c, 1000000);
	check_ledger(c);
	REQUIRE(!trace_buffer_fill(c));
	trace_buffer_free(c);
	return 0;
}
