// SPDX-License-Identifier: GPL-2.0
/*
 * chunk_kunit.c - suite ktrace_chunk: S.Ha.R.K. functions while all CPUs log
 *
 * A thread on each CPU logs numbered events at full speed, and on top of it what really
 * interrupts (contexts.h) does. Each event is to be in exactly one chunk, or counted. Calls
 * are made until each has been made often; nothing depends on how long that takes.
 */
#include <crypto/acompress.h>
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/crypto.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/ktrace_shark.h>
#include <linux/preempt.h>
#include <linux/prandom.h>
#include <linux/scatterlist.h>
#include <linux/sched.h>
#include <linux/slab.h>
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

/* SHK-18, SHK-31: what has no code is not stored, whatever stores it, and not missed either. */
static void shk_31_code_0_is_refused_everywhere(struct kunit *test)
{
	const u64 lost = all_lost();

	make_chunks(test, FTRACE_CHUNK_FLAG_STOP);
	TRACER_LOGEVENT(0, 1, 2);
	TRACER_LOGCRITICAL(0, 1, 2);
	FAST_TRACER_LOGEVENT(0, 1);
	FAST_TRACER_LOGEVENT(KTRACE_SHARK_FAST, 1);
	KUNIT_EXPECT_EQ(test, FTrace_get_chunk_table()[numbers[0]]->events, 0);
	FAST_TRACER_LOGEVENT(KTRACE_SHARK_FAST | 1, 1);
	KUNIT_EXPECT_EQ(test, FTrace_get_chunk_table()[numbers[0]]->events, 1);
	KUNIT_EXPECT_EQ(test, all_lost(), lost);
}

/* ---- SHK-11: compressing ---- */

/* Events for more frames than one, and no whole number of them */
enum { PACK_NORMAL = 5000, PACK_EMERGENCY = 37, PACK_ALL = PACK_NORMAL + PACK_EMERGENCY };

/* What the first half of the events can be made of is said in a few bytes, the other's not. */
static u32 pack_par2(u32 i)
{
	struct rnd_state state;

	if (i % PACK_NORMAL < PACK_NORMAL / 2)
		return 7;
	prandom_seed_state(&state, i);
	return prandom_u32_state(&state);
}

/* A chunk whose oldest event is in its middle, and whose emergency area is full */
static int make_full_chunk(struct kunit *test)
{
	const int n = FTrace_chunk_create(PACK_NORMAL * 16, PACK_EMERGENCY * 16,
					  FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_CYC);
	u32 i;

	KUNIT_ASSERT_GE(test, n, 0);
	KUNIT_ASSERT_EQ(test, FTrace_actual_chunk_select(n), 0);
	KUNIT_ASSERT_EQ(test, FTrace_enable(), 0);
	for (i = 0; i < 1234; i++)
		TRACER_LOGEVENT(FTrace_EVT_user_event_2, 0, 0);
	for (i = 0; i < PACK_NORMAL; i++)
		TRACER_LOGEVENT(FTrace_EVT_user_event_1, i, pack_par2(i));
	KUNIT_ASSERT_EQ(test, FTrace_set_chunk_flags(n, FTRACE_CHUNK_FLAG_FULL |
						     FTRACE_CHUNK_FLAG_STOP), 0);
	for (; i < PACK_ALL; i++)
		TRACER_LOGCRITICAL(FTrace_EVT_user_event_1, i, pack_par2(i));
	return n;
}

/* Unpacks @bytes of frames by the kernel's zstd. Return: bytes of @to, or -errno. */
static int unpack(struct kunit *test, const void *frames, u64 bytes, void *to, u32 room)
{
	struct crypto_acomp *tfm = crypto_alloc_acomp("zstd", 0, 0);
	void *copy = kunit_kmalloc(test, bytes, GFP_KERNEL);	/* those are pages of vmalloc() */
	struct scatterlist from, into;
	struct acomp_req *req;
	DECLARE_CRYPTO_WAIT(wait);
	int err;

	KUNIT_ASSERT_FALSE(test, IS_ERR(tfm));
	req = acomp_request_alloc(tfm);
	KUNIT_ASSERT_NOT_NULL(test, req);
	KUNIT_ASSERT_NOT_NULL(test, copy);
	memcpy(copy, frames, bytes);
	sg_init_one(&from, copy, bytes);
	sg_init_one(&into, to, room);
	acomp_request_set_callback(req, CRYPTO_TFM_REQ_MAY_SLEEP, crypto_req_done, &wait);
	acomp_request_set_params(req, &from, &into, bytes, room);
	err = crypto_wait_req(crypto_acomp_decompress(req), &wait);
	if (!err)
		err = req->dlen;
	acomp_request_free(req);
	crypto_free_acomp(tfm);
	return err;
}

static void shk_11_frames_have_all_events_in_order(struct kunit *test)
{
	struct ktrace_shark_event *e = kunit_kmalloc(test, PACK_ALL * sizeof(*e), GFP_KERNEL);
	const struct FTrace_Chunk *s;
	struct kt_shark_view view;
	u32 i, wrong = 0;
	int n;

	if (!crypto_has_acomp("zstd", 0, 0))
		kunit_skip(test, "a kernel without zstd");
	KUNIT_ASSERT_NOT_NULL(test, e);
	n = make_full_chunk(test);
	KUNIT_ASSERT_EQ(test, FTrace_compress_chunk(n, FTRACE_CHUNK_FLAG_FREE), 0);
	s = FTrace_get_chunk_table()[n];
	KUNIT_EXPECT_EQ(test, s->flags, FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_COMPR);
	KUNIT_EXPECT_EQ(test, s->events + s->emergency_events, PACK_ALL);
	KUNIT_EXPECT_LT(test, s->bytes, (u64)PACK_ALL * sizeof(*e));
	KUNIT_ASSERT_EQ(test, kt_shark_hold(&kt_chunk_tracer, n, &view), 0);
	KUNIT_EXPECT_EQ(test, unpack(test, view.slots, s->bytes, e, PACK_ALL * sizeof(*e)),
			PACK_ALL * sizeof(*e));
	kt_shark_restore(&kt_chunk_tracer, n);
	for (i = 0; i < PACK_ALL; i++)
		wrong += e[i].code != FTrace_EVT_user_event_1 || e[i].par1 != i ||
			 e[i].par2 != pack_par2(i);
	KUNIT_EXPECT_EQ(test, wrong, 0);
}

static void shk_11_what_cannot_be_compressed_stays_as_it_is(struct kunit *test)
{
	struct kt_shark_view view;
	FTrace_flags flags;

	if (!crypto_has_acomp("zstd", 0, 0))
		kunit_skip(test, "a kernel without zstd");
	make_chunks(test, FTRACE_CHUNK_FLAG_STOP);
	log_next(CONTEXT_PROCESS);
	KUNIT_EXPECT_EQ(test, FTrace_compress_chunk(-1, 0), -1);
	KUNIT_EXPECT_EQ(test, FTrace_compress_chunk(KTRACE_SHARK_CHUNK_NR, 0), -1);
	KUNIT_EXPECT_EQ(test, FTrace_compress_chunk(numbers[CHUNKS - 1] + 1, 0), -1);
	KUNIT_EXPECT_EQ(test, FTrace_compress_chunk(numbers[0], 0x80), -1);
	KUNIT_ASSERT_EQ(test, kt_shark_hold(&kt_chunk_tracer, numbers[0], &view), 0);
	KUNIT_EXPECT_EQ(test, FTrace_compress_chunk(numbers[0], 0), -1);
	kt_shark_restore(&kt_chunk_tracer, numbers[0]);
	KUNIT_EXPECT_EQ(test, FTrace_get_chunk_flags(numbers[0], &flags), 0);
	KUNIT_EXPECT_EQ(test, flags, FTRACE_CHUNK_FLAG_STOP);
	KUNIT_EXPECT_EQ(test, check_content(test, numbers[0]), 1);
	/* Nothing compressed is something, and not compressed again. */
	KUNIT_EXPECT_EQ(test, FTrace_compress_chunk(numbers[1], 0), 0);
	KUNIT_EXPECT_EQ(test, FTrace_get_chunk_flags(numbers[1], &flags), 0);
	KUNIT_EXPECT_EQ(test, flags, FTRACE_CHUNK_FLAG_COMPR);
	KUNIT_EXPECT_EQ(test, FTrace_compress_chunk(numbers[1], FTRACE_CHUNK_FLAG_FREE), -1);
	KUNIT_EXPECT_EQ(test, FTrace_get_chunk_flags(numbers[1], &flags), 0);
	KUNIT_EXPECT_EQ(test, flags, FTRACE_CHUNK_FLAG_COMPR);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(shk_07_each_event_is_in_one_chunk),
	KUNIT_CASE(shk_11_frames_have_all_events_in_order),
	KUNIT_CASE(shk_11_what_cannot_be_compressed_stays_as_it_is),
	KUNIT_CASE(shk_29_interrupts_are_as_before),
	KUNIT_CASE(shk_31_code_0_is_refused_everywhere),
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
