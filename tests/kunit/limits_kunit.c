// SPDX-License-Identifier: GPL-2.0
/*
 * limits_kunit.c - suite ktrace_limits: numbers and memory of sessions, and that each charge
 * is taken back
 */
#include <kunit/test.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include "session_fixture.h"

/* uapi/linux/ktrace.h, section 1 */
enum {
	USER_SESSIONS_MAX = 8,
	SESSIONS_MAX = 64,
	KERNEL_CHANNELS_MAX = 16,
};

static const kuid_t root = KUIDT_INIT(0);

/* A user channel of so many MiB, less than one more. */
static int add_mb(struct kt_session *s, u32 mb)
{
	struct ktrace_channel_spec spec = fix_spec(KTRACE_CHANNEL_USER);

	spec.registry_size = mb * SZ_1M;
	return kt_session_add_channel(s, &spec);
}

/* A session of that user. */
static struct kt_session *session_of_user(struct kunit *test, uid_t uid)
{
	const struct cred *before = fix_become(test, uid);
	struct kt_session *s = fix_session(test, false);

	fix_unbecome(before);
	return s;
}

static int try_session_of_user(struct kunit *test, uid_t uid)
{
	const struct cred *before = fix_become(test, uid);
	struct kt_session *s;
	int err = kt_session_create(&s);

	fix_unbecome(before);
	if (!err)
		kt_session_close(s);
	return err;
}

static void a_user_has_eight_sessions_at_most(struct kunit *test)
{
	struct kt_session *s[USER_SESSIONS_MAX], *found;
	int i;

	for (i = 0; i < USER_SESSIONS_MAX; i++)
		s[i] = session_of_user(test, 1000);
	KUNIT_EXPECT_EQ(test, try_session_of_user(test, 1000), -EBUSY);
	KUNIT_EXPECT_EQ(test, try_session_of_user(test, 1001), 0);
	KUNIT_EXPECT_EQ(test, fix_session_nr(), USER_SESSIONS_MAX);
	/* A closed one does not count, even while it is held. */
	KUNIT_ASSERT_EQ(test, kt_session_find(s[3]->id, &found), -EPERM);
	s[3]->for_all = true;
	KUNIT_ASSERT_EQ(test, kt_session_find(s[3]->id, &found), 0);
	fix_close(test, s[3]);
	KUNIT_EXPECT_EQ(test, fix_session_nr(), USER_SESSIONS_MAX);
	session_of_user(test, 1000);
	KUNIT_EXPECT_EQ(test, fix_session_nr(), USER_SESSIONS_MAX + 1);
	KUNIT_EXPECT_EQ(test, try_session_of_user(test, 1000), -EBUSY);
	kt_session_put(found);
	KUNIT_EXPECT_EQ(test, fix_session_nr(), USER_SESSIONS_MAX);
}

static void all_but_root_have_64_sessions_at_most(struct kunit *test)
{
	struct kt_session *s = NULL;
	int i;

	for (i = 0; i < SESSIONS_MAX; i++)
		s = session_of_user(test, 1000 + i / USER_SESSIONS_MAX);
	KUNIT_EXPECT_EQ(test, try_session_of_user(test, 2000), -EBUSY);
	fix_session(test, false);	/* root's */
	fix_close(test, s);
	KUNIT_EXPECT_EQ(test, try_session_of_user(test, 2000), 0);
}

static void sixteen_sessions_have_kernel_channels_at_most(struct kunit *test)
{
	struct kt_session *s[KERNEL_CHANNELS_MAX + 1];
	int i;

	for (i = 0; i < KERNEL_CHANNELS_MAX; i++) {
		s[i] = session_of_user(test, 1000 + i / USER_SESSIONS_MAX);
		KUNIT_ASSERT_EQ(test, fix_add_channel(s[i], KTRACE_CHANNEL_KERNEL), 0);
	}
	s[i] = session_of_user(test, 2000);
	KUNIT_EXPECT_EQ(test, fix_add_channel(s[i], KTRACE_CHANNEL_KERNEL), -EBUSY);
	KUNIT_EXPECT_EQ(test, s[i]->bytes, 0);
	KUNIT_EXPECT_EQ(test, fix_add_channel(s[i], KTRACE_CHANNEL_USER), 0);
	/* Root's do not count. */
	fix_close(test, fix_session(test, true));
	KUNIT_EXPECT_EQ(test, fix_add_channel(s[i], KTRACE_CHANNEL_KERNEL), -EBUSY);
	fix_close(test, s[7]);
	KUNIT_EXPECT_EQ(test, fix_add_channel(s[i], KTRACE_CHANNEL_KERNEL), 0);
}

static void eight_channels_are_in_a_session_at_most(struct kunit *test)
{
	struct kt_session *s = fix_session(test, true);
	u64 bytes;
	int i;

	for (i = 1; i < KT_CHANNELS_MAX; i++)
		KUNIT_ASSERT_EQ(test, fix_add_channel(s, KTRACE_CHANNEL_USER), 0);
	bytes = s->bytes;
	KUNIT_EXPECT_EQ(test, fix_add_channel(s, KTRACE_CHANNEL_USER), -ENOSPC);
	KUNIT_EXPECT_EQ(test, s->bytes, bytes);
}

static void ids_of_sessions_differ(struct kunit *test)
{
	struct kt_session *a = fix_session(test, false), *b = fix_session(test, false);

	KUNIT_EXPECT_NE(test, a->id, 0);
	KUNIT_EXPECT_NE(test, b->id, 0);
	KUNIT_EXPECT_NE(test, a->id, b->id);
}

static void a_session_is_limited(struct kunit *test)
{
	struct kt_session *s = fix_session(test, false);
	u64 bytes;

	fix_set_limits(test, 4, 100);
	KUNIT_EXPECT_EQ(test, add_mb(s, 4), -EDQUOT);
	KUNIT_EXPECT_EQ(test, s->bytes, 0);
	KUNIT_EXPECT_EQ(test, add_mb(s, 2), 0);
	bytes = s->bytes;
	KUNIT_EXPECT_GE(test, bytes, 2 * SZ_1M);
	KUNIT_EXPECT_EQ(test, add_mb(s, 2), -EDQUOT);
	KUNIT_EXPECT_EQ(test, s->bytes, bytes);
	KUNIT_EXPECT_EQ(test, add_mb(s, 1), 0);
	fix_set_limits(test, 0, 100);
	KUNIT_EXPECT_EQ(test, fix_add_channel(s, KTRACE_CHANNEL_USER), -EDQUOT);
}

static void a_user_is_limited_over_all_sessions(struct kunit *test)
{
	struct kt_session *a = fix_session(test, false), *b = fix_session(test, false), *c;
	const struct cred *before;

	fix_set_limits(test, 100, 5);
	KUNIT_EXPECT_EQ(test, add_mb(a, 3), 0);
	KUNIT_EXPECT_EQ(test, add_mb(b, 3), -EDQUOT);
	KUNIT_EXPECT_EQ(test, add_mb(b, 1), 0);
	KUNIT_EXPECT_EQ(test, fix_user_bytes(root), a->bytes + b->bytes);
	/* somebody else */
	before = fix_become(test, 1000);
	c = fix_session(test, false);
	fix_unbecome(before);
	KUNIT_EXPECT_EQ(test, add_mb(c, 3), 0);
	KUNIT_EXPECT_EQ(test, fix_user_bytes(KUIDT_INIT(1000)), c->bytes);
	fix_close(test, a);
	KUNIT_EXPECT_EQ(test, add_mb(b, 3), 0);
}

/* As long as somebody has it mapped, the memory of a closed session is the user's. */
static void closed_sessions_are_charged_until_freed(struct kunit *test)
{
	struct kt_session *a = fix_session(test, false), *b = fix_session(test, false), *held;

	fix_set_limits(test, 100, 5);
	KUNIT_ASSERT_EQ(test, add_mb(a, 3), 0);
	KUNIT_ASSERT_EQ(test, kt_session_find(a->id, &held), 0);
	fix_close(test, a);
	KUNIT_EXPECT_EQ(test, add_mb(b, 3), -EDQUOT);
	kt_session_put(held);
	KUNIT_EXPECT_EQ(test, add_mb(b, 3), 0);
	fix_close(test, b);
	KUNIT_EXPECT_EQ(test, fix_user_bytes(root), 0);
}

static void a_kernel_channel_is_charged_with_its_filter_and_arrays(struct kunit *test)
{
	struct kt_session *s = fix_session(test, true);
	struct kt_buffer *b = s->kernel;
	u64 pages = 0, i;

	for (i = 0; i < b->l.map_size >> PAGE_SHIFT; i++)
		pages += b->pages[i] != NULL;
	KUNIT_EXPECT_EQ(test, s->bytes, (pages << PAGE_SHIFT) + KT_FILTER_BYTES +
			i * sizeof(*b->pages) + struct_size(b, rings, b->l.ring_nr));
}

static void set_killed(bool is_killed)
{
	if (is_killed) {
		sigaddset(&current->pending.signal, SIGKILL);
		set_tsk_thread_flag(current, TIF_SIGPENDING);
	} else {
		sigdelset(&current->pending.signal, SIGKILL);
		clear_tsk_thread_flag(current, TIF_SIGPENDING);
	}
}

static void a_request_of_somebody_killed_is_undone(struct kunit *test)
{
	struct kt_session *s = fix_session(test, false);

	set_killed(true);
	KUNIT_EXPECT_EQ(test, add_mb(s, 2), -EINTR);
	KUNIT_EXPECT_EQ(test, fix_add_channel(s, KTRACE_CHANNEL_KERNEL), -EINTR);
	set_killed(false);
	KUNIT_EXPECT_EQ(test, s->bytes, 0);
	KUNIT_EXPECT_EQ(test, s->channel_nr, 0);
	KUNIT_EXPECT_EQ(test, fix_add_channel(s, KTRACE_CHANNEL_KERNEL), 0);
}

/* Sums of sizes do not overflow, and are refused before any memory is taken. */
static void the_largest_request_is_refused(struct kunit *test)
{
	struct ktrace_channel_spec spec = fix_spec(KTRACE_CHANNEL_USER);
	struct kt_session *s = fix_session(test, false);

	spec.ring_size = KTRACE_RING_MAX;
	spec.thread_size = KTRACE_RING_MAX;
	spec.block_size = KTRACE_BLOCK_MAX;
	spec.thread_nr = 4096;
	spec.registry_size = 1 << 28;
	/* More than lies between the offsets of two channels: pages would be there twice. */
	KUNIT_EXPECT_EQ(test, kt_session_add_channel(s, &spec), -EINVAL);
	spec.ring_size = spec.block_size * 4;
	spec.thread_nr = (1ull << KTRACE_MAP_SHIFT) / (KTRACE_RING_MAX + PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, kt_session_add_channel(s, &spec), -EDQUOT);
	spec.thread_nr++;
	KUNIT_EXPECT_EQ(test, kt_session_add_channel(s, &spec), -EINVAL);
	spec.thread_size = spec.ring_size;
	spec.thread_nr = 4096;
	KUNIT_EXPECT_EQ(test, kt_session_add_channel(s, &spec), -EDQUOT);
	spec.thread_nr++;
	KUNIT_EXPECT_EQ(test, kt_session_add_channel(s, &spec), -EINVAL);
	KUNIT_EXPECT_EQ(test, s->bytes, 0);
}

static void nothing_stays_charged(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, fix_session_nr(), 0);
	KUNIT_EXPECT_EQ(test, fix_user_bytes(root), 0);
	KUNIT_EXPECT_EQ(test, fix_user_bytes(KUIDT_INIT(1000)), 0);
}

static struct kunit_case limits_cases[] = {
	KUNIT_CASE(a_user_has_eight_sessions_at_most),
	KUNIT_CASE(all_but_root_have_64_sessions_at_most),
	KUNIT_CASE(sixteen_sessions_have_kernel_channels_at_most),
	KUNIT_CASE(eight_channels_are_in_a_session_at_most),
	KUNIT_CASE(ids_of_sessions_differ),
	KUNIT_CASE(a_session_is_limited),
	KUNIT_CASE(a_user_is_limited_over_all_sessions),
	KUNIT_CASE(closed_sessions_are_charged_until_freed),
	KUNIT_CASE(a_kernel_channel_is_charged_with_its_filter_and_arrays),
	KUNIT_CASE(a_request_of_somebody_killed_is_undone),
	KUNIT_CASE(the_largest_request_is_refused),
	KUNIT_CASE(nothing_stays_charged),
	{ }
};

static struct kunit_suite limits_suite = {
	.name = "ktrace_limits",
	.test_cases = limits_cases,
};

kunit_test_suite(limits_suite);
