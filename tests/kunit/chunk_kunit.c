// SPDX-License-Identifier: GPL-2.0
/*
 * chunk_kunit.c - suite ktrace_chunk: S.Ha.R.K. functions while all CPUs log
 *
 * A thread on each CPU logs numbered events at full speed, and on top of it what really
 * interrupts (contexts.h) does. Each event is to be in exactly one chunk, or counted. Calls
 * are made until each has been made often; nothing depends on how long that takes.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/ktrace_shark.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include "chunk.h"
#include "contexts.h"

enum { SLOTS = 64, ROUNDS = 200, CHUNKS = 4 };

/* What a CPU has logged, by what has logged it: each context's own. */
static DEFINE_PER_CPU(u32 [CONTEXT_NR], written);
static struct task_struct *threads[NR_CPUS];
static int numbers[CHUNKS];

/* par1: CPU and context; par2: counts */
static void log_next(enum context context)
{
	const int cpu = raw_smp_processor_id();
	u32 *count = &(*per_cpu_ptr(&written, cpu))[context];

	TRACER_LOGEVENT(FTrace_EVT_user_event_1, cpu * CONTEXT_NR + context, *count);
	WRITE_ONCE(*count, *count + 1);
}

static int run_writer(void *unused)
{
	while (!kthread_should_stop()) {
		preempt_disable();
		log_next(CONTEXT_PROCESS);
		preempt_enable();
		cond_resched();
	}
	return 0;
}

static void stop_writers(void *unused)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (!IS_ERR_OR_NULL(threads[cpu])) {
			kthread_stop(threads[cpu]);
			threads[cpu] = NULL;
		}
	contexts_exit();
}

static void start_writers(struct kunit *test)
{
	int cpu;

	KUNIT_ASSERT_EQ(test, contexts_init(log_next), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, stop_writers, NULL), 0);
	for_each_online_cpu(cpu) {
		memset(per_cpu_ptr(&written, cpu), 0, sizeof(written));
		threads[cpu] = kthread_create(run_writer, NULL, "shark/%d", cpu);
		KUNIT_ASSERT_FALSE(test, IS_ERR(threads[cpu]));
		kthread_bind(threads[cpu], cpu);
		wake_up_process(threads[cpu]);
	}
	contexts_storm();
}

static u64 all_logged(void)
{
	u64 sum = 0;
	int cpu, c;

	for_each_online_cpu(cpu)
		for (c = 0; c < CONTEXT_NR; c++)
			sum += READ_ONCE((*per_cpu_ptr(&written, cpu))[c]);
	return sum;
}

static u64 all_lost(void)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < KTRACE_SHARK_LOST_NR; i++)
		sum += FTrace_lost(i);
	return sum;
}

/* A tracer as after loading. */
static int init(struct kunit *test)
{
	FTrace_disable();
	kt_shark_init(&kt_chunk_tracer, KTRACE_CLOCK_MONOTONIC);
	return 0;
}

static void delete_all(void)
{
	int n;

	FTrace_disable();
	for (n = 0; n < KTRACE_SHARK_CHUNK_NR; n++) {
		struct kt_shark_chunk *c = &kt_chunk_tracer.chunks[n];

		c->links = 0;
		c->next = KT_SHARK_NONE;
	}
	kt_chunk_tracer.selected = KT_SHARK_NONE;
	for (n = 0; n < KTRACE_SHARK_CHUNK_NR; n++)
		FTrace_chunk_delete(n);
}

static void tear_down(struct kunit *test)
{
	delete_all();
	FTrace_set_filter(FTrace_filter_user, 0);
}

/* Waits until some events have come, wherever to. */
static void let_them_log(void)
{
	const u64 begin = all_logged();

	while (all_logged() < begin + 100)
		cond_resched();
}

/* Stamps ascend, numbers of one source too; returns the events. */
static u64 check_content(struct kunit *test, int n)
{
	const u32 sources = nr_cpu_ids * CONTEXT_NR;
	u32 *next = kunit_kcalloc(test, sources, sizeof(*next), GFP_KERNEL);
	struct kt_shark_view view;
	u64 stamp, last = 0, nr;
	u32 i, wrong = 0;

	KUNIT_ASSERT_NOT_NULL(test, next);
	KUNIT_ASSERT_EQ(test, kt_shark_hold(&kt_chunk_tracer, n, &view), 0);
	nr = view.status.events + view.status.emergency_events;
	for (i = 0; i < nr; i++) {
		const struct ktrace_shark_event *e = kt_shark_event_at(&view, i);

		stamp = (u64)e->tsc_high << 32 | e->tsc_low;
		wrong += stamp < last || e->code != FTrace_EVT_user_event_1 ||
			 e->par1 >= sources || e->par2 < next[e->par1 % sources];
		next[e->par1 % sources] = e->par2 + 1;
		last = stamp;
	}
	kt_shark_restore(&kt_chunk_tracer, n);
	KUNIT_EXPECT_EQ(test, wrong, 0);
	kunit_kfree(test, next);
	return nr;
}

static void make_chunks(struct kunit *test, u32 mode)
{
	int i;

	for (i = 0; i < CHUNKS; i++) {
		numbers[i] = FTrace_chunk_create(SLOTS * 16, 64, FTRACE_CHUNK_FLAG_FREE | mode);
		KUNIT_ASSERT_GE(test, numbers[i], 0);
	}
	KUNIT_ASSERT_EQ(test, FTrace_actual_chunk_select(numbers[0]), 0);
	KUNIT_ASSERT_EQ(test, FTrace_enable(), 0);
}

/* SHK-07: selected again and again, what was selected is looked at and given back. */
static void shk_07_each_event_is_in_one_chunk(struct kunit *test)
{
	u64 found = 0, lost = all_lost();
	u32 round, i;

	make_chunks(test, FTRACE_CHUNK_FLAG_STOP);
	start_writers(test);
	for (round = 1; round <= ROUNDS; round++) {
		i = round % CHUNKS;
		let_them_log();
		KUNIT_ASSERT_EQ(test, FTrace_actual_chunk_select(numbers[i]), 0);
		found += check_content(test, numbers[(round - 1) % CHUNKS]);
		KUNIT_ASSERT_EQ(test, FTrace_set_chunk_flags(numbers[(round - 1) % CHUNKS],
			FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_STOP), 0);
	}
	stop_writers(NULL);
	kunit_remove_action(test, stop_writers, NULL);
	found += check_content(test, numbers[(round - 1) % CHUNKS]);
	KUNIT_EXPECT_EQ(test, found + all_lost() - lost, all_logged());
}

/* SHK-29, SHK-02: interrupts and preemption are as they were behind each way through. */
static void shk_29_interrupts_are_as_before(struct kunit *test)
{
	static const u16 codes[] = { FTrace_EVT_user_event_1, FTrace_EVT_timer_post,
				     FTrace_EVT_next_chunk, 0 };
	const int count = preempt_count();
	unsigned long flags;
	u32 i, off;

	make_chunks(test, FTRACE_CHUNK_FLAG_STOP);
	FTrace_set_filter(FTrace_filter_timer, 1);
	for (i = 0; i < 4 * SLOTS; i++) {
		for (off = 0; off < 2; off++) {
			if (off)
				local_irq_save(flags);
			kt_shark_log(&kt_chunk_tracer, codes[i % 4], 0, 0, 0);
			TRACER_LOGEVENT(codes[i % 4], 0, 0);
			FAST_TRACER_LOGEVENT(codes[i % 4], 0);
			TRACER_LOGCRITICAL(codes[i % 4], 0, 0);
			FTrace_set_chunk_flags(999, 0);
			FTrace_actual_chunk_select(numbers[0]);
			FTrace_get_first_chunk(0);
			KUNIT_ASSERT_EQ(test, irqs_disabled(), (bool)off);
			if (off)
				local_irq_restore(flags);
		}
		KUNIT_ASSERT_FALSE(test, irqs_disabled());
		KUNIT_ASSERT_EQ(test, preempt_count(), count);
	}
	FTrace_set_filter(FTrace_filter_timer, 0);
}

/* In the kernel's log nothing is to be found, and in the end all goes as at the beginning. */
static void call_one(u32 random)
{
	const int a = numbers[random >> 8 & 3], b = numbers[random >> 10 & 3];
	struct kt_shark_view view;
	FTrace_flags flags;

	switch (random >> 12 & 15) {
	case 0:
		FTrace_enable();
		break;
	case 1:
		FTrace_set_chunk_flags(a, FTRACE_CHUNK_FLAG_FREE | (random >> 18 & 0xc));
		break;
	case 2:
		FTrace_get_chunk_flags(a, &flags);
		break;
	case 3:
	case 4:
		FTrace_actual_chunk_select(a);
		break;
	case 5:
		FTrace_chunk_link(a, b);
		break;
	case 6:
		FTrace_get_first_chunk(FTRACE_CHUNK_FLAG_FULL);
		break;
	case 7:
		FTrace_get_chunk_table();
		break;
	case 8:
		FTrace_set_filter(FTrace_filter_user, random >> 18 & 1);
		break;
	case 9:
		FTrace_send_chunk(a, 0, FTRACE_CHUNK_FLAG_FREE);
		break;
	case 10:
		if (!kt_shark_hold(&kt_chunk_tracer, a, &view))
			kt_shark_release(&kt_chunk_tracer, a, FTRACE_CHUNK_FLAG_FREE);
		break;
	case 11:
		FTrace_chunk_delete(FTrace_chunk_create(16 * SLOTS, 16, 0));
		break;
	default:
		TRACER_LOGEVENT(FTrace_EVT_next_chunk, 0, 0);
	}
}

static void d_7_all_functions_while_all_cpus_log(struct kunit *test)
{
	u32 round, random = 1;

	make_chunks(test, FTRACE_CHUNK_FLAG_JTN);
	start_writers(test);
	for (round = 0; round < 10 * ROUNDS; round++) {
		random = random * 1664525u + 1013904223u;
		call_one(random);
		if (!(round % 100)) {
			FTrace_disable();
			let_them_log();
		}
	}
	stop_writers(NULL);
	kunit_remove_action(test, stop_writers, NULL);
	FTrace_set_filter(FTrace_filter_user, 0);
	KUNIT_EXPECT_EQ(test, FTrace_set_chunk_flags(numbers[0], FTRACE_CHUNK_FLAG_FREE), 0);
	KUNIT_EXPECT_EQ(test, FTrace_actual_chunk_select(numbers[0]), 0);
	KUNIT_EXPECT_EQ(test, FTrace_enable(), 0);
	log_next(CONTEXT_PROCESS);
	KUNIT_EXPECT_EQ(test, check_content(test, numbers[0]), 1);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(shk_07_each_event_is_in_one_chunk),
	KUNIT_CASE(shk_29_interrupts_are_as_before),
	KUNIT_CASE(d_7_all_functions_while_all_cpus_log),
	{ }
};

static struct kunit_suite suite = {
	.name = "ktrace_chunk",
	.init = init,
	.exit = tear_down,
	.test_cases = cases,
};

kunit_test_suite(suite);
