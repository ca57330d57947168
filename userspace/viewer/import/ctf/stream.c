// SPDX-License-Identifier: GPL-2.0
/*
 * stream.c - reads the packets and events of a CTF data stream
 *
 * A fault costs the rest of its packet. Reading goes on behind the packet if its size is known, or
 * else where the next packet of this trace begins, which its UUID tells. A stream reports its first
 * fault with its place, and at its end how many there were.
 *
 * A file that ends within a packet is read up to its end.
 */
#include "stream.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/viewer.h"

#define MAGIC 0xc1fc1fc1u

static const struct ctf_file *file_of(const struct ctf_stream *s)
{
	return &s->files[s->file];
}

/* Reports the first fault; all are counted as places with lost events. */
static void fault(struct ctf_stream *s, __u64 at, const char *text)
{
	if (!s->faults++)
		complain_about(file_of(s)->path, "offset %" PRIu64 ": damaged: %s", (uint64_t)at,
			       text);
	s->damaged++;
	file_of(s)->trace->is_damaged = true;
}

static bool is_zero(const unsigned char *data, __u64 size)
{
	for (__u64 i = 0; i < size; i++)
		if (data[i])
			return false;
	return true;
}

/* Returns what is wrong with the packet at the cursor, NULL = nothing. */
static const char *decode_packet(const struct ctf_trace *trace, struct ctf_cursor *c,
				 const struct ctf_stream_class **class)
{
	const struct ctf_facts *facts = &c->facts;

	memset(&c->facts, 0, sizeof(c->facts));
	memset(c->scopes, 0, sizeof(c->scopes));
	if (!ctf_decode(c, CTF_PACKET_HEADER, trace->schema.packet_header))
		return c->fault;
	if (facts->has & CTF_ROLE_MAGIC && facts->magic != MAGIC)
		return "no packet begins here";
	if (facts->uuid && trace->schema.has_uuid && memcmp(facts->uuid, trace->schema.uuid, 16))
		return "the packet has the UUID of another trace";
	*class = ctf_schema_stream(&trace->schema, facts->stream_class);
	if (!*class)
		return "the metadata does not describe streams of this number";
	return ctf_decode(c, CTF_PACKET_CONTEXT, (*class)->packet_context) ? NULL : c->fault;
}

bool ctf_stream_probe(struct ctf_file *file)
{
	struct ctf_arena arena = { 0 };
	struct ctf_cursor c = { .data = file->data, .end = file->size * 8, .arena = &arena };
	const struct ctf_stream_class *class;
	const bool is_fine = !decode_packet(file->trace, &c, &class);

	file->class = c.facts.stream_class;
	file->stream = c.facts.stream;
	file->has_stream = is_fine && c.facts.has & CTF_ROLE_STREAM;
	file->begin = c.time;
	ctf_arena_free(&arena);
	return is_fine;
}

/* Finds where the packet ends, and its content. NULL: fine */
static const char *take_sizes(struct ctf_stream *s)
{
	const struct ctf_facts *facts = &s->cursor.facts;
	const __u64 left = (file_of(s)->size - s->packet) * 8;
	__u64 total = left, content;

	if (facts->has & CTF_ROLE_TOTAL)
		total = facts->total;
	else if (facts->has & CTF_ROLE_CONTENT)
		total = facts->content;
	content = facts->has & CTF_ROLE_CONTENT ? facts->content : total;
	if (content > total || content < s->cursor.at || total > ~0ull - 7)
		return "the packet has no possible size";
	s->packet_end = s->packet + (total + 7) / 8;
	s->cursor.end = content < left ? content : left;
	s->content = content;
	return NULL;
}

/* Compares with the packet before. */
static void take_losses(struct ctf_stream *s)
{
	const struct ctf_facts *facts = &s->cursor.facts;
	const __u64 mask = facts->discarded_bits < 64 ? (1ull << facts->discarded_bits) - 1 : ~0ull;

	/* Without a time of its own, the packet begins when the packet before ended. */
	if (!(facts->has & CTF_ROLE_TIME) && s->has_end_time && s->end_time > s->cursor.time)
		s->cursor.time = s->end_time;
	if (facts->has & CTF_ROLE_DISCARDED) {
		s->lost_events += (facts->discarded - s->discarded) & mask;
		s->discarded = facts->discarded;
	}
	if (facts->has & CTF_ROLE_SEQUENCE) {
		if (s->has_sequence && facts->sequence > s->sequence + 1)
			s->lost_packets += facts->sequence - s->sequence - 1;
		s->sequence = facts->sequence;
		s->has_sequence = true;
	}
	s->time = s->has_end_time ? s->end_time : s->cursor.time;
	if (s->has_time && s->time < s->last_time)
		s->time = s->last_time;
	s->has_end_time = facts->has & CTF_ROLE_END_TIME;
	s->end_time = facts->end_time;
}

/* Finds the next packet behind a place where none begins; false: there is no more. */
static bool resync(struct ctf_stream *s)
{
	const struct ctf_file *file = file_of(s);
	const unsigned char *uuid = s->trace->schema.uuid;
	struct ctf_file rest = { .trace = s->trace };
	__u64 from = s->packet + 1;
	const unsigned char *found;

	if (!s->trace->schema.has_uuid || !s->trace->schema.packet_header)
		return false;
	/* In the header, the magic number comes first, then the UUID. */
	while (from + 4 < file->size &&
	       (found = memmem(file->data + from + 4, file->size - from - 4, uuid, 16))) {
		rest.data = found - 4;
		rest.size = (__u64)(file->data + file->size - rest.data);
		if (ctf_stream_probe(&rest)) {
			s->packet = (__u64)(rest.data - file->data);
			return true;
		}
		from = (__u64)(found - file->data) - 3;
	}
	return false;
}

/* Goes to the place of the next packet; false: no file is left. */
static bool next_place(struct ctf_stream *s)
{
	s->packet = s->packet_end;
	while (s->file < s->file_nr && s->packet >= file_of(s)->size) {
		if (s->packet > file_of(s)->size && s->is_open && s->cursor.end < s->content)
			fault(s, file_of(s)->size, "the file ends within a packet");
		s->done += file_of(s)->size;
		s->file++;
		s->packet = 0;
		s->is_open = false;
	}
	if (s->file == s->file_nr)
		return false;
	s->trace = file_of(s)->trace;
	return true;
}

/* Opens the next packet; false: no more. */
static bool next_packet(struct ctf_stream *s)
{
	const char *wrong = NULL;

	while (next_place(s)) {
		const struct ctf_file *file = file_of(s);

		ctf_arena_reset(&s->packet_values);
		ctf_arena_reset(&s->event_values);
		s->cursor.arena = &s->packet_values;
		s->cursor.data = file->data + s->packet;
		s->cursor.at = 0;
		s->cursor.end = (file->size - s->packet) * 8;
		s->is_open = false;
		wrong = decode_packet(s->trace, &s->cursor, &s->class);
		if (!wrong)
			wrong = take_sizes(s);
		if (!wrong) {
			s->is_open = true;
			s->cursor.arena = &s->event_values;
			take_losses(s);
			return true;
		}
		if (is_zero(s->cursor.data, file->size - s->packet))
			wrong = "only zeros from here to the end of the file";
		fault(s, s->packet, wrong);
		s->packet_end = resync(s) ? s->packet : file->size;
	}
	return false;
}

/* Decodes the event at the cursor. NULL: fine */
static const char *decode_event(struct ctf_stream *s)
{
	struct ctf_cursor *c = &s->cursor;

	c->facts.event_class = 0;
	ctf_arena_reset(&s->event_values);
	if (!ctf_decode(c, CTF_EVENT_HEADER, s->class->event_header))
		return c->fault;
	s->event = ctf_schema_event(&s->trace->schema, s->class->id, c->facts.event_class);
	if (!s->event)
		return "the metadata does not describe events of this number";
	return ctf_decode(c, CTF_COMMON_CONTEXT, s->class->common) &&
	       ctf_decode(c, CTF_SPECIFIC_CONTEXT, s->event->specific) &&
	       ctf_decode(c, CTF_PAYLOAD, s->event->payload) ? NULL : c->fault;
}

/* Notes a stamp that went back. */
static void check_time(struct ctf_stream *s)
{
	if (s->has_time && s->time < s->last_time) {
		if (!s->backwards++) {
			s->backwards_at = s->at;
			s->backwards_path = file_of(s)->path;
		}
	}
	s->has_time = true;
	s->last_time = s->time;
}

/* Reads the next event of the packet; false: it has no more. */
static bool next_event(struct ctf_stream *s)
{
	const __u64 begin = s->cursor.at;
	const char *wrong;

	if (!s->is_open || begin >= s->cursor.end)
		return false;
	s->at = s->packet + begin / 8;
	wrong = decode_event(s);
	/* An event without a single bit would come again and again. */
	if (!wrong && s->cursor.at == begin)
		wrong = "an event without a size";
	if (!wrong) {
		s->time = s->cursor.time;
		check_time(s);
		s->message = CTF_EVENT;
		return true;
	}
	if (s->cursor.end < s->content)
		wrong = "the file ends within a packet";
	fault(s, s->at, wrong);
	s->is_open = false;
	return false;
}

static bool next_loss(struct ctf_stream *s)
{
	const struct {
		__u64 *count;
		enum ctf_message message;
	} losses[] = {
		{ &s->damaged, CTF_LOST_DAMAGED },
		{ &s->lost_packets, CTF_LOST_PACKETS },
		{ &s->lost_events, CTF_LOST_EVENTS },
	};

	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		if (!*losses[i].count)
			continue;
		s->message = losses[i].message;
		s->count = *losses[i].count;
		*losses[i].count = 0;
		return true;
	}
	return false;
}

static void tell_end(struct ctf_stream *s)
{
	const struct ctf_file *first = &s->files[0];

	if (s->faults > 1)
		complain_about(first->path, "%" PRIu64 " places of this stream are damaged",
			       (uint64_t)s->faults);
	if (!s->backwards)
		return;
	complain_about(s->backwards_path, "offset %" PRIu64 ": the time goes back, %" PRIu64
		       " times in this stream: events keep their order and their times",
		       (uint64_t)s->backwards_at, (uint64_t)s->backwards);
	s->trace->is_damaged = true;
}

void ctf_stream_next(struct ctf_stream *s)
{
	if (s->message == CTF_END)
		return;
	while (!next_loss(s) && !next_event(s)) {
		/* The fault that ended the packet comes first. */
		if (s->damaged)
			continue;
		if (next_packet(s) || s->damaged)
			continue;
		s->message = CTF_END;
		tell_end(s);
		return;
	}
}

__u64 ctf_stream_read(const struct ctf_stream *s)
{
	return s->file < s->file_nr ? s->done + s->packet + s->cursor.at / 8 : s->done;
}

void ctf_stream_exit(struct ctf_stream *s)
{
	ctf_arena_free(&s->packet_values);
	ctf_arena_free(&s->event_values);
}
