// SPDX-License-Identifier: GPL-2.0
/*
 * test_state.c - the state after each event, and at random times
 *
 * Tables say what a thread or a resource must be after each event. Then a file of random
 * events, long enough for saved states, is read once from the start; what the state was
 * at random times is what a seek gives.
 */
#include <ktrace/state.h>

#include "make_kernel.h"

#include <unistd.h>

#define CPUS 4u
#define READ 0u
#define WAIT4 61u
#define CLONE 56u

static char path[64];
static const char followed[] = "trace scope=followed\nprocess pid=300 ppid=1 ts=1 comm=spin\n";
static struct maker cpus[CPUS];

/* struct expected - an event, a thread to look at, and what it must be */
struct expected {
	struct kernel_row row;
	__u32 tid;
	const char *is;
};

/* "run cpu0 user+syscall:0" */
static const char *describe(const struct ktrace_states *s, __u32 tid, __s32 cpu)
{
	const struct ktrace_process *p = ktrace_state_find(s, 0, tid, cpu);
	static char text[256];
	__u32 i;
	int n;

	if (!p)
		return "none";
	n = snprintf(text, sizeof(text), "%s cpu%d ", ktrace_status_name(p->status), p->cpu);
	for (i = 0; i < p->depth; i++) {
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%s", i ? "+" : "",
			      ktrace_mode_name(p->stack[i].mode));
		if (p->stack[i].mode > KTRACE_MODE_USER)
			n += snprintf(text + n, sizeof(text) - (size_t)n, ":%u", p->stack[i].sub);
	}
	return text;
}

/* "cpu1 idle+irq", "irq5 idle" */
static const char *describe_resource(const struct ktrace_states *s, __u32 kind, __u32 number)
{
	const struct ktrace_resource *r = ktrace_state_find_resource(s, 0, kind, number);
	static char text[256];
	__u32 i;
	int n;

	if (!r)
		return "none";
	n = snprintf(text, sizeof(text), "%s%u ", ktrace_resource_kind_name(kind), number);
	for (i = 0; i < r->depth; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%s", i ? "+" : "",
			      ktrace_resource_mode_name(r->modes[i]));
	return text;
}

static struct ktrace_traceset *open_set(void)
{
	struct ktrace_traceset *set;

	CHECK_EQ(ktrace_traceset_open(NULL, &set), 0);
	CHECK_EQ(ktrace_traceset_add(set, path), 0);
	return set;
}

static void next_event(struct ktrace_traceset *set, struct ktrace_states *s)
{
	struct ktrace_trace_event e;

	CHECK_EQ(ktrace_traceset_next(set, &e), 1);
	CHECK_EQ(ktrace_state_update(s, &e), 0);
}

/* @scope: what META says besides, NULL = nothing */
static void check_table(const char *what, const char *scope, const struct expected *table,
			size_t nr)
{
	struct ktrace_tracefile *tf = make_kernel_file(path, cpus, CPUS);
	struct ktrace_traceset *set;
	struct ktrace_states *s;
	size_t i;

	if (scope)
		make_meta(tf, scope);
	for (i = 0; i < nr; i++)
		make_kernel_event(cpus, &table[i].row);
	make_kernel_end(tf, cpus, CPUS);
	set = open_set();
	CHECK_EQ(ktrace_state_new(set, &s), 0);
	for (i = 0; i < nr; i++) {
		const char *is;

		next_event(set, s);
		is = describe(s, table[i].tid, (__s32)table[i].row.cpu);
		if (strcmp(is, table[i].is)) {
			fprintf(stderr, "%s, row %zu: \"%s\", not \"%s\"\n", what, i, is,
				table[i].is);
			exit(1);
		}
	}
	ktrace_state_free(s);
	ktrace_traceset_close(set);
}

#define TABLE(table) table, sizeof(table) / sizeof((table)[0])
#define CHECK_TABLE(what, table) check_table(what, NULL, TABLE(table))

static void test_life_of_a_process(void)
{
	static const struct expected table[] = {
		{ ENTER(10, 0, 100, CLONE), 100, "run cpu0 user+syscall:56" },
		{ FORK(20, 0, 100, 100, 101, 101), 101, "wait-fork cpu0 user+syscall:56" },
		{ WAKEUP(21, 0, 100, 101, 1), 101, "wait-cpu cpu1 user+syscall:56" },
		{ SWITCH(22, 1, 0, 101, 0), 101, "run cpu1 user+syscall:56" },
		{ LEAVE(23, 1, 101, CLONE, 0), 101, "run cpu1 user" },
		{ LEAVE(24, 0, 100, CLONE, 101), 100, "run cpu0 user" },
		{ ENTER(25, 0, 100, WAIT4), 100, "run cpu0 user+syscall:61" },
		{ SWITCH(26, 0, 100, 0, 1), 100, "wait cpu0 user+syscall:61" },
		{ ENTER(27, 1, 101, 60), 101, "run cpu1 user+syscall:60" },
		{ EXIT(28, 1, 101, 101), 101, "exit cpu1 user+syscall:60" },
		{ WAKEUP(29, 1, 101, 100, 0), 100, "wait-cpu cpu0 user+syscall:61" },
		{ SWITCH(30, 1, 101, 0, 5), 101, "zombie cpu1 user+syscall:60" },
		{ SWITCH(31, 0, 0, 100, 0), 100, "run cpu0 user+syscall:61" },
		{ LEAVE(32, 0, 100, WAIT4, 101), 101, "dead cpu1 user+syscall:60" },
	};

	CHECK_TABLE("life of a process", table);
}

/* A call ends by its own number and ABI; what else ends is of a call whose begin was not seen. */
static void test_calls_of_two_tables(void)
{
	enum { I386 = KTRACE_SYSCALL_I386 };
	static const struct expected table[] = {
		{ ENTER_OF(10, 0, 100, 5, I386), 100, "run cpu0 user+syscall:2147483653" },
		{ LEAVE_OF(11, 0, 100, 5, I386, 3), 100, "run cpu0 user" },
		{ ENTER(12, 0, 100, 5), 100, "run cpu0 user+syscall:5" },
		{ LEAVE_OF(13, 0, 100, 5, I386, 3), 100, "run cpu0 user" },
		{ ENTER(20, 0, 100, 15), 100, "run cpu0 user+syscall:15" },
		{ LEAVE(21, 0, 100, (__u32)-1, 0), 100, "run cpu0 user" },
		{ ENTER_OF(22, 0, 100, 173, I386), 100, "run cpu0 user+syscall:2147483821" },
		{ LEAVE_OF(23, 0, 100, (__u32)-1, I386, 0), 100, "run cpu0 user" },
		/* wait4() of a 32-bit program */
		{ FORK(30, 0, 100, 100, 101, 101), 101, "wait-fork cpu0 unknown" },
		{ SWITCH(31, 1, 0, 101, 0), 101, "run cpu1 unknown" },
		{ EXIT(32, 1, 101, 101), 101, "exit cpu1 unknown" },
		{ SWITCH(33, 1, 101, 0, 5), 101, "zombie cpu1 unknown" },
		{ ENTER_OF(34, 0, 100, 114, I386), 100, "run cpu0 user+syscall:2147483762" },
		{ LEAVE_OF(35, 0, 100, 114, I386, 101), 101, "dead cpu1 unknown" },
		{ ENTER(40, 0, 100, 59), 100, "run cpu0 user+syscall:59" },
		{ LEAVE_OF(41, 0, 100, 11, I386, 0), 100, "run cpu0 user" },
		{ ENTER_OF(42, 0, 100, 358, I386), 100, "run cpu0 user+syscall:2147484006" },
		{ LEAVE(43, 0, 100, 59, 0), 100, "run cpu0 user" },
	};

	CHECK_TABLE("calls of two tables", table);
}

static void test_threads_and_early_reaping(void)
{
	static const struct expected table[] = {
		{ FORK(10, 0, 100, 100, 101, 100), 101, "wait-fork cpu0 unknown" },
		{ SWITCH(11, 0, 100, 101, 0), 100, "wait-cpu cpu0 unknown" },
		{ EXIT(12, 0, 101, 100), 101, "exit cpu0 unknown" },
		{ SWITCH(13, 0, 101, 100, 5), 101, "dead cpu0 unknown" },
		/* The parent knows before the child has left its CPU. */
		{ FORK(20, 0, 100, 100, 102, 102), 102, "wait-fork cpu0 unknown" },
		{ SWITCH(21, 1, 0, 102, 0), 102, "run cpu1 unknown" },
		{ EXIT(22, 1, 102, 102), 102, "exit cpu1 unknown" },
		{ ENTER(23, 0, 100, WAIT4), 100, "run cpu0 user+syscall:61" },
		{ LEAVE(24, 0, 100, WAIT4, 102), 102, "exit cpu1 unknown" },
		{ SWITCH(25, 1, 102, 0, 5), 102, "dead cpu1 unknown" },
		/* Its number is given again. */
		{ FORK(30, 0, 100, 100, 102, 102), 102, "wait-fork cpu0 unknown" },
		/* A thread that executes becomes the leader. */
		{ FORK(40, 0, 100, 100, 103, 100), 103, "wait-fork cpu0 unknown" },
		{ SWITCH(41, 0, 100, 103, 1), 103, "run cpu0 unknown" },
		{ ENTER(42, 0, 103, 59), 103, "run cpu0 user+syscall:59" },
		{ EXEC(43, 0, 100, 100, 103), 100, "run cpu0 user+syscall:59" },
		{ LEAVE(44, 0, 100, 59, 0), 100, "run cpu0 user" },
		{ ENTER(45, 0, 100, READ), 103, "dead cpu0 user+syscall:59" },
	};

	CHECK_TABLE("threads", table);
}

static void test_interrupts_nest(void)
{
	static const struct expected table[] = {
		{ ENTER(10, 0, 100, READ), 100, "run cpu0 user+syscall:0" },
		{ IRQ(11, 0, 100, 5), 100, "run cpu0 user+syscall:0+irq:5" },
		{ IRQ_END(12, 0, 100, 5), 100, "run cpu0 user+syscall:0" },
		{ SOFTIRQ(13, 0, 100, 3), 100, "run cpu0 user+syscall:0+softirq:3" },
		{ IRQ(14, 0, 100, 6), 100, "run cpu0 user+syscall:0+softirq:3+irq:6" },
		{ IRQ_END(15, 0, 100, 6), 100, "run cpu0 user+syscall:0+softirq:3" },
		{ SOFTIRQ_END(16, 0, 100, 3), 100, "run cpu0 user+syscall:0" },
		{ LEAVE(17, 0, 100, READ, 0), 100, "run cpu0 user" },
		/* A softirq may be preempted where they are threads. */
		{ SOFTIRQ(18, 0, 100, 1), 100, "run cpu0 user+softirq:1" },
		{ SWITCH(19, 0, 100, 0, 0), 100, "wait-cpu cpu0 user+softirq:1" },
		{ IRQ(20, 0, 0, 5), 0, "run cpu0 unknown+irq:5" },
		{ IRQ_END(21, 0, 0, 5), 0, "run cpu0 unknown" },
		{ MIGRATE(22, 0, 0, 100, 0, 1), 100, "wait-cpu cpu1 user+softirq:1" },
		{ SWITCH(23, 1, 0, 100, 0), 100, "run cpu1 user+softirq:1" },
		{ SOFTIRQ_END(24, 1, 100, 1), 100, "run cpu1 user" },
	};

	CHECK_TABLE("interrupts", table);
}

static void test_what_was_not_entered_is_left(void)
{
	static const struct expected table[] = {
		{ IRQ_END(10, 0, 100, 5), 100, "run cpu0 unknown" },
		{ LEAVE(11, 0, 100, READ, 0), 100, "run cpu0 unknown" },
		{ SOFTIRQ_END(12, 0, 100, 3), 100, "run cpu0 unknown" },
		{ ENTER(13, 0, 100, READ), 100, "run cpu0 user+syscall:0" },
		{ IRQ_END(14, 0, 100, 5), 100, "run cpu0 unknown" },
		/* Without the end of the one before */
		{ ENTER(15, 0, 100, READ), 100, "run cpu0 user+syscall:0" },
		{ IRQ(16, 0, 100, 5), 100, "run cpu0 user+syscall:0+irq:5" },
		{ ENTER(17, 0, 100, 1), 100, "run cpu0 user+syscall:1" },
		{ IRQ(18, 0, 100, 5), 100, "run cpu0 user+syscall:1+irq:5" },
		{ LEAVE(19, 0, 100, 1, 0), 100, "run cpu0 user" },
		/* Without a switch */
		{ ENTER(20, 0, 101, READ), 100, "unnamed cpu0 user" },
		{ ENTER(21, 1, 101, READ), 101, "run cpu1 user+syscall:0" },
	};

	CHECK_TABLE("underflow", table);
}

static void test_stack_overflows(void)
{
	struct expected table[2 * (KTRACE_MODE_DEPTH + 3)];
	const __u32 nr = KTRACE_MODE_DEPTH + 3;
	static const char *const deep = "run cpu0 user+irq:1+irq:2+irq:3+irq:4+irq:5+irq:6+irq:7";
	static const char *const steps[] = {
		"run cpu0 user", "run cpu0 user+irq:1", "run cpu0 user+irq:1+irq:2",
		"run cpu0 user+irq:1+irq:2+irq:3", "run cpu0 user+irq:1+irq:2+irq:3+irq:4",
		"run cpu0 user+irq:1+irq:2+irq:3+irq:4+irq:5",
		"run cpu0 user+irq:1+irq:2+irq:3+irq:4+irq:5+irq:6",
	};
	__u32 i, at = 0;

	table[at++] = (struct expected){ ENTER(1, 0, 100, 1), 100, "run cpu0 user+syscall:1" };
	table[at++] = (struct expected){ LEAVE(2, 0, 100, 1, 0), 100, "run cpu0 user" };
	for (i = 1; i < nr; i++)
		table[at++] = (struct expected){ IRQ(10 + i, 0, 100, i), 100,
						 i < 7 ? steps[i] : deep };
	for (i = nr - 1; i; i--)
		table[at++] = (struct expected){ IRQ_END(100 - i, 0, 100, i), 100,
						 i > 7 ? deep : steps[i - 1] };
	check_table("overflow", NULL, table, at);
}

/* 100 to 103 and 300 are followed, 900 and above are not. */
static void test_others_are_unknown(void)
{
	static const struct expected table[] = {
		/* As the next one, and by its wake-up */
		{ SWITCH(10, 0, 900, 100, 0), 100, "run cpu0 unknown" },
		{ SWITCH(11, 0, 100, 901, 0), 100, "wait-cpu cpu0 unknown" },
		{ SWITCH(12, 0, 902, 100, 1), 901, "unnamed cpu0 unknown" },
		{ SWITCH(13, 0, 100, 0, 1), 0, "unnamed cpu0 unknown" },
		{ WAKEUP(14, 1, 903, 100, 1), 903, "unnamed cpu1 unknown" },
		{ SWITCH(15, 1, 0, 100, 0), 100, "run cpu1 unknown" },
		/* As who leaves to the idle task, and as who records an event about itself */
		{ SWITCH(20, 2, 101, 0, 1), 101, "wait cpu2 unknown" },
		{ SWITCH(21, 2, 901, 101, 0), 101, "run cpu2 unknown" },
		{ ENTER(22, 3, 102, READ), 102, "run cpu3 user+syscall:0" },
		{ SWITCH(23, 3, 102, 101, 0), 101, "run cpu3 unknown" },
		{ FORK(24, 3, 101, 101, 103, 103), 103, "wait-fork cpu3 unknown" },
		{ SWITCH(25, 3, 101, 103, 0), 103, "run cpu3 unknown" },
		/* As META names it: it has run since before the recording. */
		{ SWITCH(30, 0, 300, 904, 0), 904, "unnamed cpu0 unknown" },
		{ SWITCH(31, 0, 904, 300, 0), 300, "run cpu0 unknown" },
		/* Its number is somebody else's by now. */
		{ EXIT(40, 3, 103, 103), 103, "exit cpu3 unknown" },
		{ SWITCH(41, 3, 103, 905, 5), 103, "zombie cpu3 unknown" },
		{ SWITCH(42, 1, 100, 103, 1), 103, "unnamed cpu1 unknown" },
	};

	check_table("others", followed, TABLE(table));
}

static void test_a_cpu_is_unknown_with_others(void)
{
	static const struct {
		struct kernel_row row;
		const char *is;
	} table[] = {
		{ SWITCH(10, 1, 0, 100, 0), "cpu1 busy" },
		{ IRQ(11, 1, 100, 5), "cpu1 busy+irq" },
		{ SWITCH(12, 1, 100, 900, 0), "cpu1 unknown" },
		{ WAKEUP(13, 1, 901, 100, 1), "cpu1 unknown" },
		{ SWITCH(14, 1, 902, 100, 0), "cpu1 busy" },
		{ SWITCH(15, 1, 100, 0, 0), "cpu1 unknown" },
	};
	struct ktrace_tracefile *tf = make_kernel_file(path, cpus, CPUS);
	struct ktrace_traceset *set;
	struct ktrace_states *s;
	size_t i;

	make_meta(tf, followed);
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		make_kernel_event(cpus, &table[i].row);
	make_kernel_end(tf, cpus, CPUS);
	set = open_set();
	CHECK_EQ(ktrace_state_new(set, &s), 0);
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		next_event(set, s);
		CHECK_STR(describe_resource(s, KTRACE_RESOURCE_CPU, 1), table[i].is);
	}
	ktrace_state_free(s);
	ktrace_traceset_close(set);
}

static void test_resources(void)
{
	static const struct {
		struct kernel_row row;
		__u32 kind;
		__u32 number;
		const char *is;
	} table[] = {
		{ SWITCH(10, 1, 100, 0, 1), KTRACE_RESOURCE_CPU, 1, "cpu1 idle" },
		{ IRQ(11, 1, 0, 5), KTRACE_RESOURCE_CPU, 1, "cpu1 idle+irq" },
		{ WAKEUP(12, 1, 0, 100, 1), KTRACE_RESOURCE_IRQ, 5, "irq5 idle+busy" },
		{ IRQ_END(13, 1, 0, 5), KTRACE_RESOURCE_IRQ, 5, "irq5 idle" },
		{ SWITCH(14, 1, 0, 100, 0), KTRACE_RESOURCE_CPU, 1, "cpu1 busy" },
		{ SOFTIRQ(15, 1, 100, 3), KTRACE_RESOURCE_SOFTIRQ, 3, "softirq3 idle+busy" },
		{ SOFTIRQ(16, 0, 0, 3), KTRACE_RESOURCE_SOFTIRQ, 3, "softirq3 idle+busy+busy" },
		{ SOFTIRQ_END(17, 1, 100, 3), KTRACE_RESOURCE_CPU, 1, "cpu1 busy" },
		{ SOFTIRQ_END(18, 0, 0, 3), KTRACE_RESOURCE_SOFTIRQ, 3, "softirq3 idle" },
		{ SOFTIRQ_END(19, 0, 0, 3), KTRACE_RESOURCE_SOFTIRQ, 3, "softirq3 unknown" },
		{ IRQ_END(20, 0, 0, 7), KTRACE_RESOURCE_IRQ, 7, "irq7 unknown" },
		/* A read that was issued before; then requests that end in another order. */
		{ COMPLETE(21, 0, 9, 0, 0), KTRACE_RESOURCE_BLOCK, 9, "block9 unknown" },
		{ ISSUE(22, 0, 9, 1), KTRACE_RESOURCE_BLOCK, 9, "block9 idle+write" },
		{ ISSUE(23, 1, 9, 0), KTRACE_RESOURCE_BLOCK, 9, "block9 idle+write" },
		{ COMPLETE(24, 0, 9, 1, 512), KTRACE_RESOURCE_BLOCK, 9, "block9 idle+write" },
		{ COMPLETE(25, 0, 9, 1, 0), KTRACE_RESOURCE_BLOCK, 9, "block9 idle+read" },
		{ ISSUE(26, 0, 9, 2), KTRACE_RESOURCE_BLOCK, 9, "block9 idle+write" },
		{ REQUEUE(27, 0, 9, 2), KTRACE_RESOURCE_BLOCK, 9, "block9 idle+read" },
		{ ISSUE(28, 0, 8, 0), KTRACE_RESOURCE_BLOCK, 9, "block9 idle+read" },
		{ COMPLETE(29, 1, 9, 1, 0), KTRACE_RESOURCE_BLOCK, 9, "block9 idle+read" },
		{ COMPLETE(30, 1, 9, 0, 0), KTRACE_RESOURCE_BLOCK, 9, "block9 idle" },
		{ COMPLETE(31, 1, 8, 0, 0), KTRACE_RESOURCE_BLOCK, 8, "block8 idle" },
	};
	struct ktrace_tracefile *tf = make_kernel_file(path, cpus, CPUS);
	struct ktrace_traceset *set;
	struct ktrace_states *s;
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		make_kernel_event(cpus, &table[i].row);
	make_kernel_end(tf, cpus, CPUS);
	set = open_set();
	CHECK_EQ(ktrace_state_new(set, &s), 0);
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		next_event(set, s);
		CHECK_STR(describe_resource(s, table[i].kind, table[i].number), table[i].is);
	}
	CHECK_STR(ktrace_mode_sub_name(s, 0, KTRACE_MODE_IRQ, 5), "dev5");
	CHECK_STR(ktrace_mode_sub_name(s, 0, KTRACE_MODE_SOFTIRQ, 3), "NET_RX");
	ktrace_state_free(s);
	ktrace_traceset_close(set);
}

#define EVENTS 160000u
#define TIMES 12u

static unsigned int seed = 77;

static unsigned int random_below(unsigned int n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % n;
}

/* Any event of any thread; many make no sense, and many have the same stamp. */
static struct kernel_row random_row(__u64 ts, __u32 *running)
{
	__u32 cpu = random_below(CPUS), tid = running[cpu], other = 1 + random_below(300);
	struct kernel_row rows[] = {
		ENTER(ts, cpu, tid, random_below(300)),
		ENTER(ts, cpu, tid, WAIT4),
		LEAVE(ts, cpu, tid, random_below(300), 0),
		LEAVE(ts, cpu, tid, WAIT4, other),
		IRQ(ts, cpu, tid, random_below(20)),
		IRQ_END(ts, cpu, tid, random_below(20)),
		SOFTIRQ(ts, cpu, tid, random_below(10)),
		SOFTIRQ_END(ts, cpu, tid, random_below(10)),
		ISSUE(ts, cpu, random_below(3), random_below(3)),
		REQUEUE(ts, cpu, random_below(3), random_below(3)),
		COMPLETE(ts, cpu, random_below(3), random_below(3), random_below(2)),
		WAKEUP(ts, cpu, tid, other, random_below(CPUS)),
		MIGRATE(ts, cpu, tid, other, 0, random_below(CPUS)),
		FORK(ts, cpu, tid, tid, other, other),
		EXEC(ts, cpu, tid, tid, tid),
		EXIT(ts, cpu, tid, tid),
		SWITCH(ts, cpu, tid, other, random_below(8)),
		SWITCH(ts, cpu, tid, 0, random_below(8)),
	};
	struct kernel_row row = rows[random_below(sizeof(rows) / sizeof(rows[0]))];

	if (row.id == KTRACE_EV_SCHED_SWITCH)
		running[cpu] = row.b;
	return row;
}

static __u64 hash(__u64 h, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;

	while (n--)
		h = (h ^ *at++) * 0x100000001b3ull;
	return h;
}

/* Does not depend on the order of threads and resources. */
static __u64 digest(const struct ktrace_states *s)
{
	const struct ktrace_resource *r;
	const struct ktrace_process *p;
	__u64 sum = 0, h;
	size_t i;

	for (i = 0; (p = ktrace_state_process(s, i)); i++) {
		h = hash(1, &p->serial, offsetof(struct ktrace_process, stack));
		h = hash(h, p->stack, p->depth * sizeof(p->stack[0]));
		sum += hash(h, p->comm, sizeof(p->comm));
	}
	for (i = 0; (r = ktrace_state_resource(s, i)); i++) {
		h = hash(2, &r->since, offsetof(struct ktrace_resource, modes));
		sum += hash(h, r->modes, r->depth);
	}
	return sum;
}

static void make_random(const char *scope, __u64 *end)
{
	struct ktrace_tracefile *tf = make_kernel_file(path, cpus, CPUS);
	__u32 running[CPUS] = { 0 }, i;
	__u64 ts = 100;

	if (scope)
		make_meta(tf, scope);
	for (i = 0; i < EVENTS; i++) {
		struct kernel_row row = random_row(ts, running);

		/* Now and then a stamp goes back in its stream. */
		if (!random_below(5000))
			row.ts -= 50;
		make_kernel_event(cpus, &row);
		ts += random_below(3) ? 0 : random_below(8);
	}
	make_kernel_end(tf, cpus, CPUS);
	*end = ts;
}

static int by_time(const void *a, const void *b)
{
	const __u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* What the state is at each of @times, which are in order, read from the start */
static void read_through(struct ktrace_traceset *set, struct ktrace_states *s,
			 const __u64 *times, __u64 *digests)
{
	struct ktrace_trace_event e;
	unsigned int i = 0;

	while (ktrace_traceset_next(set, &e) == 1) {
		while (i < TIMES && e.time >= times[i])
			digests[i++] = digest(s);
		CHECK_EQ(ktrace_state_update(s, &e), 0);
	}
	while (i < TIMES)
		digests[i++] = digest(s);
}

static void test_seeks_give_what_reading_gives(const char *scope)
{
	__u64 times[TIMES], digests[TIMES], end, blocks, all;
	struct ktrace_traceset_stats stats;
	struct ktrace_trace_event e;
	struct ktrace_traceset *set;
	struct ktrace_states *s;
	unsigned int i, n;

	make_random(scope, &end);
	for (i = 0; i < TIMES; i++)
		times[i] = 1 + (__u64)random_below(32768) * (end + 100) / 32768;
	times[0] = 0;
	qsort(times, TIMES, sizeof(times[0]), by_time);
	set = open_set();
	CHECK_EQ(ktrace_state_new(set, &s), 0);
	read_through(set, s, times, digests);
	ktrace_traceset_stats(set, &stats);
	CHECK_EQ(stats.events, EVENTS);
	all = stats.blocks;
	for (n = 0; n < TIMES; n++) {
		i = random_below(TIMES);
		CHECK_EQ(ktrace_state_seek(s, times[i]), 0);
		CHECK(digest(s) == digests[i]);
		if (ktrace_traceset_next(set, &e) == 1)
			CHECK(e.time >= times[i]);
	}
	/* Near the end, only what lies behind the last saved state is read. */
	ktrace_traceset_stats(set, &stats);
	blocks = stats.blocks;
	CHECK_EQ(ktrace_state_seek(s, end - 1), 0);
	ktrace_traceset_stats(set, &stats);
	CHECK(stats.blocks - blocks < all / 2);
	ktrace_state_free(s);
	/* A state that has not read anything yet gets there, too. */
	CHECK_EQ(ktrace_state_new(set, &s), 0);
	CHECK_EQ(ktrace_state_seek(s, times[TIMES / 2]), 0);
	CHECK(digest(s) == digests[TIMES / 2]);
	ktrace_state_free(s);
	ktrace_traceset_close(set);
}

#define PLACES 12

/* Places between events, also of equal times, and what the state is there */
static void test_seeks_to_positions(void)
{
	struct ktrace_position *places[PLACES], *unset;
	__u64 digests[PLACES], end, next = 0, nr = 0;
	struct ktrace_trace_event e;
	struct ktrace_traceset *set;
	struct ktrace_states *s;
	unsigned int i, n;

	make_random(NULL, &end);
	set = open_set();
	CHECK_EQ(ktrace_state_new(set, &s), 0);
	CHECK_EQ(ktrace_position_new(&unset), 0);
	for (i = 0; i < PLACES; i++) {
		for (; nr < next; nr++) {
			CHECK_EQ(ktrace_traceset_next(set, &e), 1);
			CHECK_EQ(ktrace_state_update(s, &e), 0);
		}
		CHECK_EQ(ktrace_position_new(&places[i]), 0);
		CHECK_EQ(ktrace_position_save(set, places[i]), 0);
		digests[i] = digest(s);
		next += i + 2 < PLACES ? random_below(EVENTS / PLACES) : EVENTS - next;
	}
	CHECK_EQ(ktrace_position_time(places[PLACES - 1]), KTRACE_TIME_NONE);
	for (n = 0; n < 3 * PLACES; n++) {
		i = random_below(PLACES);
		CHECK_EQ(ktrace_state_seek_position(s, places[i]), 0);
		CHECK(digest(s) == digests[i]);
		CHECK_EQ(ktrace_state_seek_position(s, unset), 0);
		CHECK_EQ(ktrace_position_save(set, unset), 0);
		CHECK_EQ(ktrace_position_compare(unset, places[i]), 0);
		ktrace_position_free(unset);
		CHECK_EQ(ktrace_position_new(&unset), 0);
	}
	for (i = 0; i < PLACES; i++)
		ktrace_position_free(places[i]);
	ktrace_position_free(unset);
	ktrace_state_free(s);
	ktrace_traceset_close(set);
}

int main(void)
{
	temporary_file(path, sizeof(path), "ktrace-state");
	test_life_of_a_process();
	test_calls_of_two_tables();
	test_threads_and_early_reaping();
	test_interrupts_nest();
	test_what_was_not_entered_is_left();
	test_stack_overflows();
	test_resources();
	test_others_are_unknown();
	test_a_cpu_is_unknown_with_others();
	test_seeks_give_what_reading_gives(NULL);
	test_seeks_give_what_reading_gives(followed);
	test_seeks_to_positions();
	unlink(path);
	return 0;
}
