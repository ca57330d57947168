// SPDX-License-Identifier: GPL-2.0
/* fault.c - family "fault": page faults: missing pages, and forbidden accesses */
#include "probe.h"
#include "compat.h"
#include "emit.h"

#ifdef KT_ARCH_HAS_FAULTS
static_assert(sizeof(struct ktrace_ev_fault) <= KT_HIDE_MAX);

/*
 * Hides kernel addresses: they are for privileged users only. As in a signal's error code, every
 * access to one is a forbidden one: whether there is a page would tell where the kernel is.
 */
static void hide_addresses(void *payload, bool who, bool other)
{
	struct ktrace_ev_fault *p = payload;

	if (p->ip >= TASK_SIZE_MAX)
		p->ip = 0;
	if (p->address >= TASK_SIZE_MAX) {
		p->address = 0;
		p->is_protection = 1;
	}
}

static void emit_fault(u16 id, unsigned long address, unsigned long ip, unsigned long error)
{
	const struct ktrace_ev_fault payload = {
		.address = address,
		.ip = ip,
		.access = kt_arch_fault_access(error),
		.is_protection = kt_arch_fault_is_protection(error),
	};

	kt_emit_current(id, &payload, sizeof(payload), hide_addresses);
}

static void on_fault_user(void *data, unsigned long address, struct pt_regs *regs,
			  unsigned long error)
{
	emit_fault(KTRACE_EV_FAULT_USER, address, instruction_pointer(regs), error);
}

static void on_fault_kernel(void *data, unsigned long address, struct pt_regs *regs,
			    unsigned long error)
{
	emit_fault(KTRACE_EV_FAULT_KERNEL, address, instruction_pointer(regs), error);
}

struct kt_probe kt_probe_fault[] = {
	{ KT_TRACEPOINT(KTRACE_EV_FAULT_USER, page_fault_user, on_fault_user) },
	{ KT_TRACEPOINT(KTRACE_EV_FAULT_KERNEL, page_fault_kernel, on_fault_kernel) },
	{ }
};
#else
/* The kernel may have tracepoints of these names: with error codes that are not understood here. */
struct kt_probe kt_probe_fault[] = {
	{ KT_TRACEPOINT_ABSENT(KTRACE_EV_FAULT_USER, page_fault_user) },
	{ KT_TRACEPOINT_ABSENT(KTRACE_EV_FAULT_KERNEL, page_fault_kernel) },
	{ }
};
#endif
