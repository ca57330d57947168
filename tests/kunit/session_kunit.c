// SPDX-License-Identifier: GPL-2.0
/*
 * session_kunit.c - suite ktrace_session: every arrow of a session, and every missing one
 *
 * The tables are written down from uapi/linux/ktrace.h, sections 4 and "Who may".
 */
#include <kunit/test.h>
#include <linux/pid.h>
#include <linux/threads.h>
#include "control.h"
#include "probe.h"
#include "session_fixture.h"

enum state { EMPTY, FRESH, RUNNING, STOPPED, STATE_NR };

static const char *const state_names[] = { "empty", "fresh", "running", "stopped" };

/* Wanted by the sessions of the table in each state, so that starting has something to do. */
#define WANTED KTRACE_EV_LOGEVENT

/* ---- what can be asked ---- */

static int add_user(struct kt_session *s)
{
	return fix_add_channel(s, KTRACE_CHANNEL_USER);
}

static int add_kernel(struct kt_session *s)
{
	return fix_add_channel(s, KTRACE_CHANNEL_KERNEL);
}

static int add_impossible(struct kt_session *s)
{
	struct ktrace_channel_spec spec = fix_spec(KTRACE_CHANNEL_USER);

	spec.ring_size--;
	return kt_session_add_channel(s, &spec);
}

static int enable(struct kt_session *s)
{
	return kt_control_enable(s, KTRACE_EV_SCHED_COMM, true);
}

static int disable(struct kt_session *s)
{
	return kt_control_enable(s, KTRACE_EV_SCHED_COMM, false);
}

static int enable_unknown(struct kt_session *s)
{
	return kt_control_enable(s, KTRACE_EV_LOGEVENT + 1, true);
}

static int enable_beyond(struct kt_session *s)
{
	return kt_control_enable(s, KT_EVENT_NR, true);
}

static int follow_self(struct kt_session *s)
{
	return kt_control_follow(s, task_pid_vnr(current));
}

static int follow_nobody(struct kt_session *s)
{
	return kt_control_follow(s, PID_MAX_LIMIT - 1);
}

static int follow_beyond(struct kt_session *s)
{
	return kt_control_follow(s, S32_MAX);
}

static int follow_negative(struct kt_session *s)
{
	return kt_control_follow(s, -1);
}

static int follow_all(struct kt_session *s)
{
	return kt_control_follow(s, KTRACE_FOLLOW_ALL);
}

/* As a writer does; it drops the reference again. */
static int find(struct kt_session *s)
{
	struct kt_session *found;
	int err = kt_session_find(s->id, &found);

	if (err)
		return err;
	kt_session_put(found);
	return found == s ? 0 : -EBADF;
}

static int find_user_channel(struct kt_session *s)
{
	struct ktrace_attach attach;

	return kt_session_user_channel(s, &attach);
}

static int info(struct kt_session *s)
{
	struct ktrace_info info = { .size = sizeof(info) };

	kt_session_info(s, &info);
	return info.session == s->id ? 0 : -EBADF;
}

/* One row: what a request answers in each state, and where it leads. */
struct arrow {
	const char *name;
	int (*ask)(struct kt_session *s);
	struct {
		int err;
		enum state next;
	} in[STATE_NR];
};

#define ALWAYS(err) { { err, EMPTY }, { err, FRESH }, { err, RUNNING }, { err, STOPPED } }
#define WITH_CHANNEL(err) { { err, EMPTY }, { 0, FRESH }, { 0, RUNNING }, { 0, STOPPED } }

/* Sessions that have a kernel and a user channel, except in EMPTY. */
static const struct arrow kernel_arrows[] = {
	{ "add user", add_user,
	  { { 0, FRESH }, { 0, FRESH }, { -EBUSY, RUNNING }, { -EBUSY, STOPPED } } },
	{ "add kernel", add_kernel,
	  { { 0, FRESH }, { -EBUSY, FRESH }, { -EBUSY, RUNNING }, { -EBUSY, STOPPED } } },
	{ "add impossible", add_impossible, ALWAYS(-EINVAL) },
	{ "start", kt_control_start,
	  { { -EINVAL, EMPTY }, { 0, RUNNING }, { 0, RUNNING }, { 0, RUNNING } } },
	{ "stop", kt_control_stop,
	  { { -EINVAL, EMPTY }, { 0, FRESH }, { 0, STOPPED }, { 0, STOPPED } } },
	{ "enable", enable, WITH_CHANNEL(-EINVAL) },
	{ "disable", disable, WITH_CHANNEL(-EINVAL) },
	{ "enable unknown", enable_unknown, ALWAYS(-EINVAL) },
	{ "enable beyond", enable_beyond, ALWAYS(-EINVAL) },
	{ "follow self", follow_self, WITH_CHANNEL(-EINVAL) },
	{ "follow nobody", follow_nobody,
	  { { -EINVAL, EMPTY }, { -ESRCH, FRESH }, { -ESRCH, RUNNING }, { -ESRCH, STOPPED } } },
	{ "follow beyond", follow_beyond,
	  { { -EINVAL, EMPTY }, { -ESRCH, FRESH }, { -ESRCH, RUNNING }, { -ESRCH, STOPPED } } },
	{ "follow negative", follow_negative, ALWAYS(-EINVAL) },
	{ "follow all", follow_all, WITH_CHANNEL(-EINVAL) },
	{ "find", find, ALWAYS(0) },
	{ "find user channel", find_user_channel, WITH_CHANNEL(-ENXIO) },
	{ "info", info, ALWAYS(0) },
};

/* Sessions that have a user channel only: what differs. */
static const struct arrow user_arrows[] = {
	{ "add kernel", add_kernel,
	  { { 0, FRESH }, { 0, FRESH }, { -EBUSY, RUNNING }, { -EBUSY, STOPPED } } },
	{ "start", kt_control_start,
	  { { -EINVAL, EMPTY }, { 0, RUNNING }, { 0, RUNNING }, { 0, RUNNING } } },
	{ "stop", kt_control_stop,
	  { { -EINVAL, EMPTY }, { 0, FRESH }, { 0, STOPPED }, { 0, STOPPED } } },
	{ "enable", enable, ALWAYS(-EINVAL) },
	{ "disable", disable, ALWAYS(-EINVAL) },
	{ "follow self", follow_self, ALWAYS(-EINVAL) },
	{ "follow all", follow_all, ALWAYS(-EINVAL) },
};

/* ---- what is so in each state ---- */

static u32 shown_state(struct kt_session *s, u32 channel)
{
	return ((struct ktrace_control *)s->channels[channel]->base)->state;
}

static void expect_channels(struct kunit *test, struct kt_session *s, u32 state, const char *what)
{
	u32 i;

	for (i = 0; i < s->channel_nr; i++)
		KUNIT_EXPECT_EQ_MSG(test, shown_state(s, i), state, "%s, channel %u", what, i);
}

static void expect_state(struct kunit *test, struct kt_session *s, enum state state,
			 const char *what)
{
	const bool is_running = state == RUNNING;

	KUNIT_EXPECT_EQ_MSG(test, s->channel_nr != 0, state != EMPTY, "%s", what);
	KUNIT_EXPECT_EQ_MSG(test, s->running, is_running, "%s", what);
	KUNIT_EXPECT_EQ_MSG(test, s->started, state >= RUNNING, "%s", what);
	expect_channels(test, s, is_running ? KTRACE_STATE_RUNNING : KTRACE_STATE_SUSPENDED, what);
	if (is_running)
		KUNIT_EXPECT_TRUE_MSG(test, bitmap_equal(s->target.live, s->wanted, KT_EVENT_NR),
				      "%s", what);
	else
		KUNIT_EXPECT_TRUE_MSG(test, bitmap_empty(s->target.live, KT_EVENT_NR), "%s", what);
	KUNIT_EXPECT_EQ_MSG(test, kt_probe_log[0].users, is_running && test_bit(WANTED, s->wanted),
			    "%s", what);
}

static struct kt_session *session_in(struct kunit *test, enum state state, bool has_kernel)
{
	struct kt_session *s = fix_session(test, has_kernel && state != EMPTY);

	if (state == EMPTY)
		return s;
	KUNIT_ASSERT_EQ(test, add_user(s), 0);
	if (has_kernel)
		KUNIT_ASSERT_EQ(test, kt_control_enable(s, WANTED, true), 0);
	if (state >= RUNNING)
		KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
	if (state == STOPPED)
		KUNIT_ASSERT_EQ(test, kt_control_stop(s), 0);
	return s;
}

static void follow_arrow(struct kunit *test, const struct arrow *arrow, enum state state,
			 bool has_kernel)
{
	struct kt_session *s = session_in(test, state, has_kernel);
	char what[64];

	snprintf(what, sizeof(what), "%s: %s", state_names[state], arrow->name);
	expect_state(test, s, state, what);
	KUNIT_EXPECT_EQ_MSG(test, arrow->ask(s), arrow->in[state].err, "%s", what);
	expect_state(test, s, arrow->in[state].next, what);
	fix_close(test, s);
	KUNIT_EXPECT_EQ_MSG(test, kt_probe_log[0].users, 0, "%s", what);
	KUNIT_EXPECT_EQ_MSG(test, fix_session_nr(), 0, "%s", what);
}

static void every_arrow_with_a_kernel_channel(struct kunit *test)
{
	enum state state;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kernel_arrows); i++)
		for (state = EMPTY; state < STATE_NR; state++)
			follow_arrow(test, &kernel_arrows[i], state, true);
}

static void every_arrow_without_a_kernel_channel(struct kunit *test)
{
	enum state state;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(user_arrows); i++)
		for (state = EMPTY; state < STATE_NR; state++)
			follow_arrow(test, &user_arrows[i], state, false);
}

/* Closing leads from each state to one that nothing leads out of. */
static void closed_is_final(struct kunit *test)
{
	struct kt_session *s, *found;
	struct ktrace_attach attach;
	enum state state;
	u8 *enabled;
	u32 i;

	for (state = EMPTY; state < STATE_NR; state++) {
		s = session_in(test, state, true);
		KUNIT_ASSERT_EQ(test, kt_session_find(s->id, &found), 0);
		fix_close(test, s);
		KUNIT_EXPECT_FALSE(test, s->open);
		KUNIT_EXPECT_FALSE(test, s->running);
		KUNIT_EXPECT_EQ(test, kt_probe_log[0].users, 0);
		KUNIT_EXPECT_TRUE(test, bitmap_empty(s->target.live, KT_EVENT_NR));
		expect_channels(test, s, KTRACE_STATE_CLOSED, state_names[state]);
		for (i = 0; i < s->channel_nr; i++) {
			enabled = s->channels[i]->base + s->channels[i]->l.enable_off;
			KUNIT_EXPECT_NULL(test, memchr_inv(enabled, 0, KTRACE_ID_NR));
		}
		KUNIT_EXPECT_EQ(test, kt_session_find(s->id, &found), -ENOENT);
		KUNIT_EXPECT_EQ(test, kt_session_user_channel(s, &attach),
				state == EMPTY ? -ENXIO : 0);
		KUNIT_EXPECT_EQ(test, fix_session_nr(), 1);
		kt_session_put(s);
		KUNIT_EXPECT_EQ(test, fix_session_nr(), 0);
	}
}

/* Who adopts a session can read it and end it, nothing else. */
static void adopted_sessions_stay_closed(struct kunit *test)
{
	static const struct {
		int (*ask)(struct kt_session *s);
		int err;
	} asked[] = {
		{ add_user, -EBUSY }, { add_kernel, -EBUSY }, { add_impossible, -EINVAL },
		{ kt_control_start, -EBUSY }, { kt_control_stop, 0 }, { enable, -EBUSY },
		{ disable, -EBUSY }, { enable_unknown, -EINVAL }, { follow_self, -EBUSY },
		{ follow_nobody, -EBUSY }, { follow_all, -EBUSY }, { find, -ENOENT },
		{ find_user_channel, 0 }, { info, 0 },
	};
	struct kt_session *s;
	enum state state;
	u32 i;

	for (state = FRESH; state < STATE_NR; state++) {
		s = session_in(test, state, true);
		fix_adopt(test, s);
		for (i = 0; i < ARRAY_SIZE(asked); i++) {
			KUNIT_EXPECT_EQ_MSG(test, asked[i].ask(s), asked[i].err,
					    "request %u, %s", i, state_names[state]);
			expect_channels(test, s, KTRACE_STATE_CLOSED, state_names[state]);
			KUNIT_EXPECT_EQ(test, kt_probe_log[0].users, 0);
			KUNIT_EXPECT_TRUE(test, bitmap_empty(s->target.live, KT_EVENT_NR));
		}
		fix_close(test, s);
		KUNIT_EXPECT_EQ(test, fix_session_nr(), 0);
	}
}

/* Running, suspended, enabled, disabled in all orders: probes and bits agree. */
static void any_order_of_requests_keeps_probes_right(struct kunit *test)
{
	struct kt_session *s = fix_session(test, true);
	u32 random = 1, i, wanted;

	for (i = 0; i < 400; i++) {
		random = random * 1664525u + 1013904223u;
		switch (random >> 30) {
		case 0:
			KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
			break;
		case 1:
			KUNIT_ASSERT_EQ(test, kt_control_stop(s), 0);
			break;
		default:
			KUNIT_ASSERT_EQ(test, kt_control_enable(s, WANTED, random & 0x100), 0);
		}
		wanted = test_bit(WANTED, s->wanted);
		KUNIT_ASSERT_EQ(test, test_bit(WANTED, s->target.live), s->running && wanted);
		KUNIT_ASSERT_EQ(test, kt_probe_log[0].users, s->running && wanted);
		KUNIT_ASSERT_EQ(test, s->kernel->base[s->kernel->l.enable_off + WANTED], wanted);
	}
}

/* ---- who may ---- */

static void only_the_owners_user_finds_a_session(struct kunit *test)
{
	const struct cred *before = fix_become(test, 1000);
	struct kt_session *s = fix_session(test, false);

	KUNIT_EXPECT_EQ(test, find(s), 0);
	fix_unbecome(before);
	KUNIT_EXPECT_EQ(test, find(s), -EPERM);
	before = fix_become(test, 1001);
	KUNIT_EXPECT_EQ(test, find(s), -EPERM);
	fix_unbecome(before);
}

static void everybody_finds_a_session_for_all(struct kunit *test)
{
	struct kt_session *s = fix_session(test, false);
	const struct cred *before = fix_become(test, 1000);

	KUNIT_EXPECT_EQ(test, find(s), 0);
	fix_unbecome(before);
}

static void kernel_events_take_privilege(struct kunit *test)
{
	const struct cred *before = fix_become(test, 1000);
	struct kt_session *s = fix_session(test, false);

	KUNIT_EXPECT_EQ(test, add_kernel(s), -EPERM);
	KUNIT_EXPECT_EQ(test, add_user(s), 0);
	KUNIT_EXPECT_EQ(test, s->channel_nr, 1);
	fix_unbecome(before);
	KUNIT_EXPECT_EQ(test, add_kernel(s), 0);
	before = fix_become(test, 1000);
	fix_unbecome(before);
	/* Root made the kernel channel: it may follow anybody. */
	KUNIT_EXPECT_EQ(test, follow_all(s), 0);
}

static void unprivileged_sessions_follow_their_own(struct kunit *test)
{
	struct kt_session *s = fix_session(test, true);

	s->target.filter.any_user = false;
	KUNIT_EXPECT_EQ(test, follow_all(s), -EPERM);
	KUNIT_EXPECT_EQ(test, follow_self(s), 0);
	s->target.filter.owner = KUIDT_INIT(1000);
	KUNIT_EXPECT_EQ(test, follow_self(s), -EPERM);
}

static struct kunit_case session_cases[] = {
	KUNIT_CASE(every_arrow_with_a_kernel_channel),
	KUNIT_CASE(every_arrow_without_a_kernel_channel),
	KUNIT_CASE(closed_is_final),
	KUNIT_CASE(adopted_sessions_stay_closed),
	KUNIT_CASE(any_order_of_requests_keeps_probes_right),
	KUNIT_CASE(only_the_owners_user_finds_a_session),
	KUNIT_CASE(everybody_finds_a_session_for_all),
	KUNIT_CASE(kernel_events_take_privilege),
	KUNIT_CASE(unprivileged_sessions_follow_their_own),
	{ }
};

static struct kunit_suite session_suite = {
	.name = "ktrace_session",
	.test_cases = session_cases,
};

kunit_test_suite(session_suite);
