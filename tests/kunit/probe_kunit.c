// SPDX-License-Identifier: GPL-2.0
/*
 * probe_kunit.c - suite ktrace_probe: tracepoints hooked and let go, and what events hold
 *
 * A tracepoint is hit as the kernel does it, by calling all that is registered with it,
 * but with arguments that are made up: tasks that nobody else has and numbers that do not
 * occur. So a payload is known in full, and an event that comes without being
 * registered, or does not come, shows.
 */
#include <kunit/test.h>
#include <kunit/test-bug.h>
#include <linux/binfmts.h>
#include <linux/cred.h>
#include <linux/interrupt.h>
#include <linux/jump_label.h>
#include <linux/ktrace.h>
#include <linux/sched/signal.h>
#include <linux/tracepoint.h>
#include <asm/syscall.h>
#include "compat.h"
#include "contexts.h"
#include "control.h"
#include "probe.h"
#include "session_fixture.h"

static struct kt_probe *const families[] = {
#define FAMILY(name, first, last) kt_probe_##name,
	KT_PROBE_FAMILIES(FAMILY)
#undef FAMILY
};

#define for_each_row(f, p)                                              \
	for ((f) = 0; (f) < ARRAY_SIZE(families); (f)++)                \
		for ((p) = families[f]; (p)->id; (p)++)

#define SOME_PID (PID_MAX_LIMIT - 3)

/* ---- what is hooked ---- */

static u32 hooks(const struct kt_probe *p)
{
	const struct tracepoint_func *func;
	u32 nr = 0;

	if (p->key)
		return static_key_count(&p->key->key);
	rcu_read_lock_sched();
	func = rcu_dereference_sched(p->tp->funcs);
	for (; func && func->func; func++)
		nr += func->func == p->func;
	rcu_read_unlock_sched();
	return nr;
}

/* Rows of @id are hooked; of all others those that track, if @is_tracking. */
static void expect_hooks(struct kunit *test, u16 id, bool is_tracking)
{
	const struct kt_probe *p;
	u32 f;

	for_each_row(f, p)
		KUNIT_EXPECT_EQ_MSG(test, hooks(p), p->id == id || (is_tracking && p->tracks),
				    "row of event %x while %x is on", p->id, id);
}

/* Enabled and running is what it takes, in either order; hooked once, whoever wants it. */
static void each_row_is_hooked_while_it_is_wanted(struct kunit *test)
{
	struct kt_session *a, *b;
	const struct kt_probe *p;
	u32 f;

	expect_hooks(test, 0, false);
	a = fix_session(test, true);
	b = fix_session(test, true);
	expect_hooks(test, 0, true);
	KUNIT_ASSERT_EQ(test, kt_control_start(b), 0);
	for_each_row(f, p) {
		KUNIT_ASSERT_EQ(test, kt_control_enable(a, p->id, true), 0);
		expect_hooks(test, 0, true);
		KUNIT_ASSERT_EQ(test, kt_control_start(a), 0);
		expect_hooks(test, p->id, true);
		KUNIT_ASSERT_EQ(test, kt_control_enable(b, p->id, true), 0);
		KUNIT_ASSERT_EQ(test, kt_control_stop(a), 0);
		expect_hooks(test, p->id, true);
		KUNIT_ASSERT_EQ(test, kt_control_enable(b, p->id, false), 0);
		expect_hooks(test, 0, true);
		KUNIT_ASSERT_EQ(test, kt_control_enable(a, p->id, false), 0);
	}
	fix_close(test, a);
	expect_hooks(test, 0, true);
	fix_close(test, b);
	expect_hooks(test, 0, false);
}

static void closing_lets_all_go(struct kunit *test)
{
	struct kt_session *s = fix_session(test, true);
	const struct kt_probe *p;
	u32 f;

	for_each_row(f, p)
		KUNIT_ASSERT_EQ(test, kt_control_enable(s, p->id, true), 0);
	KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
	for_each_row(f, p)
		KUNIT_EXPECT_EQ(test, hooks(p), 1);
	fix_close(test, s);
	expect_hooks(test, 0, false);
}

static void an_event_without_tracepoint_is_said_to_be_missing(struct kunit *test)
{
	struct kt_probe *p = &kt_probe_sched[2];	/* second of two rows of one event */
	struct tracepoint *tp = p->tp;

	p->tp = NULL;
	KUNIT_EXPECT_EQ(test, kt_probe_check(KTRACE_EV_SCHED_WAKEUP), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, kt_probe_check(KTRACE_EV_SCHED_SWITCH), 0);
	p->tp = tp;
}

/* ---- what events hold ---- */

/* Two tasks, of a process that the sessions follow and of another. */
static struct task_struct *followed, *other;

static struct task_struct *make_task(struct kunit *test, pid_t pid, const char *comm)
{
	struct task_struct *task = kunit_kzalloc(test, sizeof(*task), GFP_KERNEL);
	struct signal_struct *signal = kunit_kzalloc(test, sizeof(*signal), GFP_KERNEL);

	KUNIT_ASSERT_TRUE(test, task && signal);
	task->pid = pid;
	task->tgid = pid + 1;
	task->prio = 99;
	task->signal = signal;
	strscpy(task->comm, comm, sizeof(task->comm));
	rcu_assign_pointer(task->real_cred, current_cred());
	return task;
}

/* Calls everybody who is registered with @tp. */
#define HIT(tp_, type, ...)                                                             \
	do {                                                                            \
		const struct tracepoint_func *func_;                                    \
											\
		preempt_disable_notrace();                                              \
		func_ = rcu_dereference_sched((tp_)->funcs);                            \
		for (; func_ && func_->func; func_++)                                   \
			((type)func_->func)(func_->data, __VA_ARGS__);                  \
		preempt_enable_notrace();                                               \
	} while (0)

static struct tracepoint *row_of(u16 id, u32 nth)
{
	struct kt_probe *p;
	u32 f;

	for_each_row(f, p)
		if (p->id == id && !nth--)
			return p->tp;
	return NULL;
}

static void hit_switch(void)
{
	HIT(row_of(KTRACE_EV_SCHED_SWITCH, 0),
	    void (*)(void *, bool, struct task_struct *, struct task_struct *, unsigned int),
	    false, other, followed, TASK_UNINTERRUPTIBLE);
}

static void hit_wakeup(void)
{
	HIT(row_of(KTRACE_EV_SCHED_WAKEUP, 0), void (*)(void *, struct task_struct *), followed);
}

static void hit_wakeup_new(void)
{
	HIT(row_of(KTRACE_EV_SCHED_WAKEUP, 1), void (*)(void *, struct task_struct *), followed);
}

static void hit_migrate(void)
{
	HIT(row_of(KTRACE_EV_SCHED_MIGRATE, 0), void (*)(void *, struct task_struct *, int),
	    followed, 77);
}

static void hit_fork(void)
{
	HIT(row_of(KTRACE_EV_SCHED_FORK, 0),
	    void (*)(void *, struct task_struct *, struct task_struct *), followed, other);
}

static void hit_exec(void)
{
	static struct linux_binprm bprm = { .filename = "/bin/none" };

	HIT(row_of(KTRACE_EV_SCHED_EXEC, 0),
	    void (*)(void *, struct task_struct *, pid_t, struct linux_binprm *), followed, 4321,
	    &bprm);
}

static void hit_exit(void)
{
	HIT(row_of(KTRACE_EV_SCHED_EXIT, 0), void (*)(void *, struct task_struct *), followed);
}

static void hit_comm(void)
{
	HIT(row_of(KTRACE_EV_SCHED_COMM, 0), void (*)(void *, struct task_struct *, const char *),
	    followed, "a name that is too long");
}

static void hit_syscall_enter(void)
{
	struct pt_regs regs = { .di = 1, .si = 2, .dx = 3, .r10 = 4, .r8 = 5, .r9 = ~0ul };

	HIT(row_of(KTRACE_EV_SYSCALL_ENTER, 0), void (*)(void *, struct pt_regs *, long), &regs,
	    0x4242);
}

static void hit_syscall_exit(void)
{
	struct pt_regs regs = { .orig_ax = 0x4242 };

	HIT(row_of(KTRACE_EV_SYSCALL_EXIT, 0), void (*)(void *, struct pt_regs *, long), &regs,
	    -ENOSYS);
}

static void hit_irq_enter(void)
{
	static struct irqaction action = { .name = "a device with a long name" };

	HIT(row_of(KTRACE_EV_IRQ_ENTER, 0), void (*)(void *, int, struct irqaction *), 4242,
	    &action);
}

static void hit_irq_exit(void)
{
	HIT(row_of(KTRACE_EV_IRQ_EXIT, 0), void (*)(void *, int, struct irqaction *, int), 4242,
	    NULL, IRQ_HANDLED);
}

static void hit_softirq_enter(void)
{
	HIT(row_of(KTRACE_EV_SOFTIRQ_ENTER, 0), void (*)(void *, unsigned int), 4242);
}

static void hit_softirq_exit(void)
{
	HIT(row_of(KTRACE_EV_SOFTIRQ_EXIT, 0), void (*)(void *, unsigned int), 4242);
}

static void hit_log(void)
{
	TRACER_LOGEVENT(11, 22, 0x33445566);
}

static const struct ktrace_ev_sched_switch want_sched_switch = {
	SOME_PID - 2, SOME_PID, 99, 99, KTRACE_TASK_DISK, "other", "followed",
};
static const struct ktrace_ev_sched_wakeup want_sched_wakeup = { SOME_PID, 99, 0, "followed" };
static const struct ktrace_ev_sched_migrate want_sched_migrate = {
	SOME_PID, 99, 0, 77, "followed",
};
static const struct ktrace_ev_sched_fork want_sched_fork = {
	SOME_PID, SOME_PID + 1, SOME_PID - 2, SOME_PID - 1, "other",
};
static const struct {
	struct ktrace_ev_sched_exec head;
	char name[10];
} __packed want_sched_exec = { { SOME_PID + 1, 4321 }, "/bin/none" };
static const struct ktrace_ev_sched_exit want_sched_exit = {
	SOME_PID, SOME_PID + 1, 99, "followed",
};
static const struct ktrace_ev_sched_comm want_sched_comm = {
	SOME_PID, SOME_PID + 1, "a name that is ",
};
static const struct ktrace_ev_syscall_enter want_syscall_enter = {
	0x4242, { 1, 2, 3, 4, 5, ~0ull },
};
static const struct ktrace_ev_syscall_exit want_syscall_exit = { 0x4242, -ENOSYS };
static const struct ktrace_ev_irq_enter want_irq_enter = { 4242, "a device with a" };
static const struct ktrace_ev_irq_exit want_irq_exit = { 4242, 1 };
static const struct ktrace_ev_softirq want_softirq = { 4242 };
static const struct ktrace_ev_logevent want_logevent = { 11, 22, 0x33445566 };

static const struct hit {
	u16 id;
	u16 len;
	const void *payload;
	void (*hit)(void);
} hits[] = {
#define ROW(id, payload, fn) { id, sizeof(payload), &(payload), fn }
	ROW(KTRACE_EV_LOGEVENT, want_logevent, hit_log),
	ROW(KTRACE_EV_SCHED_SWITCH, want_sched_switch, hit_switch),
	ROW(KTRACE_EV_SCHED_WAKEUP, want_sched_wakeup, hit_wakeup),
	ROW(KTRACE_EV_SCHED_WAKEUP, want_sched_wakeup, hit_wakeup_new),
	ROW(KTRACE_EV_SCHED_MIGRATE, want_sched_migrate, hit_migrate),
	ROW(KTRACE_EV_SCHED_FORK, want_sched_fork, hit_fork),
	ROW(KTRACE_EV_SCHED_EXEC, want_sched_exec, hit_exec),
	ROW(KTRACE_EV_SCHED_EXIT, want_sched_exit, hit_exit),
	ROW(KTRACE_EV_SCHED_COMM, want_sched_comm, hit_comm),
	ROW(KTRACE_EV_SYSCALL_ENTER, want_syscall_enter, hit_syscall_enter),
	ROW(KTRACE_EV_SYSCALL_EXIT, want_syscall_exit, hit_syscall_exit),
	ROW(KTRACE_EV_IRQ_ENTER, want_irq_enter, hit_irq_enter),
	ROW(KTRACE_EV_IRQ_EXIT, want_irq_exit, hit_irq_exit),
	ROW(KTRACE_EV_SOFTIRQ_ENTER, want_softirq, hit_softirq_enter),
	ROW(KTRACE_EV_SOFTIRQ_EXIT, want_softirq, hit_softirq_exit),
#undef ROW
};

static void events_that_there_are_can_be_had(struct kunit *test)
{
	const struct kt_probe *p;
	const struct hit *h;
	u32 f, id, nr = 0;

	for_each_row(f, p)
		KUNIT_EXPECT_EQ(test, kt_probe_check(p->id), 0);
	for (id = 0; id <= U16_MAX; id++)
		nr += !kt_probe_check(id);
	for (h = hits; h < hits + ARRAY_SIZE(hits); h++)
		nr -= h == hits || h->id != h[-1].id;
	KUNIT_EXPECT_EQ_MSG(test, nr, 0, "each event, and no other, is hit below");
	KUNIT_EXPECT_EQ(test, kt_probe_check(0), -EINVAL);
	KUNIT_EXPECT_EQ(test, kt_probe_check(U16_MAX), -EINVAL);
}

/* Records that are the one in question to the last byte; and those of other events. */
struct count {
	const struct hit *hit;
	u32 exact;
	u32 others;
};

static void count_record(const struct ktrace_record *rec, const void *payload, void *arg)
{
	struct count *c = arg;

	c->others += rec->id != c->hit->id;
	c->exact += rec->id == c->hit->id && rec->len == c->hit->len &&
		    (rec->tid_flags & KTRACE_TID_MASK) == current->pid &&
		    !(rec->tid_flags & ~KTRACE_TID_MASK) &&
		    !memcmp(payload, c->hit->payload, rec->len);
}

static void expect_records(struct kunit *test, struct kt_session *s, const struct hit *hit,
			   u32 exact, const char *when)
{
	struct count c = { .hit = hit };

	fix_drain(test, s, count_record, &c);
	KUNIT_EXPECT_EQ_MSG(test, c.exact, exact, "event %x, %s", hit->id, when);
	KUNIT_EXPECT_EQ_MSG(test, c.others, 0, "event %x, %s", hit->id, when);
	KUNIT_EXPECT_EQ_MSG(test, fix_lost(s), 0, "event %x, %s", hit->id, when);
}

static struct kt_session *make_session(struct kunit *test)
{
	struct kt_session *s = fix_session(test, true);

	set_bit(followed->tgid, s->target.filter.followed);
	set_bit(current->tgid, s->target.filter.followed);
	return s;
}

static void make_tasks(struct kunit *test)
{
	followed = make_task(test, SOME_PID, "followed");
	other = make_task(test, SOME_PID - 2, "other");
}

/* Enabled, started, stopped, off: an event comes when it should, whole, and only then. */
static void each_event_holds_what_it_should(struct kunit *test)
{
	struct kt_session *a, *b;
	const struct hit *h;

	make_tasks(test);
	a = make_session(test);
	b = make_session(test);
	for (h = hits; h < hits + ARRAY_SIZE(hits); h++) {
		KUNIT_ASSERT_EQ(test, kt_control_enable(a, h->id, true), 0);
		h->hit();
		expect_records(test, a, h, 0, "not started");
		KUNIT_ASSERT_EQ(test, kt_control_start(a), 0);
		h->hit();
		expect_records(test, a, h, 1, "started");
		KUNIT_ASSERT_EQ(test, kt_control_start(b), 0);
		h->hit();
		expect_records(test, a, h, 1, "another session started");
		expect_records(test, b, h, 0, "not enabled");
		KUNIT_ASSERT_EQ(test, kt_control_enable(b, h->id, true), 0);
		h->hit();
		h->hit();
		KUNIT_ASSERT_EQ(test, kt_control_stop(a), 0);
		h->hit();
		expect_records(test, a, h, 2, "both, then stopped");
		expect_records(test, b, h, 3, "both");
		KUNIT_ASSERT_EQ(test, kt_control_enable(b, h->id, false), 0);
		h->hit();
		expect_records(test, b, h, 0, "disabled");
		KUNIT_ASSERT_EQ(test, kt_control_enable(a, h->id, false), 0);
		KUNIT_ASSERT_EQ(test, kt_control_stop(b), 0);
		/* fork and exec change the set */
		set_bit(followed->tgid, a->target.filter.followed);
		clear_bit(other->tgid, a->target.filter.followed);
		clear_bit(other->tgid, b->target.filter.followed);
	}
}

/* The payload; and that no record says who was running. */
static void expect_nameless(const struct ktrace_record *rec, const void *payload, void *got)
{
	KUNIT_EXPECT_EQ(kunit_get_current_test(), rec->tid_flags & KTRACE_TID_MASK, 0);
	memcpy(got, payload, min_t(size_t, rec->len, sizeof(struct ktrace_ev_sched_switch)));
}

/* Of who is not followed neither name nor id, whoever runs; of the idle task all. */
static void without_privilege_nothing_is_told_of_others(struct kunit *test)
{
	struct ktrace_ev_sched_switch got, idle = want_sched_switch;
	struct ktrace_ev_sched_switch want = { 0, SOME_PID, 0, 99, 0, "", "followed" };
	struct kt_session *s = fix_session(test, true);
	const struct hit *h;

	make_tasks(test);
	s->target.filter.any_user = false;
	set_bit(followed->tgid, s->target.filter.followed);
	for (h = hits; h < hits + ARRAY_SIZE(hits); h++)
		KUNIT_ASSERT_EQ(test, kt_control_enable(s, h->id, true), 0);
	KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
	hit_switch();
	KUNIT_EXPECT_EQ(test, fix_drain(test, s, expect_nameless, &got), 1);
	KUNIT_EXPECT_MEMEQ(test, &got, &want, sizeof(want));
	idle.prev_tid = other->pid = 0;
	hit_switch();
	KUNIT_EXPECT_EQ(test, fix_drain(test, s, expect_nameless, &got), 1);
	KUNIT_EXPECT_MEMEQ(test, &got, &idle, sizeof(idle));
	for (h = hits; h < hits + ARRAY_SIZE(hits); h++)
		h->hit();
	KUNIT_EXPECT_GT(test, fix_drain(test, s, expect_nameless, &got), 5);
}

/* Whoever is not followed is not recorded, except in TRACER_LOGEVENT. */
static void events_of_others_are_left_out(struct kunit *test)
{
	struct kt_session *s;
	const struct hit *h;

	make_tasks(test);
	s = fix_session(test, true);
	for (h = hits; h < hits + ARRAY_SIZE(hits); h++)
		KUNIT_ASSERT_EQ(test, kt_control_enable(s, h->id, true), 0);
	KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
	for (h = hits; h < hits + ARRAY_SIZE(hits); h++) {
		h->hit();
		expect_records(test, s, h, h->id == KTRACE_EV_LOGEVENT, "not followed");
	}
}

/* ---- single things ---- */

struct last {
	u32 nr;
	struct ktrace_record rec;
	char payload[512];
};

static void keep_last(const struct ktrace_record *rec, const void *payload, void *arg)
{
	struct last *last = arg;

	last->nr++;
	last->rec = *rec;
	memcpy(last->payload, payload, min_t(u32, rec->len, sizeof(last->payload)));
}

/* 255 bytes and a NUL are stored; one more is cut, and the record says so. */
static void long_file_names_are_cut_and_marked(struct kunit *test)
{
	static char name[300];
	struct linux_binprm bprm = { .filename = name };
	struct last *last = kunit_kzalloc(test, sizeof(*last), GFP_KERNEL);
	struct kt_session *s;
	u32 len;

	KUNIT_ASSERT_NOT_NULL(test, last);
	make_tasks(test);
	s = make_session(test);
	KUNIT_ASSERT_EQ(test, kt_control_enable(s, KTRACE_EV_SCHED_EXEC, true), 0);
	KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
	for (len = 254; len < 258; len++) {
		memset(name, 'n', len);
		HIT(row_of(KTRACE_EV_SCHED_EXEC, 0),
		    void (*)(void *, struct task_struct *, pid_t, struct linux_binprm *),
		    followed, 1, &bprm);
		fix_drain(test, s, keep_last, last);
		KUNIT_EXPECT_EQ(test, last->rec.len,
				sizeof(struct ktrace_ev_sched_exec) + min(len, 255u) + 1);
		KUNIT_EXPECT_EQ(test, !!(last->rec.tid_flags & KTRACE_REC_TRUNCATED), len > 255);
		KUNIT_EXPECT_EQ(test, last->payload[last->rec.len - 1], 0);
		KUNIT_EXPECT_EQ(test, last->payload[last->rec.len - 2], 'n');
	}
}

static void event_code_0_is_no_event(struct kunit *test)
{
	struct kt_session *s = fix_session(test, true);

	KUNIT_ASSERT_EQ(test, kt_control_enable(s, KTRACE_EV_LOGEVENT, true), 0);
	KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
	TRACER_LOGEVENT(0, 1, 2);
	KUNIT_EXPECT_EQ(test, fix_drain(test, s, NULL, NULL), 0);
	KUNIT_EXPECT_EQ(test, fix_lost(s), 0);
}

static void log_context(enum context context)
{
	TRACER_LOGEVENT(1 + context, 0, 0);
}

static void count_contexts(const struct ktrace_record *rec, const void *payload, void *arg)
{
	const struct ktrace_ev_logevent *ev = payload;
	const bool is_irq = rec->tid_flags & KTRACE_REC_IRQ;
	u32 *counts = arg;

	if (ev->type && ev->type <= CONTEXT_NR && is_irq == (ev->type - 1 != CONTEXT_PROCESS))
		counts[ev->type - 1]++;
}

static void every_context_may_log(struct kunit *test)
{
	struct kt_session *s = fix_session(test, true);
	u32 counts[CONTEXT_NR] = { 0 };
	enum context i;

	KUNIT_ASSERT_EQ(test, kt_control_enable(s, KTRACE_EV_LOGEVENT, true), 0);
	KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
	KUNIT_ASSERT_EQ(test, contexts_init(log_context), 0);
	preempt_disable();
	log_context(CONTEXT_PROCESS);
	for (i = CONTEXT_SOFTIRQ; i < CONTEXT_NR; i++)
		context_raise(i);
	preempt_enable();
	contexts_exit();	/* sends an NMI to each CPU */
	fix_drain(test, s, count_contexts, counts);
	for (i = 0; i < CONTEXT_NR; i++)
		KUNIT_EXPECT_EQ(test, counts[i], i == CONTEXT_NMI ? 1 + num_online_cpus() : 1);
}

/* On a CPU without memory for its ring nothing is stored, and each event is counted. */
static void events_without_a_ring_are_counted(struct kunit *test)
{
	struct kt_session *s = fix_session(test, true);
	struct kt_buffer *b = s->kernel;
	struct ktrace_info info;
	struct kt_ring *r;
	int cpu;

	KUNIT_ASSERT_EQ(test, kt_control_enable(s, KTRACE_EV_LOGEVENT, true), 0);
	KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
	for_each_online_cpu(cpu) {
		r = per_cpu_ptr(b->cpu_rings, cpu);
		r->data = NULL;
		r->quick = 0;
	}
	hit_log();
	hit_log();
	for_each_online_cpu(cpu)
		*per_cpu_ptr(b->cpu_rings, cpu) = b->rings[cpu];
	hit_log();
	kt_session_info(s, &info);
	KUNIT_EXPECT_EQ(test, info.lost_noring, 2);
	KUNIT_EXPECT_EQ(test, fix_drain(test, s, NULL, NULL), 1);
}

static struct kunit_case probe_cases[] = {
	KUNIT_CASE(events_that_there_are_can_be_had),
	KUNIT_CASE(an_event_without_tracepoint_is_said_to_be_missing),
	KUNIT_CASE(each_row_is_hooked_while_it_is_wanted),
	KUNIT_CASE(closing_lets_all_go),
	KUNIT_CASE(each_event_holds_what_it_should),
	KUNIT_CASE(events_of_others_are_left_out),
	KUNIT_CASE(without_privilege_nothing_is_told_of_others),
	KUNIT_CASE(long_file_names_are_cut_and_marked),
	KUNIT_CASE(event_code_0_is_no_event),
	KUNIT_CASE(every_context_may_log),
	KUNIT_CASE(events_without_a_ring_are_counted),
	{ }
};

static struct kunit_suite probe_suite = {
	.name = "ktrace_probe",
	.test_cases = probe_cases,
};

kunit_test_suite(probe_suite);
