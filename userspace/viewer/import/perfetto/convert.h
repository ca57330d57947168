/* SPDX-License-Identifier: GPL-2.0 */
/*
 * convert.h - packets of Perfetto become events of a tracefile
 *
 * Slices become pairs of events whose names end with _begin and _end, and so spans; instants and
 * counters events. What the kernel's own tracer has recorded becomes events of the kernel. Packets
 * that are something else become an event with the name of what they are. Each event has its packet
 * behind it, perfetto_packet.h.
 */
#ifndef VIEWER_IMPORT_PERFETTO_CONVERT_H
#define VIEWER_IMPORT_PERFETTO_CONVERT_H

#include "import/import_writer.h"

#include "clocks.h"
#include "ftrace.h"
#include "legacy.h"
#include "native.h"
#include "packets.h"
#include "sequence.h"
#include "spool.h"
#include "tracks.h"

/* Bytes of a slice's name that its events are called by */
#define SLICE_NAME 192u

/** struct slice - name of what was begun; all of it is the key */
struct slice {
	char provider[TRACK_NAME];
	char name[SLICE_NAME];
};

/**
 * struct conversion - one trace on its way
 * @path:	of the trace, for messages
 * @data:	the trace, which does not change
 * @size:	bytes
 * @boot:	boot id of the machine, "" = not known
 * @host:	its name, "" = not known
 * @offset_ns:	time since the epoch at stamp 0, unless the trace says it
 * @has_offset:	use that in any case
 * @f:		what it becomes
 * @clocks:	what was seen of them
 * @time:	the clock that stamps are turned into
 * @raw:	a stamp of that one
 * @real_ns:	time since the epoch then
 * @kernel:	release
 * @machine:	its architecture
 * @tracks:	by number
 * @asyncs:	ids of asynchronous events
 * @sequences:	by writer
 * @slices:	names of what was begun
 * @scopes:	what ids of asynchronous events are told apart by, as struct slice
 * @ftrace:	of the kernel's own tracer
 * @spool:	events, until they are in order
 * @packet:	at hand
 * @has_packet:	some event has it already
 * @sequence:	its writer
 * @ts:		its time
 * @desc:	description of the event at hand
 * @payload:	its payload
 * @notes:	its annotations, NULL = none, @note_nr of them
 * @natives:	recordings of ktrace that are among the packets
 * @events:	written
 * @lost:	that were lost
 * @bad:	packets that cannot be read, the first at @bad_at
 * @timeless:	packets left out, as nobody knows their clock
 * @unknown:	packets left out, as they refer to what was lost
 * @as_text:	events whose fields cannot be described
 * @cut:	texts that were too long
 * @text_left:	bytes of texts that may still come
 * @has_any:	there is a packet
 * @trouble:	with reading packets
 */
struct conversion {
	const char *path;
	const unsigned char *data;
	size_t size;
	char boot[64];
	char host[64];
	__u64 offset_ns;
	bool has_offset;
	struct import_writer *f;
	struct clocks clocks;
	struct clock_id time;
	__u64 raw;
	__u64 real_ns;
	char kernel[64];
	char machine[32];
	struct tracks tracks;
	struct asyncs asyncs;
	struct sequences sequences;
	struct hash_table slices;
	struct hash_table scopes;
	struct ftrace ftrace;
	struct spool spool;
	const struct packet *packet;
	bool has_packet;
	struct sequence *sequence;
	__u64 ts;
	struct ktrace_out desc;
	struct ktrace_out payload;
	Perfetto__Protos__DebugAnnotation **notes;
	size_t note_nr;
	struct natives natives;
	__u64 events;
	__u64 lost;
	__u64 bad;
	__u64 bad_at;
	__u64 timeless;
	__u64 unknown;
	__u64 as_text;
	__u64 cut;
	__u64 text_left;
	bool has_any;
	struct packets_trouble trouble;
};

/* Sets all that a conversion begins with; what is said of the machine is set then. */
void convert_init(struct conversion *c, const char *path, const unsigned char *data, size_t size);
/*
 * Writes all packets into a tracefile with blocks of a @level of compression; complains about those
 * that cannot be converted. Recordings of ktrace among them are in it as they were.
 * Return: 0, 1: some could not be, -errno; -ECANCELED: there is none, which was complained about.
 */
int convert(struct conversion *c, const char *path, int level);

/* learn.c: what holds for the whole trace. Return: 0, -ENOMEM. */
int convert_learn(struct conversion *c);
/*
 * What is known of a packet's time. LOST: its clock was set by one that is gone; FOREIGN: no
 * snapshot has its clock and one of ours.
 */
enum packet_time { TIME_KNOWN, TIME_LOST, TIME_FOREIGN };

/* Time of a packet, from its own clock; one without a stamp has that of the one before. */
enum packet_time convert_time(struct conversion *c, const Perfetto__Protos__TracePacket *p);

/* ftrace.c: events of a CPU. Return: 0, -errno. */
int convert_ftrace(struct conversion *c, const Perfetto__Protos__FtraceEventBundle *b);

/* event.c: an event of a track. Return: 0, -errno. */
int convert_track_event(struct conversion *c, const Perfetto__Protos__TracePacket *p);

/* field.c: puts the description and payload of an event together. */
void event_begin(struct conversion *c, const char *provider, const char *name, const char *suffix);
void event_number(struct conversion *c, const char *type, const char *name, __u64 value);
/* An array of @count numbers, of which @nr are at @values; the rest is 0 */
void event_numbers(struct conversion *c, const char *name, size_t count, size_t nr,
		   const __u64 *values);
void event_double(struct conversion *c, const char *name, double value);
void event_text(struct conversion *c, const char *name, const char *text);
void event_annotation(struct conversion *c, const Perfetto__Protos__DebugAnnotation *a);
/*
 * The event goes into the spool, with its packet if no other one has it; @e has all but the type
 * and the payload. One with a CPU is the kernel's, others are a program's. Return: 0, -errno.
 */
int event_put(struct conversion *c, struct spooled e);
/* An event of a program, at the time of the packet */
int event_end(struct conversion *c, const struct track_thread *thread);

#endif
