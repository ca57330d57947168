/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lock_cycles.h - which locks threads can wait for in a circle
 *
 * Nodes of the graph are locks. A cycle can be a deadlock, unless one thread alone made all of
 * it, or another lock was held each time ("guard"). Of those through an edge that can be one, the
 * shortest is searched for.
 */
#ifndef VIEWER_PTHREAD_LOCK_CYCLES_H
#define VIEWER_PTHREAD_LOCK_CYCLES_H

#include <stdbool.h>

#include "base/hash_table.h"

#define LOCK_GUARDS 4u

/**
 * struct lock_edge - @to was taken while @from was held
 * @key:	serials and lives of both
 * @from:	what was held
 * @to:		what was taken
 * @from_kind, @to_kind: what they were: later there may be something else at that address
 * @count:	how often
 * @first:	when for the first time
 * @tid:	by this thread then
 * @caller:	from where @to was taken when that was recorded for the first time, 0 = never
 * @thread, @raw, @trace: by whom, stamp and file then; without a caller, for the first time
 * @is_shared:	and by others later
 * @guards:	keys of what was held each time, 0 = none
 * @is_told:	it is part of one that was told
 */
struct lock_edge {
	struct lock_edge_key {
		__u64 from;
		__u64 to;
	} key;
	const struct model_object *from, *to;
	__u32 from_kind, to_kind;
	__u64 count;
	__u64 first;
	__u32 tid;
	__u64 caller;
	const struct model_thread *thread;
	__u64 raw;
	const struct ktrace_trace *trace;
	bool is_shared, is_told;
	__u64 guards[LOCK_GUARDS];
};

/**
 * struct lock_cycles - how cycles are searched for, and where they go to
 * @found:	one that can be a deadlock: the @nr edges at @cycle, the last one first
 * @arg:	for it
 * @steps:	once so many edges were looked at, cycles through others are not searched for
 */
struct lock_cycles {
	void (*found)(void *arg, struct lock_edge *const *cycle, size_t nr);
	void *arg;
	__u64 steps;
};

/* Edges that begin at one lock lie together. */
int lock_edge_order(const void *x, const void *y);

/**
 * lock_cycles_find - tell cycles that can be deadlocks
 * @edges:	of struct lock_edge, in order of lock_edge_order()
 * @to:		how, and where to
 * @unsearched:	through so many edges none was searched for
 *
 * Return: 0, -ENOMEM.
 */
int lock_cycles_find(const struct hash_table *edges, const struct lock_cycles *to,
		     __u64 *unsearched);

#endif
