// SPDX-License-Identifier: GPL-2.0
/* softirq.c - family "softirq" */
#include "probe.h"
#include <linux/interrupt.h>
#include <trace/events/irq.h>
#include "emit.h"

static void emit_softirq(u16 id, unsigned int vec)
{
	const struct ktrace_ev_softirq payload = { vec };

	kt_emit_current(id, &payload, sizeof(payload), NULL);
}

static void on_softirq_enter(void *data, unsigned int vec)
{
	emit_softirq(KTRACE_EV_SOFTIRQ_ENTER, vec);
}

static void on_softirq_exit(void *data, unsigned int vec)
{
	emit_softirq(KTRACE_EV_SOFTIRQ_EXIT, vec);
}

static void on_softirq_raise(void *data, unsigned int vec)
{
	emit_softirq(KTRACE_EV_SOFTIRQ_RAISE, vec);
}

/* Never called: fails to compile when a tracepoint's arguments are not those above. */
static void __maybe_unused softirq_arguments_match(void)
{
	check_trace_callback_type_softirq_entry(on_softirq_enter);
	check_trace_callback_type_softirq_exit(on_softirq_exit);
	check_trace_callback_type_softirq_raise(on_softirq_raise);
}

struct kt_probe kt_probe_softirq[] = {
	{ .id = KTRACE_EV_SOFTIRQ_ENTER, .tracepoint = "softirq_entry", .func = on_softirq_enter },
	{ .id = KTRACE_EV_SOFTIRQ_EXIT, .tracepoint = "softirq_exit", .func = on_softirq_exit },
	{ .id = KTRACE_EV_SOFTIRQ_RAISE, .tracepoint = "softirq_raise", .func = on_softirq_raise },
	{ }
};
