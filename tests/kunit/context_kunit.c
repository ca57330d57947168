// SPDX-License-Identifier: GPL-2.0
/*
 * context_kunit.c - suite ktrace_context: what is recorded beside payloads
 *
 * The frames of the module that records are left out of stacks, and here that is also the
 * module of the tests: what is left is the kernel that runs them.
 */
#include <kunit/test.h>
#include <linux/kallsyms.h>
#include <linux/kthread.h>
#include <linux/ktrace.h>
#include <linux/perf_event.h>
#include <linux/pid_namespace.h>
#include "context.h"
#include "contexts.h"
#include "control.h"
#include "session_fixture.h"

#define ALL_BITS (KTRACE_CONTEXT_KSTACK | KTRACE_CONTEXT_USTACK | KTRACE_CONTEXT_CGROUP | \
		  KTRACE_CONTEXT_NSPID)

/* What a record has behind its payload, by kind of item. */
struct found {
	u32 records;
	u32 without;
	u32 wrong;
	u64 value[64];
	bool has[64];
};

static void take_apart(const struct ktrace_record *rec, const void *payload, void *arg)
{
	const u32 own = sizeof(struct ktrace_ev_logevent);
	struct found *f = arg;
	u64 item;
	u16 nr, i;

	f->records++;
	if (!(rec->tid_flags & KTRACE_REC_CONTEXT)) {
		f->without++;
		f->wrong += rec->len != own;
		return;
	}
	memcpy(&nr, payload + rec->len - sizeof(nr), sizeof(nr));
	if (!nr || nr > KTRACE_ITEMS_MAX || rec->len != own + nr * sizeof(item) + sizeof(nr)) {
		f->wrong++;
		return;
	}
	for (i = 0; i < nr; i++) {
		memcpy(&item, payload + own + i * sizeof(item), sizeof(item));
		f->has[item >> KTRACE_ITEM_SHIFT & 63] = true;
		f->value[item >> KTRACE_ITEM_SHIFT & 63] = item & KTRACE_ITEM_MASK;
	}
}

static struct kt_session *logging(struct kunit *test, u16 bits)
{
	struct kt_session *s = fix_session(test, true);

	KUNIT_ASSERT_EQ(test, kt_control_enable(s, KTRACE_EV_LOGEVENT, true), 0);
	KUNIT_ASSERT_EQ(test, kt_control_context(s, KTRACE_EV_LOGEVENT, bits), 0);
	KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
	return s;
}

static struct kt_stacks *stacks_of(struct kt_session *s)
{
	return &s->target.context->stacks;
}

/* Calls @visit for each stack, returns their number. */
static u32 each_stack(const struct kt_stacks *s, void (*visit)(const struct ktrace_stack *stack,
							       void *arg), void *arg)
{
	const u32 used = atomic_read(&s->used);
	u32 pos = 0, nr = 0;

	while (pos < used) {
		const struct ktrace_stack *stack = (void *)&s->words[pos];

		if (stack->id != pos + 1)
			return 0;
		if (visit)
			visit(stack, arg);
		pos += sizeof(*stack) / sizeof(u64) + stack->nr;
		nr++;
	}
	return nr;
}

static void look_for_thread(const struct ktrace_stack *stack, void *arg)
{
	char name[KSYM_SYMBOL_LEN];
	bool *is_there = arg;
	u32 i;

	for (i = 0; i < stack->nr; i++) {
		sprint_symbol_no_offset(name, KTRACE_STACK_ADDRESSES(stack)[i]);
		*is_there |= !strcmp(name, "kthread");
	}
}

static noinline void log_one(void)
{
	TRACER_LOGEVENT(1, 2, 3);
}

static void a_record_has_what_was_asked_for(struct kunit *test)
{
	struct found *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	struct kt_session *s = logging(test, ALL_BITS);
	bool is_there = false;

	KUNIT_ASSERT_NOT_NULL(test, f);
	log_one();
	KUNIT_EXPECT_EQ(test, fix_drain(test, s, take_apart, f), 1);
	KUNIT_EXPECT_EQ(test, f->without + f->wrong, 0);
	KUNIT_EXPECT_TRUE(test, f->has[KTRACE_ITEM_CGROUP] && f->value[KTRACE_ITEM_CGROUP]);
	KUNIT_EXPECT_EQ(test, f->value[KTRACE_ITEM_NSPID],
			(u64)task_tgid_vnr(current) << KTRACE_NSPID_SHIFT | task_pid_vnr(current));
	KUNIT_EXPECT_EQ(test, f->value[KTRACE_ITEM_KSTACK], KTRACE_STACK_NUMBER(s->id, 1));
	KUNIT_EXPECT_FALSE(test, f->has[KTRACE_ITEM_USTACK]);	/* a thread of the kernel's */
	KUNIT_EXPECT_EQ(test, each_stack(stacks_of(s), look_for_thread, &is_there), 1);
	KUNIT_EXPECT_TRUE(test, is_there);
}

static void the_same_stack_is_stored_once(struct kunit *test)
{
	struct kt_session *s = logging(test, KTRACE_CONTEXT_KSTACK);
	u32 i;

	for (i = 0; i < 20; i++)
		log_one();
	KUNIT_EXPECT_EQ(test, fix_drain(test, s, NULL, NULL), 20);
	KUNIT_EXPECT_EQ(test, each_stack(stacks_of(s), NULL, NULL), 1);
}

static void other_events_have_none(struct kunit *test)
{
	struct found *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	struct kt_session *s = fix_session(test, true);

	KUNIT_ASSERT_NOT_NULL(test, f);
	KUNIT_ASSERT_EQ(test, kt_control_enable(s, KTRACE_EV_LOGEVENT, true), 0);
	KUNIT_ASSERT_EQ(test, kt_control_context(s, KTRACE_EV_SCHED_SWITCH, ALL_BITS), 0);
	KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
	log_one();
	KUNIT_EXPECT_EQ(test, fix_drain(test, s, take_apart, f), 1);
	KUNIT_EXPECT_EQ(test, f->without, 1);
	KUNIT_EXPECT_EQ(test, f->wrong, 0);
}

static void log_context(enum context context)
{
	TRACER_LOGEVENT(1 + context, 0, 0);
}

static void every_context_has_a_stack(struct kunit *test)
{
	struct found *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	struct kt_session *s = logging(test, ALL_BITS);
	enum context i;

	KUNIT_ASSERT_NOT_NULL(test, f);
	KUNIT_ASSERT_EQ(test, contexts_init(log_context), 0);
	preempt_disable();
	for (i = CONTEXT_SOFTIRQ; i < CONTEXT_NR; i++)
		context_raise(i);
	preempt_enable();
	contexts_exit();
	KUNIT_EXPECT_GE(test, fix_drain(test, s, take_apart, f), CONTEXT_NR - CONTEXT_SOFTIRQ);
	KUNIT_EXPECT_EQ(test, f->without + f->wrong, 0);
	KUNIT_EXPECT_GE(test, each_stack(stacks_of(s), NULL, NULL), CONTEXT_NR - CONTEXT_SOFTIRQ);
}

/* Each of @nr addresses, made up so that nobody else has them. */
static u32 add_made_up(struct kt_stacks *s, u32 number, u32 nr, unsigned long *address)
{
	const struct ktrace_stack head = { .kind = KTRACE_STACK_USER, .nr = nr, .pid = 1 };
	u32 i;

	for (i = 0; i < nr; i++)
		address[i] = (unsigned long)number << 16 | i;
	return kt_stacks_add(s, &head, address);
}

static void what_has_no_room_is_counted(struct kunit *test)
{
	const size_t bytes = KTRACE_STACK_FRAMES * sizeof(long);
	unsigned long *address = kunit_kzalloc(test, bytes, GFP_KERNEL);
	struct kt_stacks s = { };
	u32 nr = 0, id;

	KUNIT_ASSERT_NOT_NULL(test, address);
	KUNIT_ASSERT_EQ(test, kt_stacks_init(&s), 0);
	while (add_made_up(&s, nr, KTRACE_STACK_FRAMES, address))
		nr++;
	KUNIT_EXPECT_EQ(test, nr, KT_STACKS_WORDS / (KTRACE_STACK_FRAMES + 3));
	KUNIT_EXPECT_EQ(test, each_stack(&s, NULL, NULL), nr);
	KUNIT_EXPECT_EQ(test, atomic64_read(&s.dropped), 1);
	id = add_made_up(&s, nr / 2, KTRACE_STACK_FRAMES, address);
	KUNIT_EXPECT_EQ(test, id, nr / 2 * (KTRACE_STACK_FRAMES + 3) + 1);
	kt_stacks_exit(&s);
}

static void stacks_that_differ_are_told_apart(struct kunit *test)
{
	unsigned long address[2] = { 4, 5 };
	struct ktrace_stack head = { .kind = KTRACE_STACK_USER, .nr = 2, .pid = 7 };
	struct kt_stacks s = { };
	u32 first;

	KUNIT_ASSERT_EQ(test, kt_stacks_init(&s), 0);
	first = kt_stacks_add(&s, &head, address);
	KUNIT_EXPECT_EQ(test, kt_stacks_add(&s, &head, address), first);
	head.pid = 8;
	KUNIT_EXPECT_NE(test, kt_stacks_add(&s, &head, address), first);
	head.pid = 7;
	head.program = 1;
	KUNIT_EXPECT_NE(test, kt_stacks_add(&s, &head, address), first);
	head.program = 0;
	head.kind = KTRACE_STACK_KERNEL;
	KUNIT_EXPECT_NE(test, kt_stacks_add(&s, &head, address), first);
	head.kind = KTRACE_STACK_USER;
	head.nr = 1;
	KUNIT_EXPECT_NE(test, kt_stacks_add(&s, &head, address), first);
	KUNIT_EXPECT_EQ(test, each_stack(&s, NULL, NULL), 5);
	kt_stacks_exit(&s);
}

static void hand_out_from(struct kunit *test, const struct kt_stacks *s, u64 pos, u32 bytes,
			  int want, u64 next)
{
	struct ktrace_stacks arg = { .pos = pos, .bytes = bytes };

	KUNIT_EXPECT_EQ_MSG(test, kt_stacks_read(s, &arg), want, "from %llu", pos);
	KUNIT_EXPECT_EQ_MSG(test, arg.pos, next, "from %llu", pos);
}

/* One that is not where a stack begins hands out nothing, whatever is there. */
static void positions_that_cannot_be_do_no_harm(struct kunit *test)
{
	unsigned long address[] = { 0xffff000000000006, 7 };	/* as if an id, and 65535 frames */
	const struct ktrace_stack head = { .kind = KTRACE_STACK_USER, .nr = 2 };
	struct kt_stacks s = { };
	u64 pos;

	KUNIT_ASSERT_EQ(test, kt_stacks_init(&s), 0);
	kt_stacks_add(&s, &head, address);
	hand_out_from(test, &s, 0, 0, -EINVAL, 0);
	hand_out_from(test, &s, 0, 4 * sizeof(u64), -EINVAL, 0);
	for (pos = 1; pos <= 6; pos++)
		hand_out_from(test, &s, pos, PAGE_SIZE, 0, pos);
	hand_out_from(test, &s, KT_STACKS_WORDS, PAGE_SIZE, 0, KT_STACKS_WORDS);
	hand_out_from(test, &s, KT_STACKS_WORDS + 1, PAGE_SIZE, -EINVAL, KT_STACKS_WORDS + 1);
	hand_out_from(test, &s, ~0ull, PAGE_SIZE, -EINVAL, ~0ull);
	kt_stacks_exit(&s);
}

#define ADDERS 4
#define MANY 2000

struct adder {
	struct kt_stacks *s;
	struct completion done;
	u32 wrong;
};

static int add_many(void *arg)
{
	struct adder *a = arg;
	unsigned long address[8];
	struct ktrace_stack *stack;
	u32 i, id;

	for (i = 0; i < MANY; i++) {
		preempt_disable();
		id = add_made_up(a->s, i, 8, address);
		preempt_enable();
		stack = (struct ktrace_stack *)&a->s->words[id - !!id];
		a->wrong += !id || KTRACE_STACK_ADDRESSES(stack)[0] != (unsigned long)i << 16;
	}
	complete(&a->done);
	return 0;
}

/* Two at a time may both store a stack; whole it is, and found again. */
static void all_cpus_add_at_once(struct kunit *test)
{
	struct adder adders[ADDERS] = { };
	struct task_struct *task;
	struct kt_stacks s = { };
	u32 i, nr;

	KUNIT_ASSERT_EQ(test, kt_stacks_init(&s), 0);
	for (i = 0; i < ADDERS; i++) {
		adders[i].s = &s;
		init_completion(&adders[i].done);
		task = kthread_run(add_many, &adders[i], "ktrace_adder");
		if (IS_ERR(task))
			complete(&adders[i].done);
	}
	for (i = 0; i < ADDERS; i++) {
		wait_for_completion(&adders[i].done);
		KUNIT_EXPECT_EQ(test, adders[i].wrong, 0);
	}
	nr = each_stack(&s, NULL, NULL);
	KUNIT_EXPECT_GE(test, nr, MANY);
	KUNIT_EXPECT_LE(test, nr, ADDERS * MANY);
	KUNIT_EXPECT_EQ(test, atomic64_read(&s.dropped), 0);
	kt_stacks_exit(&s);
}

static void counters_count(struct kunit *test)
{
	struct ktrace_counter spec = { .type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_CPU_CLOCK };
	const u32 item = KTRACE_ITEM_COUNTER + KTRACE_COUNTER_CONFIGS * PERF_TYPE_SOFTWARE;
	struct found *f = kunit_kzalloc(test, 2 * sizeof(*f), GFP_KERNEL);
	struct kt_session *s = fix_session(test, true);

	KUNIT_ASSERT_NOT_NULL(test, f);
	KUNIT_ASSERT_EQ(test, kt_control_enable(s, KTRACE_EV_LOGEVENT, true), 0);
	KUNIT_EXPECT_EQ(test, kt_control_context(s, KTRACE_EV_LOGEVENT, KTRACE_CONTEXT_COUNTER),
			-EINVAL);
	KUNIT_ASSERT_EQ(test, kt_control_counter(s, &spec), 0);
	KUNIT_EXPECT_EQ(test, spec.index, 0);
	KUNIT_ASSERT_EQ(test, kt_control_context(s, KTRACE_EV_LOGEVENT, KTRACE_CONTEXT_COUNTER),
			0);
	KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
	migrate_disable();
	log_one();
	KUNIT_EXPECT_EQ(test, fix_drain(test, s, take_apart, &f[0]), 1);
	log_one();
	migrate_enable();
	KUNIT_EXPECT_EQ(test, fix_drain(test, s, take_apart, &f[1]), 1);
	KUNIT_EXPECT_TRUE(test, f[0].has[item] && f[1].has[item]);
	KUNIT_EXPECT_GT(test, f[1].value[item], f[0].value[item]);
}

static void what_cannot_be_is_refused(struct kunit *test)
{
	struct ktrace_counter spec = { .type = KTRACE_COUNTER_TYPES };
	struct kt_session *user = fix_session(test, false), *s = fix_session(test, true);
	u32 i;

	KUNIT_EXPECT_EQ(test, kt_control_context(user, KTRACE_EV_LOGEVENT, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, kt_control_counter(user, &spec), -EINVAL);
	KUNIT_EXPECT_EQ(test, kt_control_context(s, 0, ALL_BITS), -EINVAL);
	KUNIT_EXPECT_EQ(test, kt_control_context(s, KTRACE_EV_LOGEVENT, 1 << 7), -EINVAL);
	KUNIT_EXPECT_EQ(test, kt_control_counter(s, &spec), -EINVAL);
	spec = (struct ktrace_counter){ .type = PERF_TYPE_SOFTWARE,
					.config = KTRACE_COUNTER_CONFIGS };
	KUNIT_EXPECT_EQ(test, kt_control_counter(s, &spec), -EINVAL);
	spec.config = PERF_COUNT_SW_DUMMY;
	for (i = 0; i < KTRACE_COUNTERS_MAX; i++)
		KUNIT_EXPECT_EQ(test, kt_control_counter(s, &spec), 0);
	KUNIT_EXPECT_EQ(test, kt_control_counter(s, &spec), -ENOSPC);
	s->target.filter.any_user = false;
	KUNIT_EXPECT_EQ(test, kt_control_context(s, KTRACE_EV_LOGEVENT, ALL_BITS), -EPERM);
	KUNIT_EXPECT_EQ(test, kt_control_counter(s, &spec), -EPERM);
	KUNIT_ASSERT_EQ(test, kt_control_enable(s, KTRACE_EV_LOGEVENT, true), 0);
	KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
	KUNIT_EXPECT_EQ(test, kt_control_context(s, KTRACE_EV_LOGEVENT, 0), -EBUSY);
	KUNIT_EXPECT_EQ(test, kt_control_context(s, KTRACE_EV_SCHED_EXIT, KTRACE_CONTEXT_KSTACK),
			-EPERM);
	KUNIT_EXPECT_EQ(test, kt_control_counter(s, &spec), -EBUSY);
}

static void of_an_event_that_is_off_it_is_chosen_later(struct kunit *test)
{
	struct found *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	struct kt_session *s = fix_session(test, true), *none = fix_session(test, true);

	KUNIT_ASSERT_NOT_NULL(test, f);
	KUNIT_ASSERT_EQ(test, kt_control_start(none), 0);
	KUNIT_EXPECT_EQ(test, kt_control_context(none, KTRACE_EV_LOGEVENT, ALL_BITS), -EBUSY);
	KUNIT_ASSERT_EQ(test, kt_control_context(s, KTRACE_EV_SCHED_EXIT, ALL_BITS), 0);
	KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
	KUNIT_EXPECT_EQ(test, kt_control_context(s, KTRACE_EV_LOGEVENT, KTRACE_CONTEXT_NSPID), 0);
	KUNIT_ASSERT_EQ(test, kt_control_enable(s, KTRACE_EV_LOGEVENT, true), 0);
	KUNIT_EXPECT_EQ(test, kt_control_context(s, KTRACE_EV_LOGEVENT, 0), -EBUSY);
	log_one();
	KUNIT_EXPECT_EQ(test, fix_drain(test, s, take_apart, f), 1);
	KUNIT_EXPECT_EQ(test, f->without, 0);
	KUNIT_EXPECT_EQ(test, f->wrong, 0);
}

static void memory_is_charged_once(struct kunit *test)
{
	struct kt_session *s = fix_session(test, true);
	const u64 before = fix_user_bytes(s->owner);

	KUNIT_ASSERT_EQ(test, kt_control_context(s, KTRACE_EV_LOGEVENT, ALL_BITS), 0);
	KUNIT_ASSERT_EQ(test, kt_control_context(s, KTRACE_EV_SCHED_EXIT, ALL_BITS), 0);
	KUNIT_EXPECT_EQ(test, fix_user_bytes(s->owner), before + KT_STACKS_BYTES);
	fix_set_limits(test, 4, 2048);
	s = fix_session(test, true);
	KUNIT_EXPECT_EQ(test, kt_control_context(s, KTRACE_EV_LOGEVENT, ALL_BITS), -EDQUOT);
	KUNIT_EXPECT_NULL(test, s->target.context);
}

/* Who is not followed has no context, as it has no thread id. */
static void without_privilege_others_have_no_context(struct kunit *test)
{
	struct found *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	struct kt_session *s = fix_session(test, true);

	KUNIT_ASSERT_NOT_NULL(test, f);
	s->target.filter.any_user = false;
	KUNIT_ASSERT_EQ(test, kt_control_enable(s, KTRACE_EV_LOGEVENT, true), 0);
	KUNIT_ASSERT_EQ(test, kt_control_context(s, KTRACE_EV_LOGEVENT, KTRACE_CONTEXT_NSPID), 0);
	KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
	log_one();
	KUNIT_EXPECT_EQ(test, fix_drain(test, s, take_apart, f), 1);
	KUNIT_EXPECT_EQ(test, f->without, 1);
	set_bit(current->tgid, s->target.filter.followed);
	log_one();
	clear_bit(current->tgid, s->target.filter.followed);
	KUNIT_EXPECT_EQ(test, fix_drain(test, s, take_apart, f), 1);
	KUNIT_EXPECT_EQ(test, f->without, 1);
	KUNIT_EXPECT_EQ(test, f->wrong, 0);
}

static void a_record_that_would_be_too_long_goes_without(struct kunit *test)
{
	struct kt_session *s = logging(test, KTRACE_CONTEXT_NSPID);
	const u32 max = kt_ring_payload_max(s->kernel->l.block_size);
	struct kt_event ev = { .id = KTRACE_EV_LOGEVENT, .len = max };
	struct found *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	ev.payload = kunit_kzalloc(test, max, GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, f && ev.payload);
	kt_emit(&ev);
	KUNIT_EXPECT_EQ(test, fix_drain(test, s, take_apart, f), 1);
	KUNIT_EXPECT_EQ(test, f->without, 1);
	KUNIT_EXPECT_EQ(test, fix_lost(s), 0);
}

static struct kunit_case context_cases[] = {
	KUNIT_CASE(a_record_has_what_was_asked_for),
	KUNIT_CASE(the_same_stack_is_stored_once),
	KUNIT_CASE(other_events_have_none),
	KUNIT_CASE(every_context_has_a_stack),
	KUNIT_CASE(what_has_no_room_is_counted),
	KUNIT_CASE(stacks_that_differ_are_told_apart),
	KUNIT_CASE(positions_that_cannot_be_do_no_harm),
	KUNIT_CASE(all_cpus_add_at_once),
	KUNIT_CASE(counters_count),
	KUNIT_CASE(what_cannot_be_is_refused),
	KUNIT_CASE(of_an_event_that_is_off_it_is_chosen_later),
	KUNIT_CASE(memory_is_charged_once),
	KUNIT_CASE(without_privilege_others_have_no_context),
	KUNIT_CASE(a_record_that_would_be_too_long_goes_without),
	{ }
};

static struct kunit_suite context_suite = {
	.name = "ktrace_context",
	.test_cases = context_cases,
};

kunit_test_suite(context_suite);
