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
 */
#include <ktrace/statistics.h>

#include "make_kernel.h"

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

static void check_sums(const struct ktrace_statistic *n)
{
	__u64 events = 0, cpu_ns = 0, by_type = 0;
	__u32 i;

	for (i = 0; i < n->type_nr; i++)
		by_type += n->types[i].events;
	CHECK_EQ(by_type, n->events);
	if (n->level == KTRACE_STATISTIC_SUB)
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

static const struct ktrace_statistic *read_file(struct reading *r, __u64 from, __u64 until)
{
	struct ktrace_trace_event e;

	CHECK_EQ(ktrace_traceset_open(NULL, &r->set), 0);
	CHECK_EQ(ktrace_traceset_add(r->set, path), 0);
	CHECK_EQ(ktrace_state_new(r->set, &r->state), 0);
	CHECK_EQ(ktrace_statistics_new(r->state, from, until, &r->statistics), 0);
	while (ktrace_traceset_next(r->set, &e) == 1) {
		CHECK_EQ(ktrace_state_update(r->state, &e), 0);
		CHECK_EQ(ktrace_statistics_update(r->statistics, &e), 0);
	}
	ktrace_state_flush(r->state, until);
	CHECK_EQ(ktrace_statistics_end(r->statistics), 0);
	check_sums(ktrace_statistics_root(r->statistics));
	return ktrace_statistics_root(r->statistics);
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

int main(void)
{
	snprintf(path, sizeof(path), "/tmp/ktrace-statistics-%d", (int)getpid());
	make();
	test_by_hand();
	test_window();
	unlink(path);
	return 0;
}
