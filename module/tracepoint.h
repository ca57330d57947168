/* SPDX-License-Identifier: GPL-2.0 */
/* tracepoint.h - any event of the kernel by its number: tracepoints, dynamic probes */
#ifndef KT_TRACEPOINT_H
#define KT_TRACEPOINT_H

#include <linux/types.h>
#include <uapi/linux/ktrace_events.h>

/** kt_tracepoint_is - is @id one of those that are handed out here? */
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
