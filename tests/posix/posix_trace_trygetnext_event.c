// SPDX-License-Identifier: GPL-2.0
/* PTRC-75 */
#include "suite.h"

#define PAGE "XSH posix_trace_trygetnext_event"

int main(void)
{
	struct seen e = { .unavailable = 0 };
	trace_id_t trid = stream(0, 0), log;
	trace_event_id_t a = event("a"), b = event("b");
	int fd;

	same(RETURNS, posix_trace_trygetnext_event(trid, &e.info, e.data, sizeof(e.data), &e.len,
						   &e.unavailable), 0, "a stream without events");
	check(DESCRIPTION, e.unavailable != 0, "none is available");
	need(posix_trace_start(trid));
	drain(trid);
	tell(a, 1);
	tell(b, 2);
	same(RETURNS, posix_trace_trygetnext_event(trid, &e.info, e.data, sizeof(e.data), &e.len,
						   &e.unavailable), 0, "a stream with events");
	same(DESCRIPTION, e.unavailable, 0, "one is available");
	check(DESCRIPTION, posix_trace_eventid_equal(trid, e.info.posix_event_id, a) &&
	      number_of(&e) == 1, "the oldest");
	check(DESCRIPTION, try_next(trid, &e) && number_of(&e) == 2, "then the next one");
	check(DESCRIPTION, !try_next(trid, &e), "each once");
	need(posix_trace_shutdown(trid));
	same(ERRORS, posix_trace_trygetnext_event(trid, &e.info, e.data, sizeof(e.data), &e.len,
						  &e.unavailable), EINVAL,
	     "a stream that was shut down: EINVAL");
	log = recorded(&fd);
	same(ERRORS, posix_trace_trygetnext_event(log, &e.info, e.data, sizeof(e.data), &e.len,
						  &e.unavailable), EINVAL, "a log: EINVAL");
	need(posix_trace_close(log));
	close(fd);
	return done();
}
