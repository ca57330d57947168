// SPDX-License-Identifier: GPL-2.0
/* PTRC-59 */
#include "suite.h"

#define PAGE "XSH posix_trace_eventset_del"

int main(void)
{
	trace_event_set_t set;
	trace_event_id_t a = event("a"), b = event("b");
	int member = 1;

	need(posix_trace_eventset_fill(&set, POSIX_TRACE_ALL_EVENTS));
	same(RETURNS, posix_trace_eventset_del(a, &set), 0, "an event of a program");
	need(posix_trace_eventset_ismember(a, &set, &member));
	check(DESCRIPTION, !member, "it is not in the set any more");
	need(posix_trace_eventset_ismember(b, &set, &member));
	check(DESCRIPTION, member, "others are");
	same(RETURNS, posix_trace_eventset_del(a, &set), 0, "it need not be in the set");
	same(RETURNS, posix_trace_eventset_del(POSIX_TRACE_ERROR, &set), 0, "one of the system");
	need(posix_trace_eventset_ismember(POSIX_TRACE_ERROR, &set, &member));
	check(DESCRIPTION, !member, "it is not in the set any more");
	choice(ERRORS, posix_trace_eventset_del((trace_event_id_t)-1, &set) == EINVAL,
	       "no event: EINVAL");
	return done();
}
