// SPDX-License-Identifier: GPL-2.0
/* test_task_state.c - task states of sched_switch by the kernel's release, and without it */
#include "check.h"

#include "../../userspace/viewer/import/task_state.c"

enum { R = KTRACE_TASK_RUNNABLE, S = KTRACE_TASK_SLEEP, D = KTRACE_TASK_DISK,
       T = KTRACE_TASK_STOPPED, TR = KTRACE_TASK_TRACED, X = KTRACE_TASK_DEAD,
       I = KTRACE_TASK_IDLE, P = KTRACE_TASK_PARKED };

static struct task_states states;

static void put(__u32 prev, const char *comm, __s64 bits, __u32 next)
{
	struct task_switch s = { .prev_tid = prev, .next_tid = next, .bits = bits,
				 .is_bits = true };

	snprintf(s.prev_comm, sizeof(s.prev_comm), "%s", comm);
	task_states_switch(&states, &s);
}

static __u32 get(__s64 bits)
{
	return task_states_convert(&states, bits, "a");
}

static void test_releases(void)
{
	static const struct {
		const char *release;
		const char *tool;
		__s64 bits;
		__u32 state;
	} rows[] = {
		{ "3.2.0-4-amd64", "perf", 512, R }, { "3.8.13", "perf", 64, X },
		{ "3.10.0-1160.el7", "perf", 512, P }, { "3.10.0", "perf", 1024, R },
		{ "3.10.0", "perf", 130, D }, { "3.10.0", "perf", 132, T },
		{ "4.1.9", "perf", 1024, R }, { "4.2.0", "perf", 1024, I },
		{ "4.4.3-1", "lttng-modules", 64, X }, { "4.4.3-1", "lttng-modules", 130, D },
		{ "4.4.3", NULL, 256, R }, { "4.4.3", NULL, 1026, I }, { "4.4.3", NULL, 2048, R },
		{ "4.4.3", NULL, 129, S }, { "4.4.3", NULL, 16, X }, { "4.4.3", NULL, 32, X },
		{ "4.4.3", NULL, 136, TR }, { "4.4.3", NULL, 128, D }, { "4.4.3", NULL, 0, R },
		{ "4.9.0", NULL, 4096, R }, { "4.13.9", NULL, 512, P }, { "4.13.9", NULL, 64, X },
		{ "5.10.0", NULL, 16, X }, { "5.10.0", NULL, 32, X }, { "5.10.0", NULL, 64, P },
		{ "6.1.0-9-amd64", NULL, 128, I }, { "6.1.0", NULL, 256, R },
		{ "6.1.0", NULL, 8, TR }, { "6.1.0", NULL, 4, T }, { "6.1.0", NULL, 2, D },
		{ "6.1.0", "lttng-modules", 128, I }, { "10.0", NULL, 64, P },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		task_states_init(&states, rows[i].release, rows[i].tool);
		CHECK(task_states_is_known(&states));
		CHECK_EQ(get(rows[i].bits), rows[i].state);
		CHECK_EQ(states.guessed + states.settled, 0);
	}
}

/* Releases with a fault that later ones of the same number do not have */
static void test_faults(void)
{
	task_states_init(&states, "4.18.0-80.el8", "perf");
	CHECK(!task_states_agree(&states, 4, "a"));
	CHECK_EQ(get(4), D);
	CHECK_EQ(states.guessed, 1);
	put(0, "swapper/1", 1, 9);
	CHECK(task_states_is_known(&states));
	CHECK_EQ(get(1), R);
	CHECK_EQ(get(2), S);
	CHECK_EQ(get(4), D);
	CHECK_EQ(task_states_convert(&states, 256, "kworker/1:2"), I);
	CHECK_EQ(task_states_convert(&states, 256, "a"), R);

	task_states_init(&states, "4.18.0-500.el8", "perf");
	put(0, "swapper/1", 0, 9);
	CHECK(task_states_is_known(&states));
	CHECK_EQ(get(2), D);
	CHECK_EQ(get(64), P);

	task_states_init(&states, "4.14.0", NULL);
	put(9, "a", 5, 0);
	CHECK(task_states_is_known(&states));
	CHECK_EQ(get(5), X);
	CHECK_EQ(get(8), I);
	CHECK_EQ(get(7), P);
	CHECK_EQ(get(4096), R);
	CHECK_EQ(get(99), R);

	/* Android's kernels of that number may have the old bits. */
	task_states_init(&states, "4.14.78-g123", NULL);
	put(9, "a", 1026, 0);
	CHECK_EQ(get(64), X);

	task_states_init(&states, "4.19.5", "lttng-modules");
	put(9, "a", 1026, 0);
	CHECK_EQ(get(128), X);
	CHECK_EQ(get(64), P);
	CHECK_EQ(get(258), D);
	task_states_init(&states, "4.19.5", "lttng-modules");
	put(9, "a", 256, 0);
	CHECK_EQ(get(128), I);
}

static void unknown(void)
{
	task_states_init(&states, NULL, NULL);
	CHECK(!task_states_is_known(&states));
	CHECK(task_states_agree(&states, 2, "a"));
	CHECK(!task_states_agree(&states, 64, "a"));
}

static void test_unknown(void)
{
	unknown();
	put(9, "a", 64, 0);
	put(0, "swapper/0", 0, 9);
	CHECK_EQ(get(64), P);
	unknown();
	task_states_exit(&states, 9);
	put(9, "a", 64, 0);
	put(0, "swapper/0", 0, 9);
	CHECK_EQ(get(64), X);
	unknown();
	put(9, "a", 130, 0);
	CHECK_EQ(get(64), X);
	CHECK_EQ(get(1024), R);
	CHECK_EQ(get(512), R);
	CHECK_EQ(task_states_convert(&states, 512, "migration/3"), P);
	unknown();
	put(9, "kworker/0:1", 128, 0);
	CHECK_EQ(get(64), P);
	unknown();
	put(9, "a", 2048, 0);
	CHECK_EQ(get(128), D);
	unknown();
	put(9, "a", 16, 0);
	CHECK_EQ(get(64), P);
	CHECK_EQ(states.settled, 1);
	CHECK_EQ(states.guessed, 0);
	unknown();
	CHECK_EQ(get(64), P);
	CHECK_EQ(states.guessed, 1);
	unknown();
	put(0, "swapper/3", 1, 9);
	CHECK_EQ(get(4), D);
}

static void test_print_fmt(void)
{
	unknown();
	task_states_print_fmt(&states, "\"%s\", REC->prev_state & (2048-1) ? __print_flags("
			      "REC->prev_state & (2048-1), \"|\", { 1, \"S\"} , { 64, \"x\" }, "
			      "{ 128, \"K\" }) : \"R\"");
	CHECK(task_states_is_known(&states));
	CHECK_EQ(get(64), X);
	unknown();
	task_states_print_fmt(&states, "(REC->prev_state & 0xff) ? __print_flags(0, \"|\", "
			      "{ 0x0001, \"S\" }, { 0x0040, \"P\" }) : \"R\"");
	CHECK(task_states_is_known(&states));
	CHECK_EQ(get(64), P);
	unknown();
	task_states_print_fmt(&states, "");
	task_states_print_fmt(&states, "REC->prev_state & {{{ {64, {64, \"");
	CHECK(!task_states_is_known(&states));
}

static void test_letters(void)
{
	static const struct {
		const char *text;
		__u32 state;
	} rows[] = {
		{ "R", R }, { "R+", R }, { "S", S }, { "D", D }, { "D|K", D }, { "S|K", S },
		{ "D|W", D }, { "T", T }, { "T|K", T }, { "t", TR }, { "t|K", TR }, { "X", X },
		{ "Z", X }, { "x", X }, { "P", P }, { "I", I }, { "N", I }, { "D|N", I },
		{ "D|0x400", I }, { "K", D }, { "W", R }, { "S+", R }, { "?", D }, { "", D },
		{ "0x", D }, { "|", D },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK_EQ(task_state_letters(rows[i].text, strlen(rows[i].text)), rows[i].state);
}

static void test_any(void)
{
	static const char *const releases[] = { NULL, "", "x", "3", "4.14", "4.15", "99.99.99" };

	for (size_t i = 0; i < sizeof(releases) / sizeof(releases[0]); i++) {
		task_states_init(&states, releases[i], i % 2 ? "lttng-modules" : NULL);
		for (__s64 bits = -70000; bits < 70000; bits += 7) {
			put((__u32)bits & 15, bits & 1 ? "swapper/0" : "kworker/1", bits, 9);
			CHECK(get(bits) <= P);
		}
		CHECK_EQ(get((__s64)(1ull << 63)) <= P, 1);
		CHECK(states.possible);
	}
}

int main(void)
{
	test_releases();
	test_faults();
	test_unknown();
	test_print_fmt();
	test_letters();
	test_any();
	puts("ok");
	return 0;
}
