// SPDX-License-Identifier: GPL-2.0
/*
 * test_lock_cycles.c - cycles of locks, of very many locks
 *
 * What takes the square of them takes many times the limit of CPU time, and ends the test.
 */
#include "check.h"

#include <sys/resource.h>

#include "../../userspace/viewer/lock_cycles.c"
#include "../../userspace/viewer/rows.c"
#include "../../userspace/viewer/scc.c"

/* Threads */
enum { A = 1, B };

static struct rows edges;
static __u32 locks;

/* What was found */
static __u64 found, longest, unsearched;

static struct lock_edge *add(__u64 from, __u64 to, __u32 tid)
{
	const struct lock_edge_key key = { from, to };
	struct lock_edge *e = rows_get(&edges, &key);

	CHECK(e);
	e->is_shared = e->tid && e->tid != tid;
	e->tid = tid;
	return e;
}

static void on_found(void *arg, struct lock_edge *const *cycle, size_t nr)
{
	size_t i;

	CHECK(arg == &edges);
	for (i = 0; i < nr; i++)
		CHECK_EQ(cycle[i]->key.from, cycle[(i + 1) % nr]->key.to);
	found++;
	longest = nr > longest ? nr : longest;
}

static void find(__u64 steps)
{
	const struct lock_cycles to = { on_found, &edges, steps };

	found = longest = 0;
	rows_sort(&edges, lock_edge_order);
	CHECK_EQ(lock_cycles_find(&edges, &to, &unsearched), 0);
	rows_free(&edges);
	edges = (struct rows)ROWS_INIT(struct lock_edge, key);
}

/* From each lock to the next, and back to the first */
static void add_ring(__u64 guard)
{
	__u64 i;

	for (i = 0; i < locks; i++)
		add(1 + i, 1 + (i + 1) % locks, A)->guards[i % LOCK_GUARDS] = guard;
}

static void test_rings(void)
{
	add_ring(0);
	find(~0ull);
	CHECK_EQ(found, 0);
	CHECK_EQ(unsearched, 0);
	/* The last one is taken by another thread. */
	add_ring(0);
	add(locks, 1, B);
	find(~0ull);
	CHECK_EQ(found, 1);
	CHECK_EQ(longest, locks);
	add_ring(7);
	add(locks, 1, B);
	find(~0ull);
	CHECK_EQ(found, 0);
	/* The guard was not there once. */
	add_ring(7);
	add(locks, 1, B)->guards[(locks - 1) % LOCK_GUARDS] = 8;
	find(~0ull);
	CHECK_EQ(found, 1);
}

/* Each is in a cycle of two with the one before it. */
static void test_pairs(void)
{
	__u64 i;

	for (i = 1; i < locks; i++) {
		add(i, i + 1, A);
		add(i + 1, i, B);
	}
	find(~0ull);
	CHECK_EQ(found, locks - 1);
	CHECK_EQ(longest, 2);
}

/* One thread's ring, and two threads' cycle at a lock of it */
static void test_too_much(void)
{
	add_ring(0);
	add(1, locks + 1, A);
	add(locks + 1, 1, B);
	find(10 * locks);
	CHECK_EQ(found, 1);
	CHECK_EQ(longest, 2);
	CHECK(unsearched > locks - 20 && unsearched < locks);
}

int main(void)
{
	const struct rlimit limit = { 60, 60 };

	locks = 200000 / (__u32)unit_step();
	CHECK_EQ(setrlimit(RLIMIT_CPU, &limit), 0);
	edges = (struct rows)ROWS_INIT(struct lock_edge, key);
	test_rings();
	test_pairs();
	test_too_much();
	puts("ok");
	return 0;
}
