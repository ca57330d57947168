// SPDX-License-Identifier: GPL-2.0
/*
 * counter.c - a performance counter of each CPU
 *
 * perf makes one for each online CPU; it is read at the place of the event. So the difference of
 * two values is what the CPU has counted in between, whoever ran. A CPU that comes later has none.
 */
#include "counter.h"
#include <linux/build_bug.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/ktrace.h>
#include <uapi/linux/ktrace_context.h>

static_assert(PERF_TYPE_HARDWARE == 0 && PERF_TYPE_SOFTWARE == 1);

/* struct kt_counter - kind of its items; @events are NULL on CPUs that have none */
struct kt_counter {
	u32 item;
	struct perf_event *__percpu *events;
};

static int make_event(const struct kt_counter *c, struct perf_event_attr *attr, int cpu)
{
	struct perf_event *event = perf_event_create_kernel_counter(attr, cpu, NULL, NULL, NULL);

	if (IS_ERR(event))
		return PTR_ERR(event);
	*per_cpu_ptr(c->events, cpu) = event;
	return 0;
}

/*
 * CPUs may go offline meanwhile, as perf takes the hotplug lock itself: such a CPU has no
 * counter.
 */
static int make_events(const struct kt_counter *c, const struct ktrace_counter *spec)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = spec->type,
		.config = spec->config,
		.pinned = 1,
	};
	int cpu, err;

	for_each_online_cpu(cpu) {
		err = make_event(c, &attr, cpu);
		if (err && cpu_online(cpu))
			return err;
	}
	return 0;
}

/**
 * kt_counter_new - make a counter, which counts from now on
 * @spec:	what: type and config
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
	c->events = alloc_percpu_gfp(struct perf_event *, GFP_KERNEL_ACCOUNT);
	err = c->events ? make_events(c, spec) : -ENOMEM;
	if (err) {
		kt_counter_free(c);
		return err == -ENOENT || err == -ENODEV ? -EOPNOTSUPP : err;
	}
	*out = c;
	return 0;
}

/** kt_counter_free - free a counter, or NULL; nobody reads it. Context: process, sleeps */
void kt_counter_free(struct kt_counter *c)
{
	int cpu;

	if (!c)
		return;
	if (c->events)
		for_each_possible_cpu(cpu)
			if (*per_cpu_ptr(c->events, cpu))
				perf_event_release_kernel(*per_cpu_ptr(c->events, cpu));
	free_percpu(c->events);
	kfree(c);
}

/** kt_counter_item - the kind of its items: KTRACE_ITEM_COUNTER and above. Context: any */
u32 kt_counter_item(const struct kt_counter *c)
{
	return c->item;
}

/**
 * kt_counter_read - what this CPU has counted
 * @c:		the counter
 * @value:	out
 *
 * As perf_event_read_local() does, which is not for modules.
 *
 * Context: any but NMI, preemption off.
 * Return: false: there is nothing to be read.
 */
bool kt_counter_read(const struct kt_counter *c, u64 *value)
{
	struct perf_event *event = *raw_cpu_ptr(c->events);
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
