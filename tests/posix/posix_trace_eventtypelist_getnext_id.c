// SPDX-License-Identifier: GPL-2.0
/* PTRC-58 */
#include "suite.h"

#include <unistd.h>

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

/* late - as often as @late is in the rest of the list. @id: the last one of the list */
static int late_times(trace_id_t trid, trace_event_id_t late, trace_event_id_t *id)
{
	int none, found = 0;

	for (;;) {
		need(posix_trace_eventtypelist_getnext_id(trid, id, &none));
		if (none)
			return found;
		found += !!posix_trace_eventid_equal(trid, *id, late);
	}
}

/*
 * The names are older than the streams, the first one the oldest; the streams get them in the
 * opposite order.
 */
static void late(bool has_log)
{
	char name[32];
	trace_event_id_t id, second;
	int fd = new_file(), none;
	trace_id_t other = stream(0, 0), trid;

	for (int i = 1; i < 3; i++) {
		snprintf(name, sizeof(name), "late %d of %d", i, has_log);
		need(posix_trace_trid_eventid_open(other, name, &id));
	}
	trid = has_log ? logged(fd, 0, 0, 0) : stream(0, 0);
	need(posix_trace_trid_eventid_open(trid, name, &second));
	do {
		need(posix_trace_eventtypelist_getnext_id(trid, &id, &none));
		need(none ? ENOENT : 0);
	} while (!posix_trace_eventid_equal(trid, id, second));
	snprintf(name, sizeof(name), "late 1 of %d", has_log);
	need(posix_trace_trid_eventid_open(trid, name, &id));
	choice(DESCRIPTION, late_times(trid, id, &second) == 1,
	       "a type that has been there for longer than the stream, and is opened behind one "
	       "that was given, is in the list");
	choice(DESCRIPTION, posix_trace_eventid_equal(trid, id, second), "at its end");
	need(posix_trace_eventtypelist_rewind(trid));
	choice(DESCRIPTION, late_times(trid, id, &second) == 1, "and once when it is read again");
	need(posix_trace_shutdown(trid));
	need(posix_trace_shutdown(other));
	close(fd);
}

/* What no event was ever told of, and was opened when START was in the log */
static void never_told(void)
{
	int fd = new_file();
	trace_id_t trid = logged(fd, 0, 0, 0);
	trace_event_id_t own, asked;

	need(posix_trace_start(trid));
	need(posix_trace_flush(trid));
	while (status(trid).posix_stream_flush_status == POSIX_TRACE_FLUSHING)
		pause_ms(1);
	own = event("opened and never told");
	need(posix_trace_trid_eventid_open(trid, "asked for and never told", &asked));
	need(posix_trace_shutdown(trid));
	trid = reopened(fd);
	same("XSH posix_trace_shutdown, DESCRIPTION", times(trid, own), 1,
	     "a log has the types of which there are no events, too");
	same("XSH posix_trace_shutdown, DESCRIPTION", times(trid, asked), 1,
	     "and those that the controller has asked for");
	need(posix_trace_close(trid));
	close(fd);
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
	late(false);
	late(true);
	never_told();
	trid = recorded(&fd);
	all_of(trid, "a log");
	need(posix_trace_close(trid));
	close(fd);
	return done();
}
