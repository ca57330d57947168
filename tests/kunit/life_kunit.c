// SPDX-License-Identifier: GPL-2.0
/*
 * life_kunit.c - suite ktrace_life: who keeps a session, and ends that come while it is used
 */
#include <kunit/test.h>
#include <linux/fcntl.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <linux/ktrace.h>
#include "control.h"
#include "ring_fixture.h"
#include "session_fixture.h"

enum {
	ROUNDS = 20,
	SLOW_ROUNDS = 4,
	THREADS_MAX = 8,
};

/* ---- references ---- */

static u32 mapped_u32(struct kunit *test, unsigned long addr)
{
	u32 value;

	KUNIT_ASSERT_EQ(test, get_user(value, (u32 __user *)addr), 0);
	return value;
}

static u32 mapped_state(struct kunit *test, unsigned long control)
{
	return mapped_u32(test, control + offsetof(struct ktrace_control, state));
}

static void the_last_descriptor_ends_a_session(struct kunit *test)
{
	struct ktrace_channel_spec spec;
	struct file *owner = fix_owner(test, KTRACE_CHANNEL_KERNEL, &spec);

	KUNIT_EXPECT_EQ(test, fix_session_nr(), 1);
	fix_release(test, owner);
	KUNIT_EXPECT_EQ(test, fix_session_nr(), 0);
	KUNIT_EXPECT_EQ(test, fix_user_bytes(GLOBAL_ROOT_UID), 0);
}

static void an_owners_mapping_keeps_the_session(struct kunit *test)
{
	struct ktrace_channel_spec spec;
	struct file *owner = fix_owner(test, KTRACE_CHANNEL_USER, &spec);
	unsigned long map = fix_mmap(owner, spec.map_off, spec.map_size, PROT_READ, MAP_SHARED);

	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(map));
	KUNIT_EXPECT_EQ(test, owner->f_op->unlocked_ioctl(owner, KTRACE_IOC_START, 0), 0);
	fix_release(test, owner);
	KUNIT_EXPECT_EQ(test, mapped_state(test, map), KTRACE_STATE_RUNNING);
	/* In parts: the last one counts. */
	fix_munmap(map, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, fix_session_nr(), 1);
	fix_munmap(map + PAGE_SIZE, spec.map_size - PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, fix_session_nr(), 0);
}

/* The owner ends, the writer's descriptor too: the mapping goes on, also where it is new. */
static void a_writers_mapping_outlives_all_descriptors(struct kunit *test)
{
	struct ktrace_channel_spec spec;
	struct ktrace_attach attach;
	struct file *owner = fix_owner(test, KTRACE_CHANNEL_USER, &spec);
	struct file *writer = fix_writer(test, owner, &attach);
	unsigned long map;
	u64 off;

	map = fix_mmap(writer, attach.map_off, attach.map_size, PROT_READ, MAP_SHARED);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(map));
	KUNIT_EXPECT_EQ(test, mapped_state(test, map), KTRACE_STATE_SUSPENDED);
	KUNIT_EXPECT_EQ(test, fix_info(test, owner).writers, 1);
	fix_release(test, writer);
	KUNIT_EXPECT_EQ(test, fix_info(test, owner).writers, 1);
	fix_release(test, owner);
	KUNIT_EXPECT_EQ(test, mapped_state(test, map), KTRACE_STATE_CLOSED);
	KUNIT_EXPECT_EQ(test, fix_session_nr(), 1);
	KUNIT_EXPECT_GE(test, fix_user_bytes(GLOBAL_ROOT_UID), attach.map_size);
	for (off = 0; off < attach.map_size; off += PAGE_SIZE)
		mapped_u32(test, map + off);
	fix_munmap(map, attach.map_size);
	KUNIT_EXPECT_EQ(test, fix_session_nr(), 0);
	KUNIT_EXPECT_EQ(test, fix_user_bytes(GLOBAL_ROOT_UID), 0);
}

static void writers_are_counted_by_mappings(struct kunit *test)
{
	struct ktrace_channel_spec spec;
	struct ktrace_attach attach;
	struct file *owner = fix_owner(test, KTRACE_CHANNEL_USER, &spec);
	struct file *writer = fix_writer(test, owner, &attach);
	const u64 size = attach.map_size;
	unsigned long a, b;

	KUNIT_EXPECT_EQ(test, fix_info(test, owner).writers, 0);
	a = fix_mmap(writer, attach.map_off, size, PROT_READ, MAP_SHARED);
	b = fix_mmap(writer, attach.map_off, size, PROT_READ, MAP_SHARED);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(a) || IS_ERR_VALUE(b));
	KUNIT_EXPECT_EQ(test, fix_info(test, owner).writers, 2);
	/* a hole makes two of one */
	fix_munmap(a + PAGE_SIZE, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, fix_info(test, owner).writers, 3);
	fix_munmap(a, PAGE_SIZE);
	fix_munmap(a + 2 * PAGE_SIZE, size - 2 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, fix_info(test, owner).writers, 1);
	/* mapped over by the owner, who is no writer */
	KUNIT_EXPECT_EQ(test, vm_mmap(owner, b, size, PROT_READ, MAP_SHARED | MAP_FIXED,
				      spec.map_off), b);
	KUNIT_EXPECT_EQ(test, fix_info(test, owner).writers, 0);
	fix_munmap(b, size);
}

/* A mapping that is refused counts nobody and keeps nothing. */
static void a_refused_mapping_leaves_nothing(struct kunit *test)
{
	struct ktrace_channel_spec spec;
	struct ktrace_attach attach;
	struct file *owner = fix_owner(test, KTRACE_CHANNEL_USER, &spec);
	struct file *writer = fix_writer(test, owner, &attach);
	const int rw = PROT_READ | PROT_WRITE;

	KUNIT_EXPECT_EQ(test, (long)fix_mmap(writer, attach.map_off, attach.map_size, rw,
					     MAP_SHARED), -EPERM);
	KUNIT_EXPECT_EQ(test, fix_info(test, owner).writers, 0);
	fix_release(test, owner);
	KUNIT_EXPECT_EQ(test, (long)fix_mmap(writer, 1ull << KTRACE_MAP_SHIFT, PAGE_SIZE, PROT_READ,
					     MAP_SHARED), -ENXIO);
	fix_release(test, writer);
	KUNIT_EXPECT_EQ(test, fix_session_nr(), 0);
}

/* A session without a user channel is found, but there is nothing to write to. */
static void a_refused_attach_leaves_nothing(struct kunit *test)
{
	struct ktrace_channel_spec spec;
	struct file *owner = fix_owner(test, KTRACE_CHANNEL_KERNEL, &spec);
	struct file *writer = fix_open(test, O_RDWR);
	struct ktrace_attach attach = {
		.size = sizeof(attach),
		.session = fix_info(test, owner).session,
	};

	KUNIT_EXPECT_EQ(test, fix_ioctl(test, writer, KTRACE_IOC_ATTACH, &attach, sizeof(attach)),
			-ENXIO);
	KUNIT_EXPECT_EQ(test, fix_info(test, writer).session, 0);
	fix_release(test, owner);
	KUNIT_EXPECT_EQ(test, fix_session_nr(), 0);
}

/* ---- ends while it is used ---- */

static struct task_struct *threads[THREADS_MAX];

static void stop_threads(void *unused)
{
	u32 i;

	for (i = 0; i < THREADS_MAX; i++)
		if (threads[i])
			kthread_stop(threads[i]);
	memset(threads, 0, sizeof(threads));
}

/* One on each CPU. */
static void start_threads(struct kunit *test, int (*fn)(void *))
{
	u32 cpu;

	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, stop_threads, NULL), 0);
	for_each_online_cpu(cpu) {
		threads[cpu] = kthread_run_on_cpu(fn, NULL, cpu, "ktrace_kunit/%u");
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, threads[cpu]);
	}
}

static DEFINE_PER_CPU(u32, logged);

static int log_until_stopped(void *unused)
{
	while (!kthread_should_stop()) {
		TRACER_LOGEVENT(1, 2, 3);
		WRITE_ONCE(*raw_cpu_ptr(&logged), READ_ONCE(*raw_cpu_ptr(&logged)) + 1);
		cond_resched();
	}
	return 0;
}

/* Every thread has gone round at least twice since. */
static void wait_for_threads(void)
{
	u32 cpu, since[THREADS_MAX];

	for_each_online_cpu(cpu)
		since[cpu] = READ_ONCE(per_cpu(logged, cpu));
	for_each_online_cpu(cpu)
		while (READ_ONCE(per_cpu(logged, cpu)) - since[cpu] < 2)
			schedule_timeout_uninterruptible(1);
}

static u64 heads(const struct kt_session *s)
{
	u64 sum = fix_lost(s);
	u32 i;

	for (i = 0; i < s->kernel->l.ring_nr; i++)
		sum += READ_ONCE(s->kernel->rings[i].w->head);
	return sum;
}

static void stopped_rings_are_still_while_writers_run(struct kunit *test)
{
	struct kt_session *s = fix_session(test, true);
	u64 before, now;
	int i;

	KUNIT_ASSERT_EQ(test, kt_control_enable(s, KTRACE_EV_LOGEVENT, true), 0);
	start_threads(test, log_until_stopped);
	for (i = 0; i < ROUNDS; i++) {
		now = heads(s);
		KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
		wait_for_threads();
		KUNIT_ASSERT_EQ(test, kt_control_stop(s), 0);
		before = heads(s);
		KUNIT_EXPECT_GT(test, before, now);
		wait_for_threads();
		KUNIT_EXPECT_EQ(test, heads(s), before);
		fix_drain(test, s, NULL, NULL);
	}
}

static bool is_writing, has_returned, was_overtaken;

/* A writer that dawdles, longer than stopping takes if that does not wait for it. */
static void dawdle(const char *name)
{
	const unsigned long end = jiffies + HZ / 4;

	if (strcmp(name, "stored") || READ_ONCE(is_writing))
		return;
	WRITE_ONCE(is_writing, true);
	while (!READ_ONCE(has_returned) && time_before(jiffies, end))
		cpu_relax();
	WRITE_ONCE(was_overtaken, READ_ONCE(has_returned));
}

static void stopping_waits_for_who_is_writing(struct kunit *test)
{
	struct kt_session *s = fix_session(test, true);

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	is_writing = has_returned = was_overtaken = false;
	KUNIT_ASSERT_EQ(test, kt_control_enable(s, KTRACE_EV_LOGEVENT, true), 0);
	KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
	kt_store(&testpoint_hook, dawdle);
	start_threads(test, log_until_stopped);
	while (!READ_ONCE(is_writing))
		schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_EQ(test, kt_control_stop(s), 0);
	WRITE_ONCE(has_returned, true);
	kunit_release_action(test, stop_threads, NULL);
	kt_store(&testpoint_hook, NULL);
	KUNIT_EXPECT_FALSE(test, was_overtaken);
}

static void sessions_end_while_events_are_recorded(struct kunit *test)
{
	struct kt_session *s[3];
	u32 i, j;

	start_threads(test, log_until_stopped);
	for (i = 0; i < SLOW_ROUNDS; i++) {
		for (j = 0; j < 3; j++) {
			s[j] = fix_session(test, true);
			KUNIT_ASSERT_EQ(test, kt_control_enable(s[j], KTRACE_EV_LOGEVENT, true), 0);
			KUNIT_ASSERT_EQ(test, kt_control_enable(s[j], KTRACE_EV_SCHED_SWITCH, true),
					0);
			KUNIT_ASSERT_EQ(test, kt_control_follow(s[j], KTRACE_FOLLOW_ALL), 0);
			KUNIT_ASSERT_EQ(test, kt_control_start(s[j]), 0);
		}
		wait_for_threads();
		for (j = 0; j < 3; j++) {
			KUNIT_EXPECT_GT(test, fix_drain(test, s[(i + j) % 3], NULL, NULL), 0);
			fix_close(test, s[(i + j) % 3]);
		}
	}
	KUNIT_EXPECT_EQ(test, fix_session_nr(), 0);
}

static u64 wanted_id;

/* A program that comes and goes; it finds the session, or it does not. */
static int find_until_stopped(void *unused)
{
	struct ktrace_attach attach;
	struct kt_session *s;

	while (!kthread_should_stop()) {
		if (!kt_session_find(READ_ONCE(wanted_id), &s)) {
			kt_session_user_channel(s, &attach);
			kt_session_add_writer(s);
			kt_session_remove_writer(s);
			kt_session_put(s);
		}
		WRITE_ONCE(*raw_cpu_ptr(&logged), READ_ONCE(*raw_cpu_ptr(&logged)) + 1);
		cond_resched();
	}
	return 0;
}

static void sessions_end_while_programs_come_and_go(struct kunit *test)
{
	struct kt_session *s;
	int i;

	start_threads(test, find_until_stopped);
	for (i = 0; i < ROUNDS; i++) {
		s = fix_session(test, false);
		WRITE_ONCE(wanted_id, s->id);
		KUNIT_ASSERT_EQ(test, fix_add_channel(s, KTRACE_CHANNEL_USER), 0);
		KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
		wait_for_threads();
		fix_close(test, s);
	}
	kunit_release_action(test, stop_threads, NULL);
	KUNIT_EXPECT_EQ(test, fix_session_nr(), 0);
}

static struct kunit_case life_cases[] = {
	KUNIT_CASE(the_last_descriptor_ends_a_session),
	KUNIT_CASE(an_owners_mapping_keeps_the_session),
	KUNIT_CASE(a_writers_mapping_outlives_all_descriptors),
	KUNIT_CASE(writers_are_counted_by_mappings),
	KUNIT_CASE(a_refused_mapping_leaves_nothing),
	KUNIT_CASE(a_refused_attach_leaves_nothing),
	KUNIT_CASE(stopped_rings_are_still_while_writers_run),
	KUNIT_CASE(stopping_waits_for_who_is_writing),
	KUNIT_CASE(sessions_end_while_events_are_recorded),
	KUNIT_CASE(sessions_end_while_programs_come_and_go),
	{ }
};

static struct kunit_suite life_suite = {
	.name = "ktrace_life",
	.test_cases = life_cases,
};

kunit_test_suite(life_suite);
