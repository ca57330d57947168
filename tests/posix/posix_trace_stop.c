// SPDX-License-Identifier: GPL-2.0
/* PTRC-25, PTRC-53 */
#include "suite.h"

#define PAGE "XSH posix_trace_stop"

static void looping(void)
{
	trace_id_t trid = started(POSIX_TRACE_LOOP, SMALL);
	trace_event_id_t id = event("fill"), late = event("late");
	const char *all;
	size_t n;

	fill(trid, id, 0);
	same(RETURNS, posix_trace_stop(trid), 0, "a stream that loops, full");
	choice(DESCRIPTION, status(trid).posix_stream_status == POSIX_TRACE_SUSPENDED, "it ends");
	tell(late, 1);
	all = story(trid, ACTIVE);
	n = strlen(all);
	choice(DESCRIPTION, n > 9 && strcmp(all + n - 9, "fill STOP") == 0,
	       "its last event is STOP");
	check(DESCRIPTION, !strstr(all, "late"), "what comes later is not in it");
	need(posix_trace_shutdown(trid));
}

/* A stream that has stopped by itself does not go on by itself, once told to stop. */
static void until_full(void)
{
	trace_id_t trid = started(POSIX_TRACE_UNTIL_FULL, SMALL);
	trace_event_id_t late = event("late");

	fill(trid, event("fill"), 0);
	same(RETURNS, posix_trace_stop(trid), 0, "a stream that ends when full, full");
	is_in(DESCRIPTION, trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_FULL, "it stays as it was");
	drain(trid);
	tell(late, 1);
	choice("posix_trace(7)", status(trid).posix_stream_status == POSIX_TRACE_SUSPENDED,
	       "when it was read it does not go on");
	tells("posix_trace(7)", trid, ACTIVE, "", "and records nothing");
	need(posix_trace_start(trid));
	tell(late, 1);
	tells(DESCRIPTION, trid, ACTIVE, "START late", "until it is started");
	need(posix_trace_shutdown(trid));
}

int main(void)
{
	trace_id_t trid = stream(POSIX_TRACE_LOOP, 0);
	struct seen e;
	int automatic = -1;

	same(RETURNS, posix_trace_stop(trid), 0, "a suspended stream");
	tells(DESCRIPTION, trid, ACTIVE, "", "nothing is recorded");
	need(posix_trace_start(trid));
	drain(trid);
	same(RETURNS, posix_trace_stop(trid), 0, "a running stream");
	is_in(DESCRIPTION, trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_NOT_FULL, "it is suspended");
	tell(event("late"), 1);
	check(DESCRIPTION, try_next(trid, &e), "an event tells of it");
	check(DESCRIPTION, posix_trace_eventid_equal(trid, e.info.posix_event_id, POSIX_TRACE_STOP),
	      "which is STOP");
	same("XSH 2.11.2", e.len, sizeof(int), "its data is an int");
	memcpy(&automatic, e.data, sizeof(automatic));
	same("XSH 2.11.2", automatic, 0, "which is 0: it was told to");
	tells(DESCRIPTION, trid, ACTIVE, "", "what comes later is not recorded");
	need(posix_trace_shutdown(trid));
	same(ERRORS, posix_trace_stop(trid), EINVAL, "a stream that was shut down: EINVAL");
	same(ERRORS, posix_trace_stop(-1), EINVAL, "no stream: EINVAL");
	looping();
	until_full();
	return done();
}
