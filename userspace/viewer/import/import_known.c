// SPDX-License-Identifier: GPL-2.0
/*
 * import_known.c - table of events of other tracers, with the fields that have another name or
 * encoding
 *
 * Names are those of the kernel's tracepoints, as shown by ftrace and perf, and those of LTTng,
 * whose tracepoints are at the same places, but have some other names and groups.
 */
#include "import_known.h"

#include <string.h>

#include <ktrace/session.h>

#include "task_state.h"

bool import_known_is_text(const struct ktrace_value *v)
{
	return v->field->scalar == KTRACE_CHAR;
}

__s64 import_known_state(const struct import_writer *f, const struct ktrace_value *v)
{
	(void)f;
	if (!import_known_is_text(v) || !v->count)
		return KTRACE_TASK_RUNNABLE;
	return task_state_letters(v->data, strnlen(v->data, v->count));
}

/* As text it is "handled" or not. */
static __s64 irq_handled(const struct import_writer *f, const struct ktrace_value *v)
{
	(void)f;
	return import_known_is_text(v) ? v->count && v->data[0] == 'h' : ktrace_value_s64(v, 0);
}

static __s64 pid_of(const struct import_writer *f, const struct ktrace_value *v)
{
	return import_writer_pid(f, (__u32)ktrace_value_s64(v, 0));
}

static __s64 fault_access(const struct import_writer *f, const struct ktrace_value *v)
{
	const __s64 code = ktrace_value_s64(v, 0);

	(void)f;
	if (code & 16)
		return KTRACE_FAULT_EXEC;
	return code & 2 ? KTRACE_FAULT_WRITE : KTRACE_FAULT_READ;
}

static __s64 fault_protection(const struct import_writer *f, const struct ktrace_value *v)
{
	(void)f;
	return ktrace_value_s64(v, 0) & 1;
}

static __s64 sectors_to_bytes(const struct import_writer *f, const struct ktrace_value *v)
{
	(void)f;
	return ktrace_value_s64(v, 0) * 512;
}

/* A text of letters; with LTTng a number with bits */
static __s64 block_op(const struct import_writer *f, const struct ktrace_value *v)
{
	__s64 bits;

	(void)f;
	if (!import_known_is_text(v)) {
		bits = ktrace_value_s64(v, 0);
		if (bits & 2)
			return KTRACE_BLOCK_DISCARD;
		if (bits & 1)
			return KTRACE_BLOCK_WRITE;
		return bits & 4 ? KTRACE_BLOCK_READ : KTRACE_BLOCK_FLUSH;
	}
	for (__u32 i = 0; i < v->count; i++)
		switch (v->data[i]) {
		case 'D':
			return KTRACE_BLOCK_DISCARD;
		case 'W':
			return KTRACE_BLOCK_WRITE;
		case 'R':
			return KTRACE_BLOCK_READ;
		}
	return v->count && v->data[0] == 'F' ? KTRACE_BLOCK_FLUSH : KTRACE_BLOCK_OTHER;
}

/* The first entry with all its fields present is used. */
static const struct import_known all_known[] = {
	{ "sched_switch", KTRACE_EV_SCHED_SWITCH, {
		{ "prev_tid", "prev_tid", NULL }, { "next_tid", "next_tid", NULL },
		{ "prev_state", "prev_state", import_known_state } } },
	{ "sched_switch", KTRACE_EV_SCHED_SWITCH, {
		{ "prev_tid", "prev_pid", NULL }, { "next_tid", "next_pid", NULL },
		{ "prev_state", "prev_state", import_known_state } } },
	{ "sched_wakeup", KTRACE_EV_SCHED_WAKEUP, { { "tid", "tid|pid", NULL } } },
	{ "sched_wakeup_new", KTRACE_EV_SCHED_WAKEUP, { { "tid", "tid|pid", NULL } } },
	{ "sched_migrate_task", KTRACE_EV_SCHED_MIGRATE, {
		{ "tid", "tid|pid", NULL }, { "from_cpu", "orig_cpu", NULL },
		{ "to_cpu", "dest_cpu", NULL } } },
	{ "sched_process_fork", KTRACE_EV_SCHED_FORK, { { "comm", "child_comm", NULL } } },
	{ "sched_process_fork", KTRACE_EV_SCHED_FORK, {
		{ "comm", "child_comm", NULL }, { "parent_tid", "parent_pid|pid", NULL },
		{ "child_tid", "child_pid", NULL }, { "parent_pid", "parent_pid|pid", pid_of },
		{ "child_pid", "child_pid", pid_of } } },
	{ "sched_process_exec", KTRACE_EV_SCHED_EXEC, {
		{ "pid", "tid|pid", NULL }, { "old_tid", "old_tid|old_pid", NULL } } },
	{ "sched_process_exit", KTRACE_EV_SCHED_EXIT, {
		{ "tid", "tid|pid", NULL }, { "pid", "tid|pid", pid_of } } },
	{ "task_rename", KTRACE_EV_SCHED_COMM, {
		{ "tid", "tid|pid", NULL }, { "pid", "tid|pid", pid_of },
		{ "comm", "newcomm", NULL } } },
	{ "sys_enter", KTRACE_EV_SYSCALL_ENTER, { { "nr", "id", NULL } } },
	{ "sys_exit", KTRACE_EV_SYSCALL_EXIT, { { "nr", "id", NULL } } },
	{ "sys_enter_*", KTRACE_EV_SYSCALL_ENTER, { } },
	{ "sys_exit_*", KTRACE_EV_SYSCALL_EXIT, { } },
	{ "syscall_entry_*", KTRACE_EV_SYSCALL_ENTER, { } },
	{ "syscall_exit_*", KTRACE_EV_SYSCALL_EXIT, { } },
	{ "compat_syscall_entry_*", KTRACE_EV_SYSCALL_ENTER, { } },
	{ "compat_syscall_exit_*", KTRACE_EV_SYSCALL_EXIT, { } },
	{ "irq_handler_entry", KTRACE_EV_IRQ_ENTER, { } },
	{ "irq_handler_exit", KTRACE_EV_IRQ_EXIT, { { "handled", "ret", irq_handled } } },
	{ "softirq_entry", KTRACE_EV_SOFTIRQ_ENTER, { } },
	{ "softirq_exit", KTRACE_EV_SOFTIRQ_EXIT, { } },
	{ "softirq_raise", KTRACE_EV_SOFTIRQ_RAISE, { } },
	{ "irq_softirq_entry", KTRACE_EV_SOFTIRQ_ENTER, { } },
	{ "irq_softirq_exit", KTRACE_EV_SOFTIRQ_EXIT, { } },
	{ "irq_softirq_raise", KTRACE_EV_SOFTIRQ_RAISE, { } },
	{ "block_rq_issue", KTRACE_EV_BLOCK_ISSUE, {
		{ "tag", "sector", NULL }, { "op", "rwbs", block_op } } },
	{ "block_rq_complete", KTRACE_EV_BLOCK_COMPLETE, {
		{ "tag", "sector", NULL }, { "op", "rwbs", block_op },
		{ "bytes", "nr_sector", sectors_to_bytes }, { "left", NULL, NULL },
		{ "error", "error|errors", NULL } } },
	{ "signal_generate", KTRACE_EV_SIGNAL_GENERATE, {
		{ "tid", "tid|pid", NULL }, { "pid", "tid|pid", pid_of },
		{ "is_group", "group|grp", NULL }, { "result", "result|res", NULL } } },
	{ "signal_deliver", KTRACE_EV_SIGNAL_DELIVER, {
		{ "handler", "sa_handler", NULL }, { "flags", "sa_flags", NULL } } },
	{ "page_fault_user", KTRACE_EV_FAULT_USER, {
		{ "access", "error_code", fault_access },
		{ "is_protection", "error_code", fault_protection } } },
	{ "page_fault_kernel", KTRACE_EV_FAULT_KERNEL, {
		{ "access", "error_code", fault_access },
		{ "is_protection", "error_code", fault_protection } } },
	{ "x86_exceptions_page_fault_user", KTRACE_EV_FAULT_USER, {
		{ "access", "error_code", fault_access },
		{ "is_protection", "error_code", fault_protection } } },
	{ "x86_exceptions_page_fault_kernel", KTRACE_EV_FAULT_KERNEL, {
		{ "access", "error_code", fault_access },
		{ "is_protection", "error_code", fault_protection } } },
	{ "contention_begin", KTRACE_EV_LOCK_CONTENDED, { { "lock", "lock_addr", NULL } } },
	{ "contention_end", KTRACE_EV_LOCK_ACQUIRED, {
		{ "lock", "lock_addr", NULL }, { "result", "ret", NULL } } },
	{ "cpu_idle", KTRACE_EV_POWER_IDLE, { { "cpu", "cpu_id", NULL } } },
	{ "power_cpu_idle", KTRACE_EV_POWER_IDLE, { { "cpu", "cpu_id", NULL } } },
	{ "cpu_frequency", KTRACE_EV_POWER_FREQUENCY, {
		{ "cpu", "cpu_id", NULL }, { "khz", "state", NULL } } },
	/* Their fields: import_packet.c */
	{ "net_dev_queue", KTRACE_EV_NET_QUEUE, { } },
	{ "net_if_receive_skb", KTRACE_EV_NET_RECEIVE, { } },
	{ "netif_receive_skb", KTRACE_EV_NET_RECEIVE, { } },
	{ "inet_sock_local_out", KTRACE_EV_NET_QUEUE, { } },
	{ "inet_sock_local_in", KTRACE_EV_NET_RECEIVE, { } },
	{ "power_cpu_frequency", KTRACE_EV_POWER_FREQUENCY, {
		{ "cpu", "cpu_id", NULL }, { "khz", "state", NULL } } },
};

const struct import_known *import_known(size_t i)
{
	return i < sizeof(all_known) / sizeof(all_known[0]) ? &all_known[i] : NULL;
}
