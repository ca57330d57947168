// SPDX-License-Identifier: GPL-2.0
/*
 * tracepoint_kunit.c - suite ktrace_tracepoint: events of the kernel's own, by their number
 *
 * The kernel is asked for numbers by name; each of its records begins with the number, and
 * with who ran.
 */
#include <kunit/test.h>
#include <linux/cred.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include "control.h"
#include "session_fixture.h"
#include "tracepoint.h"

#define BEYOND_ALL 60000

static u32 number_of(struct kunit *test, const char *system, const char *event)
{
	struct trace_event_file *file = trace_get_event_file(NULL, system, event);
	u32 number;

	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(file), "%s:%s", system, event);
	number = file->event_call->event.type;
	trace_put_event_file(file);
	return number;
}

static u16 map(struct kunit *test, struct kt_session *s, const char *system, const char *event)
{
	u16 id = 0;

	KUNIT_ASSERT_EQ(test, kt_control_map(s, number_of(test, system, event), &id), 0);
	KUNIT_EXPECT_TRUE(test, kt_tracepoint_is(id));
	return id;
}

static struct kt_session *make_running(struct kunit *test, u16 *id)
{
	struct kt_session *s = fix_session(test, true);

	*id = map(test, s, "sched", "sched_switch");
	KUNIT_ASSERT_EQ(test, kt_control_enable(s, *id, true), 0);
	KUNIT_ASSERT_EQ(test, kt_control_follow(s, KTRACE_FOLLOW_ALL), 0);
	KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
	return s;
}

static unsigned long switch_nr(void)
{
	return current->nvcsw + current->nivcsw;
}

/*
 * This task is switched away from, three times. A timer that has fired before the task gave
 * up its CPU is no switch.
 */
static void switch_tasks(void)
{
	unsigned long before = switch_nr();

	while (switch_nr() - before < 3)
		schedule_timeout_uninterruptible(1);
}

/**
 * struct seen - records of one event
 * @number:	what they must begin with
 * @id:		and be called
 * @nr:		all that are
 * @mine:	of these, by the task that drains
 * @bad:	records of this id that are something else
 */
struct seen {
	u32 number;
	u16 id;
	u32 nr;
	u32 mine;
	u32 bad;
};

/**
 * struct hits - of a tracepoint, counted by a probe of the suite's own
 * @name:	the tracepoint's
 * @tp:		the tracepoint
 * @nr:		while the probe was there
 * @surely:	while the session surely ran
 */
struct hits {
	const char *name;
	struct tracepoint *tp;
	atomic_t nr;
	int surely;
};

static void see(const struct ktrace_record *rec, const void *payload, void *arg)
{
	const struct trace_entry *entry = payload;
	struct seen *seen = arg;

	if (rec->id != seen->id)
		return;
	seen->nr++;
	if (rec->len < sizeof(*entry) || entry->type != seen->number ||
	    entry->pid != (int)(rec->tid_flags & KTRACE_TID_MASK))
		seen->bad++;
	else
		seen->mine += entry->pid == current->pid;
}

static struct seen drain(struct kunit *test, struct kt_session *s, u16 id)
{
	struct seen seen = { .number = number_of(test, "sched", "sched_switch"), .id = id };

	fix_drain(test, s, see, &seen);
	KUNIT_EXPECT_EQ(test, seen.bad, 0);
	return seen;
}

static void records_are_the_kernels(struct kunit *test)
{
	struct kt_session *s;
	u16 id;

	s = make_running(test, &id);
	switch_tasks();
	KUNIT_ASSERT_EQ(test, kt_control_stop(s), 0);
	KUNIT_EXPECT_GE(test, drain(test, s, id).mine, 3);
	KUNIT_EXPECT_EQ(test, fix_lost(s), 0);
}

static void find_tracepoint(struct tracepoint *tp, void *arg)
{
	struct hits *hits = arg;

	if (!strcmp(tp->name, hits->name))
		hits->tp = tp;
}

/* With the arguments of any tracepoint. */
static void count_hit(void *data)
{
	struct hits *hits = data;

	atomic_inc(&hits->nr);
}

static void record_runtime(struct kunit *test, struct kt_session *s, struct hits *hits)
{
	int before;

	KUNIT_ASSERT_EQ(test, tracepoint_probe_register(hits->tp, count_hit, hits), 0);
	KUNIT_EXPECT_EQ(test, kt_control_start(s), 0);
	before = atomic_read(&hits->nr);
	switch_tasks();
	hits->surely = atomic_read(&hits->nr) - before;
	KUNIT_EXPECT_EQ(test, kt_control_stop(s), 0);
	tracepoint_probe_unregister(hits->tp, count_hit, hits);
	tracepoint_synchronize_unregister();
}

/* sched_stat_runtime counts by nanoseconds. */
static void a_hit_that_counts_more_than_one_has_one_record(struct kunit *test)
{
	struct kt_session *s = fix_session(test, true);
	struct hits hits = { .name = "sched_stat_runtime" };
	struct seen seen = { .number = number_of(test, "sched", "sched_stat_runtime") };

	for_each_kernel_tracepoint(find_tracepoint, &hits);
	KUNIT_ASSERT_NOT_NULL(test, hits.tp);
	seen.id = map(test, s, "sched", "sched_stat_runtime");
	KUNIT_ASSERT_EQ(test, kt_control_enable(s, seen.id, true), 0);
	KUNIT_ASSERT_EQ(test, kt_control_follow(s, KTRACE_FOLLOW_ALL), 0);
	record_runtime(test, s, &hits);
	fix_drain(test, s, see, &seen);
	KUNIT_EXPECT_GE(test, hits.surely, 3);
	KUNIT_EXPECT_GE(test, seen.nr + fix_lost(s), (u64)hits.surely);
	KUNIT_EXPECT_LE(test, seen.nr + fix_lost(s), (u64)atomic_read(&hits.nr));
	KUNIT_EXPECT_EQ(test, fix_lost(s), 0);
}

/* perf is making a record of kmalloc(), so it makes none of kfree(). */
static void free_within(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	void **object = event->overflow_handler_context;

	kfree(*object);
	*object = NULL;
}

/* Hits of kfree() while perf is at work in the same context */
static void free_while_recording(struct kunit *test, u32 nr)
{
	void *object = NULL;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = number_of(test, "kmem", "kmalloc"),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, -1, current, free_within, &object);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	while (nr--) {
		void *next = kmalloc(64, GFP_KERNEL);

		kfree(object);	/* freed within the next kmalloc(), unless perf was off */
		object = next;
	}
	perf_event_release_kernel(event);
	kfree(object);
}

static void hits_without_a_record_are_lost(struct kunit *test)
{
	struct kt_session *s = fix_session(test, true);
	u64 missed = 1, before;
	u16 id = map(test, s, "kmem", "kfree");

	KUNIT_EXPECT_EQ(test, kt_control_missed(s, id, &missed), 0);
	KUNIT_EXPECT_EQ(test, missed, 0);
	KUNIT_ASSERT_EQ(test, kt_control_enable(s, id, true), 0);
	KUNIT_ASSERT_EQ(test, kt_control_follow(s, KTRACE_FOLLOW_ALL), 0);
	free_while_recording(test, 8);		/* not running: not lost */
	KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
	KUNIT_EXPECT_EQ(test, kt_control_missed(s, id, &before), 0);
	KUNIT_EXPECT_EQ(test, before, 0);
	free_while_recording(test, 8);
	KUNIT_ASSERT_EQ(test, kt_control_stop(s), 0);
	KUNIT_EXPECT_EQ(test, kt_control_missed(s, id, &missed), 0);
	KUNIT_EXPECT_EQ(test, missed, 8);	/* the first one is of NULL, which is a hit, too */
	KUNIT_EXPECT_EQ(test, fix_lost(s), missed);
	KUNIT_EXPECT_EQ(test, kt_control_missed(s, id + 1, &missed), -EINVAL);
	KUNIT_EXPECT_EQ(test, kt_control_missed(s, KTRACE_EV_SCHED_SWITCH, &missed), -EINVAL);
}

static void nothing_is_recorded_while_it_is_off(struct kunit *test)
{
	struct kt_session *s;
	u16 id;

	s = make_running(test, &id);
	KUNIT_ASSERT_EQ(test, kt_control_enable(s, id, false), 0);
	kt_emit_quiesce();
	drain(test, s, id);
	switch_tasks();
	KUNIT_EXPECT_EQ(test, drain(test, s, id).nr, 0);
	KUNIT_ASSERT_EQ(test, kt_control_enable(s, id, true), 0);
	switch_tasks();
	KUNIT_ASSERT_EQ(test, kt_control_stop(s), 0);
	KUNIT_EXPECT_GE(test, drain(test, s, id).mine, 3);
	switch_tasks();
	KUNIT_EXPECT_EQ(test, drain(test, s, id).nr, 0);
}

static void sessions_share_an_event_and_the_last_one_frees_it(struct kunit *test)
{
	struct kt_session *a, *b, *c = fix_session(test, true);
	u16 id, same, other;

	a = make_running(test, &id);
	b = make_running(test, &same);
	KUNIT_EXPECT_EQ(test, id, same);
	KUNIT_EXPECT_EQ(test, map(test, b, "sched", "sched_switch"), id);
	other = map(test, c, "sched", "sched_process_fork");
	KUNIT_EXPECT_NE(test, other, id);
	fix_close(test, a);
	switch_tasks();
	KUNIT_ASSERT_EQ(test, kt_control_stop(b), 0);
	KUNIT_EXPECT_GE(test, drain(test, b, id).mine, 3);
	fix_close(test, b);
	KUNIT_EXPECT_EQ(test, map(test, c, "sched", "sched_process_exit"), id);
}

static void an_id_is_for_who_has_asked(struct kunit *test)
{
	struct kt_session *a = fix_session(test, true), *b = fix_session(test, true);
	u16 id = map(test, a, "sched", "sched_switch");

	KUNIT_EXPECT_EQ(test, kt_control_enable(b, id, true), -EINVAL);
	KUNIT_EXPECT_EQ(test, kt_control_filter(b, id, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, kt_control_enable(a, id + 1, true), -EINVAL);
	KUNIT_EXPECT_EQ(test, kt_control_enable(a, id, true), 0);
	KUNIT_EXPECT_EQ(test, kt_control_filter(a, id, NULL), 0);
}

static void what_cannot_be_had_is_refused(struct kunit *test)
{
	struct kt_session *s = fix_session(test, true), *bare = fix_session(test, false);
	const u32 number = number_of(test, "sched", "sched_switch");
	const struct cred *before;
	u16 id;

	KUNIT_EXPECT_EQ(test, kt_control_map(s, BEYOND_ALL, &id), -EINVAL);
	KUNIT_EXPECT_EQ(test, kt_control_map(s, U32_MAX, &id), -EINVAL);
	KUNIT_EXPECT_EQ(test, kt_control_map(s, 1, &id), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, kt_control_map(bare, number, &id), -EINVAL);
	before = fix_become(test, 1000);
	KUNIT_EXPECT_EQ(test, kt_control_map(s, number, &id), -EPERM);
	fix_unbecome(before);
	fix_adopt(test, s);
	KUNIT_EXPECT_EQ(test, kt_control_map(s, number, &id), -EBUSY);
}

/* Perf events of many sessions at a time, made and let go while they are hit */
static void sessions_come_and_go(struct kunit *test)
{
	u16 id;
	int i;

	for (i = 0; i < 4; i++) {
		struct kt_session *a = make_running(test, &id), *b = make_running(test, &id);

		switch_tasks();
		fix_close(test, a);
		switch_tasks();
		fix_close(test, b);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(records_are_the_kernels),
	KUNIT_CASE(a_hit_that_counts_more_than_one_has_one_record),
	KUNIT_CASE(hits_without_a_record_are_lost),
	KUNIT_CASE(nothing_is_recorded_while_it_is_off),
	KUNIT_CASE(sessions_share_an_event_and_the_last_one_frees_it),
	KUNIT_CASE(an_id_is_for_who_has_asked),
	KUNIT_CASE(what_cannot_be_had_is_refused),
	KUNIT_CASE(sessions_come_and_go),
	{ }
};

static struct kunit_suite suite = {
	.name = "ktrace_tracepoint",
	.test_cases = cases,
};
kunit_test_suite(suite);
