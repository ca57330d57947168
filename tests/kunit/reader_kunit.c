// SPDX-License-Identifier: GPL-2.0
/*
 * reader_kunit.c - suite ktrace_reader: the consumer half of module/ring
 *
 * Runs in the kernel, and as tests/unit/test_ring_reader under sanitizers.
 */
#include "ring_fixture.h"

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

/* A reader that starts again goes on at the published tail. */
static void reading_resumes_at_the_tail(struct kunit *test)
{
	__u32 i;

	fix_setup(test, KTRACE_POLICY_DROP, 0);
	for (i = 0; i < 500; i++) {
		KUNIT_ASSERT_EQ(test, (int)fix_write(fix_random() % 200), (int)KT_RING_OK);
		if (i % 7 == 0)
			fix_read(true);
		if (i % 11 == 0)
			kt_reader_init(&fix->reader, &fix->ring);
	}
	fix_check_ledger();
	KUNIT_EXPECT_EQ(test, fix->read, fix->written);
}

static void a_block_is_handed_out_early_only_if_asked(struct kunit *test)
{
	struct kt_chunk c;

	fix_setup(test, KTRACE_POLICY_DROP, 0);
	KUNIT_EXPECT_FALSE(test, kt_reader_peek(&fix->reader, true, &c));
	fix_write(40);
	KUNIT_EXPECT_FALSE(test, kt_reader_peek(&fix->reader, false, &c));
	KUNIT_EXPECT_TRUE(test, kt_reader_peek(&fix->reader, true, &c));
	KUNIT_EXPECT_EQ(test, c.records, 1u);
	KUNIT_EXPECT_EQ(test, c.next_pos, fix->words.head);
	while (fix->words.head <= FIX_BLOCK)
		fix_write(40);
	KUNIT_EXPECT_TRUE(test, kt_reader_peek(&fix->reader, false, &c));
	KUNIT_EXPECT_EQ(test, c.next_pos, (__u64)FIX_BLOCK);
	fix_check_ledger();
}

/* Overwrite: a piece stays valid until the writer may be storing to it, not longer. */
static void an_overtaken_piece_is_not_valid(struct kunit *test)
{
	__u64 start;
	struct kt_chunk c;

	fix_setup(test, KTRACE_POLICY_OVERWRITE, 0);
	while (fix->words.head < 2 * FIX_SIZE)
		fix_write(100);
	KUNIT_ASSERT_TRUE(test, kt_reader_peek(&fix->reader, false, &c));
	start = fix->words.head;
	while (kt_reader_still_valid(&fix->reader, &c)) {
		KUNIT_ASSERT_EQ(test, ((struct ktrace_block *)c.data)->pos, c.pos);
		KUNIT_ASSERT_LE(test, fix->words.head - start, (__u64)FIX_SIZE);
		fix_write(100);
	}
	KUNIT_EXPECT_GE(test, fix->words.head, c.pos + FIX_SIZE - 2 * FIX_BLOCK);
	fix_check_ledger();
}

/* The writer goes round the whole ring while the reader holds a piece. */
static void reader_overtaken_by_a_lap_counts_it(struct kunit *test)
{
	struct kt_chunk c;
	__u32 round, i;

	fix_setup(test, KTRACE_POLICY_OVERWRITE, 0);
	for (round = 0; round < 50; round++) {
		for (i = 0; i < 40; i++)
			fix_write(fix_random() % 300);
		if (!kt_reader_peek(&fix->reader, true, &c))
			continue;
		for (i = 0; i < 200; i++)
			fix_write(fix_random() % 300);
		KUNIT_EXPECT_FALSE(test, kt_reader_still_valid(&fix->reader, &c));
		fix_read(true);
	}
	fix_check_ledger();
	KUNIT_EXPECT_GT(test, fix->reader.lost.count[KTRACE_LOST_OVERWRITTEN], (__u64)0);
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

/* What was there to be read has been taken away. */
static void head_that_goes_back_is_counted(struct kunit *test)
{
	struct kt_chunk c;

	fix_setup(test, KTRACE_POLICY_DROP, 0);
	fix_write(50);
	KUNIT_EXPECT_NE(test, kt_reader_unread(&fix->reader), (__u64)0);
	fix->words.head = 0;
	KUNIT_EXPECT_EQ(test, kt_reader_unread(&fix->reader), (__u64)0);
	KUNIT_EXPECT_FALSE(test, kt_reader_peek(&fix->reader, true, &c));
	KUNIT_EXPECT_EQ(test, fix->reader.lost.count[KTRACE_LOST_CORRUPT], (__u64)1);
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

static struct kunit_case reader_cases[] = {
	KUNIT_CASE(blocks_begin_with_their_position),
	KUNIT_CASE(overwrite_keeps_the_newest_and_counts),
	KUNIT_CASE(ledger_holds_at_any_speed),
	KUNIT_CASE(reader_sees_whole_records_at_every_step),
	KUNIT_CASE(reading_resumes_at_the_tail),
	KUNIT_CASE(a_block_is_handed_out_early_only_if_asked),
	KUNIT_CASE(an_overtaken_piece_is_not_valid),
	KUNIT_CASE(reader_overtaken_by_a_lap_counts_it),
	KUNIT_CASE(hostile_bytes_do_no_harm),
	KUNIT_CASE(damage_is_counted),
	KUNIT_CASE(forged_head_is_counted_and_passed),
	KUNIT_CASE(head_that_goes_back_is_counted),
	KUNIT_CASE(losses_of_a_dead_reader_go_with_its_tail),
	KUNIT_CASE(resumed_reader_goes_on_behind_what_was_taken),
	{ 0 }
};

static struct kunit_suite reader_suite = {
	.name = "ktrace_reader",
	.init = fix_init,
	.exit = fix_exit,
	.test_cases = reader_cases,
};

kunit_test_suite(reader_suite);
