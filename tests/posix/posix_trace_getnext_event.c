// SPDX-License-Identifier: GPL-2.0
#include "suite.h"

#include <signal.h>
#include <sys/syscall.h>

#define PAGE "XSH posix_trace_getnext_event"

static trace_id_t trid;
static pid_t reader_tid;

static void nothing(int number)
{
	(void)number;
}

struct got {
	struct seen e;
	int error;
};

static void *reader(void *argument)
{
	struct got *g = argument;

	__atomic_store_n(&reader_tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	g->error = posix_trace_getnext_event(trid, &g->e.info, g->e.data, sizeof(g->e.data),
					     &g->e.len, &g->e.unavailable);
	return NULL;
}

/* asleep - a thread that waits for an event */
static pthread_t asleep(struct got *g)
{
	pthread_t thread;

	__atomic_store_n(&reader_tid, 0, __ATOMIC_RELEASE);
	need(pthread_create(&thread, NULL, reader, g));
	while (!__atomic_load_n(&reader_tid, __ATOMIC_ACQUIRE))
		pause_ms(1);
	await_sleep(reader_tid);
	return thread;
}

/* PTRC-71 */
static void wakes(void)
{
	trace_event_id_t a = event("a");
	pthread_t thread;
	struct got g = { .error = -1 };

	trid = started(0, 0);
	thread = asleep(&g);
	tell(a, 5);
	need(pthread_join(thread, NULL));
	same(RETURNS, g.error, 0, "it waits for an event");
	same(DESCRIPTION, g.e.unavailable, 0, "which is available");
	check(DESCRIPTION, number_of(&g.e) == 5, "and the one that came");
	need(posix_trace_stop(trid));
	drain(trid);
	thread = asleep(&g);
	need(posix_trace_start(trid));
	need(pthread_join(thread, NULL));
	check(DESCRIPTION, g.error == 0 &&
	      posix_trace_eventid_equal(trid, g.e.info.posix_event_id, POSIX_TRACE_START),
	      "it waits for a suspended stream, too");
	thread = asleep(&g);
	need(posix_trace_shutdown(trid));
	need(pthread_join(thread, NULL));
	same("XSH posix_trace_create, DESCRIPTION", g.error, EINVAL,
	     "the end of the stream ends it: EINVAL");
}

/* The same for a stream with a log, whose events are another process's. */
static void wakes_with_log(void)
{
	struct got g = { .error = -1 };
	pthread_t thread;
	int fd = new_file();

	trid = logged(fd, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND, 0);
	need(posix_trace_start(trid));
	drain(trid);
	thread = asleep(&g);
	tell(event("a"), 7);
	need(pthread_join(thread, NULL));
	choice("posix_trace(7)", g.error == 0 && number_of(&g.e) == 7,
	       "it waits for an event of a stream with a log, too");
	thread = asleep(&g);
	need(posix_trace_stop(trid));
	need(pthread_join(thread, NULL));
	choice("posix_trace(7)", g.error == 0 &&
	       posix_trace_eventid_equal(trid, g.e.info.posix_event_id, POSIX_TRACE_STOP),
	       "and for its STOP");
	thread = asleep(&g);
	need(posix_trace_shutdown(trid));
	need(pthread_join(thread, NULL));
	same("XSH posix_trace_create, DESCRIPTION", g.error, EINVAL,
	     "the end of that ends it, too: EINVAL");
	trid = reopened(fd);
	tells("posix_trace(7)", trid, RECORDED, "", "what was read is not in the log");
	need(posix_trace_close(trid));
	close(fd);
}

/* PTRC-71 */
static void interrupted(void)
{
	struct sigaction act = { .sa_handler = nothing };
	struct got g = { .error = -1 };
	struct seen e;
	pthread_t thread;

	sigaction(SIGUSR1, &act, NULL);
	trid = started(0, 0);
	thread = asleep(&g);
	need(pthread_kill(thread, SIGUSR1));
	need(pthread_join(thread, NULL));
	same(ERRORS, g.error, EINTR, "a signal ends it: EINTR");
	tell(event("a"), 6);
	check(ERRORS, try_next(trid, &e) && number_of(&e) == 6, "it had no effect");
	need(posix_trace_shutdown(trid));
}

static void at_once(void)
{
	struct seen e;

	trid = started(0, 0);
	tell(event("a"), 1);
	tell(event("b"), 2);
	same(RETURNS, posix_trace_getnext_event(trid, &e.info, e.data, sizeof(e.data), &e.len,
						&e.unavailable), 0, "an event that is there");
	check(DESCRIPTION, number_of(&e) == 1 && e.unavailable == 0, "the oldest");
	need(posix_trace_getnext_event(trid, &e.info, NULL, 0, &e.len, &e.unavailable));
	same(DESCRIPTION, e.len, 0, "without a buffer there is no data");
	same("XSH 2.11.1", e.info.posix_truncation_status, POSIX_TRACE_TRUNCATED_READ, "it is cut");
	need(posix_trace_shutdown(trid));
	same(ERRORS, posix_trace_getnext_event(trid, &e.info, e.data, sizeof(e.data), &e.len,
					       &e.unavailable), EINVAL,
	     "a stream that was shut down: EINVAL");
}

/* PTRC-72 */
static void of_log(void)
{
	struct seen e;
	int fd;

	trid = recorded(&fd);
	for (int i = 0; i < 4; i++)
		check(DESCRIPTION, log_next(trid, &e), "event %d of a log", i);
	for (int i = 0; i < 2; i++) {
		same(RETURNS, posix_trace_getnext_event(trid, &e.info, e.data, sizeof(e.data),
							&e.len, &e.unavailable), 0, "at its end");
		check(DESCRIPTION, e.unavailable != 0, "none is available");
	}
	need(posix_trace_close(trid));
	close(fd);
}

int main(void)
{
	at_once();
	wakes();
	wakes_with_log();
	interrupted();
	of_log();
	return done();
}
