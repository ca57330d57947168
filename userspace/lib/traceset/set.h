/* SPDX-License-Identifier: LGPL-2.1 */
/* set.h - a traceset, as its two halves see it: traceset.c has the files, iterate.c the events */
#ifndef KTRACE_TRACESET_SET_H
#define KTRACE_TRACESET_SET_H

#include "fragment.h"
#include "merge.h"
#include "readahead.h"
#include "trace.h"

/**
 * struct ktrace_traceset - traces and the state of reading
 * @opts:	as given
 * @ahead:	loads sections ahead, NULL = none
 * @traces:	in order of addition
 * @trace_nr:	their number
 * @merge:	their streams
 * @fragments:	events with fragments still missing
 * @lost_type:	type of "ktrace:lost"
 * @stats:	statistics of reading
 * @end:	time of the last event of streams that have ended
 * @is_begun:	the streams have been moved to their first events
 * @is_consumed: the event on top of @merge was delivered
 * @wants:	types of ktrace_set_only(), NULL = all
 */
struct ktrace_traceset {
	struct ktrace_traceset_options opts;
	struct ahead *ahead;
	struct trace **traces;
	size_t trace_nr;
	struct merge merge;
	struct fragments fragments;
	struct ktrace_event_type *lost_type;
	struct ktrace_traceset_stats stats;
	__u64 end;
	bool is_begun;
	bool is_consumed;
	bool (*wants)(const struct ktrace_event_type *type);
};

/* iterate.c */
int ktrace_set_begin(struct ktrace_traceset *set);
int ktrace_set_wake(struct ktrace_traceset *set);
/* True if there may be more than was read so far. Then incomplete events may still be completed. */
bool ktrace_set_may_grow(const struct ktrace_traceset *set);
int ktrace_set_settle(struct ktrace_traceset *set);
int ktrace_set_step(struct ktrace_traceset *set, struct ktrace_trace_event *e);
int ktrace_set_take_fragment(struct ktrace_traceset *set, struct stream *s);

#endif
