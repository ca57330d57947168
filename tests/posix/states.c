// SPDX-License-Identifier: GPL-2.0
/*
 * states.c - what each operation makes of a stream in each of its states
 *
 * The states are those of XSH 2.11.1: running or suspended, full or not. A stream that loops
 * can run full; one that ends when full cannot, and goes on by itself when it was read, unless
 * it was stopped meanwhile.
 *
 * PTRC-24, PTRC-25, PTRC-26, PTRC-40, PTRC-41, PTRC-74
 */
#include "suite.h"

#define R POSIX_TRACE_RUNNING
#define S POSIX_TRACE_SUSPENDED
#define F POSIX_TRACE_FULL
#define N POSIX_TRACE_NOT_FULL
#define LOOP POSIX_TRACE_LOOP
#define UNTIL POSIX_TRACE_UNTIL_FULL

static trace_event_id_t id;

/* How a stream comes into a state */
enum way { MADE, STARTED, FILLED, STOPPED_FULL, STOPPED };

static const char *const ways[] = { "new", "started", "filled", "filled and stopped", "stopped" };

enum operation { START, STOP, CLEAR, EVENT, FILL, DRAIN };

static const char *const operations[] = { "start", "stop", "clear", "an event", "filling it",
					  "reading all" };

static const struct arrow {
	int policy;
	enum way from;
	enum operation operation;
	int running, full;
	bool loses;
	const char *where;
	bool ours;	/* decided, where the standard is not clear */
} arrows[] = {
	{ LOOP, MADE, START, R, N, false, "XSH posix_trace_start", false },
	{ LOOP, MADE, STOP, S, N, false, "XSH posix_trace_start", false },
	{ LOOP, MADE, CLEAR, S, N, false, "XSH posix_trace_clear", false },
	{ LOOP, MADE, EVENT, S, N, false, "XSH 2.11.1", false },
	{ LOOP, MADE, DRAIN, S, N, false, "XSH 2.11.1", false },
	{ LOOP, STARTED, START, R, N, false, "XSH posix_trace_start", false },
	{ LOOP, STARTED, STOP, S, N, false, "XSH posix_trace_start", false },
	{ LOOP, STARTED, CLEAR, R, N, false, "XSH posix_trace_clear", false },
	{ LOOP, STARTED, EVENT, R, N, false, "XSH 2.11.1", false },
	{ LOOP, STARTED, FILL, R, F, false, "XSH posix_trace_attr_getinherited", false },
	{ LOOP, STARTED, DRAIN, R, N, false, "XSH 2.11.1", false },
	{ LOOP, STOPPED, START, R, N, false, "XSH posix_trace_start", false },
	{ LOOP, STOPPED, STOP, S, N, false, "XSH posix_trace_start", false },
	{ LOOP, STOPPED, CLEAR, S, N, false, "XSH posix_trace_clear", false },
	{ LOOP, STOPPED, EVENT, S, N, false, "XSH 2.11.1", false },
	{ LOOP, FILLED, START, R, F, false, "XSH posix_trace_start", false },
	{ LOOP, FILLED, STOP, S, F, false, "posix_trace(7)", true },
	{ LOOP, FILLED, CLEAR, R, N, false, "XSH posix_trace_clear", false },
	{ LOOP, FILLED, DRAIN, R, N, false, "XSH posix_trace_getnext_event", false },
	{ LOOP, STOPPED_FULL, START, R, F, false, "posix_trace(7)", true },
	{ LOOP, STOPPED_FULL, STOP, S, F, false, "XSH posix_trace_start", true },
	{ LOOP, STOPPED_FULL, CLEAR, S, N, false, "XSH posix_trace_clear", false },
	{ LOOP, STOPPED_FULL, EVENT, S, F, false, "XSH 2.11.1", true },
	{ LOOP, STOPPED_FULL, DRAIN, S, N, false, "XSH posix_trace_getnext_event", false },
	{ UNTIL, MADE, START, R, N, false, "XSH posix_trace_start", false },
	{ UNTIL, MADE, STOP, S, N, false, "XSH posix_trace_start", false },
	{ UNTIL, MADE, CLEAR, S, N, false, "XSH posix_trace_clear", false },
	{ UNTIL, MADE, EVENT, S, N, false, "XSH 2.11.1", false },
	{ UNTIL, STARTED, START, R, N, false, "XSH posix_trace_start", false },
	{ UNTIL, STARTED, STOP, S, N, false, "XSH posix_trace_start", false },
	{ UNTIL, STARTED, CLEAR, R, N, false, "XSH posix_trace_clear", false },
	{ UNTIL, STARTED, EVENT, R, N, false, "XSH 2.11.1", false },
	{ UNTIL, STARTED, FILL, S, F, false, "XSH posix_trace_attr_getinherited", false },
	{ UNTIL, STARTED, DRAIN, R, N, false, "XSH 2.11.1", false },
	{ UNTIL, STOPPED, START, R, N, false, "XSH posix_trace_start", false },
	{ UNTIL, STOPPED, STOP, S, N, false, "XSH posix_trace_start", false },
	{ UNTIL, STOPPED, CLEAR, S, N, false, "XSH posix_trace_clear", false },
	{ UNTIL, STOPPED, EVENT, S, N, false, "XSH 2.11.1", false },
	{ UNTIL, STOPPED, DRAIN, S, N, false, "XSH 2.11.1", false },
	{ UNTIL, FILLED, START, S, F, false, "XSH posix_trace_start", false },
	{ UNTIL, FILLED, STOP, S, F, false, "XSH posix_trace_start", false },
	{ UNTIL, FILLED, CLEAR, R, N, false, "posix_trace(7)", true },
	{ UNTIL, FILLED, EVENT, S, F, true, "XSH 2.11.1", false },
	{ UNTIL, FILLED, DRAIN, R, N, false, "XSH posix_trace_attr_getinherited", false },
	{ UNTIL, STOPPED_FULL, START, S, F, false, "XSH posix_trace_start", false },
	{ UNTIL, STOPPED_FULL, STOP, S, F, false, "XSH posix_trace_start", false },
	{ UNTIL, STOPPED_FULL, CLEAR, S, N, false, "posix_trace(7)", true },
	{ UNTIL, STOPPED_FULL, EVENT, S, F, false, "XSH 2.11.1", true },
	{ UNTIL, STOPPED_FULL, DRAIN, S, N, false, "posix_trace(7)", true },
};

static trace_id_t come(int policy, enum way way)
{
	trace_id_t t = stream(policy, SMALL);

	if (way == MADE)
		return t;
	need(posix_trace_start(t));
	if (way == FILLED || way == STOPPED_FULL)
		fill(t, id, 0);
	if (way == STOPPED || way == STOPPED_FULL)
		need(posix_trace_stop(t));
	status(t);
	return t;
}

static int apply(trace_id_t t, enum operation operation)
{
	switch (operation) {
	case START:
		return posix_trace_start(t);
	case STOP:
		return posix_trace_stop(t);
	case CLEAR:
		return posix_trace_clear(t);
	case EVENT:
		tell(id, 0);
		return 0;
	case FILL:
		fill(t, id, 0);
		return 0;
	case DRAIN:
		drain(t);
		return 0;
	}
	return -1;
}

static void go(const struct arrow *a)
{
	trace_id_t t = come(a->policy, a->from);
	struct posix_trace_status_info s;
	int error = apply(t, a->operation);

	s = status(t);
	result(HERE(operations[a->operation]), a->where, a->ours,
	       error == 0 && s.posix_stream_status == a->running &&
	       s.posix_stream_full_status == a->full,
	       "%s on a stream that %s, %s: %s, %s", operations[a->operation],
	       a->policy == LOOP ? "loops" : "ends when full", ways[a->from],
	       a->running == R ? "running" : "suspended", a->full == F ? "full" : "not full");
	if (error || s.posix_stream_status != a->running || s.posix_stream_full_status != a->full)
		note("error %d, %s, %s", error, s.posix_stream_status == R ?
		     "running" : "suspended",
		     s.posix_stream_full_status == F ? "full" : "not full");
	if (a->loses)
		same("XSH 2.11.1", s.posix_stream_overrun_status, POSIX_TRACE_OVERRUN,
		     "the event is lost");
	else if (a->operation != FILL && !a->ours)
		same("XSH 2.11.1", s.posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN,
		     "nothing is lost");
	need(posix_trace_shutdown(t));
}

/* drained - what a stream told, up to and with its STOP and what follows; how often it stopped */
static int drained(trace_id_t t, int *automatic, char *behind)
{
	struct seen e;
	int stops = 0;

	behind[0] = '\0';
	while (try_next(t, &e)) {
		if (posix_trace_eventid_equal(t, e.info.posix_event_id, POSIX_TRACE_STOP)) {
			stops++;
			memcpy(automatic, e.data, sizeof(*automatic));
		} else if (stops && strlen(behind) < 60) {
			strcat(behind, posix_trace_eventid_equal(t, e.info.posix_event_id,
								 POSIX_TRACE_START) ? "S" : "e");
		}
	}
	return stops;
}

/* All of what a stream that ends when full tells its reader */
static void life(void)
{
	trace_id_t t = stream(UNTIL, SMALL);
	char behind[64], next[64];
	int automatic = 0, stops;

	need(posix_trace_start(t));
	fill(t, id, 0);
	tell(id, 1);
	stops = drained(t, &automatic, behind);
	same("XSH posix_trace_attr_getinherited", stops, 1, "a full stream reports STOP once");
	check("XSH 2.11.2", automatic != 0, "its data is not 0: the stream stopped by itself");
	check("XSH posix_trace_attr_getinherited", !strchr(behind, 'e'),
	      "it is behind the last event");
	tell(id, 2);
	strcpy(next, story(t, ACTIVE));
	if (behind[0])
		check("XSH posix_trace_attr_getinherited", !strcmp(next, "fill"),
		      "the next event comes behind START");
	else
		check("XSH posix_trace_attr_getinherited", !strcmp(next, "START fill"),
		      "the next event comes behind START");
	need(posix_trace_shutdown(t));
}

static long long ms_between(const struct timespec *a, const struct timespec *b)
{
	return (b->tv_sec - a->tv_sec) * 1000ll + (b->tv_nsec - a->tv_nsec) / 1000000;
}

/* START and STOP enclose the time in which a stream ran, whenever it is read. */
static void stopped_when(void)
{
	trace_id_t t = stream(UNTIL, SMALL);
	struct seen e = { 0 };
	struct timespec last;
	bool stops;

	need(posix_trace_start(t));
	fill(t, id, 0);
	pause_ms(400);
	do {
		last = e.info.posix_timestamp;
		need(try_next(t, &e) ? 0 : ENOENT);
		stops = posix_trace_eventid_equal(t, e.info.posix_event_id, POSIX_TRACE_STOP);
	} while (!stops);
	check("XSH 2.11.2", ms_between(&last, &e.info.posix_timestamp) >= 0 &&
	      ms_between(&last, &e.info.posix_timestamp) < 200,
	      "STOP has the time when the stream stopped");
	need(posix_trace_shutdown(t));
}

/*
 * What starts and stops it, or changes its filter, takes room, too: when there is none the stream
 * is full, and has its oldest events.
 */
static void full_of_its_own(bool filters)
{
	trace_id_t t = stream(UNTIL, SMALL);
	struct posix_trace_status_info s;
	uint64_t next = 0, told = 0;
	trace_event_set_t none;
	struct seen e;

	need(posix_trace_eventset_empty(&none));
	need(posix_trace_start(t));
	do {
		tell(id, told++);
		if (filters) {
			need(posix_trace_set_filter(t, &none, POSIX_TRACE_SET_EVENTSET));
		} else {
			need(posix_trace_stop(t));
			need(posix_trace_start(t));
		}
		s = status(t);
	} while (told < 1000 && s.posix_stream_full_status == N);
	check("XSH 2.11.1", s.posix_stream_full_status == F && s.posix_stream_status == S,
	      "%s fill a stream, which ends then", filters ? "changes of the filter" :
	      "starts and stops");
	while (try_next(t, &e))
		if (posix_trace_eventid_equal(t, e.info.posix_event_id, id) &&
		    number_of(&e) == next)
			next++;
	same("XSH posix_trace_attr_getinherited", next, told, "it has all events of before");
	is_in("XSH posix_trace_start", t, filters ? R : S, N, "it has room when it has been read");
	need(posix_trace_start(t));
	tell(id, told);
	check("XSH posix_trace_start", find(t, ACTIVE, id, &e) && number_of(&e) == told,
	      "and runs on");
	need(posix_trace_shutdown(t));
}

/* events_before_stop - of a stream that is suspended and full; reads them, and STOP */
static int events_before_stop(trace_id_t t)
{
	struct seen e;
	int n = 0;

	while (try_next(t, &e) &&
	       !posix_trace_eventid_equal(t, e.info.posix_event_id, POSIX_TRACE_STOP))
		n++;
	return n;
}

/* All events have been read, STOP has not: the stream is full as long. */
static void started_before_stop(void)
{
	trace_id_t other = stream(UNTIL, SMALL), t = stream(UNTIL, SMALL);
	struct posix_trace_status_info s;
	struct seen e;
	int n;

	need(posix_trace_start(other));
	need(posix_trace_start(t));
	fill(other, id, 0);
	need(posix_trace_stop(other));
	need(posix_trace_stop(t));
	for (n = events_before_stop(other); n && try_next(t, &e); n--)
		;
	status(t);
	need(posix_trace_start(t));
	s = status(t);
	check("XSH posix_trace_start", s.posix_stream_status == S &&
	      s.posix_stream_full_status == F, "what has not reported STOP is full, and does not "
	      "start");
	tells("XSH posix_trace_start", t, ACTIVE, "STOP", "STOP is what there is to read");
	need(posix_trace_start(t));
	tell(id, 1);
	tell(id, 2);
	tells("XSH posix_trace_start", t, ACTIVE, "START fill fill", "behind STOP it starts");
	need(posix_trace_shutdown(t));
	need(posix_trace_shutdown(other));
}

/* START of a stream that restarts has the filter of then, whenever it is read. */
static void restarted_with_filter(void)
{
	trace_id_t t = stream(UNTIL, SMALL);
	trace_event_set_t none, some;
	struct seen e;

	need(posix_trace_eventset_empty(&none));
	need(posix_trace_eventset_empty(&some));
	need(posix_trace_eventset_add(POSIX_TRACE_START, &some));
	need(posix_trace_start(t));
	fill(t, id, 0);
	drain(t);
	need(posix_trace_set_filter(t, &some, POSIX_TRACE_SET_EVENTSET));
	check("XSH 2.11.2", try_next(t, &e) && e.len == sizeof(none) &&
	      posix_trace_eventid_equal(t, e.info.posix_event_id, POSIX_TRACE_START) &&
	      !memcmp(e.data, &none, sizeof(none)), "START has the filter of when it restarted");
	tells("XSH 2.11.2", t, ACTIVE, "FILTER", "the new one comes behind it");
	need(posix_trace_shutdown(t));
}

int main(void)
{
	id = event("fill");
	started_before_stop();
	restarted_with_filter();
	for (size_t i = 0; i < sizeof(arrows) / sizeof(arrows[0]); i++)
		go(&arrows[i]);
	life();
	stopped_when();
	full_of_its_own(false);
	full_of_its_own(true);
	return done();
}
