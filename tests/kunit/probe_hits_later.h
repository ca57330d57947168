/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probe_hits_later.h - the same for what the kernel leaves for later, for memory and futexes
 *
 * Payloads with the names of functions, as long as these are.
 */
#ifndef PROBE_HITS_LATER_H
#define PROBE_HITS_LATER_H

#include <linux/timer.h>
#include <uapi/linux/ktrace_events.h>

#define SOME_WORK "some_work [ktrace_kunit]"
#define SOME_ALARM "some_alarm [ktrace_kunit]"
#define SOME_TIMER "delayed_work_timer_fn"

struct hit_workqueue_queue {
	struct ktrace_ev_workqueue_queue head;
	char name[sizeof(SOME_WORK)];
} __packed;

struct hit_workqueue {
	struct ktrace_ev_workqueue head;
	char name[sizeof(SOME_WORK)];
} __packed;

struct hit_workqueue_end {
	struct ktrace_ev_workqueue head;
	char name[1];
} __packed;

struct hit_timer_start {
	struct ktrace_ev_timer_start head;
	char name[sizeof(SOME_TIMER)];
} __packed;

struct hit_timer {
	struct ktrace_ev_timer head;
	char name[sizeof(SOME_TIMER)];
} __packed;

struct hit_timer_enter {
	struct ktrace_ev_timer_enter head;
	char name[sizeof(SOME_TIMER)];
} __packed;

struct hit_hrtimer_start {
	struct ktrace_ev_timer_start head;
	char name[sizeof(SOME_ALARM)];
} __packed;

struct hit_hrtimer {
	struct ktrace_ev_timer head;
	char name[sizeof(SOME_ALARM)];
} __packed;

struct hit_hrtimer_enter {
	struct ktrace_ev_timer_enter head;
	char name[sizeof(SOME_ALARM)];
} __packed;

void hit_workqueue_queue(void);
void hit_workqueue_start(void);
void hit_workqueue_end(void);
void hit_timer_start(void);
void hit_timer_cancel(void);
void hit_timer_enter(void);
void hit_timer_exit(void);
void hit_hrtimer_start(void);
void hit_hrtimer_cancel(void);
void hit_hrtimer_enter(void);
void hit_hrtimer_exit(void);
void hit_memory_rss(void);
void hit_memory_oom(void);
void hit_futex_enter(void);
void hit_futex_exit(void);

extern const struct hit_workqueue_queue want_workqueue_queue;
extern const struct hit_workqueue want_workqueue_start;
extern const struct hit_workqueue_end want_workqueue_end;
extern const struct hit_timer_start want_timer_start;
extern const struct hit_timer want_timer_cancel;
extern const struct hit_timer_enter want_timer_enter;
extern const struct ktrace_ev_timer want_timer_exit;
extern const struct hit_hrtimer_start want_hrtimer_start;
extern const struct hit_hrtimer want_hrtimer_cancel;
extern const struct hit_hrtimer_enter want_hrtimer_enter;
extern const struct ktrace_ev_memory_rss want_memory_rss;
extern const struct ktrace_ev_memory_oom want_memory_oom;
extern const struct ktrace_ev_futex_enter want_futex_enter;
extern const struct ktrace_ev_futex_exit want_futex_exit;

/* What the events of timers are about, and how to hit its start with its time as it is */
extern struct timer_list timer;
void hit_timer_start_as_it_is(void);

#endif
