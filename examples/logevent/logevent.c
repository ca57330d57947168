// SPDX-License-Identifier: MIT
/*
 * logevent.c - a client module: TRACER_LOGEVENT from process, interrupt and kernel thread
 *
 *   insmod logevent.ko count=1000 rate=2000
 *
 * logs @count events from each of three places: at once from the process that loads the
 * module, then @rate a second from a high-resolution timer (interrupt context) and from
 * a kernel thread. Event codes are the S.Ha.R.K. user events 0, 1 and 2 unless codes= says
 * otherwise; par1 is the place, par2 counts from 0. How far each is can be read from
 * /sys/module/logevent/parameters/logged.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/ktrace.h>
#include <linux/module.h>

enum place { PROCESS, INTERRUPT, THREAD, PLACE_NR };

static uint count = 100;
module_param(count, uint, 0444);
MODULE_PARM_DESC(count, "events from each place");

static uint rate = 1000;
module_param(rate, uint, 0444);
MODULE_PARM_DESC(rate, "events a second from timer and thread, 1 to 100000");

static ushort codes[PLACE_NR] = { 0x09, 0x19, 0x29 };
module_param_array(codes, ushort, NULL, 0444);
MODULE_PARM_DESC(codes, "event codes: process, interrupt, thread");

/* Each written by its place only. */
static uint logged[PLACE_NR];
module_param_array(logged, uint, NULL, 0444);
MODULE_PARM_DESC(logged, "events logged so far: process, interrupt, thread");

static struct hrtimer timer;
static struct task_struct *thread;

static void log_next(enum place place)
{
	uint n = logged[place];

	TRACER_LOGEVENT(codes[place], place, n);
	WRITE_ONCE(logged[place], n + 1);
}

static ktime_t period(void)
{
	return ns_to_ktime(NSEC_PER_SEC / rate);
}

static enum hrtimer_restart on_timer(struct hrtimer *t)
{
	if (logged[INTERRUPT] == count)
		return HRTIMER_NORESTART;
	log_next(INTERRUPT);
	hrtimer_forward_now(t, period());
	return HRTIMER_RESTART;
}

static int run_thread(void *unused)
{
	const uint pause_us = max(USEC_PER_SEC / rate, 1l);

	while (!kthread_should_stop()) {
		if (logged[THREAD] < count)
			log_next(THREAD);
		usleep_range(pause_us, 2 * pause_us);
	}
	return 0;
}

static void init_timer(void)
{
#ifdef HAS_HRTIMER_SETUP
	hrtimer_setup(&timer, on_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
#else
	hrtimer_init(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	timer.function = on_timer;
#endif
}

static int __init logevent_init(void)
{
	if (!rate || rate > 100000)
		return -EINVAL;
	thread = kthread_run(run_thread, NULL, "logevent");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	while (logged[PROCESS] < count)
		log_next(PROCESS);
	init_timer();
	hrtimer_start(&timer, period(), HRTIMER_MODE_REL_HARD);
	return 0;
}

static void __exit logevent_exit(void)
{
	hrtimer_cancel(&timer);
	kthread_stop(thread);
}

module_init(logevent_init);
module_exit(logevent_exit);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("Example: log to ktrace from another module");
