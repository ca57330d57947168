/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * statistics.h - how many events there were, and where the time went, as a tree
 *
 *	traceset / trace / CPU / thread / mode of execution / sub-mode
 *
 * The tree follows a state (state.h), which tells it of each span of time; it is given
 * the events besides:
 *
 *	ktrace_state_update(state, &event);
 *	ktrace_statistics_update(statistics, &event);
 *
 * An event counts under its trace, CPU and thread, and the mode that this thread is in
 * once the event was taken in. Time of a thread counts under the CPU it ran on last, and
 * under the first trace of its boot.
 *
 * Memory: some 5 KiB for each CPU that a thread was on, whether it lives or not, with the modes
 * that it was in; ktrace_statistics_keep() makes this less.
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
 * struct ktrace_statistic - a node of the tree; what lies below it is included
 * @level:	enum ktrace_statistic_level
 * @tid:	thread; like the next two valid from its level on
 * @pid:	its process, 0 = not known
 * @comm:	its name when it was seen last, empty = not known
 * @key:	which of its level
 * @events:	events, losses not counted
 * @cpu_ns:	it ran, with this mode on top
 * @cumulative_ns: it ran, with this mode anywhere: interrupts of a system call included
 * @elapsed_ns:	as @cumulative_ns, running or not
 * @wait_ns:	it waited for something
 * @wait_cpu_ns: it waited for a CPU
 * @types:	the events by type
 * @type_nr:	how many
 * @children:	nodes of the next level, in order of @key; of a CPU those that were kept
 * @child_nr:	how many
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
 * ktrace_statistics_new - an empty tree that follows a state
 * @state:	it must stay until the tree is freed, and not be updated after that
 * @from:	time before this does not count
 * @until:	nor does time from this on
 * @out:	the tree
 *
 * Return: 0, -ENOMEM, -ENOSPC if the state has too many watches.
 */
int ktrace_statistics_new(struct ktrace_states *state, __u64 from, __u64 until,
			  struct ktrace_statistics **out);

/**
 * ktrace_statistics_keep - have less than everything, of long recordings; before the first event
 * @depth:	KTRACE_STATISTIC_SUB: all levels; KTRACE_STATISTIC_THREAD: no modes
 * @threads:	of each CPU the first ones by ktrace_statistic_order() are there at the end, and
 *		those that live; ~0: all, as if this had not been called
 *
 * What is not kept counts in the CPU, and in all above it.
 */
void ktrace_statistics_keep(struct ktrace_statistics *statistics, __u32 depth, __u64 threads);

/** ktrace_statistics_free - free everything; NULL is allowed */
void ktrace_statistics_free(struct ktrace_statistics *statistics);

/**
 * ktrace_statistics_update - count an event that the state has taken in
 *
 * Return: 0, -ENOMEM, also if that was met when the state told of a span.
 */
int ktrace_statistics_update(struct ktrace_statistics *statistics,
			     const struct ktrace_trace_event *event);

/**
 * ktrace_statistics_end - sum up, and put the tree in order
 *
 * Events of threads and modes, and all of what is above threads, are the sums of the latest call.
 * What lasts at the end counts once ktrace_state_flush() has told it.
 *
 * Return: 0, -ENOMEM, also if that was met when the state told of a span.
 */
int ktrace_statistics_end(struct ktrace_statistics *statistics);

/**
 * ktrace_statistic_order - which child comes first: more time on a CPU, more events, a lower key
 * @a:		an element of @children
 * @b:		another
 *
 * Return: as qsort() wants it.
 */
int ktrace_statistic_order(const void *a, const void *b);

/** ktrace_statistics_root - the traceset's node */
const struct ktrace_statistic *ktrace_statistics_root(const struct ktrace_statistics *statistics);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
