/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfetto.h - a trace of Perfetto being written: packets, what events become of
 *
 * All packets are one sequence, so that names are interned once. Events that the kernel's own
 * tracer has, too, are collected by CPU in bundles; all others are events of tracks.
 */
#ifndef VIEWER_EXPORT_PERFETTO_PERFETTO_H
#define VIEWER_EXPORT_PERFETTO_PERFETTO_H

#include "base/hash_table.h"
#include "events/slices.h"
#include "export/export.h"

#include "perfetto.pb-c.h"

typedef Perfetto__Protos__TracePacket TracePacket;
typedef Perfetto__Protos__TrackEvent TrackEvent;
typedef Perfetto__Protos__DebugAnnotation Annotation;
typedef Perfetto__Protos__InternedName InternedName;

/* Tables that names are interned in */
enum name_table { NAME_CATEGORY, NAME_EVENT, NAME_ANNOTATION, NAME_TABLES };

/**
 * struct perfetto - one run
 * @x:		what was asked for
 * @out:	where it goes
 * @spans:	what is open
 * @names:	interned names, by what they are names of
 * @fresh:	those that the packet at hand tells, by table, and @listed the same for it
 * @fresh_nr:	how many
 * @text:	text of the packet at hand, which does not move while it is put together
 * @nodes:	its annotations, and @listed_nodes the same for it
 * @node_nr:	how many
 * @node_cap:	for how many there is room, also of names
 * @tracks:	those that were described
 * @bundles:	by CPU
 * @has_begun:	a packet was written
 * @is_lost:	events were lost before the next packet
 * @raw:	the trace whose packets are written as they were, NULL = none
 * @is_mixed:	events lie among packets of others: they have a writer and a clock of their own
 * @has_head:	what comes before all events that are not of @raw was written
 * @raw_packets: packets of @raw
 * @raw_nr:	how many
 * @raw_cap:	for how many there is room
 * @raw_bytes:	their bytes
 * @error:	0, -errno
 */
struct perfetto {
	struct export *x;
	struct ktrace_out *out;
	struct slices spans;
	struct hash_table names;
	InternedName *fresh[NAME_TABLES];
	InternedName **listed[NAME_TABLES];
	size_t fresh_nr[NAME_TABLES];
	struct ktrace_out text;
	Annotation *nodes;
	Annotation **listed_nodes;
	size_t node_nr;
	size_t node_cap;
	struct hash_table tracks;
	struct hash_table bundles;
	bool has_begun;
	bool is_lost;
	const struct ktrace_trace *raw;
	bool is_mixed;
	bool has_head;
	struct raw_packet *raw_packets;
	size_t raw_nr;
	size_t raw_cap;
	struct ktrace_out raw_bytes;
	int error;
};

/* packet.c: writes a packet, of machine number @machine; it tells names that are new. */
void packet_put(struct perfetto *p, TracePacket *packet, __u32 machine);
/* Sets what all packets have. */
void packet_fill(struct perfetto *p, TracePacket *packet, __u32 machine);
/* Appends a message without anything around it. */
void message_pack(struct ktrace_out *out, const ProtobufCMessage *m);
/* Appends a message as field @number of another one. */
void message_append(struct ktrace_out *out, unsigned int number, const ProtobufCMessage *m);
/* The same for what is packed already */
void bytes_append(struct ktrace_out *out, unsigned int number, const char *data, size_t size);

/* annotation.c: room for what an event needs; nothing moves until the next call. */
void event_room(struct perfetto *p, const struct ktrace_trace_event *e);
/* Number of a name; @what and @which tell what it is of, @text is copied if it is new. */
__u64 name_iid(struct perfetto *p, enum name_table table, const void *what, __u64 which,
	       const char *text);
/* No name is known any more. */
void names_forget(struct perfetto *p);
/* Annotations of an event; returns how many, in @out the first of them. */
size_t annotate(struct perfetto *p, const struct ktrace_trace_event *e, Annotation ***out);
/* Copies text that need not be UTF-8. */
char *text_copy(struct perfetto *p, const char *s, size_t n);

/* ftrace.c: takes an event that the kernel's tracer has, too. False: it has none. */
bool ftrace_take(struct perfetto *p, const struct ktrace_trace_event *e, __u32 machine);
/* Events of this CPU were lost. */
void ftrace_lost(struct perfetto *p, const struct ktrace_trace_event *e, __u32 machine);
void ftrace_end(struct perfetto *p);

/* raw.c: finds out whether a trace's own packets are to be written. */
void raw_begin(struct perfetto *p);
/* Takes an event of that trace. False: it is none. */
bool raw_take(struct perfetto *p, const struct ktrace_trace_event *e);
void raw_end(struct perfetto *p);

#endif
