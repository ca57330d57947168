// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_pft_packet.c - packets on their way out, and byte code of filters
 *
 * The input is a length, a filter's byte code, and a packet. The code's checksum is made right, as
 * hardly any would be loaded. A packet that is valid stays so when it is stamped, and what was
 * stamped is what a reader finds. What a filter leaves is not longer, parses, has nothing
 * that the filter would not pass again.
 */
#include "fuzz.h"

#include "service/buffer/filter.h"
#include "service/buffer/stamp.h"
#include "service/buffer/validate.h"
#include "service/ipc/wire.h"

#include "service.pb-c.h"

#define CODE_MAX 4096

/* Numbers of the code as they are, and the checksum that belongs to them */
static size_t mend(const uint8_t *code, size_t size, uint8_t *to)
{
	struct wire w = { code, code + size };
	uint64_t hash = 0xcbf29ce484222325, value;
	uint8_t *end = to;

	while (end - to < CODE_MAX && wire_varint(&w, &value)) {
		end = wire_put_varint(end, (uint32_t)value);
		for (int b = 0; b < 4; b++)
			hash = (hash ^ ((uint32_t)value >> 8 * b & 0xff)) * 0x100000001b3;
	}
	return (size_t)(wire_put_varint(end, (uint32_t)hash) - to);
}

static void filter(const uint8_t *code, size_t code_size, const uint8_t *packet, size_t size)
{
	static uint8_t fixed[CODE_MAX + 2 * WIRE_VARINT_MAX];
	uint8_t *once = malloc(size + 1), *twice = malloc(size + 1);
	const char *error = NULL;
	ptrdiff_t left, again;
	struct filter *f;

	REQUIRE(once && twice);
	if (filter_load(&f, fixed, mend(code, code_size, fixed), &error)) {
		REQUIRE(error && *error);
	} else {
		left = filter_packet(f, packet, size, once);
		REQUIRE(left <= (ptrdiff_t)size);
		again = left < 0 ? left : filter_packet(f, once, (size_t)left, twice);
		REQUIRE(again == left);
		REQUIRE(left < 0 || !memcmp(once, twice, (size_t)left));
		filter_free(f);
	}
	free(once);
	free(twice);
}

static void stamp(const uint8_t *packet, size_t size)
{
	const struct trace_buffer_packet from = {
		.origin = { .uid = 12345, .pid = 77, .machine = 3 }, .dropped =
			TRACE_BUFFER_DROPPED,
	};
	uint8_t *stamped = malloc(size + STAMP_MAX);
	Pft__TracePacket *p;

	REQUIRE(stamped);
	memcpy(stamped, packet, size);
	size += stamp_packet(stamped + size, &from, 99);
	p = pft__trace_packet__unpack(NULL, size, stamped);
	/* Nested messages may be anything. */
	if (p) {
		REQUIRE(p->trusted_uid == 12345 && p->trusted_pid == 77);
		REQUIRE(p->trusted_packet_sequence_id == 99 && p->machine_id == 3);
		REQUIRE(p->previous_packet_dropped == 1);
		pft__trace_packet__free_unpacked(p, NULL);
	}
	free(stamped);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	size_t code_size = (size_t)input_any(&in);
	const uint8_t *code = in.at;

	code_size = code_size < input_left(&in) ? code_size : input_left(&in);
	in.at += code_size;
	if (packet_is_valid(in.at, input_left(&in)))
		stamp(in.at, input_left(&in));
	filter(code, code_size, in.at, input_left(&in));
	return 0;
}
