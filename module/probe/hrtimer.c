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

#define START_PASSES_ARMED \
	KT_COMPAT_PASSES(hrtimer_start, struct hrtimer *, enum hrtimer_mode, bool)
static_assert(START_PASSES_ARMED ||
	      KT_COMPAT_PASSES(hrtimer_start, struct hrtimer *, enum hrtimer_mode));

#define ENTER_PASSES_VALUE KT_COMPAT_PASSES(hrtimer_expire_entry, struct hrtimer *, ktime_t)
static_assert(ENTER_PASSES_VALUE ||
	      KT_COMPAT_PASSES(hrtimer_expire_entry, struct hrtimer *, ktime_t *));

/* Never called: fails to compile when a tracepoint's arguments are not those above. */
static void __maybe_unused hrtimer_arguments_match(void)
{
	check_trace_callback_type_hrtimer_cancel(on_hrtimer_cancel);
	check_trace_callback_type_hrtimer_expire_exit(on_hrtimer_exit);
}

struct kt_probe kt_probe_hrtimer[] = {
	{ .id = KTRACE_EV_HRTIMER_START, .tracepoint = "hrtimer_start",
	  .func = __builtin_choose_expr(START_PASSES_ARMED, (void *)on_hrtimer_start_armed,
					(void *)on_hrtimer_start) },
	{ .id = KTRACE_EV_HRTIMER_CANCEL, .tracepoint = "hrtimer_cancel", .func =
	 on_hrtimer_cancel },
	{ .id = KTRACE_EV_HRTIMER_ENTER, .tracepoint = "hrtimer_expire_entry",
	  .func = __builtin_choose_expr(ENTER_PASSES_VALUE, (void *)on_hrtimer_enter,
					(void *)on_hrtimer_enter_pointer) },
	{ .id = KTRACE_EV_HRTIMER_EXIT, .tracepoint = "hrtimer_expire_exit", .func =
	 on_hrtimer_exit },
	{ }
};
