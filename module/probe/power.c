// SPDX-License-Identifier: GPL-2.0
/* power.c - family "power": idle states and frequencies of CPUs */
#include "probe.h"
#include <trace/events/power.h>
#include "emit.h"

static_assert(PWR_EVENT_EXIT == (u32)-1);

static void on_power_idle(void *data, unsigned int state, unsigned int cpu)
{
	const struct ktrace_ev_power_idle payload = { .cpu = cpu, .state = (s32)state };

	kt_emit_current(KTRACE_EV_POWER_IDLE, &payload, sizeof(payload), NULL);
}

static void on_power_frequency(void *data, unsigned int khz, unsigned int cpu)
{
	const struct ktrace_ev_power_frequency payload = { .cpu = cpu, .khz = khz };

	kt_emit_current(KTRACE_EV_POWER_FREQUENCY, &payload, sizeof(payload), NULL);
}

struct kt_probe kt_probe_power[] = {
	{ KT_TRACEPOINT(KTRACE_EV_POWER_IDLE, cpu_idle, on_power_idle) },
	{ KT_TRACEPOINT(KTRACE_EV_POWER_FREQUENCY, cpu_frequency, on_power_frequency) },
	{ }
};
