// SPDX-License-Identifier: GPL-2.0
/* irq.c - family "irq": handlers of device interrupts */
#include "probe.h"
#include <linux/interrupt.h>
#include <linux/string.h>
#include <trace/events/irq.h>
#include "emit.h"

/* Stores a name. One that is too long keeps its end, where virtio1-requests.0 and .1 differ. */
static void irq_put_name(char to[KTRACE_COMM_LEN], const char *name)
{
	size_t len;

	BUILD_BUG_ON(KTRACE_IRQ_NAME_HEAD + 1 + KTRACE_IRQ_NAME_TAIL + 1 != KTRACE_COMM_LEN);
	if (strscpy(to, name, KTRACE_COMM_LEN) >= 0)
		return;
	len = strlen(name);
	to[KTRACE_IRQ_NAME_HEAD] = '~';
	memcpy(to + KTRACE_IRQ_NAME_HEAD + 1, name + len - KTRACE_IRQ_NAME_TAIL,
	       KTRACE_IRQ_NAME_TAIL);
}

static void on_irq_enter(void *data, int irq, struct irqaction *action)
{
	struct ktrace_ev_irq_enter payload = { .irq = irq };

	if (action->name)
		irq_put_name(payload.name, action->name);
	kt_emit_current(KTRACE_EV_IRQ_ENTER, &payload, sizeof(payload), NULL);
}

static void on_irq_exit(void *data, int irq, struct irqaction *action, int ret)
{
	const struct ktrace_ev_irq_exit payload = { .irq = irq, .handled = ret != IRQ_NONE };

	kt_emit_current(KTRACE_EV_IRQ_EXIT, &payload, sizeof(payload), NULL);
}

struct kt_probe kt_probe_irq[] = {
	{ KT_TRACEPOINT(KTRACE_EV_IRQ_ENTER, irq_handler_entry, on_irq_enter) },
	{ KT_TRACEPOINT(KTRACE_EV_IRQ_EXIT, irq_handler_exit, on_irq_exit) },
	{ }
};
