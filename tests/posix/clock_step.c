// SPDX-License-Identifier: GPL-2.0
/*
 * clock_step.c - the wall clock is set while a thread waits by it
 *
 * It sets the clock of the machine: only with TRACE_SET_CLOCK in the environment, as root.
 *
 * PTRC-76
 */
#include "suite.h"

#include <sys/syscall.h>

#define PAGE "XSH posix_trace_timedgetnext_event"
#define HOUR 3600

static trace_id_t trid;
static pid_t tid;

static void step(time_t seconds)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_sec += seconds;
	need(clock_settime(CLOCK_REALTIME, &now) ? errno : 0);
}

static void *waits_an_hour(void *argument)
{
	struct timespec until;
	struct seen e;

	(void)argument;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += HOUR;
	__atomic_store_n(&tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	return (void *)(intptr_t)posix_trace_timedgetnext_event(trid, &e.info, e.data,
								sizeof(e.data),
								&e.len, &e.unavailable, &until);
}

int main(void)
{
	trace_event_id_t id = event("step");
	struct seen first, second, third;
	pthread_t thread;
	void *error;

	if (!getenv("TRACE_SET_CLOCK") || geteuid())
		skip("TRACE_SET_CLOCK is not in the environment, or not root");
	trid = started(0, 0);
	need(pthread_create(&thread, NULL, waits_an_hour, NULL));
	while (!__atomic_load_n(&tid, __ATOMIC_ACQUIRE))
		pause_ms(1);
	await_sleep(tid);
	step(2 * HOUR);
	need(pthread_join(thread, &error));
	same(DESCRIPTION, (intptr_t)error, ETIMEDOUT, "a step over the end of a wait ends it");
	tell(id, 1);
	step(-2 * HOUR);
	tell(id, 2);
	tell(id, 3);
	check(DESCRIPTION, try_next(trid, &first) && number_of(&first) == 1 &&
	      try_next(trid, &second) && number_of(&second) == 2 &&
	      try_next(trid, &third) && number_of(&third) == 3,
	      "a step back leaves the order of events as it was");
	check("posix_trace(7)",
	      third.info.posix_timestamp.tv_sec >= second.info.posix_timestamp.tv_sec,
	      "stamps of one stream go on");
	need(posix_trace_shutdown(trid));
	return done();
}
