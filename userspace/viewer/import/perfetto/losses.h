/* SPDX-License-Identifier: GPL-2.0 */
/*
 * losses.h - losses that a trace states in statistics, apart from those marked at their place
 *
 * A mark, as previous_packet_dropped of a packet or lost_events of a bundle, counts as one loss at
 * its place. Statistics state totals of the same losses: only what exceeds the marks is added, at
 * the end of the conversion.
 */
#ifndef VIEWER_IMPORT_PERFETTO_LOSSES_H
#define VIEWER_IMPORT_PERFETTO_LOSSES_H

#include "base/hash_table.h"

#include "perfetto.pb-c.h"

#include <linux/ktrace_ring.h>
#include <stdbool.h>

struct conversion;

/**
 * struct losses - losses of buffers and of CPUs
 * @cpus:	counts of the kernel's tracer by machine and CPU
 * @total:	of all buffers by reason, enum ktrace_lost_reason
 * @last:	the same of the last statistics, which are running totals of a session
 * @marked:	losses already recorded because of marks of packets, by reason
 * @stated_ts:	time of the last statistics
 * @first_ts:	time of the first event
 * @has_first:	@first_ts is valid
 */
struct losses {
	struct hash_table cpus;
	__u64 total[KTRACE_LOST_NR];
	__u64 last[KTRACE_LOST_NR];
	__u64 marked[KTRACE_LOST_NR];
	__u64 stated_ts;
	__u64 first_ts;
	bool has_first;
};

void losses_init(struct losses *l);
void losses_free(struct losses *l);

/* Returns the reason that the mark of a packet states, enum ktrace_lost_reason. */
int losses_reason(__u32 mark);
/* Notes the time of an event. */
void losses_event(struct losses *l, __u64 ts);
/* Notes a loss that a bundle marks. Return: 0, -ENOMEM. */
int losses_mark_cpu(struct losses *l, __u32 machine, __u32 cpu);
/* Reads the statistics of the service's buffers, in the current packet. */
void losses_take_buffers(struct conversion *c, const Perfetto__Protos__TraceStats *s);
/* Reads the statistics of the kernel's tracer. Return: 0, -ENOMEM. */
int losses_take_cpus(struct losses *l, __u32 machine, const Perfetto__Protos__FtraceStats *s,
		     __u64 ts);
/* Records a loss of a CPU at the current time. Return: 0, -errno. */
int losses_put_cpu(struct conversion *c, __u32 cpu, int reason, __u64 count);
/* Records the losses that exceed the marks. Return: 0, -errno. */
int losses_put(struct conversion *c);

#endif
