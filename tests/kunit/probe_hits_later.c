// SPDX-License-Identifier: GPL-2.0
/* probe_hits_later.c - the same for what the kernel leaves for later, for memory and futexes */
#include "probe_hits_later.h"
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/workqueue.h>
#include <uapi/linux/futex.h>
#include <asm/syscall.h>
#include <trace/events/kmem.h>
#include <trace/events/oom.h>
#include <trace/events/timer.h>
#include <trace/events/workqueue.h>
#include "compat.h"
#include "probe_hits.h"

static void some_work(struct work_struct *work)
{
}

static DECLARE_WORK(work, some_work);

void hit_workqueue_queue(void)
{
	HIT(row_of(KTRACE_EV_WORKQUEUE_QUEUE, 0),
	    void (*)(void *, int, struct pool_workqueue *, struct work_struct *),
	    WORK_CPU_UNBOUND, NULL, &work);
}

void hit_workqueue_start(void)
{
	HIT(row_of(KTRACE_EV_WORKQUEUE_START, 0), void (*)(void *, struct work_struct *), &work);
}

/* The work is gone, and so is the function: at no time is there one at this address. */
void hit_workqueue_end(void)
{
	HIT(row_of(KTRACE_EV_WORKQUEUE_END, 0),
	    void (*)(void *, struct work_struct *, work_func_t), (void *)SOME_KERNEL_ADDRESS,
	    (work_func_t)1);
}

/* Due at a time so far away that the tick of the clock does not show. */
struct timer_list timer = { .function = delayed_work_timer_fn };

void hit_timer_start_as_it_is(void)
{
	if (KT_COMPAT_PASSES(timer_start, struct timer_list *, unsigned long))
		HIT(row_of(KTRACE_EV_TIMER_START, 0),
		    void (*)(void *, struct timer_list *, unsigned long), &timer, 1);
	else
		HIT(row_of(KTRACE_EV_TIMER_START, 0),
		    void (*)(void *, struct timer_list *, unsigned long, unsigned int), &timer,
		    timer.expires, 0);
}

void hit_timer_start(void)
{
	timer.expires = jiffies + MAX_JIFFY_OFFSET;
	hit_timer_start_as_it_is();
}

void hit_timer_cancel(void)
{
	HIT(row_of(KTRACE_EV_TIMER_CANCEL, 0), void (*)(void *, struct timer_list *), &timer);
}

void hit_timer_enter(void)
{
	timer.expires = jiffies - MAX_JIFFY_OFFSET;
	HIT(row_of(KTRACE_EV_TIMER_ENTER, 0),
	    void (*)(void *, struct timer_list *, unsigned long), &timer, 1);
}

void hit_timer_exit(void)
{
	HIT(row_of(KTRACE_EV_TIMER_EXIT, 0), void (*)(void *, struct timer_list *),
	    (struct timer_list *)SOME_KERNEL_ADDRESS);
}

static enum hrtimer_restart some_alarm(struct hrtimer *of)
{
	return HRTIMER_NORESTART;
}

/* The function became private with 6.18, the base with 7.3; then the clock cannot be replaced. */
#ifdef KT_HAS_HRTIMER_GET_TIME
static ktime_t always_4242(void)
{
	return 4242;
}

static struct hrtimer_clock_base clock_base = { .get_time = always_4242 };
#define CLOCK_BASE (&clock_base)
#else
#define CLOCK_BASE NULL
#endif

static struct hrtimer hrtimer = {
	.base = CLOCK_BASE, .function = some_alarm, ._softexpires = 4200, .node.expires = 5000,
};

void hit_hrtimer_start(void)
{
	if (KT_COMPAT_PASSES(hrtimer_start, struct hrtimer *, enum hrtimer_mode))
		HIT(row_of(KTRACE_EV_HRTIMER_START, 0),
		    void (*)(void *, struct hrtimer *, enum hrtimer_mode), &hrtimer,
		    HRTIMER_MODE_ABS);
	else
		HIT(row_of(KTRACE_EV_HRTIMER_START, 0),
		    void (*)(void *, struct hrtimer *, enum hrtimer_mode, bool), &hrtimer,
		    HRTIMER_MODE_ABS, false);
}

void hit_hrtimer_cancel(void)
{
	HIT(row_of(KTRACE_EV_HRTIMER_CANCEL, 0), void (*)(void *, struct hrtimer *), &hrtimer);
}

void hit_hrtimer_enter(void)
{
	ktime_t now = 5242;

	if (KT_COMPAT_PASSES(hrtimer_expire_entry, struct hrtimer *, ktime_t))
		HIT(row_of(KTRACE_EV_HRTIMER_ENTER, 0), void (*)(void *, struct hrtimer *, ktime_t),
		    &hrtimer, now);
	else
		HIT(row_of(KTRACE_EV_HRTIMER_ENTER, 0),
		    void (*)(void *, struct hrtimer *, ktime_t *), &hrtimer, &now);
}

void hit_hrtimer_exit(void)
{
	HIT(row_of(KTRACE_EV_HRTIMER_EXIT, 0), void (*)(void *, struct hrtimer *),
	    (struct hrtimer *)SOME_KERNEL_ADDRESS);
}

/* Memory of 42 pages, of the task that is followed as far as that can be known. */
static struct mm_struct mm;

static void hit_rss(void (*hit)(void))
{
	const bool is_percpu = __same_type(mm.rss_stat, struct percpu_counter[NR_MM_COUNTERS]);
	struct percpu_counter *pages = (struct percpu_counter *)&mm.rss_stat + MM_SHMEMPAGES;

#ifdef CONFIG_MEMCG
	rcu_assign_pointer(mm.owner, followed);
#endif
	if (is_percpu && percpu_counter_init(pages, 42, GFP_KERNEL))
		return;
	hit();
	if (is_percpu)
		percpu_counter_destroy(pages);
}

static void hit_rss_stat(void)
{
	if (KT_COMPAT_PASSES(rss_stat, struct mm_struct *, int))
		HIT(row_of(KTRACE_EV_MEMORY_RSS, 0), void (*)(void *, struct mm_struct *, int), &mm,
		    MM_SHMEMPAGES);
	else
		HIT(row_of(KTRACE_EV_MEMORY_RSS, 0),
		    void (*)(void *, struct mm_struct *, int, long), &mm, MM_SHMEMPAGES, 42);
}

void hit_memory_rss(void)
{
	hit_rss(hit_rss_stat);
}

/* A kernel that tells no more than the id is told of nobody, as nobody has it. */
void hit_memory_oom(void)
{
	followed->signal->oom_score_adj = -500;
	HIT(row_of(KTRACE_EV_MEMORY_OOM, 0), void (*)(void *, struct task_struct *, uid_t),
	    followed, 0);
}

void hit_futex_enter(void)
{
	struct pt_regs regs = {
		.di = 0x123450, .si = FUTEX_CMP_REQUEUE | FUTEX_PRIVATE_FLAG, .dx = 3, .r10 = 4,
		.r8 = 0x123460, .r9 = ~0ul,
	};

	HIT(row_of(KTRACE_EV_FUTEX_ENTER, 0), void (*)(void *, struct pt_regs *, long), &regs,
	    __NR_futex);
}

void hit_futex_exit(void)
{
	struct pt_regs regs = {
		.orig_ax = __NR_futex, .di = 0x123450, .si = FUTEX_LOCK_PI | FUTEX_PRIVATE_FLAG,
	};

	HIT(row_of(KTRACE_EV_FUTEX_EXIT, 0), void (*)(void *, struct pt_regs *, long), &regs,
	    -EDEADLK);
}

const struct hit_workqueue_queue want_workqueue_queue = {
	{ (unsigned long)&work, -1 }, SOME_WORK,
};
const struct hit_workqueue want_workqueue_start = {
	{ (unsigned long)&work }, SOME_WORK,
};
const struct hit_workqueue_end want_workqueue_end = { { SOME_KERNEL_ADDRESS }, "" };
const struct hit_timer_start want_timer_start = {
	{ (unsigned long)&timer, S64_MAX / TICK_NSEC * TICK_NSEC }, SOME_TIMER,
};
const struct hit_timer want_timer_cancel = {
	{ (unsigned long)&timer }, SOME_TIMER,
};
const struct hit_timer_enter want_timer_enter = {
	{ (unsigned long)&timer, S64_MAX / TICK_NSEC * TICK_NSEC }, SOME_TIMER,
};
const struct ktrace_ev_timer want_timer_exit = { SOME_KERNEL_ADDRESS };
const struct hit_hrtimer_start want_hrtimer_start = {
	{ (unsigned long)&hrtimer, 4200 - 4242 }, SOME_ALARM,
};
const struct hit_hrtimer want_hrtimer_cancel = {
	{ (unsigned long)&hrtimer }, SOME_ALARM,
};
const struct hit_hrtimer_enter want_hrtimer_enter = {
	{ (unsigned long)&hrtimer, 5242 - 4200 }, SOME_ALARM,
};
const struct ktrace_ev_memory_rss want_memory_rss = {
	42 * PAGE_SIZE, IS_ENABLED(CONFIG_MEMCG) ? SOME_PID + 1 : 0, KTRACE_MEMORY_SHM,
};
const struct ktrace_ev_memory_oom want_memory_oom = { SOME_PID, SOME_PID + 1, -500, "followed" };
const struct ktrace_ev_futex_enter want_futex_enter = {
	0x123450, 0x123460, KTRACE_FUTEX_CMP_REQUEUE, KTRACE_FUTEX_PRIVATE, 3, 4, ~0u,
};
const struct ktrace_ev_futex_exit want_futex_exit = { 0x123450, KTRACE_FUTEX_LOCK_PI, -EDEADLK };
