/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * follow.h - tables that follow the state of threads
 *
 * They read all events from the first one. Rows come when something ends: in order of that time.
 * What still lasts at the end of the files is last.
 */
#ifndef KTRACE_SQL_FOLLOW_H
#define KTRACE_SQL_FOLLOW_H

#include <ktrace/state.h>

#include "reader.h"
#include "table.h"

/**
 * struct follow_cursor - begins the cursors of such tables
 * @base:	common part
 * @reader:	reads the events
 * @state:	follows them
 * @watch:	called by the state
 * @take:	takes an event before the state does, may be NULL. Return: 0, -errno
 * @end:	called after the last event, before what still lasts is reported; may be NULL
 * @last:	latest time so far
 * @is_over:	all events were read
 * @nr:		rows in the table's queue, which is empty before the next event is read
 * @at:		the row after the present one
 * @cell:	text being made
 * @error:	-errno of a callback
 */
struct follow_cursor {
	struct cursor base;
	struct event_reader reader;
	struct ktrace_states *state;
	struct ktrace_state_watch watch;
	int (*take)(struct follow_cursor *c, const struct ktrace_trace_event *e);
	void (*end)(struct follow_cursor *c);
	__u64 last;
	bool is_over;
	size_t nr;
	size_t at;
	struct ktrace_out cell;
	int error;
};

/* Begins to follow; @c->watch is set, and @c->take and @c->end if needed. Return: 0, -errno. */
int ktrace_follow_begin(struct follow_cursor *c);
/*
 * Takes the next event; after the last one, reports what still lasts, once. Return: 1, 0 at the
 * end, -errno.
 */
int ktrace_follow_step(struct follow_cursor *c);
/* Goes to the next row of the queue, and fills it where it is empty. For struct table_class. */
int ktrace_follow_next(struct cursor *base);
void ktrace_follow_end(struct follow_cursor *c);

#endif
