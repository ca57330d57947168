// SPDX-License-Identifier: GPL-2.0
/*
 * sched.c - family "sched": tasks that run, wake, migrate, are made, change and end
 *
 * Fork, exec and exit also keep the process filters of all sessions up to date, whether their
 * events are enabled or not; a child is in the filter before it runs, and a thread leaves after its
 * exit has been recorded.
 */
#include "probe.h"
#include <linux/binfmts.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>
#include "compat.h"
#include "emit.h"

/* Longer file names in exec events are truncated, and the record says so. */
#define EXEC_NAME_MAX 256

static_assert(KTRACE_COMM_LEN == TASK_COMM_LEN);
static_assert(sizeof(struct ktrace_ev_sched_switch) <= KT_HIDE_MAX);

static void emit_for(const struct task_struct *who, u16 id, const void *payload, u16 len)
{
	kt_emit(&(struct kt_event){ .id = id, .len = len, .payload = payload, .who = who });
}

/* The kernel's state bits differ between versions; ours do not, see ktrace_events.h. */
static u32 stable_state(bool preempt, unsigned int state)
{
	static const struct {
		unsigned int bits;
		u32 number;
	} states[] = {
		{ TASK_DEAD | EXIT_DEAD | EXIT_ZOMBIE, KTRACE_TASK_DEAD },
		{ TASK_PARKED, KTRACE_TASK_PARKED },
		{ __TASK_TRACED, KTRACE_TASK_TRACED },
		{ __TASK_STOPPED, KTRACE_TASK_STOPPED },
		{ TASK_NOLOAD, KTRACE_TASK_IDLE },
		{ TASK_INTERRUPTIBLE, KTRACE_TASK_SLEEP },
	};
	u32 i;

	if (preempt || state == TASK_RUNNING)
		return KTRACE_TASK_RUNNABLE;
	for (i = 0; i < ARRAY_SIZE(states); i++)
		if (state & states[i].bits)
			return states[i].number;
	return KTRACE_TASK_DISK;
}

static void hide_switch(void *payload, bool prev, bool next)
{
	struct ktrace_ev_sched_switch *p = payload;

	if (prev) {
		p->prev_tid = 0;
		p->prev_prio = 0;
		p->prev_state = 0;
		memset(p->prev_comm, 0, KTRACE_COMM_LEN);
	}
	if (next) {
		p->next_tid = 0;
		p->next_prio = 0;
		memset(p->next_comm, 0, KTRACE_COMM_LEN);
	}
}

static void on_sched_switch(void *data, bool preempt, struct task_struct *prev,
			    struct task_struct *next, unsigned int prev_state)
{
	struct ktrace_ev_sched_switch payload = {
		.prev_tid = prev->pid,
		.next_tid = next->pid,
		.prev_prio = prev->prio,
		.next_prio = next->prio,
		.prev_state = stable_state(preempt, prev_state),
	};

	memcpy(payload.prev_comm, prev->comm, KTRACE_COMM_LEN);
	memcpy(payload.next_comm, next->comm, KTRACE_COMM_LEN);
	kt_emit(&(struct kt_event){
		.id = KTRACE_EV_SCHED_SWITCH,
		.len = sizeof(payload),
		.payload = &payload,
		.who = prev,
		.other = next,
		.hide = hide_switch,
	});
}

static void on_sched_switch_stateless(void *data, bool preempt, struct task_struct *prev,
				      struct task_struct *next)
{
	on_sched_switch(data, preempt, prev, next, kt_compat_task_state(prev));
}

static void on_sched_wakeup(void *data, struct task_struct *p)
{
	struct ktrace_ev_sched_wakeup payload = {
		.tid = p->pid,
		.prio = p->prio,
		.target_cpu = task_cpu(p),
	};

	memcpy(payload.comm, p->comm, KTRACE_COMM_LEN);
	emit_for(p, KTRACE_EV_SCHED_WAKEUP, &payload, sizeof(payload));
}

static void on_sched_migrate(void *data, struct task_struct *p, int dest_cpu)
{
	struct ktrace_ev_sched_migrate payload = {
		.tid = p->pid,
		.prio = p->prio,
		.from_cpu = task_cpu(p),
		.to_cpu = dest_cpu,
	};

	memcpy(payload.comm, p->comm, KTRACE_COMM_LEN);
	emit_for(p, KTRACE_EV_SCHED_MIGRATE, &payload, sizeof(payload));
}

static void on_sched_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct ktrace_ev_sched_fork payload = {
		.parent_tid = parent->pid,
		.parent_pid = parent->tgid,
		.child_tid = child->pid,
		.child_pid = child->tgid,
	};

	kt_emit_fork(parent, child);
	memcpy(payload.comm, child->comm, KTRACE_COMM_LEN);
	emit_for(parent, KTRACE_EV_SCHED_FORK, &payload, sizeof(payload));
}

static void on_sched_exec(void *data, struct task_struct *p, pid_t old_pid,
			  struct linux_binprm *bprm)
{
	struct {
		struct ktrace_ev_sched_exec head;
		char name[EXEC_NAME_MAX];
	} payload = { .head = { .pid = p->tgid, .old_tid = old_pid } };
	ssize_t n = strscpy(payload.name, bprm->filename, EXEC_NAME_MAX);

	kt_emit_exec(p);
	kt_emit(&(struct kt_event){
		.id = KTRACE_EV_SCHED_EXEC,
		.len = sizeof(payload.head) + (n < 0 ? EXEC_NAME_MAX : n + 1),
		.flags = n < 0 ? KTRACE_REC_TRUNCATED : 0,
		.payload = &payload,
		.who = p,
	});
}

static void on_sched_exit(void *data, struct task_struct *p)
{
	struct ktrace_ev_sched_exit payload = {
		.tid = p->pid,
		.pid = p->tgid,
		.prio = p->prio,
	};

	memcpy(payload.comm, p->comm, KTRACE_COMM_LEN);
	emit_for(p, KTRACE_EV_SCHED_EXIT, &payload, sizeof(payload));
	kt_emit_leave(p);
}

static void on_sched_exit_group(void *data, struct task_struct *p, bool group_dead)
{
	on_sched_exit(data, p);
}

static void on_sched_comm(void *data, struct task_struct *p, const char *comm)
{
	struct ktrace_ev_sched_comm payload = { .tid = p->pid, .pid = p->tgid };

	strscpy(payload.comm, comm, KTRACE_COMM_LEN);
	emit_for(p, KTRACE_EV_SCHED_COMM, &payload, sizeof(payload));
}

struct kt_probe kt_probe_sched[] = {
	{ KT_TRACEPOINT_EITHER(KTRACE_EV_SCHED_SWITCH, sched_switch, on_sched_switch,
			       on_sched_switch_stateless) },
	{ KT_TRACEPOINT(KTRACE_EV_SCHED_WAKEUP, sched_wakeup, on_sched_wakeup) },
	{ KT_TRACEPOINT(KTRACE_EV_SCHED_WAKEUP, sched_wakeup_new, on_sched_wakeup) },
	{ KT_TRACEPOINT(KTRACE_EV_SCHED_MIGRATE, sched_migrate_task, on_sched_migrate) },
	{ KT_TRACEPOINT(KTRACE_EV_SCHED_FORK, sched_process_fork, on_sched_fork), .tracks = true },
	{ KT_TRACEPOINT(KTRACE_EV_SCHED_EXEC, sched_process_exec, on_sched_exec), .tracks = true },
	{ KT_TRACEPOINT_EITHER(KTRACE_EV_SCHED_EXIT, sched_process_exit, on_sched_exit_group,
			       on_sched_exit), .tracks = true },
	{ KT_TRACEPOINT(KTRACE_EV_SCHED_COMM, task_rename, on_sched_comm) },
	{ }
};
