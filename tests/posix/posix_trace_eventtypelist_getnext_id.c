// SPDX-License-Identifier: GPL-2.0
/* PTRC-58 */
#include "suite.h"

#define PAGE "XSH posix_trace_eventtypelist_getnext_id"

/* How often an id is in the list. The list is read from its start to its end. */
static int times(trace_id_t trid, trace_event_id_t wanted)
{
	trace_event_id_t id;
	int none = 0, found = 0;

	need(posix_trace_eventtypelist_rewind(trid));
	for (int i = 0; i < 2 * TRACE_USER_EVENT_MAX + 8192; i++) {
		need(posix_trace_eventtypelist_getnext_id(trid, &id, &none));
		if (none)
			return found;
		found += !!posix_trace_eventid_equal(trid, id, wanted);
	}
	return -1;
}

static void all_of(trace_id_t trid, const char *what)
{
	for (trace_event_id_t i = POSIX_TRACE_START; i <= POSIX_TRACE_FLUSH_STOP; i++)
		same(DESCRIPTION, times(trid, i), 1, "%s has event %u once", what, i);
	same(DESCRIPTION, times(trid, POSIX_TRACE_UNNAMED_USEREVENT), 1, "and the unnamed one");
	same(DESCRIPTION, times(trid, event("a")), 1, "and one of a program");
}

static void apart(void)
{
	trace_id_t first = stream(0, 0), second = stream(0, 0);
	trace_event_id_t a, b;
	int none;

	need(posix_trace_eventtypelist_getnext_id(first, &a, &none));
	need(posix_trace_eventtypelist_getnext_id(second, &b, &none));
	check(DESCRIPTION, posix_trace_eventid_equal(first, a, b), "streams are read apart");
	need(posix_trace_shutdown(first));
	need(posix_trace_shutdown(second));
}

/* What is opened while the list is read is at its end. */
static void grows(void)
{
	trace_id_t trid = stream(0, 0);
	trace_event_id_t id, late;
	int none, found = 0;

	need(posix_trace_eventtypelist_getnext_id(trid, &id, &none));
	late = event("opened meanwhile");
	for (;;) {
		need(posix_trace_eventtypelist_getnext_id(trid, &id, &none));
		if (none)
			break;
		found += !!posix_trace_eventid_equal(trid, id, late);
	}
	choice(DESCRIPTION, found == 1, "what is opened meanwhile is in the list");
	need(posix_trace_shutdown(trid));
}

int main(void)
{
	trace_event_id_t id;
	trace_id_t trid;
	int none = 0, fd;

	event("a");
	trid = stream(0, 0);
	same(RETURNS, posix_trace_eventtypelist_getnext_id(trid, &id, &none), 0, "a first one");
	same(DESCRIPTION, none, 0, "there is one");
	all_of(trid, "a stream");
	same(RETURNS, posix_trace_eventtypelist_getnext_id(trid, &id, &none), 0, "at the end");
	check(DESCRIPTION, none != 0, "there is none");
	need(posix_trace_shutdown(trid));
	same(ERRORS, posix_trace_eventtypelist_getnext_id(trid, &id, &none), EINVAL,
	     "a stream that was shut down: EINVAL");
	apart();
	grows();
	trid = recorded(&fd);
	all_of(trid, "a log");
	need(posix_trace_close(trid));
	close(fd);
	return done();
}
