/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ring_fixture.h - a small ring, a hook at each test point, and records that describe
 * themselves
 *
 * The ring's sources are included, so that KT_TESTPOINT(name) calls the hook. A
 * payload is its sequence number, then bytes derived from it: corruption, loss and
 * repetition show without knowing the algorithm.
 */
#ifndef KTRACE_RING_FIXTURE_H
#define KTRACE_RING_FIXTURE_H

#include <kunit/test.h>
#ifdef __KERNEL__
#include <linux/slab.h>
#include <linux/module.h>
#endif

static void (*testpoint_hook)(const char *name);
static unsigned int testpoint_depth;

static void run_testpoint(const char *name)
{
	if (testpoint_hook)
		testpoint_hook(name);
}

#define KT_TESTPOINT(name) run_testpoint(#name)
#include "../../module/ring/layout.c"
#include "../../module/ring/writer.c"
#include "../../module/ring/reader.c"

#define FIX_ID 77
#define FIX_BLOCK 4096u
#define FIX_SIZE (4 * FIX_BLOCK)
#define FIX_SEQ_MAX (1u << 17)

struct fix {
	struct kt_ring ring;
	struct ktrace_ring words;
	struct ktrace_tail tail;
	struct kt_reader reader;
	struct kunit *test;
	__u8 *seen;		/* by sequence number: 1 written, 2 read */
	char *copy;
	__u32 written;
	__u32 read;
	__u64 last_ts;
	__u32 random;
	bool any_order;		/* nested writers: sequence numbers may be out of order */
	__u32 last_seq;
};

static struct fix *fix;

static __u32 fix_random(void)
{
	fix->random = fix->random * 1664525u + 1013904223u;
	return fix->random >> 8;
}

static void fix_setup(struct kunit *test, __u32 policy, __u64 start)
{
	fix = test->priv;
	memset(&fix->words, 0, sizeof(fix->words));
	memset(fix->seen, 0, FIX_SEQ_MAX);
	memset(fix->ring.data, 0xa5, FIX_SIZE);
	fix->ring.w = &fix->words;
	fix->ring.tail = &fix->tail;
	fix->ring.size = FIX_SIZE;
	fix->ring.block_size = FIX_BLOCK;
	fix->ring.policy = policy;
	fix->ring.clock = KTRACE_CLOCK_TSC;
	fix->words.head = start;
	fix->tail = (struct ktrace_tail){ .tail = start };
	kt_ring_adopt(&fix->ring);
	kt_reader_init(&fix->reader, &fix->ring);
	fix->test = test;
	fix->written = fix->read = fix->last_seq = 0;
	fix->last_ts = 0;
	fix->random = 1;
	fix->any_order = false;
	testpoint_hook = NULL;
	testpoint_depth = 0;
}

static int fix_init(struct kunit *test)
{
	fix = kunit_kzalloc(test, sizeof(*fix), GFP_KERNEL);
	if (!fix)
		return -1;
	fix->ring.data = kunit_kzalloc(test, FIX_SIZE, GFP_KERNEL);
	fix->copy = kunit_kzalloc(test, FIX_BLOCK, GFP_KERNEL);
	fix->seen = kunit_kzalloc(test, FIX_SEQ_MAX, GFP_KERNEL);
	test->priv = fix;
	return fix->ring.data && fix->copy && fix->seen ? 0 : -1;
}

static void fix_exit(struct kunit *test)
{
	(void)test;
	testpoint_hook = NULL;
}

static void fix_fill(char *payload, __u32 seq, __u32 len)
{
	__u32 i;

	memcpy(payload, &seq, sizeof(seq));
	for (i = sizeof(seq); i < len; i++)
		payload[i] = (char)(seq + i);
}

/* One attempt to write; returns the ring's answer. */
static enum kt_ring_result fix_write(__u32 len)
{
	__u32 seq = fix->written++;
	enum kt_ring_result what;
	struct kt_slot slot;

	if (len < sizeof(seq))
		len = sizeof(seq);
	what = kt_ring_reserve(&fix->ring, FIX_ID, len, 0, &slot);
	if (what == KT_RING_WAIT) {
		fix->written--;
		return what;
	}
	if (what == KT_RING_OK) {
		fix_fill(slot.payload, seq, len);
		fix->seen[seq % FIX_SEQ_MAX] = 1;
		kt_ring_commit(&fix->ring);
	}
	return what;
}

static void fix_check_record(const struct ktrace_record *rec, const char *payload)
{
	struct kunit *test = fix->test;
	__u32 seq, i;

	if (rec->id == KTRACE_ID_LOST) {
		KUNIT_EXPECT_EQ(test, (int)rec->len, (int)sizeof(struct ktrace_lost));
		return;
	}
	KUNIT_ASSERT_EQ(test, (unsigned int)rec->id, (unsigned int)FIX_ID);
	KUNIT_EXPECT_GE(test, rec->ts, fix->last_ts);
	fix->last_ts = rec->ts;
	memcpy(&seq, payload, sizeof(seq));
	KUNIT_EXPECT_EQ(test, (int)fix->seen[seq % FIX_SEQ_MAX], 1);
	fix->seen[seq % FIX_SEQ_MAX] = 2;
	if (!fix->any_order && fix->read)
		KUNIT_EXPECT_GT(test, seq, fix->last_seq);
	fix->last_seq = seq;
	for (i = sizeof(seq); i < rec->len; i++)
		if (payload[i] != (char)(seq + i))
			break;
	KUNIT_ASSERT_EQ(test, i, (__u32)rec->len);
	fix->read++;
}

/* Read one piece; false: there was none. */
static bool fix_read(bool partial)
{
	struct kt_cursor cur = { 0 };
	struct ktrace_record rec;
	const char *payload;
	struct kt_chunk c;

	if (!kt_reader_peek(&fix->reader, partial, &c))
		return false;
	KUNIT_ASSERT_LE(fix->test, c.size, FIX_BLOCK);
	memcpy(fix->copy, c.data, c.size);
	KUNIT_ASSERT_TRUE(fix->test, kt_reader_still_valid(&fix->reader, &c));
	KUNIT_EXPECT_EQ(fix->test, c.corrupt, 0u);
	cur.base = fix->copy;
	cur.end = c.size;
	cur.off = c.pos & (FIX_BLOCK - 1) ? 0 : sizeof(struct ktrace_block);
	while (kt_cursor_next(&cur, &rec, &payload) == KT_CURSOR_RECORD)
		fix_check_record(&rec, payload);
	kt_reader_advance(&fix->reader, &c);
	return true;
}

static __u64 fix_lost(void)
{
	struct ktrace_lost lost;
	__u64 sum = 0;
	int i;

	kt_reader_lost(&fix->reader, &lost);
	for (i = 0; i < KTRACE_LOST_CORRUPT; i++)
		sum += lost.count[i];
	KUNIT_EXPECT_EQ(fix->test, lost.count[KTRACE_LOST_CORRUPT], (__u64)0);
	return sum;
}

/* Drain, then: written = read + lost, and nothing is left in the ring. */
static void fix_check_ledger(void)
{
	while (fix_read(true))
		;
	KUNIT_EXPECT_EQ(fix->test, (__u64)fix->written, fix->read + fix_lost());
	KUNIT_EXPECT_EQ(fix->test, kt_reader_unread(&fix->reader), (__u64)0);
}

#endif
