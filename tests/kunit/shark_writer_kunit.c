// SPDX-License-Identifier: GPL-2.0
/*
 * shark_writer_kunit.c - suite ktrace_shark_writer: how events get into S.Ha.R.K. chunks
 *
 * Runs in the kernel, and as tests/unit/test_shark_writer under sanitizers. A case is named
 * by the requirements that it shows.
 */
#include "shark_fixture.h"

static void shk_21_an_event_is_16_bytes(struct kunit *test)
{
	static const __u8 golden[] = { 0x19, 0x00, 0x34, 0x12, 0, 0, 0, 0, 0, 0, 0, 0,
				       0xef, 0xbe, 0xad, 0xde };
	int n = target(2, 0, CYC);
	struct ktrace_shark_event e;

	kt_shark_log(shark, FTrace_EVT_user_event_1, 0x1234, 0xdeadbeef, 0);
	e = event_of(n, 0);
	KUNIT_EXPECT_TRUE(test, e.tsc_high || e.tsc_low);
	e.tsc_high = 0;
	e.tsc_low = 0;
	KUNIT_EXPECT_MEMEQ(test, &e, golden, sizeof(golden));
	KUNIT_EXPECT_EQ(test, (int)sizeof(e), 16);
}

static void shk_22_each_family_can_be_suppressed(struct kunit *test)
{
	int n = target(64, 0, STOP);
	__u32 family, i;

	for (family = 0; family < 16; family++) {
		KUNIT_EXPECT_EQ(test, kt_shark_set_filter(shark, family, 1), 0);
		for (i = 0; i < 16; i++)
			kt_shark_log(shark, 0x10 + i, family, 0, 0);
		KUNIT_EXPECT_EQ(test, kt_shark_set_filter(shark, family | 0xf0, 0), 0);
	}
	/* 16 x (on, 15 others, off) do not fit; of the first three families nothing is lost. */
	for (family = 0; family < 3; family++) {
		KUNIT_EXPECT_EQ(test, (__u32)event_of(n, family * 17).code, 0xf0 + family);
		KUNIT_EXPECT_EQ(test, (__u32)event_of(n, family * 17).par1, (__u32)1);
		for (i = 0; i < 15; i++)
			KUNIT_EXPECT_EQ(test, (__u32)event_of(n, family * 17 + 1 + i).code,
					0x10 + i + (i >= family));
		KUNIT_EXPECT_EQ(test, (__u32)event_of(n, family * 17 + 16).code, 0xf0 + family);
		KUNIT_EXPECT_EQ(test, (__u32)event_of(n, family * 17 + 16).par1, (__u32)0);
	}
}

static void shk_22_control_codes_are_never_suppressed(struct kunit *test)
{
	int n = target(64, 0, STOP);
	__u32 family;

	for (family = 0; family < 16; family++)
		kt_shark_set_filter(shark, family, 1);
	KUNIT_EXPECT_EQ(test, status_of(n).events, (__u32)16);
	KUNIT_EXPECT_EQ(test, (__u32)event_of(n, 15).code, (__u32)0xff);
	log_many(1);
	KUNIT_EXPECT_EQ(test, status_of(n).events, (__u32)16);
	log_one(FTrace_filter_user);
	KUNIT_EXPECT_EQ(test, status_of(n).events, (__u32)17);
	log_one(FTrace_EVT_next_chunk);
	KUNIT_EXPECT_EQ(test, flags_of(n), (__u32)(STOP | FULL));
	KUNIT_EXPECT_EQ(test, kt_shark_set_filter(shark, 0x10, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, kt_shark_set_filter(shark, 0xef, 1), -EINVAL);
}

static void shk_18_fast_events_pass_the_filter(struct kunit *test)
{
	int n = target(4, 0, STOP);

	kt_shark_set_filter(shark, FTrace_filter_ipoint, 1);
	kt_shark_log(shark, FTrace_EVT_ipoint, 1, 0, 0);
	kt_shark_log(shark, FTrace_EVT_ipoint | KTRACE_SHARK_FAST, 2, 0, KT_SHARK_UNFILTERED);
	KUNIT_EXPECT_EQ(test, status_of(n).events, (__u32)2);
	KUNIT_EXPECT_EQ(test, (__u32)event_of(n, 1).code, (__u32)0x8001);
	KUNIT_EXPECT_EQ(test, (__u32)event_of(n, 1).par1, (__u32)2);
}

static void shk_23_cyc_keeps_the_newest(struct kunit *test)
{
	int n = target(5, 0, CYC);
	__u32 nr;

	for (nr = 1; nr <= 23; nr++) {
		log_many(1);
		account_holds(n, nr > 5 ? nr - 5 : 0, nr - 1);
		KUNIT_EXPECT_EQ(test, flags_of(n), (__u32)CYC);
		KUNIT_EXPECT_EQ(test, lost(KTRACE_SHARK_LOST_OVERWRITTEN),
				(__u64)(nr > 5 ? nr - 5 : 0));
	}
}

static void shk_23_24_a_chunk_may_have_one_slot(struct kunit *test)
{
	int a = target(1, 0, CYC), b = chunk(1, 0, FREE | STOP);

	log_many(3);
	account_holds(a, 2, 2);
	KUNIT_EXPECT_EQ(test, kt_shark_select(shark, b), 0);
	log_many(3);
	account_holds(b, 3, 3);
	KUNIT_EXPECT_EQ(test, flags_of(b), (__u32)(STOP | FULL));
}

static void shk_24_stop_keeps_the_oldest(struct kunit *test)
{
	int n = target(5, 0, STOP);

	log_many(4);
	KUNIT_EXPECT_EQ(test, flags_of(n), (__u32)STOP);
	log_many(1);
	KUNIT_EXPECT_EQ(test, flags_of(n), (__u32)(STOP | FULL));
	log_many(7);
	account_holds(n, 0, 4);
	KUNIT_EXPECT_EQ(test, lost(KTRACE_SHARK_LOST_FULL), (__u64)7);
	KUNIT_EXPECT_EQ(test, status_of(n).lost[KTRACE_SHARK_LOST_FULL], (__u64)7);
}

static void shk_25_jtn_loses_nothing_on_the_way(struct kunit *test)
{
	int a = target(3, 0, JTN), b = chunk(4, 0, FREE | JTN), c = chunk(2, 0, FREE | STOP);

	KUNIT_EXPECT_EQ(test, kt_shark_link(shark, a, b), 0);
	KUNIT_EXPECT_EQ(test, kt_shark_link(shark, b, c), 0);
	log_many(3);
	KUNIT_EXPECT_EQ(test, flags_of(a), (__u32)JTN);
	log_many(7);
	account_holds(a, 0, 2);
	account_holds(b, 3, 6);
	account_holds(c, 7, 8);
	KUNIT_EXPECT_EQ(test, flags_of(a), (__u32)(JTN | FULL));
	KUNIT_EXPECT_EQ(test, flags_of(b), (__u32)(JTN | FULL));
	KUNIT_EXPECT_EQ(test, flags_of(c), (__u32)(STOP | FULL));
	KUNIT_EXPECT_EQ(test, lost(KTRACE_SHARK_LOST_FULL), (__u64)1);
}

static void shk_25_jtn_without_a_chunk_is_stop(struct kunit *test)
{
	int a = target(3, 0, JTN), b = chunk(3, 0, FREE | CYC);

	log_many(5);
	account_holds(a, 0, 2);
	KUNIT_EXPECT_EQ(test, flags_of(a), (__u32)(JTN | FULL));
	KUNIT_EXPECT_EQ(test, kt_shark_link(shark, a, b), 0);
	log_many(1);
	account_holds(b, 5, 5);
	KUNIT_EXPECT_EQ(test, lost(KTRACE_SHARK_LOST_FULL), (__u64)2);
}

static void shk_25_two_chunks_are_a_double_buffer(struct kunit *test)
{
	int a = chunk(3, 0, FREE | JTN), b = chunk(3, 0, FREE | JTN);
	struct kt_shark_view view;
	__u32 round;

	KUNIT_EXPECT_EQ(test, kt_shark_link(shark, b, a), 0);
	KUNIT_EXPECT_EQ(test, kt_shark_set_flags(shark, a, FREE | JTN), 0);
	KUNIT_EXPECT_EQ(test, kt_shark_link(shark, a, b), 0);
	KUNIT_EXPECT_EQ(test, kt_shark_select(shark, a), 0);
	KUNIT_EXPECT_EQ(test, kt_shark_enable(shark), 0);
	for (round = 0; round < 4; round++) {
		log_many(4);
		account_holds(a, round * 6, round * 6 + 2);
		KUNIT_EXPECT_EQ(test, kt_shark_hold(shark, a, &view), 0);
		kt_shark_release(shark, a, FREE | JTN);
		log_many(2);
		account_holds(b, round * 6 + 3, round * 6 + 5);
		KUNIT_EXPECT_EQ(test, kt_shark_hold(shark, b, &view), 0);
		kt_shark_release(shark, b, JTN | FULL);
		KUNIT_EXPECT_EQ(test, kt_shark_set_flags(shark, b, FREE | JTN | FULL), 0);
	}
	KUNIT_EXPECT_EQ(test, lost(KTRACE_SHARK_LOST_FULL), (__u64)0);
}

static void shk_26_next_chunk_goes_on_and_is_nowhere(struct kunit *test)
{
	int a = target(8, 0, CYC), b = chunk(8, 0, FREE | CYC);

	KUNIT_EXPECT_EQ(test, kt_shark_link(shark, a, b), 0);
	log_many(2);
	kt_shark_log(shark, FTrace_EVT_next_chunk, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, flags_of(a), (__u32)(CYC | FULL));
	log_many(2);
	account_holds(a, 0, 1);
	account_holds(b, 2, 3);
	kt_shark_log(shark, FTrace_EVT_next_chunk, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, flags_of(b), (__u32)(CYC | FULL));
	log_many(3);
	account_holds(b, 2, 3);
	KUNIT_EXPECT_EQ(test, lost(KTRACE_SHARK_LOST_FULL), (__u64)3);
}

static void shk_27_the_emergency_area_is_for_what_is_critical(struct kunit *test)
{
	int n = target(3, 2, STOP);

	log_critical();
	log_many(2);
	KUNIT_EXPECT_EQ(test, status_of(n).emergency_events, (__u32)0);
	KUNIT_EXPECT_EQ(test, flags_of(n), (__u32)(STOP | FULL));
	log_critical();
	log_critical();
	account_holds(n, 0, 4);
	KUNIT_EXPECT_EQ(test, status_of(n).emergency_events, (__u32)2);
	log_critical();
	log_many(1);
	account_holds(n, 0, 4);
	KUNIT_EXPECT_EQ(test, lost(KTRACE_SHARK_LOST_FULL), (__u64)2);
	KUNIT_EXPECT_EQ(test, kt_shark_set_flags(shark, n, CYC), 0);
	KUNIT_EXPECT_EQ(test, flags_of(n), (__u32)(CYC | FULL));
	log_many(1);
	account_holds(n, 0, 4);
}

static void shk_31_code_0_is_refused(struct kunit *test)
{
	int n = target(3, 0, CYC);

	kt_shark_log(shark, 0, 1, 2, 0);
	kt_shark_log(shark, KTRACE_SHARK_FAST, 1, 2, KT_SHARK_UNFILTERED);
	KUNIT_EXPECT_EQ(test, status_of(n).events, (__u32)0);
	kt_shark_log(shark, 0x100, 1, 2, 0);
	KUNIT_EXPECT_EQ(test, status_of(n).events, (__u32)1);
}

/* ---- what interrupts a writer ---- */

static __u32 nested_left;
static int nested_result;

/* As an NMI would, when the stamp is taken: once for each of the events that are wanted. */
static void log_nested(const char *name)
{
	(void)name;
	while (nested_left) {
		nested_left--;
		log_one(USER);
	}
}

static void shk_20_what_interrupts_is_stored_behind(struct kunit *test)
{
	int n = target(16, 0, STOP);

	nested_left = 4;
	shark_hook = log_nested;
	log_one(USER);
	shark_hook = NULL;
	account_holds(n, 0, 4);
	log_many(1);
	account_holds(n, 0, 5);
	KUNIT_EXPECT_EQ(test, lost(KTRACE_SHARK_LOST_NESTED), (__u64)0);
}

static void shk_20_what_finds_no_place_is_counted(struct kunit *test)
{
	int n = target(16, 0, STOP);

	nested_left = KT_SHARK_PENDING_NR + 3;
	shark_hook = log_nested;
	log_one(USER);
	shark_hook = NULL;
	account_holds(n, 0, KT_SHARK_PENDING_NR);
	KUNIT_EXPECT_EQ(test, lost(KTRACE_SHARK_LOST_NESTED), (__u64)3);
}

/* One more each time that waiting events are stored, too. */
static void log_one_nested(const char *name)
{
	(void)name;
	if (nested_left) {
		nested_left--;
		log_one(USER);
	}
}

static void shk_20_what_interrupts_the_draining_is_stored(struct kunit *test)
{
	int n = target(64, 0, STOP);

	nested_left = 20;
	shark_hook = log_one_nested;
	log_one(USER);
	shark_hook = NULL;
	KUNIT_EXPECT_EQ(test, status_of(n).events + lost(KTRACE_SHARK_LOST_NESTED),
			(__u64)logged);
	KUNIT_EXPECT_EQ(test, status_of(n).events, (__u32)(1 + KT_SHARK_PENDING_NR));
}

static void ask_nested(const char *name)
{
	(void)name;
	nested_result = kt_shark_select(shark, 1);
}

static void shk_20_functions_fail_within_a_writer(struct kunit *test)
{
	int n = target(4, 0, STOP);

	chunk(4, 0, FREE);
	shark_hook = ask_nested;
	log_one(USER);
	shark_hook = NULL;
	KUNIT_EXPECT_EQ(test, nested_result, -EDEADLK);
	log_many(1);
	account_holds(n, 0, 1);
}

static void shk_20_a_clock_that_steps_back_does_not_show(struct kunit *test)
{
	int n = target(4, 0, STOP);

	log_many(1);
	shark->last += 1ull << 40;
	log_many(2);
	account_holds(n, 0, 2);
	KUNIT_EXPECT_EQ(test, event_of(n, 1).tsc_low, event_of(n, 2).tsc_low);
	KUNIT_EXPECT_EQ(test, event_of(n, 1).tsc_high, event_of(n, 2).tsc_high);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(shk_18_fast_events_pass_the_filter),
	KUNIT_CASE(shk_20_what_interrupts_is_stored_behind),
	KUNIT_CASE(shk_20_what_finds_no_place_is_counted),
	KUNIT_CASE(shk_20_what_interrupts_the_draining_is_stored),
	KUNIT_CASE(shk_20_functions_fail_within_a_writer),
	KUNIT_CASE(shk_20_a_clock_that_steps_back_does_not_show),
	KUNIT_CASE(shk_21_an_event_is_16_bytes),
	KUNIT_CASE(shk_22_each_family_can_be_suppressed),
	KUNIT_CASE(shk_22_control_codes_are_never_suppressed),
	KUNIT_CASE(shk_23_cyc_keeps_the_newest),
	KUNIT_CASE(shk_23_24_a_chunk_may_have_one_slot),
	KUNIT_CASE(shk_24_stop_keeps_the_oldest),
	KUNIT_CASE(shk_25_jtn_loses_nothing_on_the_way),
	KUNIT_CASE(shk_25_jtn_without_a_chunk_is_stop),
	KUNIT_CASE(shk_25_two_chunks_are_a_double_buffer),
	KUNIT_CASE(shk_26_next_chunk_goes_on_and_is_nowhere),
	KUNIT_CASE(shk_27_the_emergency_area_is_for_what_is_critical),
	KUNIT_CASE(shk_31_code_0_is_refused),
	{ }
};

static struct kunit_suite suite = {
	.name = "ktrace_shark_writer",
	.init = shark_setup,
	.exit = shark_teardown,
	.test_cases = cases,
};

kunit_test_suite(suite);
