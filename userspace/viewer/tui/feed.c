// SPDX-License-Identifier: GPL-2.0
/*
 * feed.c - events that pass the filter, in order, from any position on
 *
 * Other events are not kept: a page is a position and as many events as fit, so the size of the
 * trace does not matter.
 */
#include "feed.h"

#include "base/viewer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CALLS 4096u		/* events between two calls of f->is_stopped() */
#define DENSE 16u		/* after this many misses in a row, save positions less often: */
#define SPARSE 1024u		/* one for this many events */
#define WINDOW_NS 100000u	/* range to search first when going back */

static bool is_stopped(void *arg)
{
	struct feed *f = arg;

	return ++f->calls % CALLS == 0 && f->is_stopped(f->arg);
}

static bool passes(void *arg, const struct ktrace_trace_event *e)
{
	struct feed *f = arg;

	/* Without memory, the state keeps its old values. */
	if (f->state)
		ktrace_state_update(f->state, e);
	return !event_select_has_conditions(&f->select) || event_select_event(&f->select, e);
}

static bool passes_also(void *arg, const struct ktrace_trace_event *e)
{
	struct feed *f = arg;

	return !f->also || f->also(f->also_arg, e);
}

static int seek_state(void *arg, struct ktrace_traceset *set, __u64 time)
{
	(void)set;
	return ktrace_state_seek(arg, time);
}

int feed_look(struct feed *f)
{
	struct ktrace_position *here;
	int ret = ktrace_position_new(&here);

	if (ret)
		return ret;
	ret = ktrace_position_save(f->set, here);
	if (!ret)
		ret = files_span(f->set, &f->start, &f->end);
	if (!ret)
		ret = ktrace_traceset_seek_position(f->set, here);
	ktrace_position_free(here);
	return ret;
}

int feed_begin(struct feed *f, struct ktrace_traceset *set)
{
	f->set = set;
	return files_span(set, &f->start, &f->end);
}

void feed_end(struct feed *f)
{
	ktrace_state_free(f->state);
	event_select_free(&f->select);
}

/* Returns "filter: column 3: no event has ..."; NULL: all fields are known. */
static const char *find_unknown(struct event_select *s, const struct ktrace_traceset *set)
{
	static char message[256];
	struct ktrace_filter_error error;
	__u32 i;
	int ret;

	for (i = 0; (ret = ktrace_filter_unknown(s->filters[0], set, i, &error)) >= 0; i++) {
		if (!ret)
			continue;
		snprintf(message, sizeof(message), "filter: column %u: %s", error.column,
			 error.message);
		return message;
	}
	return NULL;
}

const char *feed_set_filter(struct feed *f, const char *text)
{
	struct ktrace_states *state = NULL;
	struct event_select select = { 0 };
	const char *wrong = NULL;

	if (strlen(text) >= sizeof(f->filter))
		return "filter: it is too long";
	if (*text)
		wrong = event_select_add_filter(&select, text);
	if (!wrong && *text)
		wrong = find_unknown(&select, f->set);
	if (!wrong && event_select_uses_state(&select) && ktrace_state_new(f->set, &state))
		wrong = "filter: out of memory";
	if (wrong) {
		event_select_free(&select);
		return wrong;
	}
	feed_end(f);
	f->state = state;
	/* Build the filter in place, as it points to its source. */
	f->select = (struct event_select){ 0 };
	event_select_free(&select);
	if (*text)
		wrong = event_select_add_filter(&f->select, text);
	event_select_begin(&f->select, f->start, state);
	snprintf(f->filter, sizeof(f->filter), "%s", text);
	return wrong;
}

int feed_go(struct feed *f, const struct ktrace_position *pos)
{
	return f->state ? ktrace_state_seek_position(f->state, pos) :
	       ktrace_traceset_seek_position(f->set, pos);
}

int feed_go_time(struct feed *f, __u64 time)
{
	return f->state ? ktrace_state_seek(f->state, time) : ktrace_traceset_seek(f->set, time);
}

/* Goes to @pos, skips @nr events, and saves the place in @pos. Return: 0, -errno. */
static int go_behind(struct feed *f, struct ktrace_position *pos, unsigned int nr)
{
	struct ktrace_trace_event e;
	int ret = feed_go(f, pos);

	while (!ret && nr--) {
		ret = ktrace_traceset_next(f->set, &e);
		if (ret == 1)
			passes(f, &e);
		ret = ret < 0 ? ret : 0;
	}
	return ret ? ret : ktrace_position_save(f->set, pos);
}

int feed_next(struct feed *f, struct ktrace_position *pos, struct ktrace_trace_event *e)
{
	unsigned int misses = 0, since = 0;	/* since @pos was saved */
	int ret;

	for (;; misses++) {
		if (is_stopped(f))
			return -ECANCELED;
		ret = 0;
		if (pos && (misses < DENSE || since == SPARSE)) {
			ret = ktrace_position_save(f->set, pos);
			since = 0;
		}
		if (!ret)
			ret = ktrace_traceset_next(f->set, e);
		if (ret <= 0)
			return ret;
		if (passes(f, e))
			break;
		since++;
	}
	if (!pos || !since)
		return 1;
	ret = go_behind(f, pos, since);
	if (!ret)
		ret = ktrace_traceset_next(f->set, e);
	if (ret == 1)
		passes(f, e);
	return ret;
}

/* Goes over up to @n events that pass. Returns their number, or -errno. */
static int move(struct feed *f, int n, bool is_back)
{
	struct ktrace_search search = {
		.size = sizeof(search), .filters = { passes, passes_also }, .args = { f, f },
		.is_stopped = is_stopped, .stop_arg = f, .window = WINDOW_NS,
		.seek = f->state ? seek_state : NULL, .seek_arg = f->state,
	};
	__u64 found = 0;
	int ret;

	ret = is_back ? ktrace_traceset_back(f->set, (__u64)n, &search, &found) :
	      ktrace_traceset_forward(f->set, (__u64)n, &search, &found);
	return ret ? ret : (int)found;
}

int feed_back(struct feed *f, int n)
{
	struct ktrace_position *pos;
	int ret = move(f, n, true);

	if (ret < 0 || !f->state)
		return ret;
	/* The search has moved the state on: make it that of this place again. */
	n = ret;
	ret = ktrace_position_new(&pos);
	if (!ret)
		ret = ktrace_position_save(f->set, pos);
	if (!ret)
		ret = feed_go(f, pos);
	ktrace_position_free(pos);
	return ret ? ret : n;
}

int feed_forward(struct feed *f)
{
	return move(f, 1, false);
}
