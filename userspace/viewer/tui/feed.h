/* SPDX-License-Identifier: GPL-2.0 */
/* feed.h - events that pass the filter, in order, from any position on */
#ifndef VIEWER_TUI_FEED_H
#define VIEWER_TUI_FEED_H

#include <ktrace/hooks.h>

#include "events/event_select.h"

/**
 * struct feed - files being read, and the filter
 * @set:	the files
 * @start:	time of the first event of all
 * @end:	time of the last event
 * @select:	which events pass; empty = all
 * @filter:	the expression, empty = none
 * @state:	of threads, if the expression uses it
 * @also:	further condition of a caller that counts events; may be NULL
 * @also_arg:	for @also
 * @is_stopped:	called now and then: true gives up
 * @arg:	for @is_stopped
 * @calls:	counts events, for @is_stopped
 */
struct feed {
	struct ktrace_traceset *set;
	__u64 start;
	__u64 end;
	struct event_select select;
	char filter[1024];
	struct ktrace_states *state;
	bool (*also)(void *arg, const struct ktrace_trace_event *e);
	void *also_arg;
	bool (*is_stopped)(void *arg);
	void *arg;
	unsigned int calls;
};

/* Return: 0, -errno. */
int feed_begin(struct feed *f, struct ktrace_traceset *set);
void feed_end(struct feed *f);
/* Updates @start and @end after the files have grown. Return: 0, -errno. */
int feed_look(struct feed *f);
/* Sets the expression; empty: all events pass. Returns what is wrong, or NULL. */
const char *feed_set_filter(struct feed *f, const char *text);
/* Goes to a position, or to the first event at @time or later. Return: 0, -errno. */
int feed_go(struct feed *f, const struct ktrace_position *pos);
int feed_go_time(struct feed *f, __u64 time);
/*
 * Reads the next event that passes; saves its position in @pos, which may be NULL.
 * Return: 1, 0 at the end, -ECANCELED, -errno.
 */
int feed_next(struct feed *f, struct ktrace_position *pos, struct ktrace_trace_event *e);
/*
 * Count events that pass and meet f->also: feed_back() goes back to the @n-th before here,
 * feed_forward() goes to just after the next one. Return: how many there were, -ECANCELED, -errno.
 */
int feed_back(struct feed *f, int n);
int feed_forward(struct feed *f);

#endif
