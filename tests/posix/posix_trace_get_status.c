// SPDX-License-Identifier: GPL-2.0
/* PTRC-30 */
#include "suite.h"

#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#define PAGE "XSH posix_trace_get_status"

static void overrun(void)
{
	trace_id_t trid = started(POSIX_TRACE_LOOP, SMALL);
	trace_event_id_t id = event("many");
	struct posix_trace_status_info s;
	uint64_t n = fill(trid, id, 0);

	for (uint64_t i = 0; i < 10 * n; i++)
		tell(id, n + i);
	same(RETURNS, posix_trace_get_status(trid, &s), 0, "a stream that loops");
	same("XSH 2.11.1", s.posix_stream_status, POSIX_TRACE_RUNNING, "it runs");
	same("XSH 2.11.1", s.posix_stream_full_status, POSIX_TRACE_FULL, "full");
	same("XSH 2.11.1", s.posix_stream_overrun_status, POSIX_TRACE_OVERRUN, "with losses");
	same(DESCRIPTION, status(trid).posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN,
	     "which are told once");
	need(posix_trace_shutdown(trid));
}

static void until_full(void)
{
	trace_id_t trid = started(POSIX_TRACE_UNTIL_FULL, SMALL);
	trace_event_id_t id = event("many");
	struct posix_trace_status_info s;

	fill(trid, id, 0);
	status(trid);
	tell(id, 0);
	same(RETURNS, posix_trace_get_status(trid, &s), 0, "a stream that ends when full");
	same("XSH 2.11.1", s.posix_stream_status, POSIX_TRACE_SUSPENDED, "it has ended");
	same("XSH 2.11.1", s.posix_stream_full_status, POSIX_TRACE_FULL, "full");
	same("XSH 2.11.1", s.posix_stream_overrun_status, POSIX_TRACE_OVERRUN,
	     "an event that comes then is lost");
	same(DESCRIPTION, status(trid).posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN,
	     "which is told once");
	need(posix_trace_shutdown(trid));
}

/* The status of a log that has lost events stays as it is. */
static void of_log(void)
{
	int fd = new_file();
	trace_id_t trid = logged(fd, POSIX_TRACE_LOOP, POSIX_TRACE_APPEND, 0);
	trace_event_id_t id = event("many");
	struct posix_trace_status_info first, second;
	trace_attr_t attr;
	size_t size;

	need(posix_trace_get_attr(trid, &attr));
	need(posix_trace_attr_getstreamsize(&attr, &size));
	need(posix_trace_attr_destroy(&attr));
	need(posix_trace_start(trid));
	for (uint64_t i = 0; i < size; i++)
		tell(id, i);
	need(posix_trace_shutdown(trid));
	trid = reopened(fd);
	same(RETURNS, posix_trace_get_status(trid, &first), 0, "a log");
	same(DESCRIPTION, first.posix_stream_overrun_status, POSIX_TRACE_OVERRUN,
	     "it has the status of the completed stream");
	second = status(trid);
	same(DESCRIPTION, second.posix_stream_overrun_status, first.posix_stream_overrun_status,
	     "which stays");
	check(DESCRIPTION, memcmp(&first, &second, sizeof(first)) == 0, "in every member");
	need(posix_trace_close(trid));
	close(fd);
}

static atomic_bool is_over;

static void *tell_on(void *unused)
{
	trace_event_id_t id = event("many");

	for (uint64_t n = 0; !is_over; n++)
		tell(id, n);
	return unused;
}

/* How often it is seen full, after how many of these some events are read, and how many */
#define TIMES 256
#define LOOKS 8
#define EVENTS 64

/*
 * While events come, what is told of a stream always goes together. It is read only when it is
 * full, so it is full again sooner or later, however slowly the events come.
 * PTRC-31
 */
static void together(trace_id_t trid, bool loops, const char *what)
{
	const int then = loops ? POSIX_TRACE_RUNNING : POSIX_TRACE_SUSPENDED;
	struct posix_trace_status_info s;
	unsigned int full = 0, wrong = 0;
	struct seen e;
	pthread_t thread;

	need(posix_trace_start(trid));
	is_over = false;
	need(pthread_create(&thread, NULL, tell_on, NULL));
	while (full < often(TIMES)) {
		s = status(trid);
		if (s.posix_stream_full_status != POSIX_TRACE_FULL) {
			sched_yield();
			continue;
		}
		wrong += s.posix_stream_status != then;
		full++;
		for (int i = 0; full % LOOKS == 0 && i < EVENTS && try_next(trid, &e);)
			i++;
	}
	is_over = true;
	need(pthread_join(thread, NULL));
	same("XSH 2.11.1", wrong, 0, "%s %s whenever it is full", what,
	     loops ? "runs" : "is suspended");
	need(posix_trace_shutdown(trid));
}

int main(void)
{
	struct posix_trace_status_info s;
	int fd = new_file();

	together(stream(POSIX_TRACE_LOOP, SMALL), true, "a stream that loops");
	together(stream(POSIX_TRACE_UNTIL_FULL, SMALL), false, "one that ends when full");
	together(logged(fd, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND, 0), false,
		 "one with a log");
	close(fd);
	overrun();
	until_full();
	of_log();
	same(ERRORS, posix_trace_get_status(-1, &s), EINVAL, "no stream: EINVAL");
	return done();
}
