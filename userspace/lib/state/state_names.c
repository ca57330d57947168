// SPDX-License-Identifier: LGPL-2.1
/* state_names.c - names of threads, states, modes and resources */
#include <ktrace/state.h>

#include "decode/syscall.h"
#include "state.h"

#include <linux/ktrace_events.h>
#include <stdio.h>

#define NAME_OF(names, i) ((i) < sizeof(names) / sizeof(names[0]) ? (names)[i] : "?")

const char *ktrace_status_name(__u32 status)
{
	static const char *const names[KTRACE_STATUS_NR] = {
		[KTRACE_STATUS_UNNAMED] = "unnamed",
		[KTRACE_STATUS_WAIT_FORK] = "wait-fork",
		[KTRACE_STATUS_WAIT_CPU] = "wait-cpu",
		[KTRACE_STATUS_EXIT] = "exit",
		[KTRACE_STATUS_ZOMBIE] = "zombie",
		[KTRACE_STATUS_WAIT] = "wait",
		[KTRACE_STATUS_RUN] = "run",
		[KTRACE_STATUS_DEAD] = "dead",
	};

	return NAME_OF(names, status);
}

const char *ktrace_mode_name(__u32 mode)
{
	static const char *const names[KTRACE_MODE_NR] = {
		[KTRACE_MODE_UNKNOWN] = "unknown",
		[KTRACE_MODE_USER] = "user",
		[KTRACE_MODE_SYSCALL] = "syscall",
		[KTRACE_MODE_TRAP] = "trap",
		[KTRACE_MODE_IRQ] = "irq",
		[KTRACE_MODE_SOFTIRQ] = "softirq",
	};

	return NAME_OF(names, mode);
}

const char *ktrace_wait_name(__u32 wait)
{
	static const char *const names[] = {
		[KTRACE_TASK_RUNNABLE] = "runnable",
		[KTRACE_TASK_SLEEP] = "sleep",
		[KTRACE_TASK_DISK] = "disk",
		[KTRACE_TASK_STOPPED] = "stopped",
		[KTRACE_TASK_TRACED] = "traced",
		[KTRACE_TASK_DEAD] = "dead",
		[KTRACE_TASK_IDLE] = "idle",
		[KTRACE_TASK_PARKED] = "parked",
	};

	return NAME_OF(names, wait);
}

const char *ktrace_resource_kind_name(__u32 kind)
{
	static const char *const names[KTRACE_RESOURCE_NR] = {
		[KTRACE_RESOURCE_CPU] = "cpu",
		[KTRACE_RESOURCE_IRQ] = "irq",
		[KTRACE_RESOURCE_SOFTIRQ] = "softirq",
		[KTRACE_RESOURCE_TRAP] = "trap",
		[KTRACE_RESOURCE_BLOCK] = "block",
	};

	return NAME_OF(names, kind);
}

const char *ktrace_resource_mode_name(__u32 mode)
{
	static const char *const names[KTRACE_RES_MODE_NR] = {
		[KTRACE_RES_UNKNOWN] = "unknown",
		[KTRACE_RES_IDLE] = "idle",
		[KTRACE_RES_BUSY] = "busy",
		[KTRACE_RES_IRQ] = "irq",
		[KTRACE_RES_SOFTIRQ] = "softirq",
		[KTRACE_RES_TRAP] = "trap",
		[KTRACE_RES_READ] = "read",
		[KTRACE_RES_WRITE] = "write",
	};

	return NAME_OF(names, mode);
}

static const struct ktrace_field *call_field(const struct ktrace_states *s, __u32 abi)
{
	const struct ktrace_field *f;

	if (!s->nr_field)
		return NULL;
	f = ktrace_syscall_field(s->nr_field, abi);
	return f || abi != KTRACE_SYSCALL_NATIVE ? f : s->nr_field;
}

void ktrace_mode_call(const struct ktrace_states *s, __u32 sub, struct ktrace_mode_syscall *call)
{
	const struct ktrace_field *f;

	call->abi = ktrace_syscall_sub_abi(sub, s->compat_abi);
	call->nr = ktrace_syscall_sub_nr(sub);
	call->mark = ktrace_syscall_mark(call->abi);
	f = call_field(s, call->abi);
	call->name = f ? ktrace_enumerator_find(f, call->nr) : NULL;
}

const char *ktrace_mode_sub_text(const struct ktrace_states *s, __u32 machine, __u32 mode,
				 __u32 sub, char *text, size_t size)
{
	const char *name = ktrace_mode_sub_name(s, machine, mode, sub);
	struct ktrace_mode_syscall call = { .nr = sub, .mark = "" };

	if (mode == KTRACE_MODE_SYSCALL)
		ktrace_mode_call(s, sub, &call);
	if (name)
		snprintf(text, size, "%s%s", call.mark, name);
	else
		snprintf(text, size, "%s%lld", call.mark, call.nr);
	return text;
}

const char *ktrace_mode_sub_name(const struct ktrace_states *s, __u32 machine, __u32 mode,
				 __u32 sub)
{
	const struct ktrace_resource *r;
	struct ktrace_mode_syscall call;

	switch (mode) {
	case KTRACE_MODE_SYSCALL:
		ktrace_mode_call(s, sub, &call);
		return call.name;
	case KTRACE_MODE_SOFTIRQ:
		return s->vec_field ? ktrace_enumerator_find(s->vec_field, sub) : NULL;
	case KTRACE_MODE_IRQ:
		r = ktrace_state_find_resource(s, machine, KTRACE_RESOURCE_IRQ, sub);
		return r && r->name[0] ? r->name : NULL;
	default:
		return NULL;
	}
}

/*
 * Uses META's name at the time of the thread's latest event: a later exec may have changed the
 * name.
 */
const char *ktrace_process_name(const struct ktrace_states *s, const struct ktrace_process *p)
{
	const struct ktrace_trace *trace = ktrace_traceset_trace(s->set, p->machine);

	if (!p->tid)
		return "swapper";
	return p->comm[0] ? p->comm : trace ? ktrace_trace_comm(trace, p->tid, p->stamp) : NULL;
}

__u64 ktrace_process_name_until(const struct ktrace_states *s, const struct ktrace_process *p)
{
	const struct ktrace_trace *trace = ktrace_traceset_trace(s->set, p->machine);
	struct ktrace_image image = { .until = ~0ull };

	if (trace && p->tid)
		ktrace_trace_image(trace, p->tid, p->stamp, &image);
	return image.until;
}

__u32 ktrace_process_pid(const struct ktrace_states *s, const struct ktrace_process *p)
{
	const struct ktrace_trace *trace = ktrace_traceset_trace(s->set, p->machine);

	return p->pid || !p->tid || !trace ? p->pid : ktrace_trace_pid(trace, p->tid, p->stamp);
}
