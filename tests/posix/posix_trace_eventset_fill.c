// SPDX-License-Identifier: GPL-2.0
/* PTRC-59 */
#include "suite.h"

#define PAGE "XSH posix_trace_eventset_fill"

static bool has(const trace_event_set_t *set, trace_event_id_t id)
{
	int member = 0;

	need(posix_trace_eventset_ismember(id, set, &member));
	return member;
}

int main(void)
{
	trace_event_set_t set, system, all;
	trace_event_id_t own = event("own");
	int in_system = 0, in_all = 0, of_no_process = 0;

	memset(&set, 0xff, sizeof(set));
	same(RETURNS, posix_trace_eventset_fill(&set, POSIX_TRACE_WOPID_EVENTS), 0,
	     "events of no process");
	check(DESCRIPTION, !has(&set, own), "none of a program is in it, whatever was");
	same(RETURNS, posix_trace_eventset_fill(&system, POSIX_TRACE_SYSTEM_EVENTS), 0,
	     "events of the system");
	check(DESCRIPTION, !has(&system, own), "none of a program is in it");
	check(DESCRIPTION, !has(&system, POSIX_TRACE_UNNAMED_USEREVENT), "nor the unnamed one");
	same(RETURNS, posix_trace_eventset_fill(&all, POSIX_TRACE_ALL_EVENTS), 0, "all events");
	check(DESCRIPTION, has(&all, own), "those of programs are in it");
	check(DESCRIPTION, has(&all, POSIX_TRACE_UNNAMED_USEREVENT), "and the unnamed one");
	for (trace_event_id_t i = POSIX_TRACE_START; i <= POSIX_TRACE_FLUSH_STOP; i++) {
		in_system += has(&system, i);
		in_all += has(&all, i);
		of_no_process += has(&set, i);
		check(DESCRIPTION, !has(&set, i) || has(&system, i),
		      "event %u, if of no process, is of the system", i);
	}
	choice(DESCRIPTION, of_no_process == 5 && has(&set, POSIX_TRACE_OVERFLOW) &&
	       has(&set, POSIX_TRACE_RESUME) && has(&set, POSIX_TRACE_ERROR) &&
	       has(&set, POSIX_TRACE_FLUSH_START) && has(&set, POSIX_TRACE_FLUSH_STOP),
	       "losses, errors and flushes are of no process: %d", of_no_process);
	same(DESCRIPTION, in_system, 8, "the eight of the standard are of the system");
	same(DESCRIPTION, in_all, 8, "and in all");
	choice(DESCRIPTION, has(&all, event("opened later")), "all are also those opened later");
	choice(ERRORS, posix_trace_eventset_fill(&set, 77) == EINVAL, "something else: EINVAL");
	return done();
}
