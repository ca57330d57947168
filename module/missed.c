// SPDX-License-Identifier: GPL-2.0
/*
 * missed.c - tracepoint hits that perf does not record
 *
 * perf makes no record if it is already at work in the same context (another tracepoint's record, a
 * software event), if a BPF program on the tracepoint says so or cannot run because another one is
 * running on that CPU, if the record would exceed 8 KiB, and on a CPU that came online and has no
 * perf event yet. The kernel counts none of this. So each tracepoint has a second probe, which runs
 * after perf's and ignores the arguments:
 *
 *   tracepoint hit --> perf's probe [--> on_record(): leaves a token] --> missed_on_hit(): takes
 *   the token; without one the hit was missed, and is counted as lost in sessions that want it
 *
 * A token names the task and the level of the context (task, softirq, interrupt, NMI), so hits that
 * interrupt each other do not take each other's. Most kernels run all probes of a hit with
 * preemption off; where they do not, a thread may move to another CPU between the two probes, and
 * then looks for its token on all CPUs.
 *
 * The events of all system calls share two tracepoints, with one probe on each, which finds the
 * event by number. Probes on functions have no tracepoint; the kernel counts the hits that these
 * miss.
 */
#include "missed.h"
#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include <asm/syscall.h>
#include <trace/syscall.h>
#include "compat.h"
#include "emit.h"
#include "find.h"

/* Runs after perf's probe and all others, which have TRACEPOINT_DEFAULT_PRIO. */
#define PRIORITY 0

/* Low bits of a token; in the address of a task they are 0. */
enum level { TASK, SOFTIRQ, HARDIRQ, NMI };

/* By entry or exit: the tracepoint, what counts each system call, and the number of these. */
static struct {
	struct tracepoint *tp;
	const struct kt_missed __rcu *by_nr[NR_syscalls];
	u32 users;
} calls[2];

/* Protects calls[]. */
static DEFINE_MUTEX(calls_lock);

static unsigned long my_token(void)
{
	enum level level = in_nmi() ? NMI : in_hardirq() ? HARDIRQ :
			   in_serving_softirq() ? SOFTIRQ : TASK;

	return (unsigned long)current | level;
}

/**
 * kt_missed_recorded - leave a token for a hit that has been recorded
 * @m:		counting of its event
 *
 * A hit that interrupts this takes its own token back before it returns.
 *
 * Context: perf's, preemption off, any.
 */
void kt_missed_recorded(const struct kt_missed *m)
{
	struct kt_missed_cpu *c;
	u32 i;

	if (!m->tp)
		return;
	c = this_cpu_ptr(m->cpus);
	for (i = 0; i < KT_MISSED_TOKENS; i++)
		if (!READ_ONCE(c->recorded[i])) {
			WRITE_ONCE(c->recorded[i], my_token());
			return;
		}
}

/* Takes a token from a CPU's list. Only its owner does, which may have moved to another CPU. */
static bool take_from(struct kt_missed_cpu *c, unsigned long token)
{
	u32 i;

	for (i = 0; i < KT_MISSED_TOKENS; i++)
		if (READ_ONCE(c->recorded[i]) == token) {
			WRITE_ONCE(c->recorded[i], 0);
			return true;
		}
	return false;
}

static bool take_from_any(const struct kt_missed *m, unsigned long token)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (take_from(per_cpu_ptr(m->cpus, cpu), token))
			return true;
	return false;
}

/* Counts a hit that has no token. @can_move: the hit's probes run with preemption on */
static void count_hit(const struct kt_missed *m, bool can_move)
{
	const unsigned long token = my_token();

	if (take_from(this_cpu_ptr(m->cpus), token) || (can_move && take_from_any(m, token)))
		return;
	kt_emit_missed(m->id);
}

/* Called with the arguments of any tracepoint. */
static void missed_on_hit(void *data)
{
	const bool can_move = !preempt_count();

	preempt_disable_notrace();
	count_hit(data, can_move);
	preempt_enable_notrace();
}

/*
 * Returns the number of a system call, -1: of another ABI. perf leaves these out, because their
 * numbers differ.
 */
static int native_nr(struct pt_regs *regs)
{
#ifdef ARCH_TRACE_IGNORE_COMPAT_SYSCALLS
	if (arch_trace_is_compat_syscall(regs))
		return -1;
#endif
	return syscall_get_nr(current, regs);
}

static void missed_on_call(struct pt_regs *regs, bool is_exit)
{
	const bool can_move = !preempt_count();
	const struct kt_missed *m;
	int nr = native_nr(regs);

	if (nr < 0 || nr >= NR_syscalls)
		return;
	nr = array_index_nospec(nr, NR_syscalls);
	preempt_disable_notrace();
	/* ORD(missed_on_call:A) pairs ORD(watch_call:A): struct kt_missed is seen whole */
	m = rcu_dereference_sched(calls[is_exit].by_nr[nr]);
	if (m)
		count_hit(m, can_move);
	preempt_enable_notrace();
}

static void missed_on_enter(void *data, struct pt_regs *regs, long id)
{
	missed_on_call(regs, false);
}

static void missed_on_exit(void *data, struct pt_regs *regs, long ret)
{
	missed_on_call(regs, true);
}

/* ---- which events ---- */

static bool is_call(const struct trace_event_call *call)
{
	return !(call->flags & (TRACE_EVENT_FL_TRACEPOINT | KT_COMPAT_EVENT_DYNAMIC)) &&
	       !strcmp(call->class->system, "syscalls");
}

static int watch_call(struct kt_missed *m, const struct trace_event_call *call)
{
	const struct syscall_metadata *meta = call->data;
	const bool is_exit = meta->exit_event == call;
	const int nr = meta->syscall_nr;
	int err = 0;

	if (nr < 0 || nr >= NR_syscalls || !calls[is_exit].tp)
		return 0;
	mutex_lock(&calls_lock);
	if (!calls[is_exit].users)
		err = tracepoint_probe_register_prio(calls[is_exit].tp,
						     is_exit ? (void *)missed_on_exit :
							     missed_on_enter,
						     NULL, PRIORITY);
	if (!err) {
		calls[is_exit].users++;
		m->nr = nr;
		m->is_exit = is_exit;
		m->tp = calls[is_exit].tp;
		/* ORD(watch_call:A) pairs ORD(missed_on_call:A): struct kt_missed is seen whole */
		rcu_assign_pointer(calls[is_exit].by_nr[nr], m);
	}
	mutex_unlock(&calls_lock);
	return err;
}

static void unwatch_call(const struct kt_missed *m)
{
	mutex_lock(&calls_lock);
	RCU_INIT_POINTER(calls[m->is_exit].by_nr[m->nr], NULL);
	if (!--calls[m->is_exit].users)
		WARN_ON_ONCE(tracepoint_probe_unregister(m->tp, m->is_exit ?
							 (void *)missed_on_exit :
							 missed_on_enter, NULL));
	mutex_unlock(&calls_lock);
}

/**
 * kt_missed_watch - count the unrecorded hits of an event, from now on
 * @m:		zeroed; the event's perf events are off
 * @id:		the event
 * @call:	the kernel's description of it
 *
 * Counts nothing for events that are no tracepoints. Kernels that check the types of functions on
 * calls count only system calls.
 *
 * Context: process, sleeps.
 * Return: 0; -ENOMEM.
 */
int kt_missed_watch(struct kt_missed *m, u16 id, const struct trace_event_call *call)
{
	int err = 0;

	m->id = id;
	m->nr = -1;
	m->cpus = alloc_percpu_gfp(struct kt_missed_cpu, GFP_KERNEL_ACCOUNT);
	if (!m->cpus)
		return -ENOMEM;
	if (is_call(call)) {
		err = watch_call(m, call);
	} else if (call->flags & TRACE_EVENT_FL_TRACEPOINT && KT_COMPAT_ANY_ARGUMENTS) {
		err = tracepoint_probe_register_prio(call->tp, missed_on_hit, m, PRIORITY);
		m->tp = err ? NULL : call->tp;
	}
	if (err)
		free_percpu(m->cpus);
	return err;
}

/**
 * kt_missed_unwatch - undo kt_missed_watch()
 * @m:		the event's perf events are off
 *
 * Hits that have begun may still be counted: tracepoint_synchronize_unregister() must follow,
 * then free_percpu() of @m->cpus.
 *
 * Context: process, sleeps.
 */
void kt_missed_unwatch(struct kt_missed *m)
{
	if (m->nr >= 0)
		unwatch_call(m);
	else if (m->tp)
		WARN_ON_ONCE(tracepoint_probe_unregister(m->tp, missed_on_hit, m));
}

/** kt_missed_init - find the tracepoints of system calls. Context: loading, sleeps */
void kt_missed_init(void)
{
	calls[0].tp = kt_find_tracepoint("sys_enter");
	calls[1].tp = kt_find_tracepoint("sys_exit");
}
