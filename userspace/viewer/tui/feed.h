/* SPDX-License-Identifier: GPL-2.0 */
/* feed.h - events that pass the filter, one after the other, from any position on */
#ifndef VIEWER_TUI_FEED_H
#define VIEWER_TUI_FEED_H

#include <ktrace/hooks.h>

#include "events/event_select.h"

/**
 * struct feed - where reading stands, and what is left out
 * @set:	the files
 * @start:	time of the first event of all
 * @end:	of the last one
 * @select:	what passes; nothing = all
 * @filter:	the expression, empty = none
 * @state:	of threads, if the expression asks for it
 * @also:	a further condition of a caller that counts events; may be NULL
 * @also_arg:	for it
 * @is_stopped:	asked now and then: true gives up
 * @arg:	for it
 * @calls:	since it was asked
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
/* Looks how far the files go by now. Return: 0, -errno. */
int feed_look(struct feed *f);
/* What is wrong with the expression, NULL = nothing; then it holds. Empty: all pass. */
const char *feed_set_filter(struct feed *f, const char *text);
/* Goes to a position, or in front of the first event at a time or later. Return: 0, -errno. */
int feed_go(struct feed *f, const struct ktrace_position *pos);
int feed_go_time(struct feed *f, __u64 time);
/*
 * The next event that passes, and in @pos, which may be NULL, the position in front of it.
 * Return: 1, 0 at the end, -ECANCELED, -errno.
 */
int feed_next(struct feed *f, struct ktrace_position *pos, struct ktrace_trace_event *e);
/*
 * Goes in front of the @n-th event before here that passes, and is as f->also says; behind the
 * next one. Return: how many there were, -ECANCELED, -errno.
 */
int feed_back(struct feed *f, int n);
int feed_forward(struct feed *f);

#endif
