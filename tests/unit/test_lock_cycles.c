// SPDX-License-Identifier: GPL-2.0
/*
 * test_lock_cycles.c - cycles of locks, of very many locks
 *
 * What takes the square of them takes many times the limit of CPU time, and ends the test.
 */
#include "check.h"

#include <sys/resource.h>

#include "../../userspace/viewer/pthread/lock_cycles.c"
#include "../../userspace/lib/base/hash_table.c"
#include "../../userspace/viewer/base/scc.c"

/* Threads */
enum { A = 1, B, C };

static struct hash_table edges;
static __u32 locks;

/* What was found */
static __u64 found, longest, unsearched;

static struct lock_edge *add(__u64 from, __u64 to, __u32 tid)
{
	const struct lock_edge_key key = { from, to };
	struct lock_edge *e = hash_table_get(&edges, &key);

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
	hash_table_sort(&edges, lock_edge_order);
	CHECK_EQ(lock_cycles_find(&edges, &to, &unsearched), 0);
	hash_table_free(&edges);
	edges = (struct hash_table)HASH_TABLE_INIT(struct lock_edge, key);
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

/* @n locks from @first on, each taken under the next and the other way round, by a thread a pair */
static void add_pairs(__u64 first, __u64 n, bool is_ring)
{
	__u64 i, next;

	for (i = 0; i < n - !is_ring; i++) {
		next = (i + 1) % n;
		add(first + i, first + next, 1 + (__u32)i);
		add(first + next, first + i, 1 + (__u32)i);
	}
}

/* Behind pairs that one thread alone made, or under a guard, there is a longer cycle. */
static void test_behind_pairs(void)
{
	add_pairs(1, 3, true);
	find(~0ull);
	CHECK_EQ(found, 2);	/* one in each direction */
	CHECK_EQ(longest, 3);
	CHECK_EQ(unsearched, 0);
	add_pairs(1, 50, true);
	find(~0ull);
	CHECK_EQ(found, 2);
	CHECK_EQ(longest, 50);
	/* What comes to a lock twice is none. */
	add_pairs(1, 50, false);
	find(~0ull);
	CHECK_EQ(found, 0);
	CHECK_EQ(unsearched, 0);
	/* A pair that two threads made under one guard, and a way round it */
	add(1, 2, A)->guards[0] = 7;
	add(2, 1, B)->guards[1] = 7;
	add(2, 3, A);
	add(3, 1, B);
	find(~0ull);
	CHECK_EQ(found, 1);
	CHECK_EQ(longest, 3);
}

/* So many ways that not all are followed: that is said. */
static void test_too_many_ways(void)
{
	__u64 i, j;

	for (i = 1; i <= 20; i++)
		for (j = 1; j <= 20; j++)
			if (i != j)
				add(i, j, A);
	add(1, 100, C);
	add(100, 1, C);
	find(100000);
	CHECK_EQ(found, 0);
	CHECK(unsearched > 0);
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
	edges = (struct hash_table)HASH_TABLE_INIT(struct lock_edge, key);
	test_rings();
	test_pairs();
	test_too_much();
	test_behind_pairs();
	test_too_many_ways();
	puts("ok");
	return 0;
}
