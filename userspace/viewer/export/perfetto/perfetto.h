/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfetto.h - shared by the parts of ktrace export --to perfetto
 *
 * All packets of a machine are one sequence, so that names are interned once. Readers keep the
 * sequences of machines apart, and skip packets that need state which their own has not set.
 * Events also known to the kernel's own tracer are collected in bundles by CPU; all others are
 * track events.
 */
#ifndef VIEWER_EXPORT_PERFETTO_PERFETTO_H
#define VIEWER_EXPORT_PERFETTO_PERFETTO_H

#include "base/hash_table.h"
#include "model/slices.h"
#include "export/export.h"

#include "perfetto.pb-c.h"

typedef Perfetto__Protos__TracePacket TracePacket;
typedef Perfetto__Protos__TrackEvent TrackEvent;
typedef Perfetto__Protos__DebugAnnotation Annotation;
typedef Perfetto__Protos__InternedName InternedName;

/* Tables of interned names */
enum name_table { NAME_CATEGORY, NAME_EVENT, NAME_ANNOTATION, NAME_TABLES };

/**
 * struct machine - the sequence of a machine; number is the key
 * @number:	as in machine_id
 * @has_begun:	a packet of it has been written
 * @has_head:	so have the packets before all events that are not of struct perfetto's @raw
 * @is_lost:	events were lost before its next packet
 * @clears:	its next packet clears the names that were interned before
 */
struct machine {
	__u32 number;
	bool has_begun;
	bool has_head;
	bool is_lost;
	bool clears;
};

/**
 * struct perfetto - one run
 * @x:		options and files
 * @out:	output stream
 * @spans:	open slices
 * @names:	interned names, by the thing they name
 * @fresh:	names that are new in the current packet, by table; @listed points to them
 * @fresh_nr:	number of @fresh
 * @text:	text of the current packet, which does not move while it is being built
 * @nodes:	annotations of the current packet; @listed_nodes points to them
 * @node_nr:	number of @nodes
 * @node_cap:	capacity of @nodes and of each table in @fresh
 * @tracks:	tracks already described
 * @bundles:	struct bundle by CPU
 * @machines:	struct machine by number
 * @machine:	the machine of the current event
 * @raw:	the trace whose packets are copied as they are, NULL = none
 * @is_mixed:	events are mixed with packets of others: they have their own sequence and clock
 * @raw_packets: packets of @raw
 * @raw_nr:	number of @raw_packets
 * @raw_cap:	capacity of @raw_packets
 * @raw_bytes:	bytes of @raw_packets
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
	struct hash_table machines;
	__u32 machine;
	const struct ktrace_trace *raw;
	bool is_mixed;
	struct raw_packet *raw_packets;
	size_t raw_nr;
	size_t raw_cap;
	struct ktrace_out raw_bytes;
	int error;
};

/* packet.c: writes a packet of machine @machine, with the names that are new. */
void packet_put(struct perfetto *p, TracePacket *packet, __u32 machine);
/* Returns the state of a machine, valid until the next call; NULL: p->error is set. */
struct machine *machine_get(struct perfetto *p, __u32 number);
/* Sets the fields common to all packets. */
void packet_fill(struct perfetto *p, TracePacket *packet, __u32 machine);
/* Appends a message without anything around it. */
void message_pack(struct ktrace_out *out, const ProtobufCMessage *m);
/* Appends a message as field @number of another one. */
void message_append(struct ktrace_out *out, unsigned int number, const ProtobufCMessage *m);
/* Appends packed bytes as field @number of another message. */
void bytes_append(struct ktrace_out *out, unsigned int number, const char *data, size_t size);

/* annotation.c: reserves room for an event; nothing moves until the next call. */
void event_room(struct perfetto *p, const struct ktrace_trace_event *e);
/* Returns the iid of a name; @what and @which are its key, @text is copied if it is new. */
__u64 name_iid(struct perfetto *p, enum name_table table, const void *what, __u64 which,
	       const char *text);
/* Forgets all interned names. */
void names_forget(struct perfetto *p);
/* Builds the annotations of an event; @out points to them. Returns their number. */
size_t annotate(struct perfetto *p, const struct ktrace_trace_event *e, Annotation ***out);
/* Copies text, made valid UTF-8, into p->text. */
char *text_copy(struct perfetto *p, const char *s, size_t n);

/* ftrace.c: writes an event that the kernel's tracer has, too. False: it does not. */
bool ftrace_take(struct perfetto *p, const struct ktrace_trace_event *e, __u32 machine);
/* Marks events of this CPU as lost. */
void ftrace_lost(struct perfetto *p, const struct ktrace_trace_event *e, __u32 machine);
void ftrace_end(struct perfetto *p);

/* raw.c: decides whether the original packets of a trace are written. */
void raw_begin(struct perfetto *p);
/* Takes an event of that trace; false if the event is not one of it. */
bool raw_take(struct perfetto *p, const struct ktrace_trace_event *e);
void raw_end(struct perfetto *p);

#endif
