/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * statistics.h - event counts and times as a tree
 *
 *	traceset / trace / CPU / thread / mode of execution / sub-mode
 *
 * The tree gets time spans from a state (state.h). Events have to be passed to it separately:
 *
 *	ktrace_state_update(state, &event);
 *	ktrace_statistics_update(statistics, &event);
 *
 * An event counts under its trace, CPU and thread, and under the mode of this thread after the
 * event has updated the state. The time of a thread counts under its last CPU, and under the first
 * trace of its boot.
 *
 * Memory: about 5 KiB for each pair of a CPU and a thread that ran on it, alive or not, including
 * its modes; ktrace_statistics_keep() reduces this.
 */
#ifndef KTRACE_STATISTICS_H
#define KTRACE_STATISTICS_H

#include <ktrace/state.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ktrace_statistics;

enum ktrace_statistic_level {
	KTRACE_STATISTIC_TRACESET,
	KTRACE_STATISTIC_TRACE,		/* @key: its number */
	KTRACE_STATISTIC_CPU,		/* @key: its number; ~0 = none */
	KTRACE_STATISTIC_THREAD,	/* @key: its serial */
	KTRACE_STATISTIC_MODE,		/* @key: enum ktrace_mode */
	KTRACE_STATISTIC_SUB,		/* @key: sub-mode */
	KTRACE_STATISTIC_NR,
};

/* struct ktrace_statistic_type - events of one type; @type is NULL if they are not described */
struct ktrace_statistic_type {
	const struct ktrace_event_type *type;
	__u64 events;
};

/**
 * struct ktrace_statistic - a node of the tree; includes all nodes below it
 * @level:	enum ktrace_statistic_level
 * @tid:	thread id; like the next two, valid from the thread level on
 * @pid:	its process, 0 = unknown
 * @comm:	its last known name, empty = unknown
 * @key:	identifies the node in its level
 * @events:	number of events, without losses
 * @cpu_ns:	time running with this mode on top
 * @cumulative_ns: time running with this mode anywhere in the stack, e.g. including interrupts of a
 *		system call
 * @elapsed_ns:	like @cumulative_ns, running or not
 * @wait_ns:	time waiting for something other than a CPU
 * @wait_cpu_ns: time waiting for a CPU
 * @types:	the events by type
 * @type_nr:	number of @types
 * @children:	nodes of the next level, ordered by @key; of a CPU only those kept
 * @child_nr:	number of @children
 */
struct ktrace_statistic {
	__u32 level;
	__u32 tid;
	__u32 pid;
	char comm[16];
	__u64 key;
	__u64 events;
	__u64 cpu_ns;
	__u64 cumulative_ns;
	__u64 elapsed_ns;
	__u64 wait_ns;
	__u64 wait_cpu_ns;
	struct ktrace_statistic_type *types;
	__u32 type_nr;
	struct ktrace_statistic **children;
	__u32 child_nr;
};

/**
 * ktrace_statistics_new - create an empty tree that follows a state
 * @state:	the state; must outlive the tree and not be updated after the tree is freed
 * @from:	time before this does not count
 * @until:	time from this on does not count
 * @out:	the tree
 *
 * Return: 0, -ENOMEM, -ENOSPC if the state has too many watches.
 */
int ktrace_statistics_new(struct ktrace_states *state, __u64 from, __u64 until,
			  struct ktrace_statistics **out);

/**
 * ktrace_statistics_keep - keep only a part, for long recordings; call before the first event
 * @depth:	KTRACE_STATISTIC_SUB: all levels; KTRACE_STATISTIC_THREAD: no modes
 * @threads:	for each CPU, keep the first threads by ktrace_statistic_order() at the end, plus
 *		those alive; ~0: all, the default
 *
 * Dropped nodes still count in the CPU and everything above it.
 */
void ktrace_statistics_keep(struct ktrace_statistics *statistics, __u32 depth, __u64 threads);

/** ktrace_statistics_free - free everything; NULL is allowed */
void ktrace_statistics_free(struct ktrace_statistics *statistics);

/**
 * ktrace_statistics_update - count an event that has already updated the state
 *
 * Return: 0; -EINVAL if the event has not updated the state; -ENOMEM, also for a memory shortage in
 * an earlier callback of the state.
 */
int ktrace_statistics_update(struct ktrace_statistics *statistics,
			     const struct ktrace_trace_event *event);

/**
 * ktrace_statistics_end - sum up and sort the tree
 *
 * The events of threads and modes, and all numbers above threads, are the sums as of the latest
 * call. Open spans count once ktrace_state_flush() has reported them.
 *
 * Return: 0, -ENOMEM, also for a memory shortage in an earlier callback of the state.
 */
int ktrace_statistics_end(struct ktrace_statistics *statistics);

/**
 * ktrace_statistic_order - compare: more CPU time first, then more events, then the lower key
 * @a:		an element of @children
 * @b:		another
 *
 * Return: as for qsort().
 */
int ktrace_statistic_order(const void *a, const void *b);

/** ktrace_statistics_root - get the node of the traceset */
const struct ktrace_statistic *ktrace_statistics_root(const struct ktrace_statistics *statistics);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
