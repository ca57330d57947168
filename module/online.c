// SPDX-License-Identifier: GPL-2.0
/*
 * online.c - what is to be made again on a CPU that comes online
 *
 * When a CPU goes offline, as all but one do before the machine is suspended, perf ends the CPU's
 * events for good. A work item makes others when it comes. It cannot be done in the callback of
 * CPU hotplug: perf takes locks that others hold while they wait for its lock.
 */
#include "online.h"
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/workqueue.h>
#include "counter.h"
#include "tracepoint.h"

/* CPUs that have come: their perf events, if any, are of an earlier life. */
static struct cpumask came;
static enum cpuhp_state cpuhp_state;

static void reopen_came(struct work_struct *work)
{
	int cpu;

	for_each_cpu(cpu, &came) {
		if (!cpumask_test_and_clear_cpu(cpu, &came))
			continue;
		kt_tracepoint_reopen(cpu);
		kt_counter_reopen(cpu);
	}
}

static DECLARE_WORK(reopen_work, reopen_came);

static int online_cpu_comes(unsigned int cpu)
{
	cpumask_set_cpu(cpu, &came);
	schedule_work(&reopen_work);
	return 0;
}

/**
 * kt_online_init - register for CPUs that come up
 *
 * Context: loading, sleeps.
 * Return: 0; what the kernel's CPU hotplug says.
 */
int kt_online_init(void)
{
	int state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "ktrace:online",
					      online_cpu_comes,
					      NULL);

	if (state < 0)
		return state;
	cpuhp_state = state;
	return 0;
}

/** kt_online_exit - there are neither tracepoints nor counters. Context: unloading, sleeps */
void kt_online_exit(void)
{
	cpuhp_remove_state_nocalls(cpuhp_state);
	cancel_work_sync(&reopen_work);
}
