// SPDX-License-Identifier: GPL-2.0
/*
 * kinds.c - converts packets that are neither events of tracks nor bundles of the kernel's
 *
 * A packet becomes an event named after its kind, with the contents as fields; statistics, logs and
 * samples become several events, see probes.c and samples.c.
 */
#include "convert.h"

#include <stdio.h>
#include <string.h>

typedef Perfetto__Protos__TracePacket TracePacket;

/* Numbers of fields of packets */
enum { PACKET_FTRACE_EVENTS = 1, PACKET_TRACK_EVENT = 11, PACKET_TRACE_CONFIG = 33,
       PACKET_MARK = 36, PACKET_DEFLATE = 50, PACKET_SERVICE_EVENT = 69,
       PACKET_EXTENSIONS = 72, PACKET_ZSTD = 133, PACKET_PART = 1717 };

/* Fields that any packet may have, beside the one that tells its kind */
static const __u32 common[] = { 3, 8, 10, 12, 13, 41, 42, 58, 59, 79, 87, 98, PACKET_PART };

static bool is_common(__u32 number)
{
	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
		if (common[i] == number)
			return true;
	return false;
}

/* Contents that are not shown, as they say nothing of a moment, or are shown otherwise */
static bool is_silent(__u32 number)
{
	switch (number) {
	case PACKET_FTRACE_EVENTS:
	case PACKET_TRACK_EVENT:
	case PACKET_TRACE_CONFIG:
	case PACKET_MARK:
	case PACKET_DEFLATE:
	case PACKET_EXTENSIONS:
	case PACKET_ZSTD:
		return true;
	default:
		return false;
	}
}

/* Finds the field that tells the kind. Return: false: none */
static bool find_kind(const struct packet *p, struct packet_field *f)
{
	size_t at = 0;

	while (packet_next(p, &at, f) == 1)
		if (!is_common(f->number))
			return true;
	return false;
}

struct track_thread kinds_thread(const struct conversion *c, const TracePacket *p)
{
	const __u32 pid = p && p->trusted_pid > 0 ? (__u32)p->trusted_pid : 0;

	return (struct track_thread){
		.tid = pid ? pid & KTRACE_TID_MASK : TRACK_TID_SERVICE, .pid = pid,
		.comm = pid ? tracks_main(&c->tracks, pid) : "service",
	};
}

/* Returns the name of a field of a packet; an event of the service is named by its kind. */
static const char *name_of(const struct conversion *c, const struct packet_field *f)
{
	const struct schema_field *told = schema_field(&c->schema, c->packet_type, f->number);
	const struct packet m = { .data = f->data, .size = f->size };
	struct packet_field inner;
	size_t at = 0;

	if (told && f->number == PACKET_SERVICE_EVENT && f->wire == 2)
		while (packet_next(&m, &at, &inner) == 1)
			if (schema_field(&c->schema, told->of, inner.number))
				return schema_name(&c->schema, schema_field(&c->schema, told->of,
									    inner.number));
	return told ? schema_name(&c->schema, told) : "packet";
}

static void note_undecoded(struct conversion *c, const struct packet_field *f, const char *name)
{
	const struct schema_field *told = schema_field(&c->schema, c->packet_type, f->number);

	if (c->undecoded++)
		return;
	if (told)
		snprintf(c->first_undecoded, sizeof(c->first_undecoded), "%s", name);
	else
		snprintf(c->first_undecoded, sizeof(c->first_undecoded), "field %u", f->number);
}

static void put_content(struct conversion *c, const struct packet_field *f, const char *name)
{
	const struct schema_field *told = schema_field(&c->schema, c->packet_type, f->number);
	const struct packet m = { .data = f->data, .size = f->size };

	if (is_silent(f->number))
		return;
	if (!told || (told->kind == SCHEMA_BYTES))
		note_undecoded(c, f, name);
	else if (told->kind == SCHEMA_MESSAGE && f->wire == 2)
		content_put(c, "", told->of, &m);
	else
		content_put_field(c, "", c->packet_type, c->packet, f->number);
}

int kinds_put(struct conversion *c, const TracePacket *p)
{
	const struct track_thread thread = kinds_thread(c, p);
	struct packet_field f = { 0 };
	const bool has_kind = find_kind(c->packet, &f);
	char name[SCHEMA_NAME];
	int ret;

	snprintf(name, sizeof(name), "%s", has_kind ? name_of(c, &f) : "packet");
	event_begin(c, "perfetto", name, "");
	if (p && p->trusted_packet_sequence_id)
		event_number(c, "u32", "sequence", p->trusted_packet_sequence_id);
	event_number(c, "u32", "bytes", c->packet->size);
	if (p && has_kind)
		put_content(c, &f, name);
	/* Too many fields for a description are shown as text. */
	c->content = p && !is_silent(f.number) ? c->packet : NULL;
	c->content_type = c->packet_type;
	ret = event_end(c, &thread);
	c->content = NULL;
	return ret;
}

int convert_other(struct conversion *c, const TracePacket *p)
{
	const __u64 before = c->put_nr;
	struct packet_field f;
	int ret = 0;

	if (find_kind(c->packet, &f) && f.wire == 2) {
		ret = probes_put(c, p, &f);
		if (!ret)
			ret = samples_put(c, &f);
	}
	return ret || c->put_nr != before ? ret : kinds_put(c, p);
}
