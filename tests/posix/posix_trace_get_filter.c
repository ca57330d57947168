// SPDX-License-Identifier: GPL-2.0
/* PTRC-60 */
#include "suite.h"

#define PAGE "XSH posix_trace_get_filter"

int main(void)
{
	trace_id_t trid = stream(0, 0), other = stream(0, 0);
	trace_event_id_t id = event("filtered");
	trace_event_set_t set, got;
	int member = 1;

	memset(&got, 0xa5, sizeof(got));
	same(RETURNS, posix_trace_get_filter(trid, &got), 0, "a filter is given");
	need(posix_trace_eventset_ismember(id, &got, &member));
	same(DESCRIPTION, member, 0, "which is empty at first");
	need(posix_trace_eventset_empty(&set));
	need(posix_trace_eventset_add(id, &set));
	need(posix_trace_eventset_add(POSIX_TRACE_STOP, &set));
	need(posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET));
	need(posix_trace_get_filter(trid, &got));
	need(posix_trace_eventset_ismember(id, &got, &member));
	check(DESCRIPTION, member, "what was set is in it");
	need(posix_trace_eventset_ismember(POSIX_TRACE_START, &got, &member));
	same(DESCRIPTION, member, 0, "what was not is not");
	need(posix_trace_get_filter(other, &got));
	need(posix_trace_eventset_ismember(id, &got, &member));
	same(DESCRIPTION, member, 0, "another stream has its own");
	need(posix_trace_shutdown(trid));
	need(posix_trace_shutdown(other));
	same(ERRORS, posix_trace_get_filter(trid, &got), EINVAL,
	     "a stream that was shut down: EINVAL");
	return done();
}
