// SPDX-License-Identifier: GPL-2.0
/* syscall.c - family "syscall": entry with arguments, exit with the result, and the ABI */
#include "probe.h"
#include <linux/sched.h>
#include <asm/syscall.h>
#include <trace/events/syscalls.h>
#include "compat.h"
#include "emit.h"

/* Not inlined, so that the test whether the event is wanted stays short. */
static noinline void syscall_record_enter(struct pt_regs *regs, long id)
{
	struct ktrace_ev_syscall_enter payload = {
		.nr = (s32)id,
		.abi = kt_arch_syscall_abi((s32)id),
	};
	unsigned long args[6];
	int i;

	syscall_get_arguments(current, regs, args);
	for (i = 0; i < 6; i++)
		payload.args[i] = args[i];
	kt_emit_current(KTRACE_EV_SYSCALL_ENTER, &payload, sizeof(payload), NULL);
}

static void on_syscall_enter(void *data, struct pt_regs *regs, long id)
{
	if (kt_emit_wants(KTRACE_EV_SYSCALL_ENTER, current))
		syscall_record_enter(regs, id);
}

static noinline void syscall_record_exit(struct pt_regs *regs, long ret)
{
	const int nr = syscall_get_nr(current, regs);
	const struct ktrace_ev_syscall_exit payload = {
		.nr = nr,
		.abi = kt_arch_syscall_abi(nr),
		.ret = ret,
	};

	kt_emit_current(KTRACE_EV_SYSCALL_EXIT, &payload, sizeof(payload), NULL);
}

static void on_syscall_exit(void *data, struct pt_regs *regs, long ret)
{
	if (kt_emit_wants(KTRACE_EV_SYSCALL_EXIT, current))
		syscall_record_exit(regs, ret);
}

struct kt_probe kt_probe_syscall[] = {
	{ KT_TRACEPOINT(KTRACE_EV_SYSCALL_ENTER, sys_enter, on_syscall_enter) },
	{ KT_TRACEPOINT(KTRACE_EV_SYSCALL_EXIT, sys_exit, on_syscall_exit) },
	{ }
};
