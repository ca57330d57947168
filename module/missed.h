/* SPDX-License-Identifier: GPL-2.0 */
/* missed.h - tracepoint hits that perf does not record */
#ifndef KT_MISSED_H
#define KT_MISSED_H

#include <linux/percpu.h>
#include <linux/types.h>

struct trace_event_call;
struct tracepoint;

/* Hits of one tracepoint on one CPU that can be between perf's probe and ours. */
#define KT_MISSED_TOKENS 8

struct kt_missed_cpu {
	unsigned long recorded[KT_MISSED_TOKENS];
};

/**
 * struct kt_missed - how the hits of one event are counted
 * @id:		the event
 * @tp:		tracepoint that our probe is on; NULL: hits are not counted
 * @nr:		system call that the event is about, -1: all hits of @tp count
 * @is_exit:	the event is the exit of the system call
 * @cpus:	by CPU: tokens of hits that have been recorded and have not reached our probe yet
 */
struct kt_missed {
	u16 id;
	bool is_exit;
	int nr;
	struct tracepoint *tp;
	struct kt_missed_cpu __percpu *cpus;
};

void kt_missed_init(void);

int kt_missed_watch(struct kt_missed *m, u16 id, const struct trace_event_call *call);
void kt_missed_unwatch(struct kt_missed *m);
void kt_missed_recorded(const struct kt_missed *m);

#endif
