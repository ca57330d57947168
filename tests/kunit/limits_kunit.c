// SPDX-License-Identifier: GPL-2.0
/*
 * limits_kunit.c - suite ktrace_limits: numbers and memory of sessions, and that each charge
 * is taken back
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include "account.h"
#include "session_fixture.h"
#include "event_filter.h"

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

/* Attaches as that user, as ATTACH does. */
static int hold(struct kunit *test, struct kt_session *s, uid_t uid, struct kt_holder **h)
{
	const struct cred *before = fix_become(test, uid);
	struct kt_session *found;
	int err = kt_session_find(s->id, &found);

	if (!err) {
		err = kt_account_hold(found, h);
		if (err)
			kt_session_put(found);
	}
	fix_unbecome(before);
	return err;
}

/* As long as one of his programs has it mapped, the memory of a closed session is the user's. */
static void closed_sessions_are_charged_until_freed(struct kunit *test)
{
	struct kt_session *a = fix_session(test, false), *b = fix_session(test, false);
	struct kt_holder *h;

	fix_set_limits(test, 100, 5);
	KUNIT_ASSERT_EQ(test, add_mb(a, 3), 0);
	KUNIT_ASSERT_EQ(test, hold(test, a, 0, &h), 0);
	fix_close(test, a);
	KUNIT_EXPECT_EQ(test, add_mb(b, 3), -EDQUOT);
	kt_account_unhold(a, h);
	KUNIT_EXPECT_EQ(test, add_mb(b, 3), 0);
	fix_close(test, b);
	KUNIT_EXPECT_EQ(test, fix_user_bytes(root), 0);
}

static void holders_pay_for_what_the_owner_has_left(struct kunit *test)
{
	const kuid_t user = KUIDT_INIT(1000), other = KUIDT_INIT(1001);
	struct kt_session *a = fix_session(test, false), *b = fix_session(test, false);
	struct kt_holder *h[3], *refused;
	u64 bytes;

	fix_set_limits(test, 100, 5);
	KUNIT_ASSERT_EQ(test, add_mb(a, 3), 0);
	bytes = a->bytes;
	KUNIT_ASSERT_EQ(test, hold(test, a, 1000, &h[0]), 0);
	KUNIT_ASSERT_EQ(test, hold(test, a, 1000, &h[1]), 0);
	KUNIT_ASSERT_EQ(test, hold(test, a, 1001, &h[2]), 0);
	KUNIT_EXPECT_EQ(test, fix_user_bytes(root), bytes);
	KUNIT_EXPECT_EQ(test, fix_user_bytes(user), 0);
	fix_close(test, a);
	/* Two descriptors of one user count once. */
	KUNIT_EXPECT_EQ(test, fix_user_bytes(root), 0);
	KUNIT_EXPECT_EQ(test, fix_user_bytes(user), bytes);
	KUNIT_EXPECT_EQ(test, fix_user_bytes(other), bytes);
	/* Root can record again; who holds the first session is refused, others are not. */
	KUNIT_ASSERT_EQ(test, add_mb(b, 3), 0);
	KUNIT_EXPECT_EQ(test, hold(test, b, 1000, &refused), -EDQUOT);
	KUNIT_EXPECT_EQ(test, b->refused, 1);
	kt_account_unhold(a, h[0]);
	KUNIT_EXPECT_EQ(test, fix_user_bytes(user), bytes);
	kt_account_unhold(a, h[1]);
	KUNIT_EXPECT_EQ(test, fix_user_bytes(user), 0);
	KUNIT_ASSERT_EQ(test, hold(test, b, 1000, &h[0]), 0);
	kt_account_unhold(b, h[0]);
	KUNIT_ASSERT_EQ(test, hold(test, b, 1002, &h[0]), 0);
	kt_account_unhold(b, h[0]);
	KUNIT_EXPECT_EQ(test, hold(test, b, 1001, &refused), -EDQUOT);
	kt_account_unhold(a, h[2]);
	KUNIT_EXPECT_EQ(test, fix_user_bytes(other), 0);
	KUNIT_EXPECT_EQ(test, fix_session_nr(), 1);
}

/* What a user holds of others' sessions that run does not keep him from making his own. */
static void sessions_that_run_are_their_owners_to_pay(struct kunit *test)
{
	struct kt_session *a = fix_session(test, false), *own;
	struct kt_holder *h;

	fix_set_limits(test, 100, 5);
	KUNIT_ASSERT_EQ(test, add_mb(a, 3), 0);
	own = session_of_user(test, 1000);
	KUNIT_ASSERT_EQ(test, hold(test, a, 1000, &h), 0);
	KUNIT_EXPECT_EQ(test, add_mb(own, 3), 0);
	fix_close(test, a);
	KUNIT_EXPECT_EQ(test, fix_user_bytes(KUIDT_INIT(1000)), own->bytes + a->bytes);
	KUNIT_EXPECT_EQ(test, fix_add_channel(own, KTRACE_CHANNEL_USER), -EDQUOT);
	kt_account_unhold(a, h);
	KUNIT_EXPECT_EQ(test, fix_add_channel(own, KTRACE_CHANNEL_USER), 0);
}

static void a_kernel_channel_is_charged_with_its_filter_and_arrays(struct kunit *test)
{
	struct kt_session *s = fix_session(test, true);
	struct kt_buffer *b = s->kernel;
	u64 pages = 0, i;

	for (i = 0; i < b->l.map_size >> PAGE_SHIFT; i++)
		pages += b->pages[i] != NULL;
	KUNIT_EXPECT_EQ(test, s->bytes, (pages << PAGE_SHIFT) + KT_PID_FILTER_BYTES +
			i * sizeof(*b->pages) + struct_size(b, rings, b->l.ring_nr));
}

/* It is never run: the event is not switched on. */
static void filter(struct kunit *test, struct kt_session *s)
{
	struct kt_event_filter *v = kvzalloc(sizeof(*v), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, v);
	kt_emit_set_filter(&s->target, KTRACE_EV_SCHED_SWITCH, v);
}

/* What filters of a user may do for an event is for all of them; others have their own. */
static void the_sessions_of_a_user_share_the_work_of_filters(struct kunit *test)
{
	struct kt_session *a = fix_session(test, true), *other = session_of_user(test, 1000), *b;

	KUNIT_ASSERT_EQ(test, fix_add_channel(other, KTRACE_CHANNEL_KERNEL), 0);
	filter(test, a);
	filter(test, other);
	b = fix_session(test, true);
	KUNIT_EXPECT_EQ(test, a->target.work_max, KTRACE_MATCH_WORK_MAX);
	filter(test, b);
	KUNIT_EXPECT_EQ(test, a->target.work_max, KTRACE_MATCH_WORK_MAX / 2);
	KUNIT_EXPECT_EQ(test, b->target.work_max, KTRACE_MATCH_WORK_MAX / 2);
	KUNIT_EXPECT_EQ(test, other->target.work_max, KTRACE_MATCH_WORK_MAX);
	kt_emit_set_filter(&a->target, KTRACE_EV_SCHED_SWITCH, NULL);
	KUNIT_EXPECT_EQ(test, b->target.work_max, KTRACE_MATCH_WORK_MAX);
	filter(test, a);
	fix_close(test, b);
	KUNIT_EXPECT_EQ(test, a->target.work_max, KTRACE_MATCH_WORK_MAX);
}

/* ---- who waits for whom ---- */

static int read_until_stopped(void *is_reading)
{
	rcu_read_lock();
	smp_store_release((bool *)is_reading, true);
	while (!kthread_should_stop())
		cpu_relax();
	rcu_read_unlock();
	return 0;
}

struct choice {
	struct kt_session *s;
	struct kt_event_filter *v;
	struct completion done;
};

static int choose(void *arg)
{
	struct choice *c = arg;

	kt_emit_set_filter(&c->s->target, KTRACE_EV_SCHED_SWITCH, c->v);
	complete_all(&c->done);
	return 0;
}

static void start_choice(struct kunit *test, struct choice *c)
{
	c->s = fix_session(test, true);
	c->v = kvzalloc(sizeof(*c->v), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, c->v);
	init_completion(&c->done);
}

/* One moves an event that is recorded, and waits for a reader; the other's is not recorded. */
static void who_chooses_events_does_not_wait_for_another_who_does(struct kunit *test)
{
	struct choice *c = kunit_kcalloc(test, 2, sizeof(*c), GFP_KERNEL);
	struct task_struct *reader;
	bool is_reading = false;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	KUNIT_ASSERT_NOT_NULL(test, c);
	start_choice(test, &c[0]);
	start_choice(test, &c[1]);
	kt_emit_set_live(&c[0].s->target, KTRACE_EV_SCHED_SWITCH, true);
	reader = kthread_run(read_until_stopped, &is_reading, "ktrace_kunit/r");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, reader);
	while (!smp_load_acquire(&is_reading))
		schedule_timeout_uninterruptible(1);
	kthread_run(choose, &c[0], "ktrace_kunit/0");
	while (!test_bit(KTRACE_EV_SCHED_SWITCH, c[0].s->target.special))
		schedule_timeout_uninterruptible(1);
	kthread_run(choose, &c[1], "ktrace_kunit/1");
	KUNIT_EXPECT_GT(test, wait_for_completion_timeout(&c[1].done, 10 * HZ), 0);
	KUNIT_EXPECT_FALSE(test, completion_done(&c[0].done));
	kthread_stop(reader);
	wait_for_completion(&c[0].done);
	wait_for_completion(&c[1].done);
	kt_emit_set_live(&c[0].s->target, KTRACE_EV_SCHED_SWITCH, false);
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
	KUNIT_CASE(holders_pay_for_what_the_owner_has_left),
	KUNIT_CASE(sessions_that_run_are_their_owners_to_pay),
	KUNIT_CASE(a_kernel_channel_is_charged_with_its_filter_and_arrays),
	KUNIT_CASE(the_sessions_of_a_user_share_the_work_of_filters),
	KUNIT_CASE(who_chooses_events_does_not_wait_for_another_who_does),
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
