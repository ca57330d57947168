/* SPDX-License-Identifier: GPL-2.0 */
/* flow_class.h - classes of what a thread does, for pictures over time */
#ifndef VIEWER_ANALYSIS_FLOW_CLASS_H
#define VIEWER_ANALYSIS_FLOW_CLASS_H

#include <ktrace/state.h>

/* flow_letters has the same order. */
enum flow_class {
	FLOW_UNKNOWN, FLOW_RUN, FLOW_USER, FLOW_SYSCALL, FLOW_TRAP, FLOW_IRQ, FLOW_SOFTIRQ,
	FLOW_SLEEP, FLOW_DISK, FLOW_WAIT_CPU, FLOW_FORK, FLOW_EXIT, FLOW_ZOMBIE, FLOW_NR,
};

/* A letter for each class: " RUSTIi.Dwfxz" */
extern const char flow_letters[];

int flow_class(const struct ktrace_process *p);

#endif
