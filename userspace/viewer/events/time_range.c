// SPDX-License-Identifier: GPL-2.0
/* time_range.c - selects the events of a command: a window of time and conditions */
#include "time_range.h"

#include "base/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *time_range_wrong(const struct time_range *s)
{
	return when_wrong(&s->since, &s->until);
}

/* Passes the events before the starting position to the watcher. Return: 0, -errno. */
static int watch_until_place(struct time_range *s)
{
	struct ktrace_until until = KTRACE_UNTIL_INIT;
	struct ktrace_trace_event e;
	int ret;

	until.position = s->place;
	while ((ret = ktrace_traceset_next_until(s->set, &until, &e)) == 1) {
		ret = s->watch(s->watcher, &e);
		if (ret)
			break;
	}
	return ret < 0 ? ret : 0;
}

/*
 * Goes to the beginning of the window, and the state with it; with a watcher, all earlier events
 * are read, too. Return: 0, -errno.
 */
static int go_to_begin(struct time_range *s)
{
	int ret = 0;

	if (s->place && s->watch)
		ret = watch_until_place(s);
	if (ret)
		return ret;
	if (s->since.is_set && !s->watch)
		ret = s->state ? ktrace_state_seek(s->state, s->from) :
		      ktrace_traceset_seek(s->set, s->from);
	if (!ret && s->place)
		ret = s->state ? ktrace_state_seek_position(s->state, s->place) :
		      ktrace_traceset_seek_position(s->set, s->place);
	return ret;
}

/*
 * Ignores an event: kernel events carry process ids and thread names, which the reader picks up as
 * it goes.
 */
static int just_read(void *watcher, const struct ktrace_trace_event *e)
{
	(void)watcher;
	(void)e;
	return 0;
}

int time_range_find_window(struct time_range *s)
{
	int ret = ktrace_traceset_span(s->set, &s->start, &s->end);

	when_window(&s->since, &s->until, s->start, &s->from, &s->to);
	s->limit = (struct ktrace_until)KTRACE_UNTIL_INIT;
	s->limit.time = s->to;
	event_select_begin(&s->select, s->start, s->state);
	return ret;
}

int time_range_begin(struct time_range *s, struct ktrace_traceset *set)
{
	int ret = event_select_uses_state(&s->select) ? ktrace_state_new(set, &s->state) : 0;

	s->set = set;
	ret = ret ? ret : time_range_find_window(s);
	/* A growing file may still reach the window. */
	when_complain(&s->since, &s->until, s->start, files_are_over(set) ? s->end : ~0ull);
	s->nr = s->at = 0;
	s->has_begun = false;
	memset(s->lost, 0, sizeof(s->lost));
	if (event_select_uses_past(&s->select) && !s->watch && !s->state &&
	    (s->since.is_set || s->place))
		s->watch = just_read;
	/* A progress line and output lines disturb each other on one terminal. */
	if (!(s->prints && isatty(STDOUT_FILENO)))
		progress_begin(s->from, s->to < s->end ? s->to : s->end);
	return ret ? ret : go_to_begin(s);
}

/* Reads more events. Return: as time_range_next(). */
static int refill(struct time_range *s)
{
	int ret = s->between ? s->between(s->watcher) : 0;

	s->at = s->nr = 0;
	if (ret)
		return ret;
	s->nr = s->is_paged ? ktrace_traceset_next_until(s->set, &s->limit, s->events) :
		ktrace_traceset_read(s->set, s->events, TIME_RANGE_READ_NR);
	if (s->nr <= 0)
		progress_end();
	return s->nr > 0 ? 1 : s->nr;
}

static bool is_wanted(struct time_range *s, const struct ktrace_trace_event *e)
{
	if (s->keeps_losses && e->id == KTRACE_ID_LOST)
		return true;
	return !event_select_has_conditions(&s->select) || event_select_event(&s->select, e);
}

/*
 * True before the window, for events read for the watcher only, or of a growing file that has not
 * reached it. After the window's first event nothing is early, even if a clock went back: such
 * events would be in no window.
 */
static bool is_early(struct time_range *s, const struct ktrace_trace_event *e)
{
	if (!s->since.is_set || e->time >= s->from)
		s->has_begun = true;
	return !s->has_begun;
}

int time_range_next(struct time_range *s, const struct ktrace_trace_event **event)
{
	const struct ktrace_trace_event *e;
	int ret;

	for (;;) {
		ret = s->at >= s->nr ? refill(s) : 1;
		if (ret <= 0) {
			s->is_read |= !ret;
			return ret;
		}
		e = &s->events[s->at++];
		if (s->until.is_set && e->time >= s->to) {
			s->is_over = s->is_read = true;
			progress_end();
			return 0;
		}
		progress_at(e->time);
		ret = s->watch ? s->watch(s->watcher, e) : 0;
		if (!ret && s->state)
			ret = ktrace_state_update(s->state, e);
		if (ret) {
			progress_end();
			return ret < 0 ? ret : 0;
		}
		if (is_early(s, e))
			continue;
		if (e->id == KTRACE_ID_LOST)
			lost_events_add(s->lost, e);
		if (is_wanted(s, e))
			break;
	}
	*event = e;
	return 1;
}

void time_range_complain(const struct time_range *s)
{
	event_select_complain(&s->select, s->set);
	if (s->is_read)
		event_select_complain_pids(&s->select);
	complain_files(s->set);
}

void time_range_warn_lost(const struct time_range *s)
{
	lost_events_warn(s->lost);
}

void time_range_free(struct time_range *s)
{
	progress_end();
	event_select_free(&s->select);
	ktrace_state_free(s->state);
	ktrace_position_free(s->place);
}

int time_range_read(struct ktrace_traceset *set, __u64 until,
		    int (*take)(void *arg, const struct ktrace_trace_event *e), void *arg)
{
	struct ktrace_trace_event events[TIME_RANGE_READ_NR];
	int i, nr, ret = 0;

	do {
		nr = ktrace_traceset_read(set, events, TIME_RANGE_READ_NR);
		for (i = 0; i < nr && !ret; i++)
			ret = events[i].time < until ? take(arg, &events[i]) : 1;
	} while (nr > 0 && !ret);
	return nr < 0 ? nr : ret < 0 ? ret : 0;
}
