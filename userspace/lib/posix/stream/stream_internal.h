/* SPDX-License-Identifier: LGPL-2.1 */
/* stream_internal.h - what stream.c, queue.c and merge.c share */
#ifndef KTRACE_POSIX_STREAM_STREAM_INTERNAL_H
#define KTRACE_POSIX_STREAM_STREAM_INTERNAL_H

#include "stream.h"

/**
 * struct front - where reading a ring has got to
 * @chunk:	what it has given, @has_chunk
 * @off:	offset in it of what has not been consumed
 * @next_off:	behind the record in front
 * @rec:	the record in front, @has_record
 * @payload:	in the ring
 * @overwritten: as last seen
 */
struct front {
	struct ktrace_chunk chunk;
	__u32 off;
	__u32 next_off;
	struct ktrace_record rec;
	const char *payload;
	__u64 overwritten;
	bool has_chunk;
	bool has_record;
};

/**
 * struct control_event - an event of the system that the controller has made
 * @next:	a later one
 * @ts:		stamp
 * @address:	who called
 * @id:		event type
 * @size:	of @data
 * @is_hidden:	filtered out: it only takes effect
 */
struct control_event {
	struct control_event *next;
	__u64 ts;
	__u64 address;
	trace_event_id_t id;
	__u32 size;
	bool is_hidden;
	char data[];
};

/**
 * struct queue - events of the system, oldest first
 * @size:	bytes they would take of a ring
 */
struct queue {
	struct control_event *first;
	struct control_event *last;
	size_t size;
};

enum gap_state {
	GAP_NONE,
	GAP_OVERFLOW,	/* OVERFLOW, then RESUME have to be reported */
	GAP_RESUME,	/* RESUME has */
};

/**
 * struct posix_stream - see stream.h
 * @attr:	attributes
 * @registry:	of the traced process's user
 * @nr:		number of its place there
 * @place:	that
 * @word:	of the place
 * @bit:	1 << @nr
 * @session:	rings
 * @ring_nr:	how many
 * @fronts:	one for each
 * @queue:	events of the controller
 * @clock_id:	enum ktrace_clock
 * @clock:	what stamps are turned into time with
 * @last_ns:	CLOCK_REALTIME of the last event
 * @last_ts:	its stamp
 * @newest_ts:	the highest stamp of an event so far
 * @is_started:	at the place that reading has got to
 * @had_no_room: it is not because it was full
 * @stops:	policy: UNTIL_FULL or FLUSH
 * @is_wanted:	it has been started, and not stopped since
 * @was_full:	it had stopped by itself when it was stopped
 * @stop_due:	that has to be reported
 * @restart_due: and then it restarts
 * @start_due:	it has restarted; to be reported before the next event
 * @start_ts:	when
 * @start_filter: what it filtered then
 * @gap:	something was overwritten
 * @gap_ts:	stamp of the first of it
 * @cut_ts:	what is older does not follow without a gap on what is newer
 * @clear_ts:	what is older has been cleared
 * @dropped:	not delivered though they were in a ring
 * @lost_seen:	lost, when the status was last asked for
 * @buffer:	payload of the event in hand
 */
struct posix_stream {
	struct posix_attr attr;
	struct posix_registry *registry;
	__u32 nr;
	struct posix_registry_stream *place;
	__u64 word;
	__u64 bit;
	struct ktrace_session *session;
	__u32 ring_nr;
	struct front *fronts;
	struct queue queue;
	__u32 clock_id;
	struct ktrace_reading clock;
	__u64 last_ns;
	__u64 last_ts;
	__u64 newest_ts;
	bool is_started;
	bool had_no_room;
	bool stops;
	bool is_wanted;
	bool was_full;
	bool stop_due;
	bool restart_due;
	bool start_due;
	__u64 start_ts;
	trace_event_set_t start_filter;
	enum gap_state gap;
	__u64 gap_ts;
	__u64 cut_ts;
	__u64 clear_ts;
	__u64 dropped;
	__u64 lost_seen;
	char *buffer;
};

__u64 ktrace_posix_now(const struct posix_stream *s);

/* For an event with so much data, and STOP behind it; there always is if the stream loops. */
bool ktrace_posix_queue_has_room(const struct posix_stream *s, size_t size);
/* Appends; in a stream that loops the oldest give way to it if there are too many. */
void ktrace_posix_queue_push(struct posix_stream *s, trace_event_id_t id, const void *address,
			     const void *data, size_t size);
void ktrace_posix_queue_pop(struct queue *q);
/* Reading has got to it. */
void ktrace_posix_queue_apply(struct posix_stream *s, const struct control_event *e);
/* The oldest is lost. */
void ktrace_posix_queue_drop(struct posix_stream *s);

/* Something is lost, @first_ts of it first. */
void ktrace_posix_open_gap(struct posix_stream *s, __u64 first_ts);

/* Looks at all rings: what is in front of each, and whether something was overwritten. */
void ktrace_posix_look(struct posix_stream *s);
/* All that is there is gone. */
void ktrace_posix_drain(struct posix_stream *s);
/* A stream that had stopped by itself runs again; START is reported before the next event. */
void ktrace_posix_restart(struct posix_stream *s);
bool ktrace_posix_has_unread(struct posix_stream *s);
/* The same, but for marks of flushes. */
bool ktrace_posix_has_news(struct posix_stream *s);

static inline bool posix_is_filtered(const struct posix_stream *s, trace_event_id_t id)
{
	return s->place->filter[id / 64] >> id % 64 & 1;
}

#endif
