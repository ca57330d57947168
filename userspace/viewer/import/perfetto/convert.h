/* SPDX-License-Identifier: GPL-2.0 */
/*
 * convert.h - converts packets of Perfetto to events of a tracefile
 *
 * A slice becomes a pair of events whose names end in _begin and _end; instants and counters
 * become one event. Events of the kernel's own tracer become kernel events. Any other packet
 * becomes an event named after its kind. Each event is followed by its packet, perfetto_packet.h.
 */
#ifndef VIEWER_IMPORT_PERFETTO_CONVERT_H
#define VIEWER_IMPORT_PERFETTO_CONVERT_H

#include "import/import_writer.h"

#include "atrace.h"
#include "clocks.h"
#include "content.h"
#include "ftrace.h"
#include "legacy.h"
#include "losses.h"
#include "native.h"
#include "packets.h"
#include "remote.h"
#include "schema.h"
#include "sequence.h"
#include "import/spool.h"
#include "tracks.h"

/* Bytes of a slice's name used in the names of its events */
#define SLICE_NAME 192u

/** struct slice - the names of a slice; all of it is the key */
struct slice {
	char provider[TRACK_NAME];
	char name[SLICE_NAME];
};

/**
 * struct conversion - conversion of one trace
 * @path:	of the trace, for messages
 * @is_one_machine: only packets of @machine_id are converted; 0 is the one that recorded the trace
 * @machine_id:	that machine
 * @is_further:	another run has converted what belongs to no machine, and reported damage
 * @recorder:	the machine that recorded the trace, if this is another one; NULL = unknown
 * @data:	the trace, which does not change
 * @size:	bytes
 * @boot:	boot id of the machine, "" = unknown
 * @host:	its name, "" = unknown
 * @offset_ns:	time since the epoch at stamp 0, unless the trace tells it
 * @has_offset:	use @offset_ns in any case
 * @f:		the tracefile being written
 * @clocks:	clocks and their snapshots
 * @time:	the clock that stamps are converted to
 * @raw:	a stamp of @time
 * @real_ns:	time since the epoch at @raw
 * @kernel:	kernel release
 * @machine:	its architecture
 * @tracks:	by number
 * @asyncs:	ids of asynchronous events
 * @sequences:	by writer
 * @slices:	names of slices
 * @scopes:	scopes of asynchronous ids, as struct slice
 * @ftrace:	state of the kernel's own tracer
 * @losses:	losses that statistics state
 * @spool:	events waiting to be put in order
 * @packet:	the current one
 * @has_packet:	an event has the packet already
 * @sequence:	its writer
 * @ts:		its time
 * @desc:	description of the current event
 * @payload:	its payload
 * @notes:	its annotations, NULL = none, @note_nr of them
 * @content:	message that the current event shows, NULL = none; it is of @content_type
 * @fields:	message with further fields of the event of a track, NULL = none, of @fields_type
 * @put_nr:	number of events so far
 * @schema:	descriptions of messages; @packet_type, @ftrace_event_type, @track_event_type: of
 *		some of them
 * @gpu_counters: names of counters
 * @unnamed:	fields without a description; @first_unnamed: the first one
 * @undecoded:	packets shown without their contents; @first_undecoded: kind of the first one
 * @tail:	bytes after the payload of an event that is written at once, not spooled, @tail_size
 *		of them
 * @is_writing:	the spool is being written
 * @log_timeless: lines of a log whose stamps no snapshot relates to others
 * @marks_bad:	marks of Android in printed text that cannot be read
 * @uuid:	the trace's id; @has_uuid: it has one
 * @remote:	clocks that this machine and @recorder have read for each other
 * @unpaired:	readings of these in packets without any exchange
 * @natives:	recordings of ktrace found in the packets
 * @events:	number of events written
 * @lost:	number of lost events
 * @bad:	packets that cannot be read; @bad_at: the first one
 * @timeless:	packets left out because no snapshot relates their clock
 * @unknown:	packets left out because they refer to lost ones
 * @as_text:	events whose fields cannot be described
 * @cut:	texts that were truncated
 * @text_left:	bytes of text that may still be written
 * @has_any:	there is a packet
 * @trouble:	errors on reading packets
 */
struct conversion {
	const char *path;
	bool is_one_machine;
	__u32 machine_id;
	bool is_further;
	const struct remote_recorder *recorder;
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
	struct losses losses;
	struct spool spool;
	const struct packet *packet;
	bool has_packet;
	struct sequence *sequence;
	__u64 ts;
	struct ktrace_out desc;
	struct ktrace_out payload;
	Perfetto__Protos__DebugAnnotation **notes;
	size_t note_nr;
	const struct packet *content;
	__u32 content_type;
	const struct packet *fields;
	__u32 fields_type;
	__u64 put_nr;
	struct schema schema;
	__u32 packet_type;
	__u32 ftrace_event_type;
	__u32 track_event_type;
	struct hash_table gpu_counters;
	__u64 unnamed;
	char first_unnamed[SCHEMA_NAME + 32];
	__u64 undecoded;
	char first_undecoded[SCHEMA_NAME];
	const char *tail;
	size_t tail_size;
	bool is_writing;
	__u64 log_timeless;
	__u64 marks_bad;
	__u64 uuid[2];
	bool has_uuid;
	struct remote remote;
	__u64 unpaired;
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

/* Initialises a conversion; the caller then sets the facts about the machine. */
void convert_init(struct conversion *c, const char *path, const unsigned char *data, size_t size);
/*
 * Writes all packets into a tracefile with compression @level; reports those that cannot be
 * converted. Recordings of ktrace in the packets are copied unchanged.
 * Return: 0, 1: some packets could not be converted, -errno; -ECANCELED: no packets, already
 * reported.
 */
int convert(struct conversion *c, const char *path, int level);

/* machines.c: true if a packet is of the machine that is converted. */
bool convert_has(const struct conversion *c, const struct packet *p);

/* learn.c: learns what holds for the whole trace. Return: 0, -ENOMEM. */
int convert_learn(struct conversion *c);
/* The same from a snapshot of clocks in a field of this writer */
int convert_learn_clocks(struct conversion *c, const struct packet_field *f, __u32 sequence);
/*
 * What is known of a packet's time. LOST: the packet that set its clock is lost; FOREIGN: no
 * snapshot relates its clock to ours.
 */
enum packet_time { TIME_KNOWN, TIME_LOST, TIME_FOREIGN };

/* Sets the time of a packet from its own clock; without a stamp it keeps the previous one. */
enum packet_time convert_time(struct conversion *c, const Perfetto__Protos__TracePacket *p);

/* ftrace.c: converts the events of a CPU. Return: 0, -errno. */
int convert_ftrace(struct conversion *c, const Perfetto__Protos__FtraceEventBundle *b);

/* kinds.c: converts packets of all other kinds. */
int convert_other(struct conversion *c, const Perfetto__Protos__TracePacket *p);
/* Puts the current packet as an event of its kind. Return: 0, -errno. */
int kinds_put(struct conversion *c, const Perfetto__Protos__TracePacket *p);
/* Thread of a packet's event if the packet names none */
struct track_thread kinds_thread(const struct conversion *c,
				 const Perfetto__Protos__TracePacket *p);

/*
 * probes.c, samples.c: convert the message in a field of a packet to several events. Return: 0,
 * -errno; nothing is put if there is nothing to show.
 */
void probes_init(struct conversion *c);
int probes_put(struct conversion *c, const Perfetto__Protos__TracePacket *p,
	       const struct packet_field *f);
/* Adds an interned call chain to the current event. */
void samples_chain(struct conversion *c, __u64 iid);
int samples_put(struct conversion *c, const struct packet_field *f);
/* Puts a value of a counter. */
int counter_put(struct conversion *c, const char *name, bool is_whole, __s64 value, double real,
		const struct track_thread *thread);

/* event.c: converts an event of a track. Return: 0, -errno. */
int convert_track_event(struct conversion *c, const Perfetto__Protos__TracePacket *p);
/* The same for an event on this track, or on the track of its id, which @lane names if it is new */
int convert_on_track(struct conversion *c, const Perfetto__Protos__TracePacket *p,
		     struct track *track);
int convert_async(struct conversion *c, const Perfetto__Protos__TracePacket *p, const char *lane);

/* field.c: build the description and payload of an event. */
void event_begin(struct conversion *c, const char *provider, const char *name, const char *suffix);
void event_number(struct conversion *c, const char *type, const char *name, __u64 value);
/* Adds an array of @count numbers: @nr from @values, the rest is 0. */
void event_numbers(struct conversion *c, const char *name, size_t count, size_t nr,
		   const __u64 *values);
void event_double(struct conversion *c, const char *name, double value);
void event_text(struct conversion *c, const char *name, const char *text);
/* The same for text that need not end with a NUL */
void event_string(struct conversion *c, const char *name, const unsigned char *text, size_t size);
void event_bytes(struct conversion *c, const char *name, const unsigned char *data, size_t size);
void event_enum(struct conversion *c, const char *name, const struct schema_type *type,
		__s64 value);
/* Begins an array of 8-byte @scalar; event_element() adds to the array that this returned. */
size_t event_array(struct conversion *c, const char *scalar, const char *name);
void event_element(struct conversion *c, size_t array, __u64 value);
/* Around JSON text that is appended to the payload */
void event_json_begin(struct conversion *c, const char *name);
void event_json_end(struct conversion *c);
/*
 * Returns how many bytes of a text to take. Any number of packets may refer to an interned text
 * any number of times: so an event gets a limited number of bytes, and the trace as much as
 * compressed packets could hold.
 */
size_t event_text_size(struct conversion *c, const unsigned char *text, size_t size);
void event_annotation(struct conversion *c, const Perfetto__Protos__DebugAnnotation *a);
/*
 * Puts the event into the spool, with its packet unless another event has it; @e lacks only the
 * type and the payload. An event with a CPU is the kernel's, any other a program's. Return: 0,
 * -errno.
 */
int event_put(struct conversion *c, struct spooled e);
/* Puts an event with the current payload into the spool, with its packet as above. */
int event_spool(struct conversion *c, struct spooled e);
/* Puts an event of a program, with the time of the packet. */
int event_end(struct conversion *c, const struct track_thread *thread);

#endif
