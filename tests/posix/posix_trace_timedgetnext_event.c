// SPDX-License-Identifier: GPL-2.0
/* PTRC-76 */
#include "suite.h"

#include <signal.h>

#define PAGE "XSH posix_trace_timedgetnext_event"

static trace_id_t trid;

static int timed(struct seen *e, struct timespec when)
{
	return posix_trace_timedgetnext_event(trid, &e->info, e->data, sizeof(e->data), &e->len,
					      &e->unavailable, &when);
}

static struct timespec in_ms(long ms)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += ms / 1000;
	t.tv_nsec += ms % 1000 * 1000000;
	if (t.tv_nsec >= 1000000000) {
		t.tv_sec++;
		t.tv_nsec -= 1000000000;
	}
	return t;
}

static bool passed(struct timespec t)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec > t.tv_sec || (now.tv_sec == t.tv_sec && now.tv_nsec >= t.tv_nsec);
}

static void *later(void *argument)
{
	(void)argument;
	pause_ms(50);
	tell(event("later"), 9);
	return NULL;
}

static void nothing(int number)
{
	(void)number;
}

static volatile bool answered;

/* Again and again: the first may come before the wait. */
static void *interrupts(void *argument)
{
	pthread_t *thread = argument;

	while (!answered) {
		pause_ms(5);
		pthread_kill(*thread, SIGUSR1);
	}
	return NULL;
}

static void interrupted(void)
{
	struct sigaction act = { .sa_handler = nothing };
	pthread_t self = pthread_self(), other;
	struct seen e;

	sigaction(SIGUSR1, &act, NULL);
	need(pthread_create(&other, NULL, interrupts, &self));
	same(ERRORS, timed(&e, in_ms(100000)), EINTR, "a signal: EINTR");
	answered = true;
	need(pthread_join(other, NULL));
}

int main(void)
{
	static const struct timespec past = { 1, 0 }, much = { 0x7fffffff, 1000000000 },
		less = { 0x7fffffff, -1 };
	struct timespec soon;
	pthread_t thread;
	struct seen e = { .unavailable = 0 };

	trid = started(0, 0);
	same(ERRORS, timed(&e, past), ETIMEDOUT, "a time that has passed: ETIMEDOUT");
	choice("posix_trace(7)", e.unavailable != 0, "none is available then");
	soon = in_ms(30);
	same(ERRORS, timed(&e, soon), ETIMEDOUT, "a time that comes: ETIMEDOUT");
	check(DESCRIPTION, passed(soon), "it has come then");
	same(ERRORS, timed(&e, much), EINVAL, "1000000000 nanoseconds: EINVAL");
	same(ERRORS, timed(&e, less), EINVAL, "-1 nanoseconds: EINVAL");
	tell(event("a"), 1);
	same(DESCRIPTION, timed(&e, past), 0,
	     "an event that is there, with a time that has passed");
	check(DESCRIPTION, e.unavailable == 0 && number_of(&e) == 1, "is delivered");
	tell(event("a"), 2);
	same(DESCRIPTION, timed(&e, in_ms(100000)), 0, "an event that is there");
	check(DESCRIPTION, number_of(&e) == 2, "is delivered");
	tell(event("a"), 3);
	choice(DESCRIPTION, timed(&e, much) == 0 && number_of(&e) == 3,
	       "one that is there, with a time that is none, too");
	need(pthread_create(&thread, NULL, later, NULL));
	same(RETURNS, timed(&e, in_ms(100000)), 0, "it waits for an event");
	check(DESCRIPTION, e.unavailable == 0 && number_of(&e) == 9, "which is the one that came");
	need(pthread_join(thread, NULL));
	interrupted();
	need(posix_trace_shutdown(trid));
	same(ERRORS, timed(&e, past), EINVAL, "a stream that was shut down: EINVAL");
	return done();
}
