// SPDX-License-Identifier: GPL-2.0
/*
 * system_events.c - events of the system: which call made them, what data they have, filters
 *
 * XSH 2.11.1: an event that a call has made has the address of that call. XSH 2.11.2: the data.
 *
 * PTRC-51, PTRC-53
 */
#include "suite.h"

#define INFO "XSH 2.11.1"
#define DATA "XSH 2.11.2"
#define FILTERS "posix_trace(7)"

static trace_event_id_t id;

/* All calls that make events, but for the shutdown */
CALLER calls(trace_id_t t, enum kind kind)
{
	trace_event_set_t none;

	need(posix_trace_eventset_empty(&none));
	need(posix_trace_start(t));
	need(posix_trace_set_filter(t, &none, POSIX_TRACE_SET_EVENTSET));
	if (kind == WITH_LOG) {
		need(posix_trace_flush(t));
		await_flushed(t);
	}
	need(posix_trace_stop(t));
}

static void made_by_calls(trace_id_t t, enum kind kind)
{
	static const struct {
		const char *name;
		trace_event_id_t id;
		size_t len;
	} made[] = {
		{ "START", POSIX_TRACE_START, sizeof(trace_event_set_t) },
		{ "FILTER", POSIX_TRACE_FILTER, 2 * sizeof(trace_event_set_t) },
		{ "FLUSH_START", POSIX_TRACE_FLUSH_START, 0 },
		{ "FLUSH_STOP", POSIX_TRACE_FLUSH_STOP, 0 },
		{ "STOP", POSIX_TRACE_STOP, sizeof(int) },
	};
	const char *what = kind == ACTIVE ? "a stream" : "a log";
	struct seen e;

	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
		if (kind == ACTIVE && !made[i].len)
			continue;
		memset(&e, 0, sizeof(e));
		check(DATA, find(t, kind, made[i].id, &e), "%s has %s", what, made[i].name);
		check(INFO, is_called_in(&e, (void *)calls), "its address is that of the call");
		same(DATA, e.len, made[i].len, "its data is what it should be");
		same(INFO, e.info.posix_truncation_status, POSIX_TRACE_NOT_TRUNCATED, "all of it");
		choice(INFO, !e.info.posix_pid && !e.info.posix_thread_id,
		       "it is no event of a process, nor of a thread");
	}
}

static void of_stream(void)
{
	trace_id_t t = stream(0, 0);

	calls(t, ACTIVE);
	made_by_calls(t, ACTIVE);
	need(posix_trace_shutdown(t));
}

static void of_log(void)
{
	int fd = new_file();
	trace_id_t t = logged(fd, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND, 0);

	calls(t, WITH_LOG);
	need(posix_trace_shutdown(t));
	t = reopened(fd);
	made_by_calls(t, RECORDED);
	need(posix_trace_close(t));
	close(fd);
}

CALLER ends(trace_id_t t)
{
	need(posix_trace_shutdown(t));
}

/* A running stream is shut down: that is the last of its log. */
static void stopped_by_shutdown(void)
{
	int fd = new_file(), automatic = -1;
	trace_id_t t = logged(fd, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND, 0);
	struct seen e = { .len = 0 };

	need(posix_trace_start(t));
	tell(id, 1);
	ends(t);
	t = reopened(fd);
	tells("XSH posix_trace_shutdown", t, RECORDED, "START fill STOP",
	      "the shutdown of a running stream stops it: STOP");
	need(posix_trace_rewind(t));
	find(t, RECORDED, POSIX_TRACE_STOP, &e);
	memcpy(&automatic, e.data, sizeof(automatic));
	same(DATA, automatic, 0, "it did not stop by itself");
	check(INFO, is_called_in(&e, (void *)ends), "its address is that of the shutdown");
	need(posix_trace_close(t));
	close(fd);
}

/* What no call has made */
static void by_itself(void)
{
	trace_id_t t = started(POSIX_TRACE_UNTIL_FULL, SMALL);
	struct seen e = { .len = 0 };
	trace_event_set_t some;
	int automatic = 0;

	need(posix_trace_eventset_empty(&some));
	need(posix_trace_eventset_add(POSIX_TRACE_ERROR, &some));
	need(posix_trace_set_filter(t, &some, POSIX_TRACE_SET_EVENTSET));
	fill(t, id, 0);
	find(t, ACTIVE, POSIX_TRACE_STOP, &e);
	memcpy(&automatic, e.data, sizeof(automatic));
	check(DATA, e.len == sizeof(automatic) && automatic, "a full stream stops by itself");
	choice(INFO, !e.info.posix_prog_address, "which no call has made");
	tell(id, 0);
	memset(&e, 0xff, sizeof(e));
	check(DATA, find(t, ACTIVE, POSIX_TRACE_START, &e) && e.len == sizeof(some) &&
	      !memcmp(e.data, &some, sizeof(some)), "it starts again by itself, with its filter");
	choice(INFO, !e.info.posix_prog_address, "which no call has made");
	need(posix_trace_shutdown(t));
}

/* filtered - a stream of this policy that filters two types out and runs */
static trace_id_t filtered(trace_id_t t, trace_event_id_t first, trace_event_id_t second)
{
	trace_event_set_t set;

	need(posix_trace_eventset_empty(&set));
	need(posix_trace_eventset_add(first, &set));
	need(posix_trace_eventset_add(second, &set));
	need(posix_trace_set_filter(t, &set, POSIX_TRACE_SET_EVENTSET));
	need(posix_trace_start(t));
	return t;
}

static void without_filter(void)
{
	trace_id_t t = filtered(stream(0, 0), POSIX_TRACE_FILTER, POSIX_TRACE_FILTER);
	trace_event_set_t set;

	need(posix_trace_eventset_empty(&set));
	need(posix_trace_eventset_add(POSIX_TRACE_FILTER, &set));
	need(posix_trace_set_filter(t, &set, POSIX_TRACE_ADD_EVENTSET));
	tells(FILTERS, t, ACTIVE, "START", "FILTER can be filtered out");
	need(posix_trace_set_filter(t, &set, POSIX_TRACE_SUB_EVENTSET));
	tells(FILTERS, t, ACTIVE, "FILTER", "and no longer");
	need(posix_trace_shutdown(t));
}

/* A loss is told by OVERFLOW and RESUME, each of which can be filtered out. */
static void without_marks(trace_event_id_t first, trace_event_id_t second, const char *want)
{
	trace_id_t t = filtered(stream(POSIX_TRACE_LOOP, SMALL), first, second);
	char text[64] = "";
	uint64_t n;

	n = fill(t, id, 0);
	for (uint64_t i = 0; i < 3 * n; i++)
		tell(id, n + i);
	snprintf(text, sizeof(text), "%.*s", (int)strlen(want), story(t, ACTIVE));
	check(FILTERS, !strcmp(text, want), "of OVERFLOW and RESUME what is not filtered out: %s",
	      text);
	need(posix_trace_shutdown(t));
}

/* A full stream stops and starts by itself without saying so. */
static void without_stops(void)
{
	trace_id_t t = filtered(stream(POSIX_TRACE_UNTIL_FULL, SMALL), POSIX_TRACE_START,
				POSIX_TRACE_STOP);
	const char *text;

	fill(t, id, 0);
	text = story(t, ACTIVE);
	check(FILTERS, !strncmp(text, "fill fill ", 10) && !strstr(text, "ST"),
	      "STOP of a full stream can be filtered out");
	is_in(FILTERS, t, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL, "it starts again");
	tell(id, 0);
	tells(FILTERS, t, ACTIVE, "fill", "so can its START");
	need(posix_trace_shutdown(t));
}

static void without_flushes(void)
{
	int fd = new_file();
	trace_id_t t = filtered(logged(fd, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND, 0),
				POSIX_TRACE_FLUSH_START, POSIX_TRACE_FLUSH_STOP);

	tell(id, 1);
	need(posix_trace_flush(t));
	await_flushed(t);
	tell(id, 2);
	need(posix_trace_shutdown(t));
	t = reopened(fd);
	tells(FILTERS, t, RECORDED, "START fill fill STOP",
	      "FLUSH_START and FLUSH_STOP can be filtered out");
	need(posix_trace_close(t));
	close(fd);
}

int main(void)
{
	id = event("fill");
	of_stream();
	of_log();
	stopped_by_shutdown();
	by_itself();
	without_filter();
	without_marks(POSIX_TRACE_OVERFLOW, POSIX_TRACE_OVERFLOW, "RESUME fill");
	without_marks(POSIX_TRACE_RESUME, POSIX_TRACE_RESUME, "OVERFLOW fill");
	without_marks(POSIX_TRACE_OVERFLOW, POSIX_TRACE_RESUME, "fill fill");
	without_stops();
	without_flushes();
	return done();
}
