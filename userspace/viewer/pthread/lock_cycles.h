/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lock_cycles.h - finds locks that threads can wait for in a cycle
 *
 * Nodes of the graph are locks. A cycle can be a deadlock, unless a single thread made all of it,
 * or another lock was held each time (a "guard"). For each edge, the shortest such cycle through it
 * is searched for.
 */
#ifndef VIEWER_PTHREAD_LOCK_CYCLES_H
#define VIEWER_PTHREAD_LOCK_CYCLES_H

#include <stdbool.h>

#include "base/hash_table.h"

#define LOCK_GUARDS 4u

/**
 * struct lock_edge - @to was taken while @from was held
 * @key:	serials and lives of both locks
 * @from:	the lock held
 * @to:		the lock taken
 * @from_kind, @to_kind: their kinds: later, other objects may have these addresses
 * @count:	how often this happened
 * @first:	time of the first occurrence
 * @tid:	thread of the first occurrence
 * @caller:	address @to was taken from when that was first recorded, 0 = never
 * @thread, @raw, @trace: thread, stamp and file of the one with @caller; without it, of the first
 * @is_shared:	other threads did it later
 * @guards:	keys of locks that were held each time, 0 = none
 * @is_told:	it is part of a reported cycle
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
 * struct lock_cycles - limit of a search, and receiver of the cycles
 * @found:	called for each possible deadlock: the @nr edges at @cycle, the last one first
 * @arg:	argument of @found
 * @steps:	after so many edges were visited, no further cycles are searched for
 */
struct lock_cycles {
	void (*found)(void *arg, struct lock_edge *const *cycle, size_t nr);
	void *arg;
	__u64 steps;
};

/* Compares edges; sorting makes those that start at one lock adjacent. */
int lock_edge_order(const void *x, const void *y);

/**
 * lock_cycles_find - report cycles that can be deadlocks
 * @edges:	struct lock_edge, in order of lock_edge_order()
 * @to:		limit and receiver
 * @unsearched:	number of edges whose cycles were not searched for
 *
 * Return: 0, -ENOMEM.
 */
int lock_cycles_find(const struct hash_table *edges, const struct lock_cycles *to,
		     __u64 *unsearched);

#endif
