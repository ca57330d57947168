/* SPDX-License-Identifier: GPL-2.0 */
/* timer.h - any number of one-shot timers in the loop, with one descriptor for each clock */
#ifndef KTRACED_BASE_TIMER_H
#define KTRACED_BASE_TIMER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <time.h>

#include "loop.h"

/* May be set again or stopped anywhere, even in its own handler. */
struct timer {
	TAILQ_ENTRY(timer) link;
	bool is_set;
	uint64_t due_ns;
	void (*fire)(void *arg);
	void *arg;
};

struct timers {
	clockid_t clock;
	struct loop_source source;
	TAILQ_HEAD(timer_list, timer) due;	/* soonest first */
};

/* @clock: CLOCK_MONOTONIC, or CLOCK_BOOTTIME, which also runs in suspend. Return: 0 or -errno. */
int timers_init(struct timers *t, struct loop *l, clockid_t clock);
void timers_exit(struct timers *t);
/* Sets a timer whose @fire and @arg are filled in; moves one that is already set. */
void timer_set(struct timers *t, struct timer *timer, uint64_t delay_ms);
void timer_stop(struct timers *t, struct timer *timer);

#endif
