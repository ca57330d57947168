// SPDX-License-Identifier: GPL-2.0
/*
 * test_pft_filter.c - packets on their way out: checked, stamped, filtered, compressed
 *
 * Requirements PFT-57, PFT-59 and E.7 (content); the list of the validator: a simple and a complex
 * packet, each forged field, cut off at each byte, followed by garbage.
 */
#include "check.h"

#include "service/buffer/compress.h"
#include "service/buffer/filter.h"
#include "service/buffer/stamp.h"
#include "service/buffer/validate.h"
#include "service/ipc/wire.h"

#include "service.pb-c.h"

#include <errno.h>
#include <zlib.h>
#include <zstd.h>

static uint8_t bytes[4096];

/* A test event with a nested one in it */
static size_t make_packet(void)
{
	Pft__TestEvent__TestPayload payload = PFT__TEST_EVENT__TEST_PAYLOAD__INIT;
	Pft__TestEvent event = PFT__TEST_EVENT__INIT;
	Pft__TracePacket packet = PFT__TRACE_PACKET__INIT;

	payload.single_string = "nested";
	payload.has_single_int = 1;
	payload.single_int = -7;
	event.str = "text";
	event.has_counter = 1;
	event.counter = 1ull << 60;
	event.payload = &payload;
	packet.data_case = PFT__TRACE_PACKET__DATA_FOR_TESTING;
	packet.for_testing = &event;
	packet.has_timestamp = packet.has_sequence_flags = 1;
	packet.timestamp = 12345;
	packet.sequence_flags = 1;
	return pft__trace_packet__pack(&packet, bytes);
}

static void valid_packets(void)
{
	const size_t size = make_packet();

	CHECK(packet_is_valid(NULL, 0));
	CHECK(packet_is_valid(bytes, size));
	/* All but the ends of fields */
	for (size_t cut = 1; cut < size; cut++) {
		Pft__TracePacket *p = pft__trace_packet__unpack(NULL, cut, bytes);

		CHECK_EQ(packet_is_valid(bytes, cut), p != NULL);
		if (p)
			pft__trace_packet__free_unpacked(p, NULL);
	}
	memcpy(bytes + size, "\xff garbage", 9);
	CHECK(!packet_is_valid(bytes, size + 9));
}

/* Whatever the value and wherever it stands */
static void forged_packets(void)
{
	static const uint32_t reserved[] = { 3, 10, 33, 35, 36, 50, 69, 79, 98, 124, 125, 133 };
	static const uint64_t values[] = { 0, 123, UINT64_MAX };

	for (uint32_t field = 1; field < 1200; field++) {
		bool forged = false;
		uint8_t *end;

		for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved); i++)
			forged |= reserved[i] == field;
		for (size_t v = 0; v < 3; v++) {
			const size_t size = make_packet();

			end = wire_put_number(bytes + size, field, values[v]);
			CHECK_EQ(packet_is_valid(bytes, (size_t)(end - bytes)), !forged);
			CHECK_EQ(packet_is_valid(bytes + size, (size_t)(end - bytes) - size),
				 !forged);
		}
		end = wire_put_bytes(bytes, field, "abc", 3);
		CHECK_EQ(packet_is_valid(bytes, (size_t)(end - bytes)), !forged);
	}
}

static void malformed_packets(void)
{
	CHECK(!packet_is_valid((const uint8_t *)"\x00\x00", 2));	/* field 0 */
	CHECK(!packet_is_valid((const uint8_t *)"\x0b", 1));		/* a group */
	CHECK(!packet_is_valid((const uint8_t *)"\x0f", 1));		/* type 7 */
	CHECK(!packet_is_valid((const uint8_t *)"\x0a\xff\xff\xff\xff\x7f", 6));
	memset(bytes, 0xff, 12);
	bytes[0] = 0x08;
	bytes[11] = 0x01;
	CHECK(!packet_is_valid(bytes, 12));
	CHECK(!packet_is_valid((const uint8_t *)"\x0d\x01\x02\x03", 4));
}

/* What the service says of a packet is what a reader finds, whatever came with it. */
static void stamps(void)
{
	struct trace_buffer_packet from = {
		.origin = { .uid = 1001, .pid = 77, .machine = 5 }, .dropped = TRACE_BUFFER_DROPPED,
	};
	size_t size = make_packet();
	Pft__TracePacket *p;

	size += stamp_packet(bytes + size, &from, 42);
	p = pft__trace_packet__unpack(NULL, size, bytes);
	CHECK(p);
	CHECK_EQ(p->trusted_uid, 1001);
	CHECK_EQ(p->trusted_pid, 77);
	CHECK_EQ(p->machine_id, 5);
	CHECK_EQ(p->trusted_packet_sequence_id, 42);
	CHECK_EQ(p->previous_packet_dropped, 1);
	CHECK_EQ(p->sequence_flags, 1);
	CHECK_EQ(p->timestamp, 12345);
	CHECK_STR(p->for_testing->str, "text");
	pft__trace_packet__free_unpacked(p, NULL);
	from.origin.uid = (uid_t)-1;
	from.origin.pid = -1;
	size = stamp_packet(bytes, &from, UINT32_MAX);
	CHECK(size <= STAMP_MAX);
	p = pft__trace_packet__unpack(NULL, size, bytes);
	CHECK_EQ(p->trusted_uid, -1);
	pft__trace_packet__free_unpacked(p, NULL);
	p = pft__trace_packet__unpack(NULL, stamp_marker(bytes, 0, 1), bytes);
	CHECK_EQ(p->data_case, PFT__TRACE_PACKET__DATA_SYNCHRONIZATION_MARKER);
	CHECK_EQ(p->synchronization_marker.len, 16);
	CHECK_EQ(p->synchronization_marker.data[0], 0x82);
	pft__trace_packet__free_unpacked(p, NULL);
}

static size_t make_code(uint8_t *to, const uint32_t *words, size_t nr)
{
	uint64_t hash = 0xcbf29ce484222325;
	uint8_t *end = to;

	for (size_t i = 0; i < nr; i++) {
		end = wire_put_varint(end, words[i]);
		for (int b = 0; b < 4; b++)
			hash = (hash ^ (words[i] >> 8 * b & 0xff)) * 0x100000001b3;
	}
	return (size_t)(wire_put_varint(end, (uint32_t)hash) - to);
}

#define FIELD(n) ((n) << 3 | 1)
#define RANGE(n, nr) ((n) << 3 | 2), (nr)
#define NESTED(n, message) ((n) << 3 | 3), (message)
#define TEXT(n) ((n) << 3 | 4)

/* Trace.packet, of a packet times and test events, of these text and payload, of that the number */
static const uint32_t allow[] = {
	NESTED(1, 1), 0, RANGE(8, 2), NESTED(900, 2), 0, TEXT(1), NESTED(5, 3), 0, FIELD(5), 0,
};

static void filters(void)
{
	uint8_t code[256], out[4096];
	struct filter *f;
	const char *error;
	const size_t size = make_packet();
	Pft__TracePacket *p;
	ptrdiff_t left;

	CHECK_EQ(filter_load(&f, code, make_code(code, allow, 14), &error), 0);
	left = filter_packet(f, bytes, size, out);
	CHECK(left > 0 && (size_t)left < size);
	p = pft__trace_packet__unpack(NULL, (size_t)left, out);
	CHECK(p);
	CHECK_EQ(p->timestamp, 12345);
	CHECK(!p->has_sequence_flags);
	CHECK_STR(p->for_testing->str, "text");
	CHECK(!p->for_testing->has_counter);
	CHECK(!p->for_testing->payload->single_string);
	CHECK_EQ(p->for_testing->payload->single_int, -7);
	CHECK_EQ(p->base.n_unknown_fields, 0);
	pft__trace_packet__free_unpacked(p, NULL);
	for (size_t cut = 1; cut < size; cut++) {
		left = filter_packet(f, bytes, cut, out);
		CHECK(left == -EINVAL || (left >= 0 && (size_t)left <= cut));
	}
	filter_free(f);
	filter_free(NULL);
}

/* Each byte of the code matters. */
static void bad_filters(void)
{
	static const struct {
		uint32_t words[6];
		size_t nr;
		const char *error;
	} bad[] = {
		{ { 0 }, 0, "the last message has no end" },
		{ { NESTED(1, 1), 0 }, 3, "a field refers to a message that does not exist" },
		{ { NESTED(1, 1), 0, FIELD(1) }, 4, "the last message has no end" },
		{ { 1 << 3 | 3 }, 1, "it ends in the middle of a field" },
		{ { FIELD(0), 0 }, 2, "field 0" },
		{ { 1 << 3 | 6, 0 }, 2, "unknown code" },
		{ { FIELD(2), FIELD(1), 0 }, 3, "fields are not in ascending order" },
		{ { RANGE(1, UINT32_MAX), 0 }, 3, "a range is too long" },
		{ { FIELD(1), 0 }, 2, "it lets no packets pass" },
		{ { FIELD(2), 0 }, 2, "it lets no packets pass" },
	};
	uint8_t code[256];
	const char *error;
	struct filter *f;
	size_t size;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		size = make_code(code, bad[i].words, bad[i].nr);
		CHECK_EQ(filter_load(&f, code, size, &error), -EINVAL);
		CHECK_STR(error, bad[i].error);
	}
	size = make_code(code, allow, 14);
	for (size_t i = 0; i < size; i++) {
		code[i] ^= 1;
		CHECK_EQ(filter_load(&f, code, size, &error), -EINVAL);
		code[i] ^= 1;
	}
	CHECK_EQ(filter_load(&f, code, 0, &error), -EINVAL);
	CHECK_EQ(filter_load(&f, code, size - 1, &error), -EINVAL);
}

static void compression(void)
{
	uint8_t trace[8192], *end = trace, plain[8192];
	static uint8_t out[20000];
	const size_t size = make_packet();
	Pft__Trace *t;

	for (int i = 0; i < 50; i++)
		end = wire_put_bytes(end, 1, bytes, size);
	for (enum compress_kind kind = COMPRESS_DEFLATE; kind <= COMPRESS_ZSTD; kind++) {
		const ptrdiff_t r = compress_packets(kind, 0, trace, (size_t)(end - trace), out);
		ProtobufCBinaryData data;
		uLongf length = sizeof(plain);

		CHECK(r > 0 && (size_t)r < compress_bound(kind, (size_t)(end - trace)));
		t = pft__trace__unpack(NULL, (size_t)r, out);
		CHECK(t && t->n_packet == 1);
		if (kind == COMPRESS_DEFLATE) {
			data = t->packet[0]->compressed_packets;
			CHECK_EQ(uncompress(plain, &length, data.data, data.len), Z_OK);
		} else {
			data = t->packet[0]->zstd_compressed_packets;
			length = ZSTD_decompress(plain, length, data.data, data.len);
		}
		CHECK_EQ(length, end - trace);
		CHECK(!memcmp(plain, trace, length));
		pft__trace__free_unpacked(t, NULL);
	}
}

int main(void)
{
	valid_packets();
	forged_packets();
	malformed_packets();
	stamps();
	filters();
	bad_filters();
	compression();
	return 0;
}
