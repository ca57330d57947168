// SPDX-License-Identifier: GPL-2.0
/* PTRC-56 */
#include "suite.h"

#define PAGE "XSH posix_trace_eventid_equal"

int main(void)
{
	int fd;
	trace_id_t trid = stream(0, 0), log;
	trace_event_id_t a = event("a"), b = event("b"), again = event("a");
	struct seen e;

	check(RETURNS, posix_trace_eventid_equal(trid, a, again), "an id equals itself");
	check(RETURNS, !posix_trace_eventid_equal(trid, a, b), "two names have two ids");
	check(RETURNS, posix_trace_eventid_equal(trid, POSIX_TRACE_START, POSIX_TRACE_START),
	      "START is START");
	check(RETURNS, !posix_trace_eventid_equal(trid, POSIX_TRACE_START, POSIX_TRACE_STOP),
	      "START is not STOP");
	check("XBD <trace.h>", posix_trace_eventid_equal(trid, POSIX_TRACE_UNNAMED_USEREVENT,
							 POSIX_TRACE_UNNAMED_USER_EVENT),
	      "the unnamed event has one id by two names");
	need(posix_trace_shutdown(trid));
	log = recorded(&fd);
	need(log_next(log, &e) ? 0 : ENOENT);
	check(DESCRIPTION, posix_trace_eventid_equal(log, e.info.posix_event_id, POSIX_TRACE_START),
	      "it works for logs");
	check(RETURNS, !posix_trace_eventid_equal(log, e.info.posix_event_id, POSIX_TRACE_STOP),
	      "in both ways");
	need(posix_trace_close(log));
	close(fd);
	return done();
}
