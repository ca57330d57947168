// SPDX-License-Identifier: GPL-2.0
/*
 * event_filter_kunit.c - suite ktrace_event_filter: filters of events, in the kernel
 *
 * What programs say is tested outside, in tests/unit/test_kernel_filter.c; here is where they
 * run: when they come and go, who pays for them, and what they may ask about.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/ktrace.h>
#include "control.h"
#include "probe_hits.h"
#include "session_fixture.h"

enum {
	ROUNDS = 60,
	WANTED = 7,		/* par1 of events that every filter wants */
	UNWANTED = 8,		/* and of some that none does */
};

static const char texts[] = "otherfollowed";
#define OTHER .text_off = 0, .text_len = 5
#define FOLLOWED .text_off = 5, .text_len = 8

/* Not by way of a caller's memory, but checked as such are. */
static struct kt_event_filter *make_filter(struct kunit *test,
					   const struct ktrace_match_step *steps,
					   u32 nr)
{
	const u32 bytes = sizeof(struct kt_event_filter) + nr * sizeof(*steps);
	struct kt_event_filter *v = kvzalloc(bytes, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, v);
	memcpy(v->steps, steps, nr * sizeof(*steps));
	v->bytes = bytes;
	v->match = (struct kt_filter_vm){ v->steps, nr, texts };
	v->asks_cgroup = kt_filter_vm_asks(&v->match, KTRACE_MATCH_CGROUP);
	KUNIT_ASSERT_TRUE(test, kt_filter_vm_check(&v->match, sizeof(texts) - 1));
	return v;
}

static void set_one(struct kunit *test, struct kt_session *s, u16 id,
		    struct ktrace_match_step step)
{
	step.yes = 1;
	step.no = 2;
	KUNIT_ASSERT_EQ(test, kt_control_filter(s, id, make_filter(test, &step, 1)), 0);
}

static const struct ktrace_match_step par1_is_wanted = {
	.what = KTRACE_MATCH_NUMBER, .op = KTRACE_MATCH_EQ, .off = 2, .size = 2, .value = WANTED,
};

/* The same, asking for all that can be asked. */
static const struct ktrace_match_step all_fields[] = {
	{ .what = KTRACE_MATCH_CPU, .op = KTRACE_MATCH_LT, .value = NR_CPUS, .yes = 1, .no = 8 },
	{ .what = KTRACE_MATCH_CGROUP, .op = KTRACE_MATCH_NE, .value = ~0ull, .yes = 2, .no = 8 },
	{ .what = KTRACE_MATCH_UID, .op = KTRACE_MATCH_EQ, .yes = 3, .no = 8 },
	{ .what = KTRACE_MATCH_TID, .op = KTRACE_MATCH_GT, .yes = 4, .no = 8 },
	{ .what = KTRACE_MATCH_COMM, .op = KTRACE_MATCH_NE, OTHER, .yes = 5, .no = 8 },
	{ .what = KTRACE_MATCH_NUMBER, .op = KTRACE_MATCH_EQ, .off = 2, .size = 2, .value = WANTED,
	  .yes = 7, .no = 6 },
	{ .what = KTRACE_MATCH_NUMBER, .op = KTRACE_MATCH_EQ, .off = 8, .size = 1, .yes = 7,
	  .no = 8 },
};

static struct kt_session *make_session(struct kunit *test, u16 id)
{
	struct kt_session *s = fix_session(test, true);

	KUNIT_ASSERT_EQ(test, kt_control_enable(s, id, true), 0);
	KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
	return s;
}

struct counts {
	u32 wanted;
	u32 unwanted;
};

static void count(const struct ktrace_record *rec, const void *payload, void *arg)
{
	const struct ktrace_ev_logevent *event = payload;
	struct counts *c = arg;

	c->wanted += event->par1 == WANTED;
	c->unwanted += event->par1 == UNWANTED;
}

static void expect_counts(struct kunit *test, struct kt_session *s, u32 wanted, u32 unwanted)
{
	struct counts c = { 0 };

	fix_drain(test, s, count, &c);
	KUNIT_EXPECT_EQ(test, c.wanted, wanted);
	KUNIT_EXPECT_EQ(test, c.unwanted, unwanted);
}

static void log_both(void)
{
	TRACER_LOGEVENT(1, WANTED, 0);
	TRACER_LOGEVENT(1, UNWANTED, 0);
}

/* Another session does not see that; and the order of start, enable, filter does not matter. */
static void a_filter_holds_for_its_event_and_session(struct kunit *test)
{
	struct kt_session *a = make_session(test, KTRACE_EV_LOGEVENT);
	struct kt_session *b = make_session(test, KTRACE_EV_LOGEVENT);

	set_one(test, a, KTRACE_EV_SCHED_SWITCH, (struct ktrace_match_step){
		.what = KTRACE_MATCH_TID, .op = KTRACE_MATCH_LT });
	log_both();
	expect_counts(test, a, 1, 1);
	set_one(test, a, KTRACE_EV_LOGEVENT, par1_is_wanted);
	log_both();
	expect_counts(test, a, 1, 0);
	expect_counts(test, b, 2, 2);
	KUNIT_ASSERT_EQ(test, kt_control_stop(a), 0);
	log_both();
	expect_counts(test, a, 0, 0);
	KUNIT_ASSERT_EQ(test, kt_control_start(a), 0);
	log_both();
	expect_counts(test, a, 1, 0);
	KUNIT_ASSERT_EQ(test, kt_control_enable(a, KTRACE_EV_LOGEVENT, false), 0);
	log_both();
	expect_counts(test, a, 0, 0);
	KUNIT_ASSERT_EQ(test, kt_control_enable(a, KTRACE_EV_LOGEVENT, true), 0);
	log_both();
	expect_counts(test, a, 1, 0);
	KUNIT_ASSERT_EQ(test, kt_control_filter(a, KTRACE_EV_LOGEVENT, NULL), 0);
	log_both();
	expect_counts(test, a, 1, 1);
	expect_counts(test, b, 5, 5);
}

static void what_is_kept_out_moves_no_head(struct kunit *test)
{
	struct kt_session *s = make_session(test, KTRACE_EV_LOGEVENT);
	u64 sum = 0;
	u32 i;

	set_one(test, s, KTRACE_EV_LOGEVENT, par1_is_wanted);
	for (i = 0; i < 1000; i++)
		TRACER_LOGEVENT(1, UNWANTED, i);
	for (i = 0; i < s->kernel->l.ring_nr; i++)
		if (s->kernel->rings[i].data)
			sum += READ_ONCE(s->kernel->rings[i].w->head);
	KUNIT_EXPECT_EQ(test, sum, 0);
	KUNIT_EXPECT_EQ(test, fix_lost(s), 0);
}

static void the_user_pays_for_filters_until_they_go(struct kunit *test)
{
	struct kt_session *s = make_session(test, KTRACE_EV_LOGEVENT);
	const u64 before = fix_user_bytes(GLOBAL_ROOT_UID);
	struct kt_event_filter *v = make_filter(test, all_fields, ARRAY_SIZE(all_fields));
	const u32 bytes = v->bytes;

	KUNIT_EXPECT_EQ(test, kt_control_filter(s, KTRACE_EV_LOGEVENT, v), 0);
	KUNIT_EXPECT_EQ(test, fix_user_bytes(GLOBAL_ROOT_UID), before + bytes);
	v = make_filter(test, all_fields, ARRAY_SIZE(all_fields));
	KUNIT_EXPECT_EQ(test, kt_control_filter(s, KTRACE_EV_LOGEVENT, v), 0);
	KUNIT_EXPECT_EQ(test, fix_user_bytes(GLOBAL_ROOT_UID), before + bytes);
	v = make_filter(test, all_fields, ARRAY_SIZE(all_fields));
	fix_set_limits(test, 0, 0);
	KUNIT_EXPECT_EQ(test, kt_control_filter(s, KTRACE_EV_LOGEVENT, v), -EDQUOT);
	kt_event_filter_free(v);
	KUNIT_EXPECT_EQ(test, kt_control_filter(s, 1, NULL), -EINVAL);
	log_both();
	expect_counts(test, s, 1, 0);	/* the one before is still there */
	fix_set_limits(test, 1024, 2048);
	KUNIT_EXPECT_EQ(test, kt_control_filter(s, KTRACE_EV_LOGEVENT, NULL), 0);
	KUNIT_EXPECT_EQ(test, fix_user_bytes(GLOBAL_ROOT_UID), before);
	v = make_filter(test, all_fields, ARRAY_SIZE(all_fields));
	KUNIT_EXPECT_EQ(test, kt_control_filter(s, KTRACE_EV_LOGEVENT, v), 0);
	fix_close(test, s);	/* with its filter */
	KUNIT_EXPECT_EQ(test, fix_user_bytes(GLOBAL_ROOT_UID), 0);
}

/* ---- what the owner may not see ---- */

static struct task_struct *make_task(struct kunit *test, pid_t pid, const char *comm)
{
	struct task_struct *task = kunit_kzalloc(test, sizeof(*task), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, task);
	task->pid = task->tgid = pid;
	strscpy(task->comm, comm, sizeof(task->comm));
	return task;
}

/* Real switches happen, too; SOME_PID is none of the machine's. */
static void count_made(const struct ktrace_record *rec, const void *payload, void *arg)
{
	const struct ktrace_ev_sched_switch *ev = payload;
	u32 *nr = arg;

	*nr += rec->id == KTRACE_EV_SCHED_SWITCH && ev->next_tid == SOME_PID;
}

/* How many records come of a switch from other to followed with that filter. */
static u32 switches_with(struct kunit *test, struct kt_session *s, struct ktrace_match_step step)
{
	u32 nr = 0;

	set_one(test, s, KTRACE_EV_SCHED_SWITCH, step);
	hit_switch();
	fix_drain(test, s, count_made, &nr);
	return nr;
}

#define IS(what_, value_)                                                               \
	(struct ktrace_match_step){ .what = (what_), .op = KTRACE_MATCH_EQ, .value = (value_) }
#define COMM_IS(member, name)                                                           \
	(struct ktrace_match_step){ .what = KTRACE_MATCH_TEXT, .op = KTRACE_MATCH_EQ,   \
		.off = offsetof(struct ktrace_ev_sched_switch, member), .size = 16, name }
#define TID_IS(member, value_)                                                          \
	(struct ktrace_match_step){ .what = KTRACE_MATCH_NUMBER, .op = KTRACE_MATCH_EQ, \
		.off = offsetof(struct ktrace_ev_sched_switch, member), .size = 4,      \
		.value = (value_) }

static void a_filter_finds_what_the_record_would_tell(struct kunit *test)
{
	struct kt_session *s = fix_session(test, true);

	followed = make_task(test, SOME_PID, "followed");
	other = make_task(test, SOME_PID - 2, "other");
	set_bit(SOME_PID, s->target.filter.followed);
	KUNIT_ASSERT_EQ(test, kt_control_enable(s, KTRACE_EV_SCHED_SWITCH, true), 0);
	KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
	KUNIT_EXPECT_EQ(test, switches_with(test, s, COMM_IS(prev_comm, OTHER)), 1);
	KUNIT_EXPECT_EQ(test, switches_with(test, s, TID_IS(prev_tid, SOME_PID - 2)), 1);
	KUNIT_EXPECT_EQ(test, switches_with(test, s, IS(KTRACE_MATCH_PID, current->tgid)), 1);
	KUNIT_EXPECT_EQ(test, switches_with(test, s, IS(KTRACE_MATCH_UID, 0)), 1);
	s->target.filter.any_user = false;
	KUNIT_EXPECT_EQ(test, switches_with(test, s, COMM_IS(prev_comm, OTHER)), 0);
	KUNIT_EXPECT_EQ(test, switches_with(test, s, TID_IS(prev_tid, SOME_PID - 2)), 0);
	KUNIT_EXPECT_EQ(test, switches_with(test, s, TID_IS(prev_tid, 0)), 1);
	KUNIT_EXPECT_EQ(test, switches_with(test, s, COMM_IS(next_comm, FOLLOWED)), 1);
	KUNIT_EXPECT_EQ(test, switches_with(test, s, IS(KTRACE_MATCH_PID, current->tgid)), 0);
	KUNIT_EXPECT_EQ(test, switches_with(test, s, IS(KTRACE_MATCH_TID, current->pid)), 0);
	KUNIT_EXPECT_EQ(test, switches_with(test, s, IS(KTRACE_MATCH_PID, 0)), 1);
	KUNIT_EXPECT_EQ(test, switches_with(test, s, IS(KTRACE_MATCH_UID, 0)), 0);
	KUNIT_EXPECT_EQ(test, switches_with(test, s, (struct ktrace_match_step){
		.what = KTRACE_MATCH_CGROUP, .op = KTRACE_MATCH_NE }), 0);
	set_bit(current->tgid, s->target.filter.followed);
	KUNIT_EXPECT_EQ(test, switches_with(test, s, IS(KTRACE_MATCH_PID, current->tgid)), 1);
	KUNIT_EXPECT_EQ(test, switches_with(test, s, IS(KTRACE_MATCH_UID, 0)), 1);
}

/* ---- changes while events happen ---- */

static struct task_struct *threads[NR_CPUS];
static DEFINE_PER_CPU(u32, logged);

static void stop_threads(void *unused)
{
	u32 i;

	for (i = 0; i < NR_CPUS; i++)
		if (threads[i])
			kthread_stop(threads[i]);
	memset(threads, 0, sizeof(threads));
}

static int log_until_stopped(void *unused)
{
	while (!kthread_should_stop()) {
		log_both();
		WRITE_ONCE(*raw_cpu_ptr(&logged), READ_ONCE(*raw_cpu_ptr(&logged)) + 1);
		cond_resched();
	}
	return 0;
}

static u32 sum_logged(void)
{
	u32 cpu, sum = 0;

	for_each_online_cpu(cpu)
		sum += READ_ONCE(per_cpu(logged, cpu));
	return sum;
}

static void start_threads(struct kunit *test)
{
	u32 cpu;

	for_each_online_cpu(cpu)
		per_cpu(logged, cpu) = 0;
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, stop_threads, NULL), 0);
	for_each_online_cpu(cpu) {
		threads[cpu] = kthread_run_on_cpu(log_until_stopped, NULL, cpu, "ktrace_kunit/%u");
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, threads[cpu]);
	}
}

static void change_filter(struct kunit *test, struct kt_session *s, u32 round)
{
	switch (round % 4) {
	case 0:
	case 3:
		set_one(test, s, KTRACE_EV_LOGEVENT, par1_is_wanted);
		break;
	case 1:
		KUNIT_ASSERT_EQ(test, kt_control_filter(s, KTRACE_EV_LOGEVENT,
				make_filter(test, all_fields, ARRAY_SIZE(all_fields))), 0);
		break;
	default:
		KUNIT_ASSERT_EQ(test, kt_control_filter(s, KTRACE_EV_LOGEVENT, NULL), 0);
	}
}

/* What every filter wants is recorded, or counted as lost, whatever changes meanwhile. */
static void filters_change_while_all_cpus_emit(struct kunit *test)
{
	struct kt_session *s = make_session(test, KTRACE_EV_LOGEVENT);
	struct counts c = { 0 };
	u32 i;

	start_threads(test);
	for (i = 0; i < ROUNDS; i++) {
		change_filter(test, s, i);
		fix_drain(test, s, count, &c);
	}
	kunit_release_action(test, stop_threads, NULL);
	fix_drain(test, s, count, &c);
	KUNIT_EXPECT_GT(test, c.wanted, 0);
	KUNIT_EXPECT_LE(test, c.wanted, sum_logged());
	KUNIT_EXPECT_LE(test, c.unwanted, sum_logged());
	KUNIT_EXPECT_LE(test, sum_logged() - c.wanted, fix_lost(s));
	/* The session ends with a filter. */
	set_one(test, s, KTRACE_EV_LOGEVENT, par1_is_wanted);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(a_filter_holds_for_its_event_and_session),
	KUNIT_CASE(what_is_kept_out_moves_no_head),
	KUNIT_CASE(the_user_pays_for_filters_until_they_go),
	KUNIT_CASE(a_filter_finds_what_the_record_would_tell),
	KUNIT_CASE(filters_change_while_all_cpus_emit),
	{ }
};

static struct kunit_suite suite = {
	.name = "ktrace_event_filter",
	.test_cases = cases,
};
kunit_test_suite(suite);
