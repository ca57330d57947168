// SPDX-License-Identifier: GPL-2.0
/* stamp.c - what the service adds to packets of a trace */
#include "stamp.h"

#include "service/ipc/wire.h"

enum {
	FIELD_UID = 3,
	FIELD_SEQUENCE = 10,
	FIELD_MARKER = 36,
	FIELD_DROPPED = 42,
	FIELD_PID = 79,
	FIELD_MACHINE = 98,
};

static const uint8_t marker[16] = {
	0x82, 0x47, 0x7a, 0x76, 0xb2, 0x8d, 0x42, 0xba,
	0x81, 0xdc, 0x33, 0x32, 0x6d, 0x57, 0xa0, 0x79,
};

/* A negative int32 takes ten bytes. */
static uint8_t *put_int32(uint8_t *to, uint32_t field, int32_t value)
{
	return wire_put_number(to, field, (uint64_t)(int64_t)value);
}

/* Returns the packet's own field: its writer knows of losses that never came here. */
static uint32_t dropped_by_writer(const struct trace_buffer_packet *packet)
{
	struct wire_field f;
	uint32_t dropped = 0;
	struct wire w;

	if (!packet->size)
		return 0;
	w = (struct wire) { packet->data, packet->data + packet->size };
	while (w.at < w.end && wire_next(&w, &f))
		if (f.number == FIELD_DROPPED && f.type == WIRE_VARINT)
			dropped = (uint32_t)f.value;
	return dropped;
}

size_t stamp_packet(uint8_t out[STAMP_MAX], const struct trace_buffer_packet *packet,
		    uint32_t sequence)
{
	const struct trace_buffer_origin *origin = &packet->origin;
	uint8_t *to = out;

	to = put_int32(to, FIELD_UID, (int32_t)origin->uid);
	to = wire_put_number(to, FIELD_SEQUENCE, sequence);
	if (origin->pid)
		to = put_int32(to, FIELD_PID, origin->pid);
	if (origin->machine)
		to = wire_put_number(to, FIELD_MACHINE, origin->machine);
	if (packet->dropped)
		to = wire_put_number(to, FIELD_DROPPED,
				     packet->dropped | dropped_by_writer(packet));
	return (size_t)(to - out);
}

size_t stamp_marker(uint8_t out[STAMP_MAX], uid_t uid, uint32_t sequence)
{
	uint8_t *to = out;

	to = put_int32(to, FIELD_UID, (int32_t)uid);
	to = wire_put_number(to, FIELD_SEQUENCE, sequence);
	to = wire_put_bytes(to, FIELD_MARKER, marker, sizeof(marker));
	return (size_t)(to - out);
}
