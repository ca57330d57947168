/* SPDX-License-Identifier: GPL-2.0 */
/*
 * time_range.h - which events a command is about: a window of time and conditions
 *
 * Losses in the window are always counted, whatever the conditions: what was lost might have
 * met them.
 */
#ifndef VIEWER_EVENTS_TIME_RANGE_H
#define VIEWER_EVENTS_TIME_RANGE_H

#include "base/viewer.h"
#include "base/when.h"
#include "event_select.h"

#include <ktrace/position.h>

#define TIME_RANGE_READ_NR 64

/**
 * struct time_range - conditions, and where reading stands
 * @select:	conditions
 * @since:	first time, as asked for
 * @until:	first time behind, as asked for
 * @set:	the files
 * @start:	time of the first event of all
 * @end:	time of the last event of all
 * @from:	the window: first time
 * @to:		first time behind it; ~0 = there is no end
 * @lost:	lost in the window, by reason
 * @prints:	the command prints while it reads
 * @place:	begin here instead, NULL = no
 * @is_paged:	a reader that goes on where reading has stopped finds all the rest
 * @state:	of threads, if conditions ask for it
 * @limit:	the window's end, if @is_paged
 * @keeps_losses: losses meet every condition
 * @watch:	told of each event, from the first of all on, whatever is asked for; may be NULL;
 *		returns 0, 1 = nothing more is wanted, -errno
 * @between:	called when the events at hand have been used up, and may go elsewhere in the files
 *		and back; may be NULL; returns 0, -errno
 * @watcher:	for @watch and @between
 * @events:	events at hand
 * @nr:		how many
 * @at:		the next of them
 * @has_begun:	an event of the window has come
 * @is_over:	an event behind the window has come
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

/* A command that has these takes "e:p:" as short options, and gives time_range_option() what it
 * does not know. */
#define TIME_RANGE_OPTIONS \
	{ "since", required_argument, NULL, OPTION_SINCE }, \
	{ "until", required_argument, NULL, OPTION_UNTIL }, \
	{ "event", required_argument, NULL, OPTION_EVENT }, \
	{ "pid", required_argument, NULL, 'p' }, \
	{ "filter", required_argument, NULL, OPTION_FILTER }, \
	{ "filter-file", required_argument, NULL, OPTION_FILTER_FILE }
enum { OPTION_SINCE = 900, OPTION_UNTIL, OPTION_EVENT, OPTION_FILTER, OPTION_FILTER_FILE };

#define TIME_RANGE_HELP \
"  --since TIME       from TIME on\n" \
"  --until TIME       up to TIME, TIME itself not included\n" \
"  -e, --event GLOB[,GLOB...]  only events whose provider:name matches; a glob\n" \
"                     without colon is a provider or family and stands for all\n" \
"                     its events; a system call is syscall:openat\n" \
"  -p, --pid N[,N...]  only these processes and threads\n" \
"  --filter EXPRESSION  only events for which it is true: see ktrace help grep\n" \
"  --filter-file FILE  the same, with what is in FILE\n"

/* Takes an option of those above in. Returns what is wrong, NULL = nothing. */
const char *time_range_option(struct time_range *s, int option);
/* What is wrong with the options together, NULL = nothing. Valid until the next call. */
const char *time_range_wrong(const struct time_range *s);
/*
 * Finds the window, which begins with the trace if not later; again for a trace that has begun
 * only since then. Return: 0, -errno.
 */
int time_range_find_window(struct time_range *s);
/* Goes to the beginning of the window. Return: 0, -errno. */
int time_range_begin(struct time_range *s, struct ktrace_traceset *set);
/*
 * The next event of the window that meets the conditions, losses among them; valid until
 * the next call. Return: 1, 0 at the end, -errno.
 */
int time_range_next(struct time_range *s, const struct ktrace_trace_event **event);
/* Lost events in what was read of the window. */
__u64 time_range_lost(const struct time_range *s);
/* Says which files may lack their end, and which events nothing has. */
void time_range_complain(const struct time_range *s);
/* Says on standard error that there were losses. */
void time_range_warn_lost(const struct time_range *s);
/* {"full":1,...} */
void time_range_json_lost(struct ktrace_out *out, const struct time_range *s);
void time_range_free(struct time_range *s);

#endif
