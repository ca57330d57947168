// SPDX-License-Identifier: GPL-2.0
/* PTRC-24, PTRC-53 */
#include "suite.h"

#define PAGE "XSH posix_trace_start"

int main(void)
{
	trace_id_t trid = stream(POSIX_TRACE_LOOP, 0);
	trace_event_set_t filter, set;
	struct seen e;

	need(posix_trace_eventset_empty(&set));
	need(posix_trace_eventset_add(event("left out"), &set));
	need(posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET));
	same(RETURNS, posix_trace_start(trid), 0, "a suspended stream");
	is_in(DESCRIPTION, trid, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL, "it runs");
	check(DESCRIPTION, try_next(trid, &e), "an event tells of it");
	check(DESCRIPTION, posix_trace_eventid_equal(trid, e.info.posix_event_id,
						     POSIX_TRACE_START),
	      "which is START");
	same("XSH 2.11.2", e.len, sizeof(trace_event_set_t), "its data is a filter");
	need(posix_trace_get_filter(trid, &filter));
	check("XSH 2.11.2", memcmp(e.data, &filter, sizeof(filter)) == 0, "the one of the stream");
	check("XSH 2.11.2", memcmp(e.data, &set, sizeof(set)) == 0, "which was set");
	check("XSH 2.11.1", is_called_in(&e, (void *)main), "it has the address of the call");
	same("XSH 2.11.1", e.info.posix_truncation_status, POSIX_TRACE_NOT_TRUNCATED,
	     "its data is whole");
	same(RETURNS, posix_trace_start(trid), 0, "a running stream");
	is_in(DESCRIPTION, trid, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL, "it goes on");
	tells(DESCRIPTION, trid, ACTIVE, "", "nothing is recorded");
	need(posix_trace_stop(trid));
	need(posix_trace_stop(trid));
	need(posix_trace_start(trid));
	tells(DESCRIPTION, trid, ACTIVE, "STOP START", "each once");
	need(posix_trace_shutdown(trid));
	same(ERRORS, posix_trace_start(trid), EINVAL, "a stream that was shut down: EINVAL");
	same(ERRORS, posix_trace_start(-1), EINVAL, "no stream: EINVAL");

	trid = started(POSIX_TRACE_UNTIL_FULL, SMALL);
	fill(trid, event("fill"), 0);
	same(RETURNS, posix_trace_start(trid), 0, "a full stream");
	is_in(DESCRIPTION, trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_FULL, "it stays as it was");
	need(posix_trace_shutdown(trid));
	return done();
}
