// SPDX-License-Identifier: GPL-2.0
/*
 * shark_table_kunit.c - suite ktrace_shark_table: chunks, their flags and their life
 *
 * Runs in the kernel, and as tests/unit/test_shark_table under sanitizers. A case is named by the
 * requirements that it shows: shk_23 is SHK-23.
 */
#include "shark_fixture.h"

static void shk_01_enable_takes_a_selected_chunk(struct kunit *test)
{
	int n;

	KUNIT_EXPECT_TRUE(test, kt_shark_enable(shark) < 0);
	n = chunk(4, 0, FREE);
	KUNIT_EXPECT_TRUE(test, kt_shark_enable(shark) < 0);
	KUNIT_EXPECT_EQ(test, kt_shark_select(shark, n), 0);
	KUNIT_EXPECT_EQ(test, kt_shark_enable(shark), 0);
	KUNIT_EXPECT_EQ(test, kt_shark_enable(shark), 0);
}

static void shk_02_nothing_is_stored_when_disabled(struct kunit *test)
{
	int n;

	KUNIT_EXPECT_TRUE(test, kt_shark_disable(shark) < 0);
	n = target(4, 0, CYC);
	log_many(2);
	KUNIT_EXPECT_EQ(test, kt_shark_disable(shark), 0);
	log_many(3);
	KUNIT_EXPECT_EQ(test, kt_shark_disable(shark), 0);
	account_holds(n, 0, 1);
	KUNIT_EXPECT_EQ(test, lost(KTRACE_SHARK_LOST_NOCHUNK), (__u64)0);
}

static void shk_03_create_gives_the_lowest_of_256(struct kunit *test)
{
	static struct ktrace_shark_event memory[4];
	void *before;
	int n;

	for (n = 0; n < KTRACE_SHARK_CHUNK_NR; n++)
		KUNIT_ASSERT_EQ(test, kt_shark_create(shark, memory, 2 * SLOT, 0, FREE), n);
	KUNIT_EXPECT_TRUE(test, kt_shark_create(shark, memory, SLOT, 0, FREE) < 0);
	KUNIT_EXPECT_EQ(test, kt_shark_delete(shark, 200, &before), 0);
	KUNIT_EXPECT_TRUE(test, before == memory);
	KUNIT_EXPECT_EQ(test, kt_shark_delete(shark, 7, &before), 0);
	KUNIT_EXPECT_EQ(test, kt_shark_create(shark, memory, SLOT, 0, FREE), 7);
	KUNIT_EXPECT_EQ(test, kt_shark_create(shark, memory, SLOT, 0, FREE), 200);
}

static void shk_03_sizes_are_checked(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kt_shark_check_create(SLOT, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, kt_shark_check_create(1000000, 1000000, FREE | STOP | NODEL), 0);
	KUNIT_EXPECT_EQ(test, kt_shark_check_create(0, 0, FREE), -EINVAL);
	KUNIT_EXPECT_EQ(test, kt_shark_check_create(0, SLOT, FREE), -EINVAL);
	KUNIT_EXPECT_EQ(test, kt_shark_check_create(-SLOT, 0, FREE), -EINVAL);
	KUNIT_EXPECT_EQ(test, kt_shark_check_create(SLOT, -SLOT, FREE), -EINVAL);
	KUNIT_EXPECT_EQ(test, kt_shark_check_create(SLOT + 8, 0, FREE), -EINVAL);
	KUNIT_EXPECT_EQ(test, kt_shark_check_create(SLOT, 8, FREE), -EINVAL);
	KUNIT_EXPECT_EQ(test, kt_shark_check_create(SLOT, 0, 0x80), -EINVAL);
	KUNIT_EXPECT_EQ(test, kt_shark_check_create(SLOT, 0, JTN | STOP), -EINVAL);
}

static void shk_04_delete_refuses_what_is_in_use(struct kunit *test)
{
	int a = target(2, 0, JTN), b = chunk(2, 0, FREE), c = chunk(2, 0, FREE | NODEL);
	struct kt_shark_view view;
	void *memory;

	KUNIT_EXPECT_EQ(test, kt_shark_delete(shark, -1, &memory), -ENOENT);
	KUNIT_EXPECT_EQ(test, kt_shark_delete(shark, 256, &memory), -ENOENT);
	KUNIT_EXPECT_EQ(test, kt_shark_delete(shark, 3, &memory), -ENOENT);
	KUNIT_EXPECT_EQ(test, kt_shark_delete(shark, a, &memory), -EBUSY);
	KUNIT_EXPECT_EQ(test, kt_shark_link(shark, a, b), 0);
	KUNIT_EXPECT_EQ(test, kt_shark_delete(shark, b, &memory), -EBUSY);
	KUNIT_EXPECT_EQ(test, kt_shark_delete(shark, c, &memory), 0);
	KUNIT_EXPECT_TRUE(test, !memory);
	KUNIT_EXPECT_EQ(test, flags_of(c), (__u32)(FREE | NODEL));
	KUNIT_EXPECT_EQ(test, kt_shark_link(shark, a, c), 0);
	KUNIT_EXPECT_EQ(test, kt_shark_hold(shark, b, &view), 0);
	KUNIT_EXPECT_EQ(test, kt_shark_delete(shark, b, &memory), -EBUSY);
	kt_shark_release(shark, b, FREE);
	KUNIT_EXPECT_EQ(test, kt_shark_delete(shark, b, &memory), 0);
	KUNIT_EXPECT_TRUE(test, memory);
	KUNIT_EXPECT_EQ(test, kt_shark_delete(shark, b, &memory), -ENOENT);
}

static void shk_04_who_is_deleted_links_to_nobody(struct kunit *test)
{
	int a = chunk(2, 0, FREE), b = chunk(2, 0, FREE);
	void *memory;

	KUNIT_EXPECT_EQ(test, kt_shark_link(shark, a, b), 0);
	KUNIT_EXPECT_EQ(test, kt_shark_delete(shark, a, &memory), 0);
	KUNIT_EXPECT_EQ(test, kt_shark_delete(shark, b, &memory), 0);
}

static void shk_05_flags_are_replaced(struct kunit *test)
{
	int n = target(2, 0, STOP);

	log_many(3);
	KUNIT_EXPECT_EQ(test, flags_of(n), (__u32)(STOP | FULL));
	KUNIT_EXPECT_EQ(test, kt_shark_set_flags(shark, n, CYC | NODEL), 0);
	KUNIT_EXPECT_EQ(test, flags_of(n), (__u32)(CYC | NODEL));
	log_many(1);
	KUNIT_EXPECT_EQ(test, event_of(n, 1).par2, (__u32)3);
	KUNIT_EXPECT_EQ(test, kt_shark_set_flags(shark, n, JTN | STOP), -EINVAL);
	KUNIT_EXPECT_EQ(test, kt_shark_set_flags(shark, n, 0x80), -EINVAL);
	KUNIT_EXPECT_EQ(test, kt_shark_set_flags(shark, n + 1, FREE), -ENOENT);
	KUNIT_EXPECT_EQ(test, kt_shark_set_flags(shark, -1, FREE), -ENOENT);
	KUNIT_EXPECT_EQ(test, kt_shark_set_flags(shark, 256, FREE), -ENOENT);
	KUNIT_EXPECT_EQ(test, kt_shark_set_flags(shark, n, FULL | BUSY | COMPR), 0);
	KUNIT_EXPECT_EQ(test, flags_of(n), (__u32)FULL);
	log_many(1);
	KUNIT_EXPECT_EQ(test, lost(KTRACE_SHARK_LOST_FULL), (__u64)2);
}

static void shk_05_a_mode_may_change_where_the_chunk_is_full(struct kunit *test)
{
	int a = target(2, 0, JTN), b = chunk(2, 0, FREE);

	log_many(2);
	KUNIT_EXPECT_EQ(test, flags_of(a), (__u32)JTN);
	KUNIT_EXPECT_EQ(test, kt_shark_set_flags(shark, a, STOP), 0);
	log_many(1);
	KUNIT_EXPECT_EQ(test, flags_of(a), (__u32)(STOP | FULL));
	KUNIT_EXPECT_EQ(test, lost(KTRACE_SHARK_LOST_FULL), (__u64)1);
	KUNIT_EXPECT_EQ(test, kt_shark_set_flags(shark, a, CYC), 0);
	log_many(1);
	KUNIT_EXPECT_EQ(test, event_of(a, 0).par2, (__u32)1);
	KUNIT_EXPECT_EQ(test, event_of(a, 1).par2, (__u32)3);
	KUNIT_EXPECT_EQ(test, kt_shark_set_flags(shark, a, FULL | JTN), 0);
	KUNIT_EXPECT_EQ(test, kt_shark_link(shark, a, b), 0);
	log_many(1);
	account_holds(b, 4, 4);
}

static void shk_06_flags_are_the_live_ones(struct kunit *test)
{
	int n = target(2, 0, STOP);
	FTrace_flags flags;

	KUNIT_EXPECT_EQ(test, flags_of(n), (__u32)STOP);
	log_many(1);
	KUNIT_EXPECT_EQ(test, flags_of(n), (__u32)STOP);
	log_many(1);
	KUNIT_EXPECT_EQ(test, flags_of(n), (__u32)(STOP | FULL));
	KUNIT_EXPECT_EQ(test, flags_of(n), (__u32)(STOP | FULL));
	KUNIT_EXPECT_EQ(test, kt_shark_get_flags(shark, n + 1, &flags), -ENOENT);
	KUNIT_EXPECT_EQ(test, kt_shark_get_flags(shark, -1, &flags), -ENOENT);
	KUNIT_EXPECT_EQ(test, kt_shark_get_flags(shark, 256, &flags), -ENOENT);
}

static void shk_07_only_a_free_chunk_can_be_selected(struct kunit *test)
{
	int a = target(4, 0, CYC), b = chunk(4, 0, CYC), c = chunk(4, 0, FREE);

	KUNIT_EXPECT_EQ(test, flags_of(a), (__u32)CYC);
	KUNIT_EXPECT_EQ(test, kt_shark_select(shark, a), -EBUSY);
	KUNIT_EXPECT_EQ(test, kt_shark_select(shark, b), -EBUSY);
	KUNIT_EXPECT_EQ(test, kt_shark_select(shark, -1), -ENOENT);
	KUNIT_EXPECT_EQ(test, kt_shark_select(shark, 256), -ENOENT);
	KUNIT_EXPECT_EQ(test, kt_shark_select(shark, 3), -ENOENT);
	log_many(2);
	KUNIT_EXPECT_EQ(test, kt_shark_select(shark, c), 0);
	log_many(3);
	account_holds(a, 0, 1);
	account_holds(c, 2, 4);
	KUNIT_EXPECT_EQ(test, (__u32)status_of(a).is_selected, (__u32)0);
	KUNIT_EXPECT_EQ(test, (__u32)status_of(c).is_selected, (__u32)1);
}

static void shk_07_a_free_chunk_holds_what_it_held_until_it_is_selected(struct kunit *test)
{
	int a = target(4, 0, CYC), b = chunk(4, 0, FREE);

	log_many(3);
	KUNIT_EXPECT_EQ(test, kt_shark_select(shark, b), 0);
	KUNIT_EXPECT_EQ(test, kt_shark_set_flags(shark, a, FREE | STOP), 0);
	account_holds(a, 0, 2);
	KUNIT_EXPECT_EQ(test, kt_shark_select(shark, a), 0);
	holds_nothing(a);
	log_many(4);
	account_holds(a, 3, 6);
}

static void shk_08_links(struct kunit *test)
{
	int a = chunk(2, 0, FREE), b = chunk(2, 0, FREE), c = chunk(2, 0, FREE);

	KUNIT_EXPECT_EQ(test, kt_shark_link(shark, a, b), 0);
	KUNIT_EXPECT_EQ(test, flags_of(b), (__u32)CYC);
	KUNIT_EXPECT_EQ(test, kt_shark_link(shark, b, c), 0);
	KUNIT_EXPECT_EQ(test, kt_shark_link(shark, a, c), -EBUSY);
	KUNIT_EXPECT_EQ(test, status_of(a).next, b);
	KUNIT_EXPECT_EQ(test, kt_shark_link(shark, a, a), -EINVAL);
	KUNIT_EXPECT_EQ(test, kt_shark_link(shark, a, 3), -ENOENT);
	KUNIT_EXPECT_EQ(test, kt_shark_link(shark, 3, a), -ENOENT);
	KUNIT_EXPECT_EQ(test, kt_shark_link(shark, a, 256), -ENOENT);
	KUNIT_EXPECT_EQ(test, kt_shark_link(shark, -1, a), -ENOENT);
	KUNIT_EXPECT_EQ(test, kt_shark_set_flags(shark, c, FREE), 0);
	KUNIT_EXPECT_EQ(test, kt_shark_link(shark, a, c), 0);
	KUNIT_EXPECT_EQ(test, status_of(a).next, c);
	KUNIT_EXPECT_EQ(test, kt_shark_link(shark, c, a), 0);
	KUNIT_EXPECT_EQ(test, flags_of(a), (__u32)CYC);
}

static void shk_09_the_first_chunk_with_any_of_some_flags(struct kunit *test)
{
	void *memory;

	KUNIT_EXPECT_EQ(test, kt_shark_first(shark, 0xff), -ENOENT);
	chunk(2, 0, CYC);
	chunk(2, 0, FREE | STOP);
	chunk(2, 0, FREE | JTN | NODEL);
	KUNIT_EXPECT_EQ(test, kt_shark_first(shark, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, kt_shark_first(shark, FREE), 1);
	KUNIT_EXPECT_EQ(test, kt_shark_first(shark, JTN), 2);
	KUNIT_EXPECT_EQ(test, kt_shark_first(shark, JTN | STOP), 1);
	KUNIT_EXPECT_EQ(test, kt_shark_first(shark, FULL), -ENOENT);
	KUNIT_EXPECT_EQ(test, kt_shark_delete(shark, 1, &memory), 0);
	KUNIT_EXPECT_EQ(test, kt_shark_first(shark, FREE), 2);
}

static void shk_10_status(struct kunit *test)
{
	int a = target(4, 2, STOP), b = chunk(8, 0, FREE);
	struct FTrace_Chunk s;

	KUNIT_EXPECT_EQ(test, kt_shark_link(shark, a, b), 0);
	log_many(5);
	log_critical();
	s = status_of(a);
	KUNIT_EXPECT_EQ(test, s.id, KTRACE_SHARK_CHUNK_ID);
	KUNIT_EXPECT_EQ(test, s.number, (__u32)a);
	KUNIT_EXPECT_EQ(test, (__u32)s.flags, (__u32)(STOP | FULL));
	KUNIT_EXPECT_EQ(test, s.size, (__u32)(4 * SLOT));
	KUNIT_EXPECT_EQ(test, s.emergency_size, (__u32)(2 * SLOT));
	KUNIT_EXPECT_EQ(test, s.next, b);
	KUNIT_EXPECT_EQ(test, s.events, (__u32)4);
	KUNIT_EXPECT_EQ(test, s.emergency_events, (__u32)1);
	KUNIT_EXPECT_EQ(test, s.lost[KTRACE_SHARK_LOST_FULL], (__u64)1);
	KUNIT_EXPECT_EQ(test, kt_shark_status(shark, 2, &s), -ENOENT);
}

static void shk_11_a_compressed_chunk_is_only_sent_and_deleted(struct kunit *test)
{
	int n = target(4, 0, CYC);
	struct kt_shark_view view;
	void *other = kunit_kzalloc(test, 64, GFP_KERNEL), *memory;

	log_many(9);
	KUNIT_ASSERT_EQ(test, kt_shark_hold(shark, n, &view), 0);
	KUNIT_EXPECT_TRUE(test, kt_shark_replace(shark, n, other, 33) == view.slots);
	log_many(1);
	kt_shark_release(shark, n, FREE);
	KUNIT_EXPECT_EQ(test, flags_of(n), (__u32)(FREE | COMPR));
	log_many(1);
	KUNIT_EXPECT_EQ(test, lost(KTRACE_SHARK_LOST_NOCHUNK), (__u64)1);
	KUNIT_EXPECT_EQ(test, kt_shark_select(shark, n), -EBUSY);
	KUNIT_EXPECT_EQ(test, kt_shark_link(shark, chunk(2, 0, FREE), n), -EBUSY);
	KUNIT_EXPECT_EQ(test, kt_shark_set_flags(shark, n, STOP), 0);
	KUNIT_EXPECT_EQ(test, flags_of(n), (__u32)(STOP | COMPR));
	KUNIT_EXPECT_EQ(test, status_of(n).events, (__u32)4);
	KUNIT_EXPECT_EQ(test, status_of(n).bytes, (__u64)33);
	KUNIT_EXPECT_EQ(test, status_of(n).lost[KTRACE_SHARK_LOST_OVERWRITTEN], (__u64)5);
	KUNIT_EXPECT_EQ(test, kt_shark_delete(shark, n, &memory), 0);
	KUNIT_EXPECT_TRUE(test, memory == other);
	KUNIT_EXPECT_EQ(test, lost(KTRACE_SHARK_LOST_OVERWRITTEN), (__u64)5);
}

static void shk_12_busy_keeps_everybody_away(struct kunit *test)
{
	int n = target(4, 2, CYC);
	struct kt_shark_view view, second;

	log_many(3);
	KUNIT_EXPECT_EQ(test, kt_shark_hold(shark, 1, &view), -ENOENT);
	KUNIT_ASSERT_EQ(test, kt_shark_hold(shark, n, &view), 0);
	KUNIT_EXPECT_EQ(test, (__u32)view.status.flags, (__u32)CYC);
	KUNIT_EXPECT_EQ(test, flags_of(n), (__u32)(CYC | BUSY));
	KUNIT_EXPECT_EQ(test, kt_shark_hold(shark, n, &second), -EBUSY);
	KUNIT_EXPECT_EQ(test, kt_shark_set_flags(shark, n, FREE), 0);
	KUNIT_EXPECT_EQ(test, flags_of(n), (__u32)(FREE | BUSY));
	KUNIT_EXPECT_EQ(test, kt_shark_select(shark, n), -EBUSY);
	log_many(1);
	log_critical();
	KUNIT_EXPECT_EQ(test, lost(KTRACE_SHARK_LOST_BUSY), (__u64)2);
	account_holds(n, 0, 2);
	kt_shark_release(shark, n, STOP);
	log_many(1);
	KUNIT_EXPECT_EQ(test, event_of(n, 2).par2, (__u32)2);
	KUNIT_EXPECT_EQ(test, event_of(n, 3).par2, (__u32)5);
	KUNIT_EXPECT_EQ(test, flags_of(n), (__u32)(STOP | FULL));
}

static void shk_12_new_flags(struct kunit *test)
{
	int n = target(4, 0, STOP);
	struct kt_shark_view view;

	log_many(4);
	KUNIT_ASSERT_EQ(test, kt_shark_hold(shark, n, &view), 0);
	kt_shark_restore(shark, n);
	KUNIT_EXPECT_EQ(test, flags_of(n), (__u32)(STOP | FULL));
	account_holds(n, 0, 3);
	KUNIT_ASSERT_EQ(test, kt_shark_hold(shark, n, &view), 0);
	kt_shark_release(shark, n, FREE | CYC);
	KUNIT_EXPECT_EQ(test, flags_of(n), (__u32)(FREE | CYC));
	KUNIT_EXPECT_TRUE(test, kt_shark_enable(shark) < 0);
	KUNIT_EXPECT_EQ(test, kt_shark_select(shark, n), 0);
	KUNIT_EXPECT_EQ(test, kt_shark_enable(shark), 0);
	log_many(2);
	account_holds(n, 4, 5);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(shk_01_enable_takes_a_selected_chunk),
	KUNIT_CASE(shk_02_nothing_is_stored_when_disabled),
	KUNIT_CASE(shk_03_create_gives_the_lowest_of_256),
	KUNIT_CASE(shk_03_sizes_are_checked),
	KUNIT_CASE(shk_04_delete_refuses_what_is_in_use),
	KUNIT_CASE(shk_04_who_is_deleted_links_to_nobody),
	KUNIT_CASE(shk_05_flags_are_replaced),
	KUNIT_CASE(shk_05_a_mode_may_change_where_the_chunk_is_full),
	KUNIT_CASE(shk_06_flags_are_the_live_ones),
	KUNIT_CASE(shk_07_only_a_free_chunk_can_be_selected),
	KUNIT_CASE(shk_07_a_free_chunk_holds_what_it_held_until_it_is_selected),
	KUNIT_CASE(shk_08_links),
	KUNIT_CASE(shk_09_the_first_chunk_with_any_of_some_flags),
	KUNIT_CASE(shk_10_status),
	KUNIT_CASE(shk_11_a_compressed_chunk_is_only_sent_and_deleted),
	KUNIT_CASE(shk_12_busy_keeps_everybody_away),
	KUNIT_CASE(shk_12_new_flags),
	{ }
};

static struct kunit_suite suite = {
	.name = "ktrace_shark_table",
	.init = shark_setup,
	.exit = shark_teardown,
	.test_cases = cases,
};

kunit_test_suite(suite);
