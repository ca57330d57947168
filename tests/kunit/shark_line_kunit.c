// SPDX-License-Identifier: GPL-2.0
/* shark_line_kunit.c - the kernel's CPUs wait for the S.Ha.R.K. tracer's lock, but not for ever */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/printk.h>
#include <linux/spinlock.h>
#include "shark_fixture.h"
#include "shark/writer.h"

static __u32 nested_left;

/* As an NMI would, while its CPU waits. */
static void log_nested(const char *name)
{
	(void)name;
	while (nested_left) {
		nested_left--;
		log_one(USER);
	}
}

static struct kt_shark_pending stopped;

/* A CPU that was stopped while it held the lock */
static void shk_20_an_event_does_not_wait_for_ever(struct kunit *test)
{
	int n = target(4, 0, STOP);

	shark->owner = &stopped;
	log_many(3);
	shark->owner = NULL;
	KUNIT_EXPECT_EQ(test, lost(KTRACE_SHARK_LOST_NESTED), (__u64)3);
	log_many(2);
	account_holds(n, 3, 4);
	KUNIT_EXPECT_EQ(test, lost(KTRACE_SHARK_LOST_NESTED), (__u64)3);
	KUNIT_EXPECT_TRUE(test, kt_shark_line_is_empty(&shark->line));
}

static void log_and_go_on(const char *name)
{
	log_nested(name);
	shark->owner = NULL;
}

static void shk_20_what_interrupts_a_wait_is_stored(struct kunit *test)
{
	int n = target(4, 0, STOP);

	shark->owner = &stopped;
	nested_left = 1;
	shark_hook = log_and_go_on;
	log_one(USER);
	shark_hook = NULL;
	KUNIT_EXPECT_EQ(test, status_of(n).events, 2u);
	KUNIT_EXPECT_EQ(test, event_of(n, 0).par2, 1u);
	KUNIT_EXPECT_EQ(test, event_of(n, 1).par2, 0u);
	KUNIT_EXPECT_EQ(test, lost(KTRACE_SHARK_LOST_NESTED), (__u64)0);
}

static void shk_20_what_interrupts_a_wait_in_vain_is_counted(struct kunit *test)
{
	int n = target(4, 0, STOP);

	shark->owner = &stopped;
	nested_left = 2;
	shark_hook = log_nested;
	log_one(USER);
	shark_hook = NULL;
	shark->owner = NULL;
	KUNIT_EXPECT_EQ(test, lost(KTRACE_SHARK_LOST_NESTED), (__u64)3);
	log_one(USER);
	account_holds(n, 3, 3);
}

/* Nobody else goes on: its line neither. */
static void shk_20_in_a_panic_nobody_stands_in_line(struct kunit *test)
{
	int n = target(4, 0, STOP);

	shark->owner = &stopped;
	arch_spin_lock(&shark->line.lock);
	atomic_inc(&shark->line.nr);
	oops_in_progress++;
	log_one(USER);
	KUNIT_EXPECT_EQ(test, kt_shark_select(shark, n), -EBUSY);
	oops_in_progress--;
	shark->owner = NULL;
	atomic_dec(&shark->line.nr);
	arch_spin_unlock(&shark->line.lock);
	KUNIT_EXPECT_EQ(test, lost(KTRACE_SHARK_LOST_NESTED), (__u64)1);
	holds_nothing(n);
}

enum { BESIDE = 7 };

static bool is_storing;

static int log_beside(void *unused)
{
	while (!READ_ONCE(is_storing))
		cpu_relax();
	kt_shark_log(shark, USER, BESIDE, 0, 0);
	return 0;
}

static void await_the_other(const char *name)
{
	kt_store(&shark_hook, NULL);
	WRITE_ONCE(is_storing, true);
	while (kt_shark_line_is_empty(&shark->line) ||
	       !(READ_ONCE(shark->owner->nr) & KT_SHARK_WAITED))
		cpu_relax();
}

/* The other CPU comes while this one stores an event: its own is stored before this one's next. */
static void shk_20_who_waits_comes_before_the_next_event(struct kunit *test)
{
	struct task_struct *other;
	unsigned int cpu;
	int n;

	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU");
	n = target(4, 0, STOP);
	is_storing = false;
	other = kthread_create(log_beside, NULL, "shark_line");
	KUNIT_ASSERT_FALSE(test, IS_ERR(other));
	get_task_struct(other);
	migrate_disable();
	cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	/* May sleep until the thread does. */
	kthread_bind(other, cpu);
	preempt_disable();
	wake_up_process(other);
	shark_hook = await_the_other;
	kt_shark_log(shark, USER, 0, 1, 0);
	kt_shark_log(shark, USER, 0, 2, 0);
	preempt_enable();
	migrate_enable();
	kthread_stop(other);
	put_task_struct(other);
	KUNIT_EXPECT_EQ(test, status_of(n).events, 3u);
	KUNIT_EXPECT_EQ(test, event_of(n, 0).par2, 1u);
	KUNIT_EXPECT_EQ(test, event_of(n, 1).par1, BESIDE);
	KUNIT_EXPECT_EQ(test, event_of(n, 2).par2, 2u);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(shk_20_an_event_does_not_wait_for_ever),
	KUNIT_CASE(shk_20_what_interrupts_a_wait_is_stored),
	KUNIT_CASE(shk_20_what_interrupts_a_wait_in_vain_is_counted),
	KUNIT_CASE(shk_20_in_a_panic_nobody_stands_in_line),
	KUNIT_CASE(shk_20_who_waits_comes_before_the_next_event),
	{ }
};

static struct kunit_suite suite = {
	.name = "ktrace_shark_line",
	.init = shark_setup,
	.exit = shark_teardown,
	.test_cases = cases,
};

kunit_test_suite(suite);
