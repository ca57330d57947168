// SPDX-License-Identifier: GPL-2.0
/* flow_class.c - classes of what a thread does, for pictures over time */
#include "flow_class.h"

#include <linux/ktrace_events.h>

const char flow_letters[] = " RUSTIi.Dwfxz";

_Static_assert(sizeof(flow_letters) == FLOW_NR + 1, "a letter for each class");

int flow_class(const struct ktrace_process *p)
{
	static const int running[KTRACE_MODE_NR] = {
		[KTRACE_MODE_UNKNOWN] = FLOW_RUN, [KTRACE_MODE_USER] = FLOW_USER,
		[KTRACE_MODE_SYSCALL] = FLOW_SYSCALL, [KTRACE_MODE_TRAP] = FLOW_TRAP,
		[KTRACE_MODE_IRQ] = FLOW_IRQ, [KTRACE_MODE_SOFTIRQ] = FLOW_SOFTIRQ,
	};

	switch (p->status) {
	case KTRACE_STATUS_RUN:
		return running[ktrace_process_mode(p)->mode];
	case KTRACE_STATUS_WAIT:
		return p->wait == KTRACE_TASK_DISK ? FLOW_DISK : FLOW_SLEEP;
	case KTRACE_STATUS_WAIT_CPU:
		return FLOW_WAIT_CPU;
	case KTRACE_STATUS_WAIT_FORK:
		return FLOW_FORK;
	case KTRACE_STATUS_EXIT:
		return FLOW_EXIT;
	case KTRACE_STATUS_ZOMBIE:
		return FLOW_ZOMBIE;
	default:
		return FLOW_UNKNOWN;
	}
}
