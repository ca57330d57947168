// SPDX-License-Identifier: GPL-2.0
/* PTRC-59 */
#include "suite.h"

#define PAGE "XSH posix_trace_eventset_empty"

int main(void)
{
	trace_event_set_t set;
	int member, found = 0;

	memset(&set, 0xff, sizeof(set));
	same(RETURNS, posix_trace_eventset_empty(&set), 0, "whatever was in it");
	for (trace_event_id_t i = POSIX_TRACE_START; i <= POSIX_TRACE_FLUSH_STOP; i++) {
		need(posix_trace_eventset_ismember(i, &set, &member));
		found += !!member;
	}
	need(posix_trace_eventset_ismember(event("a"), &set, &member));
	found += !!member;
	same(DESCRIPTION, found, 0, "nothing is in it");
	same(RETURNS, posix_trace_eventset_empty(&set), 0, "an empty one");
	return done();
}
