// SPDX-License-Identifier: GPL-2.0
/*
 * tracepoint.c - any kernel event by its number: tracepoints, dynamic probes
 *
 * Such events come through perf, which makes the record that the event's "format" file in tracefs
 * describes, and calls us with it. For each event that a session has mapped, each CPU has a perf
 * event. All sessions that map an event share these and one event id.
 *
 * Some events count by more than one: sched_stat_runtime by nanoseconds. perf would make a sample
 * for each, up to its limit for the rate of samples, and then none. With PERF_SAMPLE_PERIOD one
 * sample covers all that a hit counts, and the first one of a hit is never above the limit. Hits
 * that perf does not record are counted, see missed.c.
 *
 *   free --map--> OFF <--get, put of running sessions--> ON
 *    ^             |
 *    '--last session gone--'
 *
 * Perf events are made in the context of a privileged caller. They may be made neither in a CPU
 * hotplug callback nor with the hotplug lock held: perf takes locks whose holders may be waiting
 * for that one. So a CPU that comes online gets its perf events a little later, from a work item.
 */
#include "tracepoint.h"
#include <linux/bitmap.h>
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include "compat.h"
#include "emit.h"
#include "missed.h"
#include "probe.h"

/* "ftrace:function": each call of a function, those of this file included. */
#define NUMBER_FUNCTION 1

/* A longer record is truncated: this fits into every block. */
#define RECORD_MAX 3840u

/**
 * struct kt_tracepoint - one event
 * @number:	the kernel's, as in the file "id" in tracefs
 * @id:		our event id
 * @missed:	counts hits without a record
 *
 * Under tracepoints_lock:
 * @sessions:	sessions that have mapped it; without any it is freed
 * @users:	running sessions that want it
 * @events:	by CPU, NULL: none
 */
struct kt_tracepoint {
	u32 number;
	u16 id;
	struct kt_missed missed;
	u32 sessions;
	u32 users;
	struct perf_event *events[];
};

/* Protects the table and its entries; taken outside of all locks of perf. */
static DEFINE_MUTEX(tracepoints_lock);
static struct kt_tracepoint *table[KTRACE_EV_DYNAMIC_NR];

/* Called by perf with preemption off, in any context. */
static void on_tracepoint_record(struct perf_event *event, struct perf_sample_data *data,
				 struct pt_regs *regs)
{
	const struct kt_tracepoint *t = event->overflow_handler_context;
	const struct perf_raw_frag *frag = &data->raw->frag;

	kt_missed_recorded(&t->missed);
	kt_emit(&(struct kt_event){
		.id = t->id,
		.len = min(frag->size, RECORD_MAX),
		.flags = frag->size > RECORD_MAX ? KTRACE_REC_TRUNCATED : 0,
		.payload = frag->data,
		.who = current,
	});
}

/* ---- perf events ---- */

/*
 * Makes a perf event. It is pinned: perf never switches it off to give others their turn. @t: NULL:
 * only to see whether that is allowed
 */
static struct perf_event *new_perf_event(u32 number, int cpu, struct kt_tracepoint *t)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = number,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_PERIOD,
		.pinned = 1,
		.disabled = !t || !t->users,
	};

	return perf_event_create_kernel_counter(&attr, cpu, NULL, on_tracepoint_record, t);
}

static int tracepoint_open_cpu(struct kt_tracepoint *t, int cpu)
{
	struct perf_event *event = new_perf_event(t->number, cpu, t);

	if (!IS_ERR(event))
		t->events[cpu] = event;
	return PTR_ERR_OR_ZERO(event);
}

static void close_cpu(struct kt_tracepoint *t, int cpu)
{
	if (t->events[cpu])
		perf_event_release_kernel(t->events[cpu]);
	t->events[cpu] = NULL;
}

/* Closes all perf events of @t. Calls that have begun may go on until the next grace period. */
static void close_all(struct kt_tracepoint *t)
{
	int cpu;

	for_each_possible_cpu(cpu)
		close_cpu(t, cpu);
}

/*
 * Opens perf events on all online CPUs. A CPU that goes offline meanwhile has none, until it comes
 * online again.
 */
static int tracepoint_open_all(struct kt_tracepoint *t)
{
	int cpu, err;

	for_each_possible_cpu(cpu) {
		err = cpu_online(cpu) ? tracepoint_open_cpu(t, cpu) : 0;
		if (err && err != -ENODEV)
			return err == -ENOENT ? -EOPNOTSUPP : err;
	}
	return 0;
}

/*
 * Fails if the kernel is locked down against reading its memory. Records contain data of the
 * kernel, and a kprobe fetches any memory; one that was made before the lockdown still exists.
 */
static int check_lockdown(const struct trace_event_call *call)
{
	return security_locked_down(call->flags & TRACE_EVENT_FL_KPROBE ? LOCKDOWN_KPROBES :
									  LOCKDOWN_PERF);
}

/*
 * Asks the kernel's security modules whether the caller may open the event, by making and releasing
 * one.
 */
static int tracepoint_may_open(u32 number)
{
	struct perf_event *event = new_perf_event(number, raw_smp_processor_id(), NULL);
	int err;

	if (IS_ERR(event))
		return PTR_ERR(event);
	err = check_lockdown(event->tp_event);
	perf_event_release_kernel(event);
	return err;
}

/*
 * Returns the kernel's description of an event, the same on all CPUs; NULL: no CPU has a perf
 * event.
 */
static struct trace_event_call *call_of(const struct kt_tracepoint *t)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (t->events[cpu])
			return t->events[cpu]->tp_event;
	return NULL;
}

/* Sets up everything but the place in the table. */
static int open_tracepoint(struct kt_tracepoint *t)
{
	struct trace_event_call *call;
	int err = tracepoint_open_all(t);

	if (err)
		return err;
	call = call_of(t);
	if (!call)
		return -ENODEV;
	err = check_lockdown(call);
	return err ? err : kt_missed_watch(&t->missed, t->id, call);
}

static void switch_all(struct kt_tracepoint *t, bool on)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (!t->events[cpu])
			continue;
		if (on)
			perf_event_enable(t->events[cpu]);
		else
			perf_event_disable(t->events[cpu]);
	}
}

/**
 * kt_tracepoint_reopen - record mapped events on a CPU that came online
 * @cpu:	the CPU; its perf events, if any, are from before it went offline
 *
 * Context: process, sleeps.
 */
void kt_tracepoint_reopen(int cpu)
{
	u32 i;

	mutex_lock(&tracepoints_lock);
	for (i = 0; i < KTRACE_EV_DYNAMIC_NR; i++) {
		if (!table[i])
			continue;
		close_cpu(table[i], cpu);
		if (tracepoint_open_cpu(table[i], cpu))
			pr_warn("CPU %d came online, event %u cannot be recorded there\n", cpu,
				table[i]->number);
	}
	mutex_unlock(&tracepoints_lock);
}

/* ---- the table ---- */

static struct kt_tracepoint *tracepoint_find_locked(u32 number)
{
	u32 i;

	lockdep_assert_held(&tracepoints_lock);
	for (i = 0; i < KTRACE_EV_DYNAMIC_NR; i++)
		if (table[i] && table[i]->number == number)
			return table[i];
	return NULL;
}

static int make_locked(u32 number, struct kt_tracepoint **out)
{
	struct kt_tracepoint *t;
	u32 i = 0;
	int err;

	lockdep_assert_held(&tracepoints_lock);
	while (i < KTRACE_EV_DYNAMIC_NR && table[i])
		i++;
	if (i == KTRACE_EV_DYNAMIC_NR)
		return -ENOSPC;
	t = kzalloc(struct_size(t, events, nr_cpu_ids), GFP_KERNEL_ACCOUNT);
	if (!t)
		return -ENOMEM;
	t->number = number;
	t->id = KTRACE_EV_DYNAMIC + i;
	err = open_tracepoint(t);
	if (err)
		goto err_close_all;
	table[i] = t;
	*out = t;
	return 0;

err_close_all:
	close_all(t);
	kt_probe_quiesce();
	kfree(t);
	return err;
}

/*
 * Closes a tracepoint that no session uses any more; free_closed() frees its memory when no probe
 * can be using it.
 */
static void close_tracepoint(struct kt_tracepoint *t)
{
	kt_missed_unwatch(&t->missed);
	close_all(t);
}

static void free_closed(struct kt_tracepoint *t)
{
	free_percpu(t->missed.cpus);
	kfree(t);
}

/**
 * kt_tracepoint_map - give a tracepoint of the kernel an id
 * @number:	its number
 * @mapped:	bit for each id from KTRACE_EV_DYNAMIC on: what the session has mapped; the new id
 *		is added
 * @id:		out: the event id, the same in all sessions that have it mapped
 *
 * perf's own checks of the caller's rights apply, and lockdown.
 *
 * Context: process, sleeps.
 * Return: 0; -EINVAL no such event; -EOPNOTSUPP this kernel cannot do it; -ENOSPC too many events;
 * -ENOMEM; perf's errors: -EPERM, -EACCES; -EPERM the kernel is locked down.
 */
int kt_tracepoint_map(u32 number, unsigned long *mapped, u16 *id)
{
	struct kt_tracepoint *t;
	int err;

	if (number == NUMBER_FUNCTION)
		return -EOPNOTSUPP;
	mutex_lock(&tracepoints_lock);
	t = tracepoint_find_locked(number);
	err = t ? tracepoint_may_open(number) : make_locked(number, &t);
	if (!err) {
		t->sessions += !__test_and_set_bit(t->id - KTRACE_EV_DYNAMIC, mapped);
		*id = t->id;
	}
	mutex_unlock(&tracepoints_lock);
	return err;
}

/**
 * kt_tracepoint_unmap_all - unmap all events of a session that ends
 * @mapped:	what it has mapped; cleared
 *
 * Context: process, sleeps.
 */
void kt_tracepoint_unmap_all(unsigned long *mapped)
{
	DECLARE_BITMAP(gone, KTRACE_EV_DYNAMIC_NR) = { 0 };
	u32 i;

	mutex_lock(&tracepoints_lock);
	for_each_set_bit(i, mapped, KTRACE_EV_DYNAMIC_NR) {
		if (--table[i]->sessions)
			continue;
		close_tracepoint(table[i]);
		__set_bit(i, gone);
	}
	if (!bitmap_empty(gone, KTRACE_EV_DYNAMIC_NR))
		kt_probe_quiesce();
	for_each_set_bit(i, gone, KTRACE_EV_DYNAMIC_NR) {
		free_closed(table[i]);
		table[i] = NULL;
	}
	mutex_unlock(&tracepoints_lock);
	bitmap_zero(mapped, KTRACE_EV_DYNAMIC_NR);
}

/**
 * kt_tracepoint_get - switch an event on
 * @id:		one that the calling session has mapped
 *
 * Hits that have begun may still have no record, which is no loss: call kt_compat_finish_hits()
 * before the event goes live.
 *
 * Context: process, sleeps.
 */
void kt_tracepoint_get(u16 id)
{
	struct kt_tracepoint *t;

	mutex_lock(&tracepoints_lock);
	t = table[id - KTRACE_EV_DYNAMIC];
	if (!t->users++)
		switch_all(t, true);
	mutex_unlock(&tracepoints_lock);
}

/** kt_tracepoint_put - undo one kt_tracepoint_get(); calls that have begun may go on */
void kt_tracepoint_put(u16 id)
{
	struct kt_tracepoint *t;

	mutex_lock(&tracepoints_lock);
	t = table[id - KTRACE_EV_DYNAMIC];
	if (!WARN_ON_ONCE(!t->users) && !--t->users)
		switch_all(t, false);
	mutex_unlock(&tracepoints_lock);
}
