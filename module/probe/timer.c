// SPDX-License-Identifier: GPL-2.0
/* timer.c - family "timer": timers of the kernel that its tick drives */
#include "probe.h"
#include <linux/jiffies.h>
#include <linux/timer.h>
#include <trace/events/timer.h>
#include "compat.h"
#include "emit.h"
#include "func.h"

/*
 * Returns nanoseconds, limited to what fits: a timer that never expires does so in three hundred
 * years.
 */
static s64 ns_between(unsigned long from, unsigned long to)
{
	const s64 max = S64_MAX / TICK_NSEC;

	return clamp_t(s64, (long)(to - from), -max, max) * TICK_NSEC;
}

static void emit_start(const struct timer_list *timer, unsigned long expires)
{
	kt_func_emit_value(KTRACE_EV_TIMER_START, timer, ns_between(jiffies, expires),
			   timer->function);
}

/* @bucket_expiry, when the timer wheel will look at the timer, is later than that and not used. */
static void on_timer_start(void *data, struct timer_list *timer, unsigned long bucket_expiry)
{
	emit_start(timer, timer->expires);
}

static void on_timer_start_flags(void *data, struct timer_list *timer, unsigned long expires,
				 unsigned int flags)
{
	emit_start(timer, expires);
}

static void on_timer_cancel(void *data, struct timer_list *timer)
{
	kt_func_emit(KTRACE_EV_TIMER_CANCEL, timer, timer->function);
}

static void on_timer_enter(void *data, struct timer_list *timer, unsigned long clk)
{
	kt_func_emit_value(KTRACE_EV_TIMER_ENTER, timer, ns_between(timer->expires, jiffies),
			   timer->function);
}

static void timer_hide_timer(void *payload, bool who, bool other)
{
	((struct ktrace_ev_timer *)payload)->timer = 0;
}

/* Uses only the address of @timer, which may be gone. */
static void on_timer_exit(void *data, struct timer_list *timer)
{
	const struct ktrace_ev_timer payload = { (unsigned long)timer };

	kt_emit_current(KTRACE_EV_TIMER_EXIT, &payload, sizeof(payload), timer_hide_timer);
}

struct kt_probe kt_probe_timer[] = {
	{ KT_TRACEPOINT_EITHER(KTRACE_EV_TIMER_START, timer_start, on_timer_start_flags,
			       on_timer_start) },
	{ KT_TRACEPOINT(KTRACE_EV_TIMER_CANCEL, timer_cancel, on_timer_cancel) },
	{ KT_TRACEPOINT(KTRACE_EV_TIMER_ENTER, timer_expire_entry, on_timer_enter) },
	{ KT_TRACEPOINT(KTRACE_EV_TIMER_EXIT, timer_expire_exit, on_timer_exit) },
	{ }
};
