// SPDX-License-Identifier: GPL-2.0
/* func_kunit.c - suite ktrace_func: events that name functions, and who may know what of them */
#include <kunit/test.h>
#include <linux/jiffies.h>
#include <linux/workqueue.h>
#include "contexts.h"
#include "control.h"
#include "func.h"
#include "probe_hits.h"
#include "probe_hits_later.h"
#include "session_fixture.h"

/* The last record of an event; @in_irq: of interrupts, too, which come at any time */
struct last {
	u16 id;
	bool in_irq;
	struct ktrace_record rec;
	struct {
		u64 object;
		union {
			struct {
				s64 value;
				char name_behind[KTRACE_FUNC_LEN];
			};
			char name[KTRACE_FUNC_LEN];
		};
	} payload;
};

static void keep_last(const struct ktrace_record *rec, const void *payload, void *arg)
{
	struct last *last = arg;

	if (rec->id != last->id || (rec->tid_flags & KTRACE_REC_IRQ && !last->in_irq))
		return;
	last->rec = *rec;
	memset(&last->payload, 0xff, sizeof(last->payload));
	memcpy(&last->payload, payload, min_t(size_t, rec->len, sizeof(last->payload)));
}

/* A session that follows current and records @id */
static struct kt_session *record(struct kunit *test, u16 id, bool any_user)
{
	struct kt_session *s = fix_session(test, true);

	s->target.filter.any_user = any_user;
	set_bit(current->tgid, s->target.filter.followed);
	KUNIT_ASSERT_EQ(test, kt_control_enable(s, id, true), 0);
	KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
	return s;
}

static void expect_last(struct kunit *test, struct kt_session *s, struct last *last)
{
	last->rec = (struct ktrace_record){ 0 };
	fix_drain(test, s, keep_last, last);
	KUNIT_ASSERT_EQ(test, last->rec.id, last->id);
}

/* As long as a name of a variable may be in C, and longer than there is room for */
static void a_name_that_has_more_letters_than_there_is_room_for_in_the_record(void)
{
}

static void long_names_are_cut_and_marked(struct kunit *test)
{
	static const char want[KTRACE_FUNC_LEN] =
		"a_name_that_has_more_letters_than_there_is_room_for_in_the_reco";
	struct last last = { .id = KTRACE_EV_WORKQUEUE_START };
	struct kt_session *s = record(test, last.id, true);

	kt_func_emit(last.id, NULL,
		     a_name_that_has_more_letters_than_there_is_room_for_in_the_record);
	expect_last(test, s, &last);
	KUNIT_EXPECT_EQ(test, last.rec.len, sizeof(u64) + KTRACE_FUNC_LEN);
	KUNIT_EXPECT_TRUE(test, last.rec.tid_flags & KTRACE_REC_TRUNCATED);
	KUNIT_EXPECT_MEMEQ(test, last.payload.name, want, sizeof(want));
}

/* An address would tell where the kernel is, and of a module that has gone there is no more. */
static void what_has_no_name_is_not_told(struct kunit *test)
{
	struct last last = { .id = KTRACE_EV_WORKQUEUE_START };
	struct kt_session *s = record(test, last.id, true);

	kt_func_emit(last.id, NULL, (void *)0xffffffffffffff00ul);
	expect_last(test, s, &last);
	KUNIT_EXPECT_EQ(test, last.rec.len, sizeof(u64) + 1);
	KUNIT_EXPECT_EQ(test, last.payload.name[0], '\0');
}

static void without_privilege_addresses_are_not_told(struct kunit *test)
{
	struct last last = { .id = KTRACE_EV_WORKQUEUE_QUEUE };
	struct kt_session *s = record(test, last.id, false);

	hit_workqueue_queue();
	expect_last(test, s, &last);
	KUNIT_EXPECT_EQ(test, last.payload.object, 0);
	KUNIT_EXPECT_EQ(test, last.payload.value, -1);
	KUNIT_EXPECT_STREQ(test, last.payload.name_behind, SOME_WORK);
}

static void emit_in(enum context context)
{
	if (context != CONTEXT_IRQ_WORK)
		return;
	kt_func_emit(KTRACE_EV_WORKQUEUE_START, &timer, delayed_work_timer_fn);
	kt_func_emit_value(KTRACE_EV_TIMER_START, &timer, 1234, delayed_work_timer_fn);
}

static void from_interrupt(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, contexts_init(emit_in), 0);
	preempt_disable();
	context_raise(CONTEXT_IRQ_WORK);
	preempt_enable();
	contexts_exit();
}

/* It is not the interrupted thread that does it. */
static void without_privilege_interrupts_do_not_say_what_they_run(struct kunit *test)
{
	struct last last = { .id = KTRACE_EV_WORKQUEUE_START, .in_irq = true };
	struct kt_session *may_see_all = record(test, last.id, true);
	struct kt_session *s = record(test, last.id, false);

	from_interrupt(test);
	expect_last(test, may_see_all, &last);
	KUNIT_EXPECT_EQ(test, last.payload.object, (unsigned long)&timer);
	KUNIT_EXPECT_STREQ(test, last.payload.name, SOME_TIMER);
	expect_last(test, s, &last);
	KUNIT_EXPECT_TRUE(test, last.rec.tid_flags & KTRACE_REC_IRQ);
	/* The length of a name tells which one it is. */
	KUNIT_EXPECT_EQ(test, last.rec.len, sizeof(u64) + 1);
	KUNIT_EXPECT_EQ(test, last.payload.object, 0);
	KUNIT_EXPECT_EQ(test, last.payload.name[0], '\0');
}

/* How long a connection waits for an answer tells how far its peer is. */
static void without_privilege_interrupts_do_not_tell_times(struct kunit *test)
{
	struct last last = { .id = KTRACE_EV_TIMER_START, .in_irq = true };
	struct kt_session *may_see_all = record(test, last.id, true);
	struct kt_session *s = record(test, last.id, false);

	/* Other timers may be set meanwhile. */
	do {
		from_interrupt(test);
		expect_last(test, may_see_all, &last);
	} while (last.payload.value != 1234);
	expect_last(test, s, &last);
	KUNIT_EXPECT_EQ(test, last.payload.object, 0);
	KUNIT_EXPECT_EQ(test, last.payload.value, 0);
}

/* A tick that comes between makes it less: then once more. */
static void timers_say_how_long_they_take(struct kunit *test)
{
	struct last last = { .id = KTRACE_EV_TIMER_START };
	struct kt_session *s = record(test, last.id, true);
	unsigned long now;
	bool is_same;

	do {
		now = jiffies;
		timer.expires = now + 250;
		hit_timer_start_as_it_is();
		is_same = jiffies == now;
		expect_last(test, s, &last);
	} while (!is_same);
	KUNIT_EXPECT_EQ(test, last.payload.value, 250ll * TICK_NSEC);
}

static struct kunit_case func_cases[] = {
	KUNIT_CASE(long_names_are_cut_and_marked),
	KUNIT_CASE(what_has_no_name_is_not_told),
	KUNIT_CASE(without_privilege_addresses_are_not_told),
	KUNIT_CASE(without_privilege_interrupts_do_not_say_what_they_run),
	KUNIT_CASE(without_privilege_interrupts_do_not_tell_times),
	KUNIT_CASE(timers_say_how_long_they_take),
	{ }
};

static struct kunit_suite func_suite = {
	.name = "ktrace_func",
	.test_cases = func_cases,
};

kunit_test_suite(func_suite);
