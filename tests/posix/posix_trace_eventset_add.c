// SPDX-License-Identifier: GPL-2.0
/* PTRC-59 */
#include "suite.h"

#define PAGE "XSH posix_trace_eventset_add"

int main(void)
{
	trace_event_set_t set;
	trace_event_id_t a = event("a"), b = event("b");
	int member = 0;

	need(posix_trace_eventset_empty(&set));
	same(RETURNS, posix_trace_eventset_add(a, &set), 0, "an event of a program");
	need(posix_trace_eventset_ismember(a, &set, &member));
	check(DESCRIPTION, member, "it is in the set");
	need(posix_trace_eventset_ismember(b, &set, &member));
	check(DESCRIPTION, !member, "others are not");
	same(RETURNS, posix_trace_eventset_add(a, &set), 0, "it may be in the set already");
	same(RETURNS, posix_trace_eventset_add(POSIX_TRACE_STOP, &set), 0, "one of the system");
	need(posix_trace_eventset_ismember(POSIX_TRACE_STOP, &set, &member));
	check(DESCRIPTION, member, "it is in the set");
	need(posix_trace_eventset_ismember(a, &set, &member));
	check(DESCRIPTION, member, "the first still is");
	choice(ERRORS, posix_trace_eventset_add((trace_event_id_t)-1, &set) == EINVAL,
	       "no event: EINVAL");
	return done();
}
