// SPDX-License-Identifier: GPL-2.0
/*
 * online.c - renews perf events on a CPU that comes online
 *
 * When a CPU goes offline, as all but one do before the machine is suspended, perf ends the CPU's
 * events for good. A work item makes new ones when the CPU comes online. The CPU hotplug callback
 * cannot do that: perf takes locks whose holders may be waiting for the hotplug lock.
 */
#include "online.h"
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/workqueue.h>
#include "counter.h"
#include "tracepoint.h"

/* CPUs that came online: their perf events, if any, are from before they went offline. */
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
 * kt_online_init - register for CPUs that come online
 *
 * Context: loading, sleeps.
 * Return: 0; or the error of the kernel's CPU hotplug.
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

/** kt_online_exit - unregister; no tracepoint and no counter is left. Context: unloading, sleeps */
void kt_online_exit(void)
{
	cpuhp_remove_state_nocalls(cpuhp_state);
	cancel_work_sync(&reopen_work);
}
