// SPDX-License-Identifier: GPL-2.0
/*
 * counter.c - a performance counter of each CPU
 *
 * perf makes one for each online CPU; it is read when the event happens. So the difference of two
 * values is what the CPU has counted in between, whichever tasks ran.
 *
 * When a CPU goes offline, perf ends the CPU's events for good. When it comes online again, it gets
 * new ones that continue from the same values, see online.c.
 */
#include "counter.h"
#include <linux/build_bug.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/ktrace.h>
#include <uapi/linux/ktrace_context.h>

static_assert(PERF_TYPE_HARDWARE == 0 && PERF_TYPE_SOFTWARE == 1);

/**
 * struct kt_counter_cpu - a counter on one CPU
 * @event:	NULL: there is none
 * @ended:	the event from before the CPU went offline, until it is freed
 * @value:	value from which the next event continues
 */
struct kt_counter_cpu {
	struct perf_event *event;
	struct perf_event *ended;
	u64 value;
};

/**
 * struct kt_counter - one counter
 * @list:	entry of counters
 * @item:	kind of its items
 * @spec:	what it counts
 * @cpus:	written under counters_lock
 */
struct kt_counter {
	struct list_head list;
	u32 item;
	struct ktrace_counter spec;
	struct kt_counter_cpu __percpu *cpus;
};

/* Protects the list and its entries; taken outside of all locks of perf. */
static DEFINE_MUTEX(counters_lock);
static LIST_HEAD(counters);

static int counter_open_cpu(const struct kt_counter *c, int cpu)
{
	struct kt_counter_cpu *on = per_cpu_ptr(c->cpus, cpu);
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = c->spec.type,
		.config = c->spec.config,
		.pinned = 1,
		.disabled = 1,
	};
	struct perf_event *event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);

	if (IS_ERR(event))
		return PTR_ERR(event);
	local64_set(&event->count, on->value);
	perf_event_enable(event);
	/* ORD(counter_open_cpu:A) pairs ORD(kt_counter_read:A): a counter is seen whole */
	smp_store_release(&on->event, event);
	return 0;
}

/*
 * Opens a counter on all online CPUs. CPUs may go offline meanwhile, because perf takes the hotplug
 * lock itself: such a CPU has no counter until it comes online again.
 */
static int counter_open_all(const struct kt_counter *c)
{
	int cpu, err;

	for_each_online_cpu(cpu) {
		err = counter_open_cpu(c, cpu);
		if (err && cpu_online(cpu))
			return err;
	}
	return 0;
}

/* ---- CPUs that come online ---- */

static void end_cpu(int cpu)
{
	struct kt_counter_cpu *on;
	struct kt_counter *c;

	list_for_each_entry(c, &counters, list) {
		on = per_cpu_ptr(c->cpus, cpu);
		on->ended = on->event;
		WRITE_ONCE(on->event, NULL);
	}
}

static void reopen_cpu(int cpu)
{
	struct kt_counter_cpu *on;
	struct kt_counter *c;

	list_for_each_entry(c, &counters, list) {
		on = per_cpu_ptr(c->cpus, cpu);
		if (on->ended) {
			/* This one is still alive if it was made after the CPU came online. */
			perf_event_disable(on->ended);
			on->value = local64_read(&on->ended->count);
			perf_event_release_kernel(on->ended);
			on->ended = NULL;
		}
		if (counter_open_cpu(c, cpu))
			pr_warn("CPU %d came online, counter %u.%llu cannot be read there\n", cpu,
				c->spec.type, c->spec.config);
	}
}

/**
 * kt_counter_reopen - make new counters for a CPU that came online, which continue from the old
 * values
 * @cpu:	the CPU
 *
 * Context: process, sleeps.
 */
void kt_counter_reopen(int cpu)
{
	mutex_lock(&counters_lock);
	if (!list_empty(&counters)) {
		end_cpu(cpu);
		/* After this no emitter reads the old ones. */
		synchronize_rcu();
		reopen_cpu(cpu);
	}
	mutex_unlock(&counters_lock);
}

/* ---- counters of sessions ---- */

/**
 * kt_counter_new - make a counter that counts from now on
 * @spec:	type and config
 * @out:	the counter
 *
 * Context: process, sleeps.
 * Return: 0; -EINVAL type or config; -EOPNOTSUPP this machine has no such counter; -ENOMEM; or as
 * perf_event_open(2).
 */
int kt_counter_new(const struct ktrace_counter *spec, struct kt_counter **out)
{
	struct kt_counter *c;
	int err;

	if (spec->type >= KTRACE_COUNTER_TYPES || spec->config >= KTRACE_COUNTER_CONFIGS)
		return -EINVAL;
	c = kzalloc(sizeof(*c), GFP_KERNEL_ACCOUNT);
	if (!c)
		return -ENOMEM;
	c->item = KTRACE_ITEM_COUNTER + KTRACE_COUNTER_CONFIGS * spec->type + (u32)spec->config;
	c->spec = *spec;
	c->cpus = alloc_percpu_gfp(struct kt_counter_cpu, GFP_KERNEL_ACCOUNT);
	if (!c->cpus) {
		kfree(c);
		return -ENOMEM;
	}
	mutex_lock(&counters_lock);
	list_add(&c->list, &counters);
	err = counter_open_all(c);
	mutex_unlock(&counters_lock);
	if (err) {
		kt_counter_free(c);
		return err == -ENOENT || err == -ENODEV ? -EOPNOTSUPP : err;
	}
	*out = c;
	return 0;
}

/** kt_counter_free - free a counter, or NULL, that is no longer read. Context: process, sleeps */
void kt_counter_free(struct kt_counter *c)
{
	struct perf_event *event;
	int cpu;

	if (!c)
		return;
	mutex_lock(&counters_lock);
	list_del(&c->list);
	mutex_unlock(&counters_lock);
	for_each_possible_cpu(cpu) {
		event = per_cpu_ptr(c->cpus, cpu)->event;
		if (event)
			perf_event_release_kernel(event);
	}
	free_percpu(c->cpus);
	kfree(c);
}

/** kt_counter_item - the kind of its items: KTRACE_ITEM_COUNTER and above. Context: any */
u32 kt_counter_item(const struct kt_counter *c)
{
	return c->item;
}

/**
 * kt_counter_read - read what this CPU has counted
 * @c:		the counter
 * @value:	out
 *
 * Does what perf_event_read_local() does, which is not exported to modules.
 *
 * Context: any but NMI, preemption off.
 * Return: false if the counter is not active on this CPU.
 */
bool kt_counter_read(const struct kt_counter *c, u64 *value)
{
	/* ORD(kt_counter_read:A) pairs ORD(counter_open_cpu:A): a counter is seen whole */
	struct perf_event *event = smp_load_acquire(&raw_cpu_ptr(c->cpus)->event);
	unsigned long flags;
	bool is_there;

	if (!event)
		return false;
	local_irq_save(flags);
	is_there = READ_ONCE(event->state) == PERF_EVENT_STATE_ACTIVE &&
		   READ_ONCE(event->oncpu) == raw_smp_processor_id();
	if (is_there) {
		event->pmu->read(event);
		*value = local64_read(&event->count);
	}
	local_irq_restore(flags);
	return is_there;
}
