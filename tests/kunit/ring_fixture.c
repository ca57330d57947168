// SPDX-License-Identifier: GPL-2.0
/*
 * ring_fixture.c - the ring's own sources with a hook at each test point, and the fixture
 * of its suites
 *
 * In ktrace_kunit.ko these take the place of the ring's objects, so that the module under
 * test has the test points, too.
 */
#include "ring_fixture.h"

void (*testpoint_hook)(const char *name);
unsigned int testpoint_depth;

static void run_testpoint(const char *name)
{
	void (*hook)(const char *name) = kt_load(&testpoint_hook);

	if (hook)
		hook(name);
}

#undef KT_TESTPOINT
#define KT_TESTPOINT(name) run_testpoint(#name)
#include "ring/layout.c"
#include "ring/writer.c"
#include "ring/reader.c"

struct fix *fix;

__u32 fix_random(void)
{
	fix->random = fix->random * 1664525u + 1013904223u;
	return fix->random >> 8;
}

void fix_setup(struct kunit *test, __u32 policy, __u64 start)
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
	fix->ring.clock = KTRACE_CLOCK_COUNTER;
	kt_ring_make_quick(&fix->ring);
	fix->words.head = start;
	fix->tail = (struct ktrace_tail){ .tail = start };
	kt_ring_adopt(&fix->ring);
	kt_reader_init(&fix->reader, &fix->ring);
	fix->test = test;
	fix->written = fix->read = fix->last_seq = fix->chain = 0;
	fix->last_ts = 0;
	fix->random = 1;
	fix->any_order = false;
	testpoint_hook = NULL;
	testpoint_depth = 0;
}

int fix_init(struct kunit *test)
{
	fix = kunit_kzalloc(test, sizeof(*fix), GFP_KERNEL);
	if (!fix)
		return -1;
	fix->ring.data = kunit_kzalloc(test, FIX_SIZE, GFP_KERNEL);
	fix->copy = kunit_kzalloc(test, FIX_BLOCK, GFP_KERNEL);
	fix->seen = kunit_kzalloc(test, FIX_SEQ_MAX, GFP_KERNEL);
	fix->chain_text = kunit_kzalloc(test, FIX_CHAIN_MAX, GFP_KERNEL);
	test->priv = fix;
	return fix->ring.data && fix->copy && fix->seen && fix->chain_text ? 0 : -1;
}

void fix_exit(struct kunit *test)
{
	(void)test;
	testpoint_hook = NULL;
}

static char fix_byte(__u32 seq, __u32 len, __u32 i)
{
	return (char)(seq * 31 + len * 7 + i);
}

enum kt_ring_result fix_write(__u32 len)
{
	__u32 seq = fix->written++;
	enum kt_ring_result what;
	struct kt_slot slot;
	__u32 i;

	what = kt_ring_reserve(&fix->ring, FIX_ID, len, seq, &slot);
	if (what == KT_RING_WAIT) {
		fix->written--;
		return what;
	}
	if (what == KT_RING_OK) {
		for (i = 0; i < len; i++)
			((char *)slot.payload)[i] = fix_byte(seq, len, i);
		fix->seen[seq % FIX_SEQ_MAX] = 1;
		kt_ring_commit(&fix->ring, &slot);
	}
	return what;
}

static void check_sequence(__u32 seq)
{
	struct kunit *test = fix->test;

	KUNIT_EXPECT_EQ(test, (int)fix->seen[seq % FIX_SEQ_MAX], 1);
	fix->seen[seq % FIX_SEQ_MAX] = 2;
	if (!fix->any_order && fix->read)
		KUNIT_EXPECT_GT(test, seq, fix->last_seq);
	fix->last_seq = seq;
	fix->read++;
}

/* FIRST starts the chain over, NEXT continues it; nothing else has that id. */
static void check_fragment(const struct ktrace_record *rec, const char *payload)
{
	struct kunit *test = fix->test;

	if (rec->tid_flags == KTRACE_REC_FRAG_FIRST)
		fix->chain = 0;
	else
		KUNIT_ASSERT_EQ(test, rec->tid_flags, KTRACE_REC_FRAG_NEXT);
	KUNIT_ASSERT_LE(test, fix->chain + rec->len, FIX_CHAIN_MAX);
	memcpy(fix->chain_text + fix->chain, payload, rec->len);
	fix->chain += rec->len;
}

static void check_record(const struct ktrace_record *rec, const char *payload)
{
	struct kunit *test = fix->test;
	__u32 i;

	if (rec->id == KTRACE_ID_LOST) {
		KUNIT_EXPECT_EQ(test, (int)rec->len, (int)sizeof(struct ktrace_lost));
		return;
	}
	KUNIT_EXPECT_GE(test, rec->ts, fix->last_ts);
	fix->last_ts = rec->ts;
	if (rec->id == FIX_FRAG_ID) {
		check_fragment(rec, payload);
		return;
	}
	KUNIT_ASSERT_EQ(test, (unsigned int)rec->id, (unsigned int)FIX_ID);
	for (i = 0; i < rec->len; i++)
		if (payload[i] != fix_byte(rec->tid_flags, rec->len, i))
			break;
	KUNIT_ASSERT_EQ(test, i, (__u32)rec->len);
	check_sequence(rec->tid_flags);
}

bool fix_read(bool partial)
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
		check_record(&rec, payload);
	kt_reader_advance(&fix->reader, &c);
	return true;
}

static __u64 lost(void)
{
	struct ktrace_lost count;
	__u64 sum = 0;
	int i;

	kt_reader_lost(&fix->reader, &count);
	for (i = 0; i < KTRACE_LOST_CORRUPT; i++)
		sum += count.count[i];
	KUNIT_EXPECT_EQ(fix->test, count.count[KTRACE_LOST_CORRUPT], (__u64)0);
	return sum;
}

void fix_check_ledger(void)
{
	while (fix_read(true))
		;
	KUNIT_EXPECT_EQ(fix->test, (__u64)fix->written, fix->read + lost());
	KUNIT_EXPECT_EQ(fix->test, kt_reader_unread(&fix->reader), (__u64)0);
}
