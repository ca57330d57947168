// SPDX-License-Identifier: GPL-2.0
/*
 * ring_kunit.c - suite ktrace_ring: writer and reader of module/ring
 *
 * Runs in the kernel, and as tests/unit/test_ring under sanitizers.
 */
#include "ring_fixture.h"

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

static void blocks_begin_with_their_position(struct kunit *test)
{
	struct kt_chunk c;
	struct ktrace_block b;
	__u64 expected = 0;
	int i;

	fix_setup(test, KTRACE_POLICY_DROP, 0);
	for (i = 0; i < 2000; i++) {
		fix_write(fix_random() % 300);
		while (kt_reader_peek(&fix->reader, false, &c)) {
			memcpy(&b, c.data, sizeof(b));
			KUNIT_ASSERT_EQ(test, c.pos, expected);
			KUNIT_ASSERT_EQ(test, b.pos, expected);
			KUNIT_EXPECT_LE(test, b.ts, c.first_ts);
			KUNIT_EXPECT_EQ(test, b.records, fix->reader.records);
			kt_reader_advance(&fix->reader, &c);
			expected += FIX_BLOCK;
		}
	}
	KUNIT_EXPECT_GT(test, expected, (__u64)FIX_SIZE);
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

static void overwrite_keeps_the_newest_and_counts(struct kunit *test)
{
	fix_setup(test, KTRACE_POLICY_OVERWRITE, 0);
	while (fix->written < 5000)
		KUNIT_ASSERT_EQ(test, (int)fix_write(100), (int)KT_RING_OK);
	fix_check_ledger();
	KUNIT_EXPECT_EQ(test, fix->last_seq, 4999u);
	/* two blocks at most are given up for what the writer may be storing to */
	KUNIT_EXPECT_GE(test, fix->read, (FIX_SIZE - 2 * FIX_BLOCK) / 120 - 2);
}

/* reader slower (1 read in 400 writes), equal, faster, in each policy */
static void ledger_holds_at_any_speed(struct kunit *test)
{
	static const __u32 policies[] = { KTRACE_POLICY_DROP, KTRACE_POLICY_STOP,
					  KTRACE_POLICY_OVERWRITE, KTRACE_POLICY_BLOCK };
	static const __u32 writes_per_read[] = { 400, 20, 1 };
	unsigned int p, s, i;

	for (p = 0; p < 4; p++) {
		for (s = 0; s < 3; s++) {
			fix_setup(test, policies[p], 0);
			for (i = 0; i < 20000; i++) {
				if (fix_write(fix_random() % 500) == KT_RING_WAIT)
					fix_read(true);
				if (fix_random() % writes_per_read[s] == 0)
					fix_read(fix_random() & 1);
			}
			fix_check_ledger();
		}
	}
}

static void positions_may_wrap(struct kunit *test)
{
	static const __u64 starts[] = { 0 - (__u64)FIX_SIZE, (1ull << 47) - FIX_SIZE,
					(1ull << 32) - FIX_SIZE };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		fix_setup(test, KTRACE_POLICY_DROP, starts[i]);
		while (fix->written < 2000) {
			fix_write(fix_random() % 300);
			if (fix_random() % 8 == 0)
				fix_read(true);
		}
		fix_check_ledger();
		KUNIT_EXPECT_GT(test, fix->words.head - starts[i], (__u64)4 * FIX_SIZE);
	}
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
				KUNIT_ASSERT_EQ(test, fix->words.nest, 0u);
				if (fix_random() % 6 == 0)
					fix_read(true);
			}
		}
		testpoint_hook = NULL;
		fix_check_ledger();
	}
}

static void reading_writer(const char *name)
{
	(void)name;
	while (fix_read(true))
		;
}

static void reader_sees_whole_records_at_every_step(struct kunit *test)
{
	fix_setup(test, KTRACE_POLICY_DROP, 0);
	testpoint_hook = reading_writer;
	while (fix->written < 3000)
		KUNIT_ASSERT_EQ(test, (int)fix_write(fix_random() % 400), (int)KT_RING_OK);
	testpoint_hook = NULL;
	fix_check_ledger();
	KUNIT_EXPECT_EQ(test, fix->read, fix->written);
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
	KUNIT_EXPECT_EQ(test, (int)fix_write(40), (int)KT_RING_OK);
	fix_check_ledger();
	KUNIT_EXPECT_EQ(test, fix->read, 2u);
}

/* Whatever the ring's bytes and words are: bounded work, in bounds, then sane again. */
static void hostile_bytes_do_no_harm(struct kunit *test)
{
	struct kt_chunk c;
	unsigned int round, i, pieces;

	for (round = 0; round < 2000; round++) {
		fix_setup(test, round % 4, 0);
		fix->random = round;
		for (i = 0; i < 200; i++)
			fix_write(fix_random() % 200);
		for (i = 0; i < 1 + round % 50; i++)
			fix->ring.data[fix_random() % FIX_SIZE] = (char)fix_random();
		if (round % 3 == 0)
			fix->words.head += (__u64)fix_random() << (fix_random() % 56);
		for (pieces = 0; kt_reader_peek(&fix->reader, true, &c); pieces++) {
			KUNIT_ASSERT_LE(test, c.size, FIX_BLOCK);
			KUNIT_ASSERT_TRUE(test, c.next_pos - c.pos <= FIX_BLOCK);
			kt_reader_advance(&fix->reader, &c);
			KUNIT_ASSERT_LE(test, pieces, 2 * FIX_SIZE / FIX_BLOCK);
		}
		for (i = 0; i < 20; i++)
			fix_write(fix_random() % 200);
	}
}

static void damage_is_counted(struct kunit *test)
{
	struct ktrace_lost lost;
	struct kt_chunk c;

	fix_setup(test, KTRACE_POLICY_DROP, 0);
	while (fix_write(100) == KT_RING_OK)
		;
	/* the length of the first record of the second block */
	fix->ring.data[FIX_BLOCK + sizeof(struct ktrace_block) + 11] = (char)0xff;
	while (kt_reader_peek(&fix->reader, true, &c))
		kt_reader_advance(&fix->reader, &c);
	kt_reader_lost(&fix->reader, &lost);
	KUNIT_EXPECT_EQ(test, lost.count[KTRACE_LOST_CORRUPT], (__u64)1);
	/* three of four blocks have been read */
	KUNIT_EXPECT_GE(test, fix->reader.records, (__u64)(fix->written * 7 / 10));
}

static void forged_head_is_counted_and_passed(struct kunit *test)
{
	struct kt_chunk c;

	fix_setup(test, KTRACE_POLICY_DROP, 0);
	fix_write(50);
	fix->words.head += 1ull << 40;
	KUNIT_EXPECT_FALSE(test, kt_reader_peek(&fix->reader, true, &c));
	KUNIT_EXPECT_EQ(test, fix->reader.lost.count[KTRACE_LOST_CORRUPT], (__u64)1);
	KUNIT_EXPECT_EQ(test, kt_reader_unread(&fix->reader), (__u64)0);
}

static void forged_tail_frees_nothing_unpublished(struct kunit *test)
{
	__u32 n;

	fix_setup(test, KTRACE_POLICY_DROP, 0);
	fix->tail.tail = ~0ull - 7;
	for (n = 0; n < 3000; n++)
		fix_write(100);
	KUNIT_EXPECT_EQ(test, fix->words.nest, 0u);
	fix->tail.tail = 1ull << 50;
	for (n = 0; n < 3000; n++)
		fix_write(100);
	KUNIT_EXPECT_EQ(test, fix->words.nest, 0u);
}

/* Somebody else stores to reserve whenever the writer is about to move it. */
static void forging_writer(const char *name)
{
	if (!strcmp(name, "stamped"))
		fix->words.reserve++;
}

static void forged_reserve_is_given_up_and_counted(struct kunit *test)
{
	fix_setup(test, KTRACE_POLICY_DROP, 0);
	testpoint_hook = forging_writer;
	KUNIT_EXPECT_EQ(test, (int)fix_write(100), (int)KT_RING_LOST);
	testpoint_hook = NULL;
	KUNIT_EXPECT_EQ(test, fix->words.lost.count[KTRACE_LOST_NESTED], (__u64)1);
	KUNIT_EXPECT_EQ(test, fix->words.nest, 0u);
}

/* The records of a block are counted up to head, wherever head is. */
static void forged_head_is_not_counted_beyond(struct kunit *test)
{
	__u64 head;

	fix_setup(test, KTRACE_POLICY_OVERWRITE, 0);
	for (head = 0; head <= FIX_SIZE; head += KTRACE_ALIGN)
		if (head % FIX_BLOCK < sizeof(struct ktrace_block) && head % FIX_BLOCK)
			KUNIT_EXPECT_EQ(test, kt_ring_count_records(&fix->ring, head), (__u64)0);
}

static __u64 unwritten_below_tail;

/* Reads on where a reader that dies here would leave things. */
static void check_heir(const char *name)
{
	struct kt_reader heir;

	if (strcmp(name, "saving") && strcmp(name, "saved"))
		return;
	kt_reader_init(&heir, &fix->ring);
	KUNIT_EXPECT_EQ(fix->test, heir.lost.count[KTRACE_LOST_UNWRITTEN], unwritten_below_tail);
}

/* Whenever a reader dies, its losses and its tail belong together. */
static void losses_of_a_dead_reader_go_with_its_tail(struct kunit *test)
{
	struct kt_reader *rd;
	struct kt_chunk c;
	int i;

	fix_setup(test, KTRACE_POLICY_DROP, 0);
	rd = &fix->reader;
	unwritten_below_tail = 0;
	testpoint_hook = check_heir;
	for (i = 0; i < 300; i++) {
		fix_write(i % 500);
		if (i % 3 || !kt_reader_peek(rd, true, &c))
			continue;
		if (i % 2)
			kt_reader_unwritten(rd, c.records);
		kt_reader_advance(rd, &c);
		unwritten_below_tail += i % 2 ? c.records : 0;
		kt_reader_init(rd, &fix->ring);
		KUNIT_ASSERT_EQ(test, rd->lost.count[KTRACE_LOST_UNWRITTEN],
				unwritten_below_tail);
	}
	KUNIT_EXPECT_GT(test, unwritten_below_tail, (__u64)50);
}

/* What a dead reader had taken beyond its tail is not read again. */
static void resumed_reader_goes_on_behind_what_was_taken(struct kunit *test)
{
	struct kt_chunk c;

	fix_setup(test, KTRACE_POLICY_DROP, 0);
	fix_write(16);
	fix_write(16);
	KUNIT_ASSERT_TRUE(test, kt_reader_peek(&fix->reader, true, &c));
	fix_write(16);
	kt_reader_init(&fix->reader, &fix->ring);
	kt_reader_resume(&fix->reader, c.next_pos, 2, 0);
	KUNIT_EXPECT_EQ(test, fix->tail.tail, c.next_pos);
	KUNIT_ASSERT_TRUE(test, kt_reader_peek(&fix->reader, true, &c));
	KUNIT_EXPECT_EQ(test, c.records, 1u);
	/* Behind head, or before tail: not believed. */
	kt_reader_resume(&fix->reader, fix->words.head + 8, 0, 0);
	kt_reader_resume(&fix->reader, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, fix->reader.pos, fix->tail.tail);
}

/* Somebody else stores to reserve whenever the writer looks whether it may go. */
static void forging_while_published(const char *name)
{
	if (!strcmp(name, "left"))
		fix->words.reserve++;
}

static void forged_reserve_ends_publishing(struct kunit *test)
{
	fix_setup(test, KTRACE_POLICY_DROP, 0);
	testpoint_hook = forging_while_published;
	KUNIT_EXPECT_EQ(test, (int)fix_write(100), (int)KT_RING_OK);
	testpoint_hook = NULL;
	KUNIT_EXPECT_EQ(test, fix->words.nest, 0u);
}

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

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(geometry_is_checked),
	KUNIT_CASE(every_length_comes_back),
	KUNIT_CASE(too_long_is_refused_and_counted),
	KUNIT_CASE(blocks_begin_with_their_position),
	KUNIT_CASE(drop_keeps_the_oldest_and_counts),
	KUNIT_CASE(loss_is_reported_in_band),
	KUNIT_CASE(stop_suspends_until_drained),
	KUNIT_CASE(block_policy_asks_to_wait),
	KUNIT_CASE(overwrite_keeps_the_newest_and_counts),
	KUNIT_CASE(ledger_holds_at_any_speed),
	KUNIT_CASE(positions_may_wrap),
	KUNIT_CASE(nested_writers_at_every_step),
	KUNIT_CASE(reader_sees_whole_records_at_every_step),
	KUNIT_CASE(a_stopped_writer_costs_its_own_record),
	KUNIT_CASE(hostile_bytes_do_no_harm),
	KUNIT_CASE(damage_is_counted),
	KUNIT_CASE(forged_head_is_counted_and_passed),
	KUNIT_CASE(forged_tail_frees_nothing_unpublished),
	KUNIT_CASE(forged_reserve_is_given_up_and_counted),
	KUNIT_CASE(forged_reserve_ends_publishing),
	KUNIT_CASE(forged_head_is_not_counted_beyond),
	KUNIT_CASE(losses_of_a_dead_reader_go_with_its_tail),
	KUNIT_CASE(resumed_reader_goes_on_behind_what_was_taken),
	{ 0 }
};

static struct kunit_suite ring_suite = {
	.name = "ktrace_ring",
	.init = fix_init,
	.exit = fix_exit,
	.test_cases = ring_cases,
};

kunit_test_suite(ring_suite);

#ifdef MODULE
MODULE_DESCRIPTION("KUnit suite of ktrace's ring");
MODULE_LICENSE("GPL");
#endif
