// SPDX-License-Identifier: GPL-2.0
/* timer.c - a sorted list: there are few timers, and most are due after all others */
#include "timer.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"

static void arm(struct timers *t)
{
	const struct timer *first = TAILQ_FIRST(&t->due);
	struct itimerspec at = { 0 };

	if (first) {
		at.it_value.tv_sec = (time_t)(first->due_ns / NS_PER_S);
		at.it_value.tv_nsec = (long)(first->due_ns % NS_PER_S);
	}
	timerfd_settime(t->source.fd, TFD_TIMER_ABSTIME, &at, NULL);
}

static void take(struct timers *t, struct timer *timer)
{
	TAILQ_REMOVE(&t->due, timer, link);
	timer->is_set = false;
}

/* Runs only timers due at its start: one that sets itself with no delay waits for the next turn. */
static void run(void *arg, uint32_t events)
{
	struct timers *t = arg;
	uint64_t expired, until = clock_ns(t->clock);
	struct timer *timer;

	(void)events;
	if (read(t->source.fd, &expired, sizeof(expired)) < 0 && errno == EAGAIN)
		return;
	while ((timer = TAILQ_FIRST(&t->due)) && timer->due_ns <= until) {
		take(t, timer);
		timer->fire(timer->arg);
	}
	arm(t);
}

int timers_init(struct timers *t, struct loop *l, clockid_t clock)
{
	int error;

	t->clock = clock;
	TAILQ_INIT(&t->due);
	t->source = (struct loop_source) {
		.fd = timerfd_create(clock, TFD_CLOEXEC | TFD_NONBLOCK), .handler = run, .arg = t,
	};
	if (t->source.fd < 0)
		return -errno;
	error = loop_join(l, &t->source, EPOLLIN);
	if (error)
		close(t->source.fd);
	return error;
}

void timers_exit(struct timers *t)
{
	close(t->source.fd);
}

void timer_set(struct timers *t, struct timer *timer, uint64_t delay_ms)
{
	struct timer *before;

	if (timer->is_set)
		take(t, timer);
	timer->due_ns = clock_ns(t->clock) + delay_ms * NS_PER_MS;
	timer->is_set = true;
	TAILQ_FOREACH_REVERSE(before, &t->due, timer_list, link)
		if (before->due_ns <= timer->due_ns)
			break;
	if (before)
		TAILQ_INSERT_AFTER(&t->due, before, timer, link);
	else
		TAILQ_INSERT_HEAD(&t->due, timer, link);
	if (TAILQ_FIRST(&t->due) == timer)
		arm(t);
}

void timer_stop(struct timers *t, struct timer *timer)
{
	if (!timer->is_set)
		return;
	take(t, timer);
	arm(t);
}
