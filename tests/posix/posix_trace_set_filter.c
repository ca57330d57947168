// SPDX-License-Identifier: GPL-2.0
#include "suite.h"

#define PAGE "XSH posix_trace_set_filter"

static trace_event_id_t a, b, c;

static trace_event_set_t set_of(trace_event_id_t first, trace_event_id_t second)
{
	trace_event_set_t set;

	need(posix_trace_eventset_empty(&set));
	need(posix_trace_eventset_add(first, &set));
	need(posix_trace_eventset_add(second, &set));
	return set;
}

static int members(trace_id_t trid)
{
	trace_event_set_t set;
	int got[3];

	need(posix_trace_get_filter(trid, &set));
	need(posix_trace_eventset_ismember(a, &set, &got[0]));
	need(posix_trace_eventset_ismember(b, &set, &got[1]));
	need(posix_trace_eventset_ismember(c, &set, &got[2]));
	return !!got[0] * 1 + !!got[1] * 2 + !!got[2] * 4;
}

/* PTRC-60 */
static void ways(void)
{
	trace_id_t trid = stream(0, 0);
	trace_event_set_t ab = set_of(a, b), bc = set_of(b, c), garbage;

	memset(&garbage, 0xff, sizeof(garbage));
	same(RETURNS, posix_trace_set_filter(trid, &ab, POSIX_TRACE_SET_EVENTSET), 0, "SET");
	same(DESCRIPTION, members(trid), 3, "the filter is the set");
	same(RETURNS, posix_trace_set_filter(trid, &bc, POSIX_TRACE_ADD_EVENTSET), 0, "ADD");
	same(DESCRIPTION, members(trid), 7, "the filter is the union");
	same(RETURNS, posix_trace_set_filter(trid, &ab, POSIX_TRACE_SUB_EVENTSET), 0, "SUB");
	same(DESCRIPTION, members(trid), 4, "the filter is the difference");
	same(RETURNS, posix_trace_set_filter(trid, &ab, POSIX_TRACE_SET_EVENTSET), 0, "SET again");
	same(DESCRIPTION, members(trid), 3, "the filter is the set, whatever it was");
	choice(ERRORS, posix_trace_set_filter(trid, &bc, 77) == EINVAL, "an unknown way: EINVAL");
	choice(ERRORS, posix_trace_set_filter(trid, &garbage, POSIX_TRACE_SET_EVENTSET) == EINVAL,
	       "what nobody has made a set: EINVAL");
	same(DESCRIPTION, members(trid), 3, "the filter is as before then");
	tells(DESCRIPTION, trid, ACTIVE, "", "no event tells of it while suspended");
	need(posix_trace_shutdown(trid));
	same(ERRORS, posix_trace_set_filter(trid, &ab, POSIX_TRACE_SET_EVENTSET), EINVAL,
	     "a stream that was shut down: EINVAL");
}

/* PTRC-60, PTRC-61: Members are filtered out. */
static void meaning(void)
{
	trace_id_t trid = started(0, 0);
	trace_event_set_t ab = set_of(a, b), old, now, data[2];
	struct seen e;

	need(posix_trace_get_filter(trid, &old));
	need(posix_trace_set_filter(trid, &ab, POSIX_TRACE_SET_EVENTSET));
	need(posix_trace_get_filter(trid, &now));
	check(DESCRIPTION, try_next(trid, &e) &&
	      posix_trace_eventid_equal(trid, e.info.posix_event_id, POSIX_TRACE_FILTER),
	      "an event tells of it while running: FILTER");
	if (same("XSH 2.11.2", e.len, sizeof(data), "its data is two sets")) {
		memcpy(data, e.data, sizeof(data));
		check("XSH 2.11.2", memcmp(&data[0], &old, sizeof(old)) == 0, "the old one");
		check("XSH 2.11.2", memcmp(&data[1], &now, sizeof(now)) == 0, "and the new one");
	}
	tell(a, 1);
	tell(c, 2);
	tell(b, 3);
	tells("XSH 2.11", trid, ACTIVE, "c", "what is in the filter is not recorded");
	need(posix_trace_set_filter(trid, &ab, POSIX_TRACE_SUB_EVENTSET));
	tell(a, 4);
	tells("XSH 2.11", trid, ACTIVE, "FILTER a", "what is taken out of it is");
	need(posix_trace_shutdown(trid));
}

/* Events of the tracer itself */
static void control(void)
{
	trace_id_t trid = stream(0, 0);
	trace_event_set_t both = set_of(POSIX_TRACE_START, POSIX_TRACE_STOP);

	need(posix_trace_set_filter(trid, &both, POSIX_TRACE_SET_EVENTSET));
	need(posix_trace_start(trid));
	tell(a, 1);
	need(posix_trace_stop(trid));
	tells("posix_trace(7)", trid, ACTIVE, "a", "START and STOP can be filtered out");
	need(posix_trace_shutdown(trid));
}

int main(void)
{
	a = event("a");
	b = event("b");
	c = event("c");
	ways();
	meaning();
	control();
	return done();
}
