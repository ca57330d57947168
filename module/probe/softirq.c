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

struct kt_probe kt_probe_softirq[] = {
	{ KT_TRACEPOINT(KTRACE_EV_SOFTIRQ_ENTER, softirq_entry, on_softirq_enter) },
	{ KT_TRACEPOINT(KTRACE_EV_SOFTIRQ_EXIT, softirq_exit, on_softirq_exit) },
	{ KT_TRACEPOINT(KTRACE_EV_SOFTIRQ_RAISE, softirq_raise, on_softirq_raise) },
	{ }
};
