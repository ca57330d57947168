// SPDX-License-Identifier: GPL-2.0
/*
 * writer_kunit.c - suite ktrace_writer: the producer half of module/ring
 *
 * Runs in the kernel, and as tests/unit/test_ring_writer under sanitizers. Writers that
 * are interrupted for real are in nest_kunit.c.
 */
#include "ring_fixture.h"

static void geometry_is_checked(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, kt_ring_geometry_ok(16384, 4096));
	KUNIT_EXPECT_TRUE(test, kt_ring_geometry_ok(KTRACE_RING_MAX, KTRACE_BLOCK_MAX));
	KUNIT_EXPECT_FALSE(test, kt_ring_geometry_ok(0, 4096));
	KUNIT_EXPECT_FALSE(test, kt_ring_geometry_ok(16384, 0));
	KUNIT_EXPECT_FALSE(test, kt_ring_geometry_ok(8192, 4096));
	KUNIT_EXPECT_FALSE(test, kt_ring_geometry_ok(16384 + 4096, 4096));
	KUNIT_EXPECT_FALSE(test, kt_ring_geometry_ok(16384, 4095));
	KUNIT_EXPECT_FALSE(test, kt_ring_geometry_ok(16384, 2048));
	KUNIT_EXPECT_FALSE(test, kt_ring_geometry_ok(1ull << 33, KTRACE_BLOCK_MAX * 2));
	KUNIT_EXPECT_FALSE(test, kt_ring_geometry_ok(KTRACE_RING_MAX * 2, KTRACE_BLOCK_MAX));
}

static void every_length_comes_back(struct kunit *test)
{
	__u32 max = kt_ring_payload_max(FIX_BLOCK), len;

	fix_setup(test, KTRACE_POLICY_DROP, 0);
	for (len = 0; len <= max; len += len < 200 ? 1 : 97) {
		KUNIT_ASSERT_EQ(test, (int)fix_write(len), (int)KT_RING_OK);
		while (fix_read(true))
			;
	}
	fix_check_ledger();
	KUNIT_EXPECT_EQ(test, fix->read, fix->written);
}

static void too_long_is_refused_and_counted(struct kunit *test)
{
	fix_setup(test, KTRACE_POLICY_DROP, 0);
	KUNIT_EXPECT_EQ(test, (int)fix_write(kt_ring_payload_max(FIX_BLOCK) + 8),
			(int)KT_RING_LOST);
	fix_check_ledger();
}

static void drop_keeps_the_oldest_and_counts(struct kunit *test)
{
	__u32 kept;

	fix_setup(test, KTRACE_POLICY_DROP, 0);
	while (fix_write(100) == KT_RING_OK)
		;
	kept = fix->written - 1;
	while (fix->written < kept + 500)
		KUNIT_EXPECT_EQ(test, (int)fix_write(100), (int)KT_RING_LOST);
	KUNIT_EXPECT_EQ(test, fix->words.lost.count[KTRACE_LOST_FULL], (__u64)500);
	fix_check_ledger();
	KUNIT_EXPECT_EQ(test, fix->read, kept);
}

static void loss_is_reported_in_band(struct kunit *test)
{
	struct ktrace_lost lost = { 0 };
	struct ktrace_record rec;
	struct kt_cursor cur = { .off = sizeof(struct ktrace_block) };
	const char *payload;
	struct kt_chunk c;

	fix_setup(test, KTRACE_POLICY_DROP, 0);
	while (fix_write(100) == KT_RING_OK)
		;
	while (fix_read(true))
		;
	KUNIT_ASSERT_EQ(test, (int)fix_write(100), (int)KT_RING_OK);
	KUNIT_ASSERT_TRUE(test, kt_reader_peek(&fix->reader, true, &c));
	if (!c.records) {	/* the padding of the block before */
		kt_reader_advance(&fix->reader, &c);
		KUNIT_ASSERT_TRUE(test, kt_reader_peek(&fix->reader, true, &c));
	}
	cur.base = c.data;
	cur.end = c.size;
	KUNIT_ASSERT_EQ(test, kt_cursor_next(&cur, &rec, &payload), (int)KT_CURSOR_RECORD);
	KUNIT_ASSERT_EQ(test, (int)rec.id, (int)KTRACE_ID_LOST);
	memcpy(&lost, payload, sizeof(lost));
	KUNIT_EXPECT_EQ(test, lost.count[KTRACE_LOST_FULL], (__u64)1);
	KUNIT_EXPECT_EQ(test, c.records, 1u);
	fix_check_ledger();
}

static void stop_suspends_until_drained(struct kunit *test)
{
	fix_setup(test, KTRACE_POLICY_STOP, 0);
	while (fix_write(100) == KT_RING_OK)
		;
	/* A small record would fit into the rest of the block, but order matters. */
	KUNIT_EXPECT_EQ(test, (int)fix_write(4), (int)KT_RING_LOST);
	KUNIT_ASSERT_TRUE(test, fix_read(false));
	KUNIT_EXPECT_EQ(test, (int)fix_write(4), (int)KT_RING_LOST);
	while (fix_read(true))
		;
	KUNIT_EXPECT_EQ(test, (int)fix_write(4), (int)KT_RING_OK);
	KUNIT_EXPECT_EQ(test, fix->words.lost.count[KTRACE_LOST_STOPPED], (__u64)3);
	fix_check_ledger();
}

/* An interrupt comes while the ring is being suspended, and the reader has just made room. */
static void write_when_suspended(const char *name)
{
	if (strcmp(name, "suspended"))
		return;
	testpoint_hook = NULL;
	KUNIT_ASSERT_TRUE(fix->test, fix_read(false));
	KUNIT_EXPECT_EQ(fix->test, (int)fix_write(100), (int)KT_RING_LOST);
}

static void a_ring_that_is_being_suspended_is_closed(struct kunit *test)
{
	fix_setup(test, KTRACE_POLICY_STOP, 0);
	testpoint_hook = write_when_suspended;
	while (fix_write(100) == KT_RING_OK)
		;
	KUNIT_EXPECT_TRUE(test, !testpoint_hook);
	KUNIT_EXPECT_EQ(test, (int)fix_write(100), (int)KT_RING_LOST);
	while (fix_read(true))
		;
	KUNIT_EXPECT_EQ(test, (int)fix_write(4), (int)KT_RING_OK);
	KUNIT_EXPECT_EQ(test, fix->words.lost.count[KTRACE_LOST_STOPPED], (__u64)3);
	fix_check_ledger();
}

static void block_policy_asks_to_wait(struct kunit *test)
{
	enum kt_ring_result what;

	fix_setup(test, KTRACE_POLICY_BLOCK, 0);
	do {
		what = fix_write(100);
	} while (what == KT_RING_OK);
	KUNIT_EXPECT_EQ(test, (int)what, (int)KT_RING_WAIT);
	KUNIT_ASSERT_TRUE(test, fix_read(false));
	KUNIT_EXPECT_EQ(test, (int)fix_write(100), (int)KT_RING_OK);
	fix_check_ledger();
	KUNIT_EXPECT_EQ(test, fix->read, fix->written);
}

/* Positions wrap in memory, in the units of reserve, and at their own end. */
static void positions_may_wrap(struct kunit *test)
{
	static const __u64 starts[] = { (1ull << 32) - FIX_SIZE, (1ull << 47) - FIX_SIZE,
					0 - (__u64)FIX_SIZE };
	static const __u32 policies[] = { KTRACE_POLICY_OVERWRITE, KTRACE_POLICY_DROP,
					  KTRACE_POLICY_BLOCK, KTRACE_POLICY_STOP };
	unsigned int i, p;

	for (p = 0; p < 4; p++) {
		/* what is oldest is not defined at the end of positions */
		for (i = 0; i < (policies[p] == KTRACE_POLICY_OVERWRITE ? 2 : 3); i++) {
			fix_setup(test, policies[p], starts[i]);
			while (fix->written < 2000)
				if (fix_write(fix_random() % 300) == KT_RING_WAIT ||
				    fix_random() % 8 == 0)
					fix_read(true);
			fix_check_ledger();
			KUNIT_EXPECT_GT(test, fix->words.head - starts[i], (__u64)4 * FIX_SIZE);
		}
	}
}

/* The 20 bits in reserve overflow, the count in the block headers does not. */
static void record_counts_may_wrap(struct kunit *test)
{
	const __u64 before = (1ull << 20) - 50;

	fix_setup(test, KTRACE_POLICY_DROP, 0);
	fix->words.records = before;
	fix->words.reserve = before << 44;
	fix->reader.records = before;
	while (fix->written < 500) {
		KUNIT_ASSERT_EQ(test, (int)fix_write(fix_random() % 100), (int)KT_RING_OK);
		KUNIT_ASSERT_EQ(test, fix->words.records, before + fix->written);
		fix_read(false);
	}
	fix_check_ledger();
}

/* Runs a nested writer at the @nest_countdown-th test point from now. */
static unsigned int nest_countdown, nest_levels;

static void nested_writer(const char *name)
{
	(void)name;
	if (!nest_countdown || --nest_countdown || testpoint_depth >= nest_levels)
		return;
	testpoint_depth++;
	nest_countdown = testpoint_depth < nest_levels ? 3 : 0;
	fix_write(fix_random() % 200);
	testpoint_depth--;
}

static void nested_writers_at_every_step(struct kunit *test)
{
	static const __u32 policies[] = { KTRACE_POLICY_DROP, KTRACE_POLICY_STOP,
					  KTRACE_POLICY_OVERWRITE };
	unsigned int p, at, round;

	for (p = 0; p < 3; p++) {
		fix_setup(test, policies[p], 0);
		fix->any_order = true;
		testpoint_hook = nested_writer;
		for (round = 0; round < 400; round++) {
			for (at = 1; at <= 10; at++) {
				nest_countdown = at;
				nest_levels = 1 + round % 3;
				fix_write(fix_random() % 300);
				nest_countdown = 0;
				KUNIT_ASSERT_TRUE(test, !kt_ring_is_busy(&fix->ring));
				if (fix_random() % 6 == 0)
					fix_read(true);
			}
		}
		testpoint_hook = NULL;
		fix_check_ledger();
	}
}

/* Writes one fragment; returns the bytes taken from @text. */
static __u32 write_fragment(const char *text, __u32 left, __u32 flags)
{
	const __u32 n = left < 100 ? left : 100;
	struct kt_slot slot;

	KUNIT_ASSERT_EQ(fix->test, (int)kt_ring_reserve(&fix->ring, FIX_FRAG_ID, n, flags, &slot),
			(int)KT_RING_OK);
	memcpy(slot.payload, text, n);
	kt_ring_commit(&fix->ring, &slot);
	return n;
}

/* Flags and order of a chain survive inner writers and changes of block. */
static void fragments_come_back_in_order(struct kunit *test)
{
	char text[1000];
	__u32 chain, i, off;

	fix_setup(test, KTRACE_POLICY_DROP, 0);
	fix->any_order = true;
	testpoint_hook = nested_writer;
	for (i = 0; i < sizeof(text); i++)
		text[i] = (char)(i * 7);
	for (chain = 0; chain < 40; chain++) {
		for (off = 0; off < sizeof(text);) {
			nest_countdown = 1 + fix_random() % 8;
			nest_levels = 2;
			off += write_fragment(text + off, sizeof(text) - off,
					      off ? KTRACE_REC_FRAG_NEXT : KTRACE_REC_FRAG_FIRST);
			nest_countdown = 0;
		}
		while (fix_read(true))
			;
		KUNIT_ASSERT_EQ(test, fix->chain, (__u32)sizeof(text));
		KUNIT_EXPECT_MEMEQ(test, fix->chain_text, text, sizeof(text));
	}
	testpoint_hook = NULL;
	fix_check_ledger();
	KUNIT_EXPECT_GT(test, fix->words.head, (__u64)FIX_SIZE);
}

static void a_stopped_writer_costs_its_own_record(struct kunit *test)
{
	struct kt_slot slot;

	fix_setup(test, KTRACE_POLICY_DROP, 0);
	fix_write(40);
	KUNIT_ASSERT_EQ(test, (int)kt_ring_reserve(&fix->ring, FIX_ID, 40, 0, &slot),
			(int)KT_RING_OK);
	fix_check_ledger();
	kt_ring_adopt(&fix->ring);
	fix->written++;
	KUNIT_EXPECT_EQ(test, fix->words.lost.count[KTRACE_LOST_NESTED], (__u64)1);
	KUNIT_EXPECT_EQ(test, (int)fix_write(40), (int)KT_RING_OK);
	fix_check_ledger();
	KUNIT_EXPECT_EQ(test, fix->read, 2u);
}

/* As a thread's ring is after an owner that has stored head and no other word. */
static void an_owner_that_did_not_nest_leaves_no_loss(struct kunit *test)
{
	int i;

	fix_setup(test, KTRACE_POLICY_DROP, 0);
	for (i = 0; i < 3; i++)
		fix_write(40);
	fix->words.reserve = 0;
	fix->words.records = 0;
	kt_ring_adopt(&fix->ring);
	KUNIT_EXPECT_EQ(test, fix->words.lost.count[KTRACE_LOST_NESTED], (__u64)0);
	KUNIT_EXPECT_EQ(test, fix->words.records, (__u64)3);
	KUNIT_EXPECT_EQ(test, (int)fix_write(40), (int)KT_RING_OK);
	fix_check_ledger();
	KUNIT_EXPECT_EQ(test, fix->read, 4u);
}

static void forged_tail_frees_nothing_unpublished(struct kunit *test)
{
	__u32 n;

	fix_setup(test, KTRACE_POLICY_DROP, 0);
	fix->tail.tail = ~0ull - 7;
	for (n = 0; n < 3000; n++)
		fix_write(100);
	KUNIT_EXPECT_TRUE(test, !kt_ring_is_busy(&fix->ring));
	fix->tail.tail = 1ull << 50;
	for (n = 0; n < 3000; n++)
		fix_write(100);
	KUNIT_EXPECT_TRUE(test, !kt_ring_is_busy(&fix->ring));
}

/* Somebody else stores to reserve whenever the writer is about to move it. */
static void forging_writer(const char *name)
{
	if (!strcmp(name, "stamped"))
		fix->words.reserve++;
}

/* As who finds a ring in use that nobody uses. */
static void expect_healed_by_adopting(struct kunit *test)
{
	const __u64 head = fix->words.head;

	KUNIT_EXPECT_TRUE(test, kt_ring_is_busy(&fix->ring));
	kt_ring_adopt(&fix->ring);
	KUNIT_EXPECT_TRUE(test, !kt_ring_is_busy(&fix->ring));
	KUNIT_EXPECT_EQ(test, (int)fix_write(100), (int)KT_RING_OK);
	KUNIT_EXPECT_GT(test, fix->words.head, head);
}

static void forged_reserve_is_given_up_and_counted(struct kunit *test)
{
	fix_setup(test, KTRACE_POLICY_DROP, 0);
	testpoint_hook = forging_writer;
	KUNIT_EXPECT_EQ(test, (int)fix_write(100), (int)KT_RING_LOST);
	testpoint_hook = NULL;
	KUNIT_EXPECT_EQ(test, fix->words.lost.count[KTRACE_LOST_NESTED], (__u64)1);
	expect_healed_by_adopting(test);
}

/* Somebody else stores to reserve whenever the writer looks whether it may go. */
static void forging_while_published(const char *name)
{
	if (!strcmp(name, "published"))
		fix->words.reserve++;
}

static void forged_reserve_ends_publishing(struct kunit *test)
{
	fix_setup(test, KTRACE_POLICY_DROP, 0);
	testpoint_hook = forging_while_published;
	KUNIT_EXPECT_EQ(test, (int)fix_write(100), (int)KT_RING_OK);
	testpoint_hook = NULL;
	expect_healed_by_adopting(test);
}

#ifndef __KERNEL__	/* there nobody can forge it, and it is loaded twice */
static void forging_head(const char *name)
{
	if (!strcmp(name, "reserved"))
		fix->words.head = FIX_SIZE - 8;
}

/* Else the record would lie across the end of the ring. */
static void head_that_is_forged_late_moves_no_record(struct kunit *test)
{
	const __u32 total = KTRACE_RECORD_SIZE(100);
	__u64 head;

	fix_setup(test, KTRACE_POLICY_DROP, 0);
	KUNIT_EXPECT_EQ(test, (int)fix_write(100), (int)KT_RING_OK);
	head = fix->words.head;
	testpoint_hook = forging_head;
	KUNIT_EXPECT_EQ(test, (int)fix_write(100), (int)KT_RING_OK);
	testpoint_hook = NULL;
	KUNIT_EXPECT_EQ(test, fix->words.head, head + total);
}
#endif

/* The records of a block are counted up to head, wherever head is. */
static void forged_head_is_not_counted_beyond(struct kunit *test)
{
	__u64 head;

	fix_setup(test, KTRACE_POLICY_OVERWRITE, 0);
	for (head = 0; head <= FIX_SIZE; head += KTRACE_ALIGN)
		if (head % FIX_BLOCK < sizeof(struct ktrace_block) && head % FIX_BLOCK)
			KUNIT_EXPECT_EQ(test, kt_ring_count_records(&fix->ring, head), (__u64)0);
}

/* An inner writer comes as soon as reserve has moved into a block: the fence is before. */
static bool block_is_given_up, enters_block_too_early;

static void watch_fence(const char *name)
{
	if (!strcmp(name, "given_up"))
		block_is_given_up = true;
	else if (!strcmp(name, "reserved"))
		enters_block_too_early |= !block_is_given_up &&
			!((fix->words.reserve * KTRACE_ALIGN - KTRACE_RECORD_SIZE(1000) -
			   sizeof(struct ktrace_block)) & (FIX_BLOCK - 1));
}

static void fence_is_before_a_block_is_handed_out(struct kunit *test)
{
	unsigned int blocks = 0;

	fix_setup(test, KTRACE_POLICY_OVERWRITE, 0);
	testpoint_hook = watch_fence;
	enters_block_too_early = false;
	while (fix->written < 100) {
		block_is_given_up = false;
		KUNIT_ASSERT_EQ(test, (int)fix_write(1000), (int)KT_RING_OK);
		blocks += block_is_given_up;
	}
	testpoint_hook = NULL;
	KUNIT_EXPECT_FALSE(test, enters_block_too_early);
	KUNIT_EXPECT_EQ(test, (__u64)blocks, fix->words.head / FIX_BLOCK + 1);
	fix_check_ledger();
}

/* Positions are compared by difference, so a flight recorder survives their wrap. */
static void overwritten_positions_may_wrap(struct kunit *test)
{
	fix_setup(test, KTRACE_POLICY_OVERWRITE, 0 - (__u64)2 * FIX_BLOCK);
	while (fix->written < 2000) {
		fix_write(fix_random() % 300);
		if (fix_random() % 100 == 0)
			fix_read(true);
	}
	fix_check_ledger();
	KUNIT_EXPECT_TRUE(test, fix->words.head < (__u64)1 << 32);
	KUNIT_EXPECT_EQ(test, fix->last_seq, 1999u);
}

static struct kunit_case writer_cases[] = {
	KUNIT_CASE(geometry_is_checked),
	KUNIT_CASE(every_length_comes_back),
	KUNIT_CASE(too_long_is_refused_and_counted),
	KUNIT_CASE(drop_keeps_the_oldest_and_counts),
	KUNIT_CASE(loss_is_reported_in_band),
	KUNIT_CASE(stop_suspends_until_drained),
	KUNIT_CASE(a_ring_that_is_being_suspended_is_closed),
	KUNIT_CASE(block_policy_asks_to_wait),
	KUNIT_CASE(positions_may_wrap),
	KUNIT_CASE(record_counts_may_wrap),
	KUNIT_CASE(overwritten_positions_may_wrap),
	KUNIT_CASE(fence_is_before_a_block_is_handed_out),
	KUNIT_CASE(nested_writers_at_every_step),
	KUNIT_CASE(fragments_come_back_in_order),
	KUNIT_CASE(a_stopped_writer_costs_its_own_record),
	KUNIT_CASE(an_owner_that_did_not_nest_leaves_no_loss),
	KUNIT_CASE(forged_tail_frees_nothing_unpublished),
	KUNIT_CASE(forged_reserve_is_given_up_and_counted),
	KUNIT_CASE(forged_reserve_ends_publishing),
#ifndef __KERNEL__
	KUNIT_CASE(head_that_is_forged_late_moves_no_record),
#endif
	KUNIT_CASE(forged_head_is_not_counted_beyond),
	{ 0 }
};

static struct kunit_suite writer_suite = {
	.name = "ktrace_writer",
	.init = fix_init,
	.exit = fix_exit,
	.test_cases = writer_cases,
};

kunit_test_suite(writer_suite);
