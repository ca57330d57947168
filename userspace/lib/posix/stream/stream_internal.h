/* SPDX-License-Identifier: LGPL-2.1 */
/* stream_internal.h - shared by stream.c, queue.c and merge.c */
#ifndef KTRACE_POSIX_STREAM_STREAM_INTERNAL_H
#define KTRACE_POSIX_STREAM_STREAM_INTERNAL_H

#include "stream.h"

/**
 * struct front - read position in a ring
 * @chunk:	the current chunk, if @has_chunk
 * @off:	offset in it of the first byte not consumed
 * @next_off:	offset after the record at the front
 * @rec:	the record at the front, if @has_record
 * @payload:	its payload, in the ring
 * @overwritten: count of overwritten records as last seen
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
 * struct control_event - a system event made by the controller
 * @next:	the next later one
 * @ts:		stamp
 * @address:	the caller
 * @id:		event type
 * @size:	bytes of @data
 * @is_hidden:	filtered out: takes effect without being reported
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
 * struct queue - controller's events, oldest first
 * @size:	bytes they would take in a ring
 */
struct queue {
	struct control_event *first;
	struct control_event *last;
	size_t size;
};

enum gap_state {
	GAP_NONE,
	GAP_OVERFLOW,	/* OVERFLOW, then RESUME must be reported */
	GAP_RESUME,	/* RESUME must be reported */
};

/**
 * struct posix_stream - see stream.h
 * @attr:	attributes
 * @registry:	registry of the traced process's user
 * @nr:		number of its slot there
 * @place:	its slot
 * @word:	word of the slot
 * @bit:	1 << @nr
 * @session:	the session with its rings
 * @ring_nr:	number of rings
 * @fronts:	one for each ring
 * @queue:	controller's events
 * @clock_id:	enum ktrace_clock
 * @clock:	clock reading for converting stamps to time
 * @last_ns:	CLOCK_REALTIME of the last event
 * @last_ts:	its stamp
 * @newest_ts:	highest stamp of an event so far
 * @is_started:	whether it is started at the read position
 * @had_no_room: not started because it was full
 * @stops:	the policy is UNTIL_FULL or FLUSH
 * @is_wanted:	started, and not stopped since
 * @was_full:	was full when it was stopped
 * @stop_due:	STOP must be reported
 * @restart_due: restart after that
 * @start_due:	restarted; START must be reported before the next event
 * @start_ts:	stamp of that START
 * @start_filter: filter at that time
 * @gap:	whether events were overwritten
 * @gap_ts:	stamp of the first overwritten event
 * @cut_ts:	older events are dropped, because there is a gap before newer ones
 * @clear_ts:	older events have been cleared
 * @dropped:	events not delivered although they were in a ring
 * @lost_seen:	lost events when the status was last queried
 * @buffer:	payload of the current event
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

/*
 * True if there is room for an event with @size bytes of data, and STOP after it; always if it
 * loops.
 */
bool ktrace_posix_queue_has_room(const struct posix_stream *s, size_t size);
/* Appends an event; a looping stream drops the oldest if there are too many. */
void ktrace_posix_queue_push(struct posix_stream *s, trace_event_id_t id, const void *address,
			     const void *data, size_t size);
void ktrace_posix_queue_pop(struct queue *q);
/* Applies the event's effect when reading has reached it. */
void ktrace_posix_queue_apply(struct posix_stream *s, const struct control_event *e);
/* Drops the oldest event, which is lost. */
void ktrace_posix_queue_drop(struct posix_stream *s);

/* Notes a loss; @first_ts: stamp of the first lost event. */
void ktrace_posix_open_gap(struct posix_stream *s, __u64 first_ts);

/* Loads the front of each ring, and notes whether events were overwritten. */
void ktrace_posix_look(struct posix_stream *s);
/* Drops all unread events. */
void ktrace_posix_drain(struct posix_stream *s);
/* Restarts a stream that was full; START is reported before the next event. */
void ktrace_posix_restart(struct posix_stream *s);
bool ktrace_posix_has_unread(struct posix_stream *s);
/* True if there are unread events other than flush marks. */
bool ktrace_posix_has_news(struct posix_stream *s);

static inline bool posix_is_filtered(const struct posix_stream *s, trace_event_id_t id)
{
	return s->place->filter[id / 64] >> id % 64 & 1;
}

#endif
