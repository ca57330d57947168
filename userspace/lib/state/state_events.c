// SPDX-License-Identifier: LGPL-2.1
/*
 * state_events.c - the effect of each kernel event
 *
 * A table of rules. An event without a rule, or with other fields than its rule, still shows which
 * thread runs on its CPU.
 */
#include "decode/syscall.h"
#include "state.h"

#include <linux/ktrace_events.h>
#include <string.h>

/* Sets the name. The event may be the first one about the thread. */
static void set_comm(const struct step *st, struct ktrace_process *p, __u32 field)
{
	if (p->tid)
		ktrace_step_text(st, field, p->comm);
}

/* Returns the event's thread; the event shows that the thread is followed. */
static struct ktrace_process *followed(struct step *st, __u32 field)
{
	struct ktrace_process *p = ktrace_step_thread(st, (__u32)ktrace_step_value(st, field), -1);

	p->is_followed = 1;
	return p;
}

/*
 * Marks one thread of a switch as followed: otherwise the switch would not be recorded, and idle
 * tasks are never followed. If both are possible, picks the thread whose process META names;
 * usually next, which was not running before.
 */
static void follow_one(const struct step *st, struct ktrace_process *prev,
		       struct ktrace_process *next)
{
	const struct ktrace_states *s = st->state;

	if (prev->is_followed || next->is_followed)
		return;
	if (!next->tid ||
	    (prev->tid && ktrace_process_pid(s, prev) && !ktrace_process_pid(s, next)))
		prev->is_followed = 1;
	else
		next->is_followed = 1;
}

/* Sets the CPU, except for an idle task, which is identified by its CPU. */
static void set_cpu(struct ktrace_process *p, __s32 cpu)
{
	if (p->tid)
		p->cpu = cpu;
}

static void switch_out(struct step *st, struct ktrace_process *p, __u32 task_state)
{
	bool leads = !p->pid || p->pid == p->tid;

	ktrace_step_drop(st, p, KTRACE_MODE_IRQ);
	if (!p->tid)
		task_state = KTRACE_TASK_IDLE;
	if (task_state == KTRACE_TASK_RUNNABLE) {
		ktrace_step_status(st, p, KTRACE_STATUS_WAIT_CPU);
		p->is_woken = 0;
	} else if (task_state == KTRACE_TASK_DEAD) {
		ktrace_step_status(st, p, leads && !p->is_reaped ? KTRACE_STATUS_ZOMBIE :
				 KTRACE_STATUS_DEAD);
	} else {
		ktrace_step_status(st, p, KTRACE_STATUS_WAIT);
		p->wait = task_state;
		p->waker = 0;
		p->waker_mode = KTRACE_MODE_UNKNOWN;
	}
}

static void on_switch(struct step *st)
{
	__s32 cpu = st->event->stream->cpu;
	struct ktrace_process *prev = ktrace_step_thread(st, (__u32)ktrace_step_value(st, 0), cpu);
	struct ktrace_process *next = ktrace_step_thread(st, (__u32)ktrace_step_value(st, 1), cpu);

	if (next->status == KTRACE_STATUS_ZOMBIE || next->status == KTRACE_STATUS_DEAD)
		ktrace_step_renew(st, next);
	follow_one(st, prev, next);
	set_comm(st, prev, 3);
	switch_out(st, prev, (__u32)ktrace_step_value(st, 2));
	set_comm(st, next, 4);
	ktrace_step_leave(st, next);
	ktrace_step_status(st, next, KTRACE_STATUS_RUN);
	set_cpu(next, cpu);
	st->self = next;
}

static void tell_woken(const struct step *st, const struct ktrace_process *p,
		       const struct ktrace_process *by)
{
	const struct ktrace_states *s = st->state;
	__u32 i;

	for (i = 0; !s->is_muted && i < s->watch_nr; i++)
		if (s->watches[i]->woken)
			s->watches[i]->woken(s->watches[i]->arg, p, by, st->time);
}

static void on_wakeup(struct step *st)
{
	struct ktrace_process *p = followed(st, 0);
	bool is_irq = st->event->flags & KTRACE_EVENT_IRQ;
	__u32 mode = st->self ? ktrace_process_mode(st->self)->mode : KTRACE_MODE_UNKNOWN;

	set_comm(st, p, 2);
	if (p->status != KTRACE_STATUS_WAIT && p->status != KTRACE_STATUS_UNNAMED &&
	    p->status != KTRACE_STATUS_WAIT_FORK)
		return;
	if (mode == KTRACE_MODE_IRQ || mode == KTRACE_MODE_SOFTIRQ)
		is_irq = true;
	else
		mode = is_irq ? KTRACE_MODE_IRQ : KTRACE_MODE_UNKNOWN;
	p->waker_mode = mode;
	p->waker = is_irq || !st->self ? 0 : st->self->tid;
	tell_woken(st, p, is_irq ? NULL : st->self);
	ktrace_step_status(st, p, KTRACE_STATUS_WAIT_CPU);
	p->is_woken = 1;
	set_cpu(p, (__s32)ktrace_step_value(st, 1));
}

static void on_migrate(struct step *st)
{
	struct ktrace_process *p = followed(st, 0);

	if (p->status != KTRACE_STATUS_RUN)
		set_cpu(p, (__s32)ktrace_step_value(st, 1));
}

static void on_fork(struct step *st)
{
	struct ktrace_process *parent = followed(st, 0);
	struct ktrace_process *child = followed(st, 2);
	const struct ktrace_mode_level *mode = ktrace_process_mode(parent);

	parent->pid = (__u32)ktrace_step_value(st, 1);
	if (child->status != KTRACE_STATUS_UNNAMED)
		ktrace_step_renew(st, child);
	child->is_followed = 1;
	child->created = st->time;
	child->pid = (__u32)ktrace_step_value(st, 3);
	child->ppid = child->pid == parent->pid ? parent->ppid : parent->pid;
	set_cpu(child, parent->cpu);
	set_comm(st, child, 4);
	ktrace_step_status(st, child, KTRACE_STATUS_WAIT_FORK);
	/* The child returns from the system call that created it, like its parent. */
	if (mode->mode == KTRACE_MODE_SYSCALL) {
		ktrace_step_stack(st, child, KTRACE_MODE_USER);
		ktrace_step_push(st, child, KTRACE_MODE_SYSCALL, mode->sub);
	}
}

/* A thread that executes has taken the leader's number; its state continues under that number. */
static void on_exec(struct step *st)
{
	struct ktrace_process *leader = followed(st, 0);
	struct ktrace_process *thread = followed(st, 1);

	leader->pid = leader->tid;
	if (leader == thread)
		return;
	ktrace_step_status(st, leader, KTRACE_STATUS_RUN);
	leader->depth = thread->depth;
	leader->over = thread->over;
	memcpy(leader->stack, thread->stack, sizeof(leader->stack));
	ktrace_step_status(st, thread, KTRACE_STATUS_DEAD);
}

static void on_exit(struct step *st)
{
	struct ktrace_process *p = followed(st, 0);

	p->pid = (__u32)ktrace_step_value(st, 1);
	set_comm(st, p, 2);
	ktrace_step_status(st, p, KTRACE_STATUS_EXIT);
}

static void on_comm(struct step *st)
{
	struct ktrace_process *p = followed(st, 0);

	p->pid = (__u32)ktrace_step_value(st, 1);
	set_comm(st, p, 2);
}

/* Returns number and ABI. Files of 0.1.0 have no ABI: all their calls are native. */
static __u32 call_of(const struct step *st)
{
	const __u32 abi = (__u32)ktrace_step_value(st, 1);

	if (abi != KTRACE_SYSCALL_NATIVE && abi != KTRACE_SYSCALL_X32)
		st->state->compat_abi = abi;
	return ktrace_syscall_sub(abi, ktrace_step_value(st, 0));
}

/* System calls come from the program: all other levels of the stack ended unrecorded. */
static void on_syscall_enter(struct step *st)
{
	const __u32 call = call_of(st);

	if (!st->self)
		return;
	ktrace_step_stack(st, st->self, KTRACE_MODE_USER);
	ktrace_step_push(st, st->self, KTRACE_MODE_SYSCALL, call);
}

static bool is_called(const struct step *st, __u32 call, const char *a, const char *b)
{
	const char *name = ktrace_mode_sub_name(st->state, st->machine, KTRACE_MODE_SYSCALL, call);

	return name && (!strcmp(name, a) || !strcmp(name, b));
}

/*
 * True if it is the call that the thread is in. At the exit of rt_sigreturn() the number is -1, and
 * an exec() that changes the ABI exits with another call than it entered.
 */
static bool is_its_call(const struct step *st, __u32 call)
{
	const struct ktrace_process *p = st->self;
	__u32 i = p->depth;

	while (i && p->stack[i - 1].mode != KTRACE_MODE_SYSCALL)
		i--;
	if (!i || p->over || p->stack[i - 1].sub == call || ktrace_syscall_sub_nr(call) == -1)
		return true;
	return !st->state->nr_field ||
	       (is_called(st, call, "execve", "execveat") &&
		is_called(st, p->stack[i - 1].sub, "execve", "execveat"));
}

/* Handles wait4(), which returns the process it has reaped; this may still be on its CPU. */
static void reap(struct step *st, __u32 call, __s64 tid)
{
	struct ktrace_process *p = tid > 0 ? ktrace_step_known(st, (__u32)tid) : NULL;

	if (!p || (p->status != KTRACE_STATUS_ZOMBIE && p->status != KTRACE_STATUS_EXIT) ||
	    !is_called(st, call, "wait4", "waitpid"))
		return;
	if (p->status == KTRACE_STATUS_ZOMBIE)
		ktrace_step_status(st, p, KTRACE_STATUS_DEAD);
	else
		p->is_reaped = 1;
}

static void on_syscall_exit(struct step *st)
{
	const __u32 call = call_of(st);
	const __s64 ret = ktrace_step_value(st, 2);

	if (!st->self)
		return;
	/* Another call: the end of the old one and the start of this one were not recorded. */
	if (is_its_call(st, call))
		ktrace_step_pop(st, st->self, KTRACE_MODE_SYSCALL, ret);
	else
		ktrace_step_stack(st, st->self, KTRACE_MODE_USER);
	reap(st, call, ret);
}

static void enter(struct step *st, __u32 mode, __u32 kind, __u32 number)
{
	if (st->self)
		ktrace_step_push(st, st->self, mode, number);
	ktrace_step_begin(st, ktrace_step_resource(st, kind, number), KTRACE_RES_BUSY);
}

static void leave(struct step *st, __u32 mode, __u32 kind, __s64 value)
{
	if (st->self)
		ktrace_step_pop(st, st->self, mode, value);
	ktrace_step_end(st, ktrace_step_resource(st, kind, (__u32)ktrace_step_value(st, 0)));
}

static void on_irq_enter(struct step *st)
{
	__u32 irq = (__u32)ktrace_step_value(st, 0);

	enter(st, KTRACE_MODE_IRQ, KTRACE_RESOURCE_IRQ, irq);
	ktrace_step_text(st, 1, ktrace_step_resource(st, KTRACE_RESOURCE_IRQ, irq)->name);
}

static void on_irq_exit(struct step *st)
{
	leave(st, KTRACE_MODE_IRQ, KTRACE_RESOURCE_IRQ, ktrace_step_value(st, 1));
}

static void on_softirq_enter(struct step *st)
{
	enter(st, KTRACE_MODE_SOFTIRQ, KTRACE_RESOURCE_SOFTIRQ, (__u32)ktrace_step_value(st, 0));
}

static void on_softirq_exit(struct step *st)
{
	leave(st, KTRACE_MODE_SOFTIRQ, KTRACE_RESOURCE_SOFTIRQ, 0);
}

static void on_trap_enter(struct step *st)
{
	enter(st, KTRACE_MODE_TRAP, KTRACE_RESOURCE_TRAP, (__u32)ktrace_step_value(st, 0));
}

static void on_trap_exit(struct step *st)
{
	leave(st, KTRACE_MODE_TRAP, KTRACE_RESOURCE_TRAP, 0);
}

static struct ktrace_resource *block_device(struct step *st)
{
	return ktrace_step_resource(st, KTRACE_RESOURCE_BLOCK, (__u32)ktrace_step_value(st, 0));
}

static void on_block_issue(struct step *st)
{
	bool is_read = ktrace_step_value(st, 1) == KTRACE_BLOCK_READ;
	struct ktrace_resource *r = block_device(st);

	ktrace_step_requests(st, r, r->reads + is_read, r->writes + !is_read);
}

/* Ends a request, completed or requeued. If its start was not recorded, others may be pending. */
static void on_block_end(struct step *st)
{
	bool is_read = ktrace_step_value(st, 1) == KTRACE_BLOCK_READ;
	struct ktrace_resource *r = block_device(st);

	if (is_read ? r->reads : r->writes)
		ktrace_step_requests(st, r, r->reads - is_read, r->writes - !is_read);
	else if (r->depth == 1)
		ktrace_step_end(st, r);
}

static void on_block_complete(struct step *st)
{
	if (!ktrace_step_value(st, 2))
		on_block_end(st);
}

static const struct state_rule rules[] = {
	{ "sched:switch", on_switch,
	  { "prev_tid", "next_tid", "prev_state", "prev_comm", "next_comm" }, true },
	{ "sched:wakeup", on_wakeup, { "tid", "target_cpu", "comm" }, true },
	{ "sched:migrate", on_migrate, { "tid", "to_cpu" }, true },
	{ "sched:fork", on_fork,
	  { "parent_tid", "parent_pid", "child_tid", "child_pid", "comm" }, false },
	{ "sched:exec", on_exec, { "pid", "old_tid" }, false },
	{ "sched:exit", on_exit, { "tid", "pid", "comm" }, false },
	{ "sched:comm", on_comm, { "tid", "pid", "comm" }, true },
	{ "syscall:enter", on_syscall_enter, { "nr", "?abi" }, false },
	{ "syscall:exit", on_syscall_exit, { "nr", "?abi", "ret" }, false },
	{ "irq:enter", on_irq_enter, { "irq", "name" }, false },
	{ "irq:exit", on_irq_exit, { "irq", "handled" }, false },
	{ "softirq:enter", on_softirq_enter, { "vec" }, false },
	{ "softirq:exit", on_softirq_exit, { "vec" }, false },
	{ "trap:enter", on_trap_enter, { "trap" }, false },
	{ "trap:exit", on_trap_exit, { "trap" }, false },
	{ "block:issue", on_block_issue, { "dev", "op" }, false },
	{ "block:complete", on_block_complete, { "dev", "op", "left" }, false },
	{ "block:requeue", on_block_end, { "dev", "op" }, false },
	{ "signal:generate", NULL, { NULL }, true },
	{ "memory:rss", NULL, { NULL }, true },
	{ "memory:oom", NULL, { NULL }, true },
	{ "log:event", NULL, { NULL }, true },
};

const struct state_rule *ktrace_rule_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (!strcmp(rules[i].name, name))
			return &rules[i];
	return NULL;
}
