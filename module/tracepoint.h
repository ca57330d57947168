/* SPDX-License-Identifier: GPL-2.0 */
/* tracepoint.h - any kernel event by its number: tracepoints, dynamic probes */
#ifndef KT_TRACEPOINT_H
#define KT_TRACEPOINT_H

#include <linux/types.h>
#include <uapi/linux/ktrace_events.h>

/** kt_tracepoint_is - true if @id is in the range that kt_tracepoint_map() hands out */
static inline bool kt_tracepoint_is(u16 id)
{
	return id >= KTRACE_EV_DYNAMIC && id - KTRACE_EV_DYNAMIC < KTRACE_EV_DYNAMIC_NR;
}

int kt_tracepoint_map(u32 number, unsigned long *mapped, u16 *id);
void kt_tracepoint_unmap_all(unsigned long *mapped);
void kt_tracepoint_reopen(int cpu);

void kt_tracepoint_get(u16 id);
void kt_tracepoint_put(u16 id);

#endif
