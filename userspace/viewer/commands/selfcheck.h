/* SPDX-License-Identifier: GPL-2.0 */
/* selfcheck.h - parts of ktrace check: whether reading files is consistent */
#ifndef VIEWER_COMMANDS_SELFCHECK_H
#define VIEWER_COMMANDS_SELFCHECK_H

#include <ktrace/position.h>
#include <ktrace/state.h>

#include "base/viewer.h"

#define MARKS 64u

/**
 * struct mark - an event to be found again
 * @time:	its time
 * @raw:	its stamp
 * @id:		its type
 * @tid:	its thread
 * @before:	events before it that were counted
 * @behind:	the position after it
 * @state:	digest of the state before all events at @time or later
 */
struct mark {
	__u64 time;
	__u64 raw;
	__u32 id;
	__u32 tid;
	__u64 before;
	struct ktrace_position *behind;
	__u64 state;
};

/**
 * struct check - one run of the command
 * @is_json:	one object
 * @out:	standard output
 * @damaged:	number of errors found
 * @set:	the files
 * @marks:	each is the first event with its time
 * @mark_nr:	how many
 * @every:	minimum number of events between two marks
 * @events:	in all, without losses and torn events
 * @again:	events read again so far
 * @goes_back:	there are events with a stamp below their predecessor's
 * @is_torn:	there are events that lack fragments
 * @is_scattered: there are events whose beginning a seek may miss
 * @states:	states compared
 * @parts:	parts whose statistics were added up
 * @moves:	moves forward and back by a number of events
 * @sync_states: machines, for @sync
 * @sync:	model of threads and objects, from pthread events
 */
struct check {
	bool is_json;
	struct ktrace_out *out;
	__u64 damaged;
	struct ktrace_traceset *set;
	struct mark marks[MARKS];
	__u32 mark_nr;
	__u64 every;
	__u64 events;
	__u64 again;
	bool goes_back;
	bool is_torn;
	bool is_scattered;
	__u32 states;
	__u32 parts;
	__u32 moves;
	struct ktrace_states *sync_states;
	struct model *sync;
};

/* Reports an error with a message of our own. */
__attribute__((format(printf, 3, 4)))
void check_complain(struct check *c, const char *path, const char *format, ...);

static inline bool check_is_mark(const struct mark *m, const struct ktrace_trace_event *e)
{
	return m->time == e->time && m->raw == e->raw && m->id == e->id && m->tid == e->tid;
}

/*
 * True if it is neither a loss nor torn: those have the time of the next event, and a seek may go
 * between the two.
 */
static inline bool check_is_countable(const struct ktrace_trace_event *e)
{
	return e->id != KTRACE_ID_LOST && !(e->flags & KTRACE_EVENT_INCOMPLETE);
}

/*
 * Compares the state at each mark after a seek and after reading from the beginning, and statistics
 * of parts and of the whole; moves forward and back by a number of events. Does nothing for files
 * where stamps go back or events are torn or scattered: see the man page. Return: 0, -errno.
 */
int check_states(struct check *c);

/*
 * Look for impossible transitions of threads and objects: begin, then pass each event to
 * model_update(). The end reports them, unless reading failed (@ret). Return: 0, -ENOMEM.
 */
int check_sync_begin(struct check *c);
void check_sync_end(struct check *c, int ret);

#endif
