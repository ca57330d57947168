// SPDX-License-Identifier: GPL-2.0
/*
 * seal_kunit.c - suite ktrace_seal: what is written to a ring after its session's end is found
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include "buffer.h"
#include "seal.h"
#include "session_fixture.h"

/* A kernel channel's first ring whose session has ended. */
struct ended {
	struct ktrace_ring *words;
	u64 session;
};

static struct ended end_session(struct kunit *test)
{
	struct kt_session *s = fix_session(test, true);
	struct ended e = { s->kernel->rings[0].w, s->id };

	fix_close(test, s);
	KUNIT_ASSERT_EQ(test, fix_session_nr(), 0);
	return e;
}

static void expect_found(struct kunit *test, const struct ended *e, u32 off)
{
	struct kt_seal_place place = { };

	KUNIT_EXPECT_TRUE(test, kt_seal_find(&place));
	KUNIT_EXPECT_EQ(test, place.session, e->session);
	KUNIT_EXPECT_EQ(test, place.ring, 0);
	KUNIT_EXPECT_EQ(test, place.off, off);
	/* Once. */
	KUNIT_EXPECT_FALSE(test, kt_seal_find(&place));
}

static void a_word_written_late_is_found(struct kunit *test)
{
	const struct ended e = end_session(test);

	WRITE_ONCE(e.words->head, e.words->head + 1);
	expect_found(test, &e, offsetof(struct ktrace_ring, head));
}

static void a_byte_behind_the_words_is_found(struct kunit *test)
{
	const struct ended e = end_session(test);

	WRITE_ONCE(((u8 *)e.words)[PAGE_SIZE - 1], 1);
	expect_found(test, &e, PAGE_SIZE - 1);
}

static void what_is_written_before_the_end_is_not(struct kunit *test)
{
	struct kt_session *s = fix_session(test, true);
	struct kt_seal_place place;

	WRITE_ONCE(s->kernel->rings[0].w->head, 1);
	fix_close(test, s);
	KUNIT_EXPECT_FALSE(test, kt_seal_find(&place));
}

static struct kunit_case seal_cases[] = {
	KUNIT_CASE(a_word_written_late_is_found),
	KUNIT_CASE(a_byte_behind_the_words_is_found),
	KUNIT_CASE(what_is_written_before_the_end_is_not),
	{ }
};

static struct kunit_suite seal_suite = {
	.name = "ktrace_seal",
	.test_cases = seal_cases,
};
kunit_test_suite(seal_suite);
