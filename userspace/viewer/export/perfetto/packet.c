// SPDX-License-Identifier: GPL-2.0
/* packet.c - packs and writes the packets of a trace */
#include "perfetto.h"

#include <string.h>

#define SEQUENCE 1u
/* Sequence and clock of stamps when mixed with packets of others, which are numbered from 1 */
#define SEQUENCE_MIXED 0x7fffffffu
#define CLOCK_MIXED 1u		/* CLOCK_REALTIME */
#define IS_CLEARED 1u		/* forget all names interned before */
#define NEEDS_NAMES 2u

/* struct sink - buffer that a message is packed into */
struct sink {
	ProtobufCBuffer base;
	struct ktrace_out *out;
};

static void sink_append(ProtobufCBuffer *buffer, size_t size, const uint8_t *data)
{
	ktrace_out_bytes(((struct sink *)buffer)->out, (const char *)data, size);
}

static void put_varint(struct ktrace_out *out, __u64 v)
{
	for (; v >= 0x80; v >>= 7)
		ktrace_out_char(out, (char)(v | 0x80));
	ktrace_out_char(out, (char)v);
}

void message_pack(struct ktrace_out *out, const ProtobufCMessage *m)
{
	struct sink sink = { .base = { .append = sink_append }, .out = out };

	protobuf_c_message_pack_to_buffer(m, &sink.base);
}

void message_append(struct ktrace_out *out, unsigned int number, const ProtobufCMessage *m)
{
	put_varint(out, number << 3 | 2);
	put_varint(out, protobuf_c_message_get_packed_size(m));
	message_pack(out, m);
}

void bytes_append(struct ktrace_out *out, unsigned int number, const char *data, size_t size)
{
	put_varint(out, number << 3 | 2);
	put_varint(out, size);
	ktrace_out_bytes(out, data, size);
}

struct machine *machine_get(struct perfetto *p, __u32 number)
{
	if (!p->machines.size)
		p->machines = (struct hash_table)HASH_TABLE_INIT(struct machine, number);
	return hash_table_need(&p->machines, &number, &p->error);
}

void packet_fill(struct perfetto *p, TracePacket *packet, __u32 machine)
{
	struct machine *m = machine_get(p, machine);

	if (!m)
		return;
	packet->has_trusted_packet_sequence_id = true;
	packet->trusted_packet_sequence_id = p->is_mixed ? SEQUENCE_MIXED : SEQUENCE;
	packet->has_timestamp_clock_id = p->is_mixed && packet->has_timestamp;
	packet->timestamp_clock_id = CLOCK_MIXED;
	packet->has_sequence_flags = true;
	packet->sequence_flags = !m->has_begun || m->clears ? IS_CLEARED : NEEDS_NAMES;
	packet->has_first_packet_on_sequence = !m->has_begun;
	packet->first_packet_on_sequence = true;
	packet->has_previous_packet_dropped = m->is_lost;
	packet->previous_packet_dropped = 1;
	packet->has_machine_id = machine != 0;
	packet->machine_id = machine;
	m->has_begun = true;
	m->is_lost = m->clears = false;
}

void packet_put(struct perfetto *p, TracePacket *packet, __u32 machine)
{
	Perfetto__Protos__InternedData names = PERFETTO__PROTOS__INTERNED_DATA__INIT;

	packet_fill(p, packet, machine);
	names.n_event_categories = p->fresh_nr[NAME_CATEGORY];
	names.event_categories = p->listed[NAME_CATEGORY];
	names.n_event_names = p->fresh_nr[NAME_EVENT];
	names.event_names = p->listed[NAME_EVENT];
	names.n_debug_annotation_names = p->fresh_nr[NAME_ANNOTATION];
	names.debug_annotation_names = p->listed[NAME_ANNOTATION];
	if (names.n_event_categories + names.n_event_names + names.n_debug_annotation_names)
		packet->interned_data = &names;
	message_append(p->out, 1, &packet->base);
	packet->interned_data = NULL;
	memset(p->fresh_nr, 0, sizeof(p->fresh_nr));
}
