/* SPDX-License-Identifier: GPL-2.0 */
/*
 * time_range.h - selects the events of a command: a window of time and conditions
 *
 * Lost events in the window are always counted, whatever the conditions: they might have met them.
 */
#ifndef VIEWER_EVENTS_TIME_RANGE_H
#define VIEWER_EVENTS_TIME_RANGE_H

#include "base/lost_events.h"
#include "base/viewer.h"
#include "base/when.h"
#include "event_select.h"

#include <ktrace/position.h>

#define TIME_RANGE_READ_NR 64

/**
 * struct time_range - window, conditions and reading position
 * @select:	conditions
 * @since:	first time, as given
 * @until:	first time after, as given
 * @set:	the files
 * @start:	time of the first event of all
 * @end:	time of the last event of all
 * @from:	the window: first time
 * @to:		first time after it; ~0 = no end
 * @lost:	events lost in the part of the window that was read, by reason
 * @prints:	the command prints while it reads
 * @place:	start at this position instead, NULL = no
 * @is_read:	to the end of the window, not stopped before
 * @is_paged:	read so that a later run can continue exactly where this one stops
 * @state:	state of threads, if conditions use it
 * @limit:	end of the window, if @is_paged
 * @keeps_losses: lost events meet every condition
 * @watch:	called for each event, from the very first one, whatever is selected; may be NULL;
 *		returns 0, 1 = stop, -errno
 * @between:	called when all buffered events are used up; may seek elsewhere in the files and
 *		back; may be NULL; returns 0, -errno
 * @watcher:	argument of @watch and @between
 * @events:	buffered events
 * @nr:		number of buffered events
 * @at:		index of the next one
 * @has_begun:	an event of the window was read
 * @is_over:	an event after the window was read
 */
struct time_range {
	struct event_select select;
	struct when since;
	struct when until;
	struct ktrace_traceset *set;
	__u64 start;
	__u64 end;
	__u64 from;
	__u64 to;
	__u64 lost[KTRACE_LOST_NR];
	bool prints;
	struct ktrace_position *place;
	bool is_read;
	bool is_paged;
	struct ktrace_states *state;
	struct ktrace_until limit;
	bool keeps_losses;
	int (*watch)(void *watcher, const struct ktrace_trace_event *e);
	int (*between)(void *watcher);
	void *watcher;
	struct ktrace_trace_event events[TIME_RANGE_READ_NR];
	int nr;
	int at;
	bool has_begun;
	bool is_over;
};

/* The options of a struct time_range at offset @at of the command's struct */
#define TIME_RANGE_SETS(at) \
	{ since_options, (at) + offsetof(struct time_range, since) }, \
	{ until_options, (at) + offsetof(struct time_range, until) }, \
	{ events_options, (at) + offsetof(struct time_range, select) }, \
	{ pid_options, (at) + offsetof(struct time_range, select) }, \
	{ filter_options, (at) + offsetof(struct time_range, select) }

/* Returns what is wrong with the options together, NULL = nothing. Valid until the next call. */
const char *time_range_wrong(const struct time_range *s);
/*
 * Finds the window, which begins no earlier than the trace. Call it again if the trace began only
 * after the first call. Return: 0, -errno.
 */
int time_range_find_window(struct time_range *s);
/* Goes to the beginning of the window. Return: 0, -errno. */
int time_range_begin(struct time_range *s, struct ktrace_traceset *set);
/*
 * Returns the next event of the window that meets the conditions, lost events among them; valid
 * until the next call. Return: 1, 0 at the end, -errno.
 */
int time_range_next(struct time_range *s, const struct ktrace_trace_event **event);
/* Reports files that may be truncated, and conditions that no event can meet. */
void time_range_complain(const struct time_range *s);
/* Reports on standard error how many events were lost. */
void time_range_warn_lost(const struct time_range *s);
void time_range_free(struct time_range *s);

/*
 * Reads files from where they are, without conditions: @take gets all events before @until. It
 * returns 1 to stop. Return: 0, -errno, also of @take.
 */
int time_range_read(struct ktrace_traceset *set, __u64 until,
		    int (*take)(void *arg, const struct ktrace_trace_event *e), void *arg);

#endif
