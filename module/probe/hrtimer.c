// SPDX-License-Identifier: GPL-2.0
/* hrtimer.c - family "hrtimer": high-resolution timers of the kernel */
#include "probe.h"
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <trace/events/timer.h>
#include "compat.h"
#include "emit.h"
#include "func.h"

static void on_hrtimer_start(void *data, struct hrtimer *timer, enum hrtimer_mode mode)
{
	const ktime_t delay = ktime_sub(hrtimer_get_softexpires(timer),
					hrtimer_cb_get_time(timer));

	kt_func_emit_value(KTRACE_EV_HRTIMER_START, timer, ktime_to_ns(delay), timer->function);
}

static void on_hrtimer_start_armed(void *data, struct hrtimer *timer, enum hrtimer_mode mode,
				   bool was_armed)
{
	on_hrtimer_start(data, timer, mode);
}

static void on_hrtimer_cancel(void *data, struct hrtimer *timer)
{
	kt_func_emit(KTRACE_EV_HRTIMER_CANCEL, timer, timer->function);
}

static void on_hrtimer_enter(void *data, struct hrtimer *timer, ktime_t now)
{
	const ktime_t late = ktime_sub(now, hrtimer_get_softexpires(timer));

	kt_func_emit_value(KTRACE_EV_HRTIMER_ENTER, timer, ktime_to_ns(late), timer->function);
}

static void on_hrtimer_enter_pointer(void *data, struct hrtimer *timer, ktime_t *now)
{
	on_hrtimer_enter(data, timer, *now);
}

static void hrtimer_hide_timer(void *payload, bool who, bool other)
{
	((struct ktrace_ev_timer *)payload)->timer = 0;
}

/* Uses only the address of @timer, which may be gone. */
static void on_hrtimer_exit(void *data, struct hrtimer *timer)
{
	const struct ktrace_ev_timer payload = { (unsigned long)timer };

	kt_emit_current(KTRACE_EV_HRTIMER_EXIT, &payload, sizeof(payload), hrtimer_hide_timer);
}

struct kt_probe kt_probe_hrtimer[] = {
	{ KT_TRACEPOINT_EITHER(KTRACE_EV_HRTIMER_START, hrtimer_start, on_hrtimer_start_armed,
			       on_hrtimer_start) },
	{ KT_TRACEPOINT(KTRACE_EV_HRTIMER_CANCEL, hrtimer_cancel, on_hrtimer_cancel) },
	{ KT_TRACEPOINT_EITHER(KTRACE_EV_HRTIMER_ENTER, hrtimer_expire_entry, on_hrtimer_enter,
			       on_hrtimer_enter_pointer) },
	{ KT_TRACEPOINT(KTRACE_EV_HRTIMER_EXIT, hrtimer_expire_exit, on_hrtimer_exit) },
	{ }
};
