// SPDX-License-Identifier: GPL-2.0
/* PTRC-26 */
#include "suite.h"

#define PAGE "XSH posix_trace_clear"

static void running(void)
{
	trace_id_t trid = started(POSIX_TRACE_LOOP, SMALL);
	trace_event_id_t id = event("before"), later = event("later"), again;
	struct posix_trace_status_info s;

	for (uint64_t n = fill(trid, id, 0); n; n--)
		tell(id, n);
	same(RETURNS, posix_trace_clear(trid), 0, "a running stream");
	s = status(trid);
	same(DESCRIPTION, s.posix_stream_status, POSIX_TRACE_RUNNING, "it goes on running");
	same(DESCRIPTION, s.posix_stream_full_status, POSIX_TRACE_NOT_FULL, "it is not full");
	same(DESCRIPTION, s.posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN,
	     "as if it had just been made, nothing was lost");
	tell(later, 1);
	tells(DESCRIPTION, trid, ACTIVE, "later", "what was in it is gone, what comes is not");
	need(posix_trace_trid_eventid_open(trid, "before", &again));
	check(DESCRIPTION, posix_trace_eventid_equal(trid, id, again), "names have the same ids");
	need(posix_trace_shutdown(trid));
}

static void suspended(void)
{
	trace_id_t trid = started(POSIX_TRACE_UNTIL_FULL, SMALL);

	tell(event("before"), 1);
	need(posix_trace_stop(trid));
	same(RETURNS, posix_trace_clear(trid), 0, "a suspended stream");
	is_in(DESCRIPTION, trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_NOT_FULL, "it stays so");
	tells(DESCRIPTION, trid, ACTIVE, "", "what was in it is gone");
	need(posix_trace_start(trid));
	tells(DESCRIPTION, trid, ACTIVE, "START", "it can be started");
	need(posix_trace_shutdown(trid));
}

static void full(void)
{
	trace_id_t trid = started(POSIX_TRACE_UNTIL_FULL, SMALL);
	trace_event_id_t later = event("later");

	fill(trid, event("before"), 0);
	same(RETURNS, posix_trace_clear(trid), 0, "a full stream");
	choice("posix_trace(7)", status(trid).posix_stream_status == POSIX_TRACE_RUNNING,
	       "one that had stopped by itself runs");
	same(DESCRIPTION, status(trid).posix_stream_full_status, POSIX_TRACE_NOT_FULL,
	     "it is not full");
	tell(later, 1);
	tells(DESCRIPTION, trid, ACTIVE, "START later", "it says that it runs again");
	tell(later, 2);
	tells(DESCRIPTION, trid, ACTIVE, "later", "once");
	need(posix_trace_shutdown(trid));
}

static void filtered(void)
{
	trace_id_t trid = stream(0, 0);
	trace_event_id_t id = event("filtered");
	trace_event_set_t set;
	int member = 1;

	need(posix_trace_eventset_empty(&set));
	need(posix_trace_eventset_add(id, &set));
	need(posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET));
	need(posix_trace_clear(trid));
	need(posix_trace_get_filter(trid, &set));
	need(posix_trace_eventset_ismember(id, &set, &member));
	choice(DESCRIPTION, !member, "as if it had just been made, its filter is empty");
	need(posix_trace_shutdown(trid));
}

/* with_log - @want: what its log has */
static void with_log(int policy, const char *want)
{
	int fd = new_file();
	trace_id_t trid = logged(fd, 0, policy, 0);

	need(posix_trace_start(trid));
	tell(event("before"), 1);
	need(posix_trace_flush(trid));
	await_flushed(trid);
	same(RETURNS, posix_trace_clear(trid), 0, "a stream with a log of policy %d", policy);
	same(DESCRIPTION, status(trid).posix_log_full_status, POSIX_TRACE_NOT_FULL,
	     "its log is not full");
	tell(event("later"), 2);
	need(posix_trace_stop(trid));
	need(posix_trace_shutdown(trid));
	trid = reopened(fd);
	tells(DESCRIPTION, trid, RECORDED, want, "its log has what came later");
	need(posix_trace_close(trid));
	close(fd);
}

int main(void)
{
	running();
	suspended();
	full();
	filtered();
	with_log(POSIX_TRACE_LOOP, "later STOP");
	with_log(POSIX_TRACE_UNTIL_FULL, "later STOP");
	/* What was written before stays, the end of the flush was not written yet. */
	if (getenv("TRACE_CHOICES"))
		with_log(POSIX_TRACE_APPEND, "START before FLUSH_START later STOP");
	return done();
}
