// SPDX-License-Identifier: GPL-2.0
/*
 * nest_kunit.c - suite ktrace_nest: writers that really interrupt each other
 *
 * Records say which context wrote them and how deep the ring was nested then. A test ends
 * when it has seen what it is about: each context interrupt the writer at each test
 * point, or all contexts deep in each other's records on all CPUs. So it cannot pass
 * without having tested that.
 */
#include <kunit/test.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include "buffer.h"
#include "contexts.h"
#include "ring_fixture.h"

enum {
	NEST_ID = 90,
	FILL_MAX = 1400,
	DEPTH_MAX = 8,
	TRIES_MAX = 1000,	/* to have one step interrupted */
	SWEEPS = 3,
	STORM_READ = 2000,	/* records of each CPU */
	STORM_S_MAX = 240,
};

enum point { STAMPED, RESERVED, OPENED, STORED, PUBLISHING, PUBLISHED, POINT_NR };

static const char *const points[POINT_NR] = {
	"stamped", "reserved", "opened", "stored", "publishing", "published",
};

static const u32 policies[] = {
	KTRACE_POLICY_DROP, KTRACE_POLICY_STOP, KTRACE_POLICY_OVERWRITE,
};

/* Payload, followed by fill: bytes that follow from seq. */
struct payload {
	u32 seq;
	u16 fill;
	u8 context;
	u8 depth;
};

/**
 * struct cpu - one CPU's writers and what they have done
 * @seq:	attempts to write, by context
 * @random:	state of next_random(), by context
 * @now:	the context that runs
 * @depth:	how many of them are writing
 * @plan:	what the hook raises in each context at which point, once; PROCESS: nothing
 * @hit:	it has done so for the context that this round is about
 */
struct cpu {
	u32 seq[CONTEXT_NR];
	u32 random[CONTEXT_NR];
	enum context now;
	u8 depth;
	struct {
		enum point point;
		enum context inner;
	} plan[CONTEXT_NR];
	bool hit[CONTEXT_NR];
};

/**
 * struct drain - the reader of one CPU's ring
 * @reader:	of its ring
 * @writer:	the thread that writes to it
 * @copy:	a block, taken away
 * @last_ts:	time stamp of the newest record
 * @read:	number of records read
 * @next:	by context: smallest sequence number that may come
 * @deep:	records by context and depth
 */
struct drain {
	struct kt_reader reader;
	struct task_struct *writer;
	char *copy;
	u64 last_ts;
	u64 read;
	u32 next[CONTEXT_NR];
	u32 deep[CONTEXT_NR][DEPTH_MAX];
};

static DEFINE_PER_CPU(struct cpu, cpus);
static struct drain *drains;
static struct kt_buffer *buffer;

static u32 next_random(struct cpu *c, enum context context)
{
	c->random[context] = c->random[context] * 1664525u + 1013904223u;
	return c->random[context] >> 8;
}

static char fill_byte(u32 seq, u32 i)
{
	return (char)(seq * 31 + i);
}

/* ---- writing ---- */

/* Long records change blocks, which is what most have to wait for. */
static u32 random_fill(struct cpu *c, enum context context)
{
	if (c->plan[context].inner && c->plan[context].point == OPENED)
		return FILL_MAX;
	return next_random(c, context) % (next_random(c, context) & 7 ? 64 : FILL_MAX);
}

/* In any context: one attempt to write, on this CPU. */
static void write_one(enum context context)
{
	struct cpu *c = this_cpu_ptr(&cpus);
	const struct kt_ring *r = &buffer->rings[raw_smp_processor_id()];
	const u32 seq = READ_ONCE(c->seq[context]), fill = random_fill(c, context);
	const enum context interrupted = READ_ONCE(c->now);
	struct payload *p;
	struct kt_slot slot;
	u32 i;

	WRITE_ONCE(c->now, context);
	WRITE_ONCE(c->depth, c->depth + 1);
	if (kt_ring_reserve(r, NEST_ID, sizeof(*p) + fill, 0, &slot) == KT_RING_OK) {
		p = slot.payload;
		*p = (struct payload){ seq, fill, context, READ_ONCE(c->depth) };
		for (i = 0; i < fill; i++)
			((char *)(p + 1))[i] = fill_byte(seq, i);
		kt_ring_commit(r, &slot);
	}
	WRITE_ONCE(c->depth, c->depth - 1);
	WRITE_ONCE(c->seq[context], seq + 1);
	WRITE_ONCE(c->now, interrupted);
}

/* At each test point, in any context: interrupt it if that is the plan. */
static void interrupt_here(const char *name)
{
	struct cpu *c = this_cpu_ptr(&cpus);
	const enum context outer = READ_ONCE(c->now), inner = c->plan[outer].inner;

	if (!inner || strcmp(points[c->plan[outer].point], name))
		return;
	c->plan[outer].inner = CONTEXT_PROCESS;
	c->hit[outer] = context_raise(inner);
}

/* ---- reading ---- */

static void check_payload(struct kunit *test, struct drain *d, const struct ktrace_record *rec,
			  const char *payload)
{
	struct payload p;
	u32 i;

	KUNIT_ASSERT_EQ(test, rec->id, NEST_ID);
	KUNIT_ASSERT_GE(test, rec->ts, d->last_ts);
	d->last_ts = rec->ts;
	memcpy(&p, payload, sizeof(p));
	KUNIT_ASSERT_EQ(test, sizeof(p) + p.fill, rec->len);
	KUNIT_ASSERT_LT(test, p.context, CONTEXT_NR);
	for (i = 0; i < p.fill; i++)
		if (payload[sizeof(p) + i] != fill_byte(p.seq, i))
			break;
	KUNIT_ASSERT_EQ(test, i, p.fill);
	KUNIT_ASSERT_GE(test, p.seq, d->next[p.context]);
	d->next[p.context] = p.seq + 1;
	d->deep[p.context][min_t(u32, p.depth, DEPTH_MAX - 1)]++;
	d->read++;
}

/* False: nothing there, or the writer has just overwritten it. */
static bool read_one(struct kunit *test, struct drain *d)
{
	struct kt_cursor cur = { .base = d->copy };
	struct ktrace_record rec;
	const char *payload;
	struct kt_chunk c;

	if (!kt_reader_peek(&d->reader, true, &c))
		return false;
	memcpy(d->copy, c.data, c.size);
	if (!kt_reader_still_valid(&d->reader, &c))
		return false;
	KUNIT_ASSERT_EQ(test, c.corrupt, 0);
	cur.end = c.size;
	cur.off = c.pos & (FIX_BLOCK - 1) ? 0 : sizeof(struct ktrace_block);
	while (kt_cursor_next(&cur, &rec, &payload) == KT_CURSOR_RECORD)
		if (kt_record_is_event(&rec))
			check_payload(test, d, &rec, payload);
	kt_reader_advance(&d->reader, &c);
	return true;
}

/* All that was attempted on @cpu has been read or counted as lost. */
static void check_ledger(struct kunit *test, int cpu)
{
	struct drain *d = &drains[cpu];
	struct cpu *c = per_cpu_ptr(&cpus, cpu);
	struct ktrace_lost lost;
	u64 sum = 0, attempts = 0;
	int i;

	while (read_one(test, d))
		;
	kt_reader_lost(&d->reader, &lost);
	for (i = 0; i < KTRACE_LOST_NR; i++)
		sum += lost.count[i];
	for (i = 0; i < CONTEXT_NR; i++)
		attempts += c->seq[i];
	KUNIT_EXPECT_EQ(test, lost.count[KTRACE_LOST_CORRUPT], 0);
	KUNIT_EXPECT_EQ(test, attempts, d->read + sum);
	KUNIT_EXPECT_EQ(test, kt_reader_unread(&d->reader), 0);
	KUNIT_EXPECT_FALSE(test, kt_ring_is_busy(&d->reader.ring));
}

/* ---- fixture ---- */

static void free_buffer(void *unused)
{
	kt_buffer_free(buffer);
	buffer = NULL;
}

static void stop_contexts(void *unused)
{
	kt_store(&testpoint_hook, NULL);
	contexts_exit();
}

static void set_up(struct kunit *test, u32 policy)
{
	const struct ktrace_channel_spec spec = {
		.kind = KTRACE_CHANNEL_KERNEL,
		.policy = policy,
		.ring_size = 4 * FIX_SIZE,
		.block_size = FIX_BLOCK,
		.watermark = FIX_BLOCK,	/* so that the rings are quick */
	};
	struct kt_layout l;
	struct cpu *c;
	int cpu, i;

	KUNIT_ASSERT_EQ(test, kt_layout_init(&l, &spec), 0);
	buffer = kt_buffer_alloc(&l, 1, KTRACE_CLOCK_COUNTER);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, buffer);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, free_buffer, NULL), 0);
	drains = kunit_kcalloc(test, l.cpu_nr, sizeof(*drains), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, drains);
	for_each_online_cpu(cpu) {
		drains[cpu].copy = kunit_kmalloc(test, FIX_BLOCK, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, drains[cpu].copy);
		kt_reader_init(&drains[cpu].reader, &buffer->rings[cpu]);
		c = per_cpu_ptr(&cpus, cpu);
		*c = (struct cpu){ };
		for (i = 0; i < CONTEXT_NR; i++)
			c->random[i] = cpu * CONTEXT_NR + i;
	}
	KUNIT_ASSERT_EQ(test, contexts_init(write_one), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, stop_contexts, NULL), 0);
}

/* ---- one CPU: each step interrupted ---- */

/* Where a writer has begun a record and not published it. */
static enum point random_early_point(struct cpu *c)
{
	static const enum point early[] = { STAMPED, RESERVED, STORED };

	return early[next_random(c, CONTEXT_PROCESS) % ARRAY_SIZE(early)];
}

static void plan(struct cpu *c, enum context outer, enum point point, enum context inner)
{
	c->plan[outer].point = point;
	c->plan[outer].inner = inner;
}

/*
 * Have @inner interrupt @outer at @point. Only the outermost writer publishes, so for
 * those points @outer interrupts nobody; otherwise it interrupts as many as it can.
 */
static bool try_interrupt(struct kunit *test, enum context outer, enum point point,
			  enum context inner)
{
	const struct kt_ring *r = &buffer->rings[smp_processor_id()];
	struct cpu *c = this_cpu_ptr(&cpus);
	const bool is_outermost = outer == CONTEXT_PROCESS || point >= PUBLISHING;
	u64 head, reserved;

	memset(c->plan, 0, sizeof(c->plan));
	memset(c->hit, 0, sizeof(c->hit));
	if (!is_outermost && outer > CONTEXT_SOFTIRQ) {
		plan(c, CONTEXT_PROCESS, random_early_point(c), CONTEXT_SOFTIRQ);
		plan(c, CONTEXT_SOFTIRQ, random_early_point(c), outer);
	} else if (!is_outermost) {
		plan(c, CONTEXT_PROCESS, random_early_point(c), outer);
	}
	plan(c, outer, point, inner);
	preempt_disable();
	if (outer == CONTEXT_PROCESS || !is_outermost)
		write_one(CONTEXT_PROCESS);
	else
		context_raise(outer);
	memset(c->plan, 0, sizeof(c->plan));
	reserved = r->w->reserve & GENMASK_ULL(43, 0);
	head = r->w->head / KTRACE_ALIGN;
	preempt_enable();
	/* Whatever came in between, it has been published. */
	KUNIT_EXPECT_EQ(test, head, reserved);
	return c->hit[outer];
}

static void interrupt_one_step(struct kunit *test, enum context outer, enum point point,
			       enum context inner)
{
	const int cpu = smp_processor_id();
	int i;

	for (i = 0; i < TRIES_MAX; i++) {
		if (try_interrupt(test, outer, point, inner))
			return;
		while (read_one(test, &drains[cpu]))
			;
	}
	KUNIT_FAIL(test, "context %u never came at point %s of context %u\n", inner,
		   points[point], outer);
}

static void interrupt_each_step(struct kunit *test)
{
	enum context outer, inner;
	enum point point;

	for (outer = 0; outer < CONTEXT_NMI; outer++)
		for (inner = outer + 1; inner < CONTEXT_NR; inner++)
			for (point = 0; point < POINT_NR; point++)
				if (context_may_interrupt(inner, outer))
					interrupt_one_step(test, outer, point, inner);
}

/* Up to four writers in each other: process, softirq, hardirq, NMI. */
static void each_context_interrupts_each_step(struct kunit *test)
{
	u32 p, i, cpu;

	for (p = 0; p < ARRAY_SIZE(policies); p++) {
		set_up(test, policies[p]);
		kt_store(&testpoint_hook, interrupt_here);
		migrate_disable();
		cpu = smp_processor_id();
		for (i = 0; i < SWEEPS; i++)
			interrupt_each_step(test);
		migrate_enable();
		kunit_release_action(test, stop_contexts, NULL);
		check_ledger(test, cpu);
		KUNIT_EXPECT_GT(test, drains[cpu].deep[CONTEXT_NMI][4], 0);
		kunit_release_action(test, free_buffer, NULL);
	}
}

/* ---- all CPUs at once ---- */

static int write_until_stopped(void *unused)
{
	while (!kthread_should_stop()) {
		preempt_disable();
		write_one(CONTEXT_PROCESS);
		preempt_enable();
		cond_resched();
	}
	return 0;
}

static u32 deeper_than(const struct drain *d, enum context context, u32 depth)
{
	u32 sum = 0;

	while (++depth < DEPTH_MAX)
		sum += d->deep[context][depth];
	return sum;
}

/* The timers interrupt the process often enough; these see to it that it goes deeper. */
static void interrupt_interrupts(const char *name)
{
	struct cpu *c = this_cpu_ptr(&cpus);
	const enum context outer = READ_ONCE(c->now);

	if (outer == CONTEXT_PROCESS || outer == CONTEXT_NMI || next_random(c, outer) % 8)
		return;
	context_poke(outer == CONTEXT_SOFTIRQ ? CONTEXT_IRQ_WORK : CONTEXT_NMI);
}

/* Every context has been inside of another's record, and an NMI inside of two. */
static bool has_seen_all(const struct drain *d)
{
	enum context i;

	for (i = CONTEXT_SOFTIRQ; i < CONTEXT_NR; i++)
		if (!deeper_than(d, i, 1))
			return false;
	return deeper_than(d, CONTEXT_NMI, 2) && d->read >= STORM_READ;
}

/* Read all rings round and round; a slow reader leaves them full most of the time. */
static void read_until_seen(struct kunit *test, bool is_slow)
{
	const unsigned long end = jiffies + STORM_S_MAX * HZ;
	bool has_seen = false;
	int cpu;

	while (!has_seen && time_before(jiffies, end)) {
		has_seen = true;
		for_each_online_cpu(cpu) {
			read_one(test, &drains[cpu]);
			has_seen &= has_seen_all(&drains[cpu]);
		}
		if (is_slow)
			schedule_timeout_uninterruptible(1);
		cond_resched();
	}
	KUNIT_EXPECT_TRUE(test, has_seen);
}

static void stop_thread(void *thread)
{
	kthread_stop(thread);
}

static void storm(struct kunit *test, u32 policy, bool is_slow)
{
	struct task_struct *thread;
	int cpu;

	set_up(test, policy);
	for_each_online_cpu(cpu) {
		thread = kthread_run_on_cpu(write_until_stopped, NULL, cpu, "ktrace_kunit/%u");
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, thread);
		KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, stop_thread, thread), 0);
		drains[cpu].writer = thread;
	}
	kt_store(&testpoint_hook, interrupt_interrupts);
	contexts_storm();
	read_until_seen(test, is_slow);
	for_each_online_cpu(cpu)
		kunit_release_action(test, stop_thread, drains[cpu].writer);
	kunit_release_action(test, stop_contexts, NULL);
	for_each_online_cpu(cpu)
		check_ledger(test, cpu);
	kunit_release_action(test, free_buffer, NULL);
}

static void all_contexts_on_all_cpus_drop(struct kunit *test)
{
	storm(test, KTRACE_POLICY_DROP, false);
	storm(test, KTRACE_POLICY_DROP, true);
}

static void all_contexts_on_all_cpus_stop(struct kunit *test)
{
	storm(test, KTRACE_POLICY_STOP, false);
}

static void all_contexts_on_all_cpus_overwrite(struct kunit *test)
{
	storm(test, KTRACE_POLICY_OVERWRITE, false);
	storm(test, KTRACE_POLICY_OVERWRITE, true);
}

static struct kunit_case nest_cases[] = {
	KUNIT_CASE(each_context_interrupts_each_step),
	KUNIT_CASE(all_contexts_on_all_cpus_drop),
	KUNIT_CASE(all_contexts_on_all_cpus_stop),
	KUNIT_CASE(all_contexts_on_all_cpus_overwrite),
	{ }
};

static struct kunit_suite nest_suite = {
	.name = "ktrace_nest",
	.test_cases = nest_cases,
};

kunit_test_suite(nest_suite);
