// SPDX-License-Identifier: GPL-2.0
/* PTRC-56, PTRC-57 */
#include "suite.h"

#define PAGE "XSH posix_trace_eventid_get_name"

static const struct {
	trace_event_id_t id;
	const char *name;
} predefined[] = {
	{ POSIX_TRACE_ERROR, "posix_trace_error" },
	{ POSIX_TRACE_START, "posix_trace_start" },
	{ POSIX_TRACE_STOP, "posix_trace_stop" },
	{ POSIX_TRACE_FILTER, "posix_trace_filter" },
	{ POSIX_TRACE_OVERFLOW, "posix_trace_overflow" },
	{ POSIX_TRACE_RESUME, "posix_trace_resume" },
	{ POSIX_TRACE_FLUSH_START, "posix_trace_flush_start" },
	{ POSIX_TRACE_FLUSH_STOP, "posix_trace_flush_stop" },
	{ POSIX_TRACE_UNNAMED_USEREVENT, "posix_trace_unnamed_userevent" },
};

static void known(trace_id_t trid, const char *what)
{
	char name[TRACE_EVENT_NAME_MAX + 1];

	for (size_t i = 0; i < sizeof(predefined) / sizeof(predefined[0]); i++) {
		name[0] = '\0';
		same(RETURNS, posix_trace_eventid_get_name(trid, predefined[i].id, name), 0,
		     "%s knows event %u", what, predefined[i].id);
		check("XSH 2.11.2", strcmp(name, predefined[i].name) == 0, "as %s",
		      predefined[i].name);
	}
}

int main(void)
{
	char name[TRACE_EVENT_NAME_MAX + 1] = "";
	trace_event_id_t id = event("of a program");
	trace_id_t trid = stream(0, 0);
	struct seen e;
	int fd;

	known(trid, "a stream");
	same(RETURNS, posix_trace_eventid_get_name(trid, id, name), 0, "an event of a program");
	check(DESCRIPTION, strcmp(name, "of a program") == 0, "has the name it was opened by");
	for (trace_event_id_t i = 0; i < 2; i++)
		same(ERRORS, posix_trace_eventid_get_name(trid, (trace_event_id_t)-1 - i, name),
		     EINVAL, "no event: EINVAL");
	need(posix_trace_shutdown(trid));
	same(ERRORS, posix_trace_eventid_get_name(trid, id, name), EINVAL,
	     "a stream that was shut down: EINVAL");
	trid = recorded(&fd);
	known(trid, "a log");
	need(log_next(trid, &e) && log_next(trid, &e) ? 0 : ENOENT);
	need(posix_trace_eventid_get_name(trid, e.info.posix_event_id, name));
	check(DESCRIPTION, strcmp(name, "a") == 0, "it has the names of its events");
	need(posix_trace_close(trid));
	close(fd);
	return done();
}
