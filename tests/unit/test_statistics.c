// SPDX-License-Identifier: GPL-2.0
/*
 * test_statistics.c - counts and times of a trace worked out by hand, and their sums
 *
 * CPU 0, times in ns since its first event (stamp 100; the time of a stamp is 1 more):
 *
 *	  0   100 enters read                   100: user, syscall 0
 *	 10   interrupt 5                       100: syscall 0 + irq 5
 *	 14   its end
 *	 20   100 -> idle, sleeps               100 waits, cpu idle
 *	 50   idle wakes 100
 *	 55   idle -> 100
 *	 60   read returns                      100: user
 *	 70   100 -> 101, preempted
 *	100   101 -> 100, sleeps; the end is at 101
 *
 * And of many threads that live for a moment, where few are to be kept.
 */
#include <ktrace/statistics.h>

#include "make_kernel.h"

#include <stdlib.h>
#include <unistd.h>

static char path[64];
static struct maker cpus[1];

static const struct kernel_row rows[] = {
	ENTER(100, 0, 100, 0), IRQ(110, 0, 100, 5), IRQ_END(114, 0, 100, 5),
	SWITCH(120, 0, 100, 0, 1), WAKEUP(150, 0, 0, 100, 0), SWITCH(155, 0, 0, 100, 0),
	LEAVE(160, 0, 100, 0, 7), SWITCH(170, 0, 100, 101, 0), SWITCH(200, 0, 101, 100, 1),
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static const struct ktrace_statistic *child(const struct ktrace_statistic *n, __u64 key)
{
	__u32 i;

	for (i = 0; i < n->child_nr; i++)
		if (n->children[i]->key == key)
			return n->children[i];
	CHECK(!"such a child");
	return NULL;
}

static const struct ktrace_statistic *thread(const struct ktrace_statistic *cpu, __u32 tid)
{
	__u32 i;

	for (i = 0; i < cpu->child_nr; i++)
		if (cpu->children[i]->tid == tid)
			return cpu->children[i];
	CHECK(!"such a thread");
	return NULL;
}

static void check_times(const struct ktrace_statistic *n, const __u64 expected[6])
{
	CHECK_EQ(n->events, expected[0]);
	CHECK_EQ(n->cpu_ns, expected[1]);
	CHECK_EQ(n->cumulative_ns, expected[2]);
	CHECK_EQ(n->elapsed_ns, expected[3]);
	CHECK_EQ(n->wait_ns, expected[4]);
	CHECK_EQ(n->wait_cpu_ns, expected[5]);
}

#define TIMES(...) (const __u64[6]){ __VA_ARGS__ }

static bool is_all;	/* nodes have all that they are the sum of */

static void check_sums(const struct ktrace_statistic *n)
{
	__u64 events = 0, cpu_ns = 0, by_type = 0;
	__u32 i;

	for (i = 0; i < n->type_nr; i++)
		by_type += n->types[i].events;
	CHECK_EQ(by_type, n->events);
	if (n->level == KTRACE_STATISTIC_SUB || (!is_all && n->level == KTRACE_STATISTIC_CPU))
		return;
	for (i = 0; i < n->child_nr; i++) {
		events += n->children[i]->events;
		cpu_ns += n->children[i]->cpu_ns;
		check_sums(n->children[i]);
	}
	CHECK_EQ(events, n->events);
	CHECK_EQ(cpu_ns, n->cpu_ns);
}

/* struct reading - a file being read with state and statistics */
struct reading {
	struct ktrace_traceset *set;
	struct ktrace_states *state;
	struct ktrace_statistics *statistics;
};

static void begin(struct reading *r, __u64 from, __u64 until)
{
	CHECK_EQ(ktrace_traceset_open(NULL, &r->set), 0);
	CHECK_EQ(ktrace_traceset_add(r->set, path), 0);
	CHECK_EQ(ktrace_state_new(r->set, &r->state), 0);
	CHECK_EQ(ktrace_statistics_new(r->state, from, until, &r->statistics), 0);
}

static void read_events(struct reading *r)
{
	struct ktrace_trace_event e;

	while (ktrace_traceset_next(r->set, &e) == 1) {
		CHECK_EQ(ktrace_state_update(r->state, &e), 0);
		CHECK_EQ(ktrace_statistics_update(r->statistics, &e), 0);
	}
}

static const struct ktrace_statistic *finish(struct reading *r, __u64 until)
{
	ktrace_state_flush(r->state, until);
	CHECK_EQ(ktrace_statistics_end(r->statistics), 0);
	check_sums(ktrace_statistics_root(r->statistics));
	return ktrace_statistics_root(r->statistics);
}

static const struct ktrace_statistic *read_file(struct reading *r, __u64 from, __u64 until)
{
	begin(r, from, until);
	read_events(r);
	is_all = true;
	return finish(r, until);
}

static void end(struct reading *r)
{
	ktrace_statistics_free(r->statistics);
	ktrace_state_free(r->state);
	ktrace_traceset_close(r->set);
}

static void make(void)
{
	struct ktrace_tracefile *tf = make_kernel_file(path, cpus, 1);
	size_t i;

	for (i = 0; i < ROWS; i++)
		make_kernel_event(cpus, &rows[i]);
	make_kernel_end(tf, cpus, 1);
}

static void test_by_hand(void)
{
	const struct ktrace_statistic *root, *cpu, *t, *sys;
	struct reading r;

	root = read_file(&r, 0, 202);
	CHECK_EQ(root->events, ROWS);
	cpu = child(child(root, 0), 0);
	/* 0 to 101 on the CPU, without a gap; 100 waits 20 to 50, and for the CPU 5 and 30. */
	CHECK_EQ(cpu->cpu_ns, 101);
	t = thread(cpu, 100);
	CHECK_STR(t->comm, "t100");
	check_times(t, TIMES(6, 36, 36, 101, 30, 35));
	sys = child(child(t, KTRACE_MODE_SYSCALL), 0);
	check_times(sys, TIMES(3, 21, 25, 60, 30, 5));
	check_times(child(child(t, KTRACE_MODE_IRQ), 5), TIMES(1, 4, 4, 4, 0, 0));
	check_times(child(t, KTRACE_MODE_USER), TIMES(2, 11, 36, 101, 0, 30));
	check_times(thread(cpu, 0), TIMES(2, 35, 35, 35, 0, 0));
	check_times(thread(cpu, 101), TIMES(1, 30, 30, 31, 1, 0));
	end(&r);
}

static void test_window(void)
{
	const struct ktrace_statistic *root, *t;
	struct reading r;

	/* From the middle of the interrupt to the middle of the wait */
	root = read_file(&r, 113, 131);
	CHECK_EQ(root->events, 2);
	t = thread(child(child(root, 0), 0), 100);
	check_times(t, TIMES(2, 8, 8, 18, 10, 0));
	check_times(child(child(t, KTRACE_MODE_IRQ), 5), TIMES(0, 2, 2, 2, 0, 0));
	end(&r);
}

#define MANY 2000u
#define KEPT 3u
#define TASK_DEAD 5

/* Thread 1 makes one after the other; each runs as long as nobody before it, in no order. */
static void make_many(void)
{
	struct ktrace_tracefile *tf = make_kernel_file(path, cpus, 1);
	__u64 ts = 100;
	__u32 i, tid, ns;

	for (i = 0; i < MANY; i++) {
		tid = 100 + i;
		ns = 1 + i * 7919 % 2003;
		const struct kernel_row life[] = {
			FORK(ts, 0, 1, 1, tid, 1), SWITCH(ts + 1, 0, 1, tid, 0),
			ENTER(ts + 1, 0, tid, i % 300), EXIT(ts + ns, 0, tid, 1),
			SWITCH(ts + 1 + ns, 0, tid, 1, TASK_DEAD),
		};

		for (__u32 j = 0; j < sizeof(life) / sizeof(life[0]); j++)
			make_kernel_event(cpus, &life[j]);
		ts += 2 + ns;
	}
	make_kernel_end(tf, cpus, 1);
}

static void check_same(const struct ktrace_statistic *n, const struct ktrace_statistic *all)
{
	CHECK_EQ(n->key, all->key);
	CHECK_EQ(n->type_nr, all->type_nr);
	check_times(n, TIMES(all->events, all->cpu_ns, all->cumulative_ns, all->elapsed_ns,
			     all->wait_ns, all->wait_cpu_ns));
}

/* @depth: whether there are modes; the first threads, and all sums, are those of @all. */
static void check_kept(const struct ktrace_statistic *all, __u32 depth, __u64 until)
{
	const struct ktrace_statistic *root, *cpu, *t;
	struct reading r;
	__u32 i;

	begin(&r, 0, until);
	ktrace_statistics_keep(r.statistics, depth, KEPT);
	read_events(&r);
	cpu = child(child(ktrace_statistics_root(r.statistics), 0), 0);
	/* It does not wait for the end to keep few. */
	CHECK(cpu->child_nr < 100);
	is_all = false;
	root = finish(&r, until);
	check_same(root, all);
	check_same(child(root, 0), child(all, 0));
	all = child(child(all, 0), 0);
	check_same(cpu, all);
	qsort(cpu->children, cpu->child_nr, sizeof(cpu->children[0]), ktrace_statistic_order);
	for (i = 0; i < KEPT; i++) {
		t = cpu->children[i];
		check_same(t, all->children[i]);
		CHECK_STR(t->comm, all->children[i]->comm);
		CHECK_EQ(t->child_nr,
			 depth == KTRACE_STATISTIC_SUB ? all->children[i]->child_nr : 0);
	}
	end(&r);
}

static void test_few_kept(void)
{
	const struct ktrace_statistic *root, *cpu;
	const __u64 until = 1ull << 40;
	struct reading r;

	make_many();
	root = read_file(&r, 0, until);
	cpu = child(child(root, 0), 0);
	CHECK_EQ(cpu->child_nr, MANY + 1);
	qsort(cpu->children, cpu->child_nr, sizeof(cpu->children[0]), ktrace_statistic_order);
	CHECK(cpu->children[0]->cpu_ns > cpu->children[1]->cpu_ns);
	check_kept(root, KTRACE_STATISTIC_SUB, until);
	check_kept(root, KTRACE_STATISTIC_THREAD, until);
	end(&r);
}

int main(void)
{
	temporary_file(path, sizeof(path), "ktrace-statistics");
	make();
	test_by_hand();
	test_window();
	test_few_kept();
	unlink(path);
	return 0;
}
