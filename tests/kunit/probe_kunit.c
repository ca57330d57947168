// SPDX-License-Identifier: GPL-2.0
/*
 * probe_kunit.c - suite ktrace_probe: tracepoints hooked and let go, and what events hold
 *
 * Tracepoints are hit with arguments that are made up, probe_hits.c. So a payload is known
 * in full, and an event that comes without being registered, or does not come, shows.
 */
#include <kunit/test.h>
#include <kunit/test-bug.h>
#include <linux/binfmts.h>
#include <linux/cred.h>
#include <linux/jump_label.h>
#include <linux/ktrace_shark.h>
#include <linux/sched/signal.h>
#include <linux/tracepoint.h>
#include "contexts.h"
#include "control.h"
#include "probe_hits.h"
#include "probe_hits_later.h"
#include "session_fixture.h"

static struct kt_probe *const families[] = {
#define FAMILY(name, first, last) kt_probe_##name,
	KT_PROBE_FAMILIES(FAMILY)
#undef FAMILY
};

#define for_each_row(f, p)                                              \
	for ((f) = 0; (f) < ARRAY_SIZE(families); (f)++)                \
		for ((p) = families[f]; (p)->id; (p)++)

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

/* Enabled and running is what it takes, in either order; hooked once, however many want it. */
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

static void events_that_there_are_can_be_had(struct kunit *test)
{
	const struct kt_probe *p;
	const struct hit *h;
	u32 f, id, nr = 0;

	for_each_row(f, p)
		KUNIT_EXPECT_EQ(test, kt_probe_check(p->id), 0);
	for (id = 0; id <= U16_MAX; id++)
		nr += !kt_probe_check(id);
	for (h = hits; h < hits + hit_nr; h++)
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
	for (h = hits; h < hits + hit_nr; h++) {
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

/* Of a thread that is not followed neither name nor id, whichever runs; of the idle task all. */
static void without_privilege_nothing_is_told_of_others(struct kunit *test)
{
	struct ktrace_ev_sched_switch got, idle = want_sched_switch;
	struct ktrace_ev_sched_switch want = { 0, SOME_PID, 0, 99, 0, "", "followed" };
	struct kt_session *s = fix_session(test, true);
	const struct hit *h;

	make_tasks(test);
	s->target.filter.any_user = false;
	set_bit(followed->tgid, s->target.filter.followed);
	for (h = hits; h < hits + hit_nr; h++)
		KUNIT_ASSERT_EQ(test, kt_control_enable(s, h->id, true), 0);
	KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
	hit_switch();
	KUNIT_EXPECT_EQ(test, fix_drain(test, s, expect_nameless, &got), 1);
	KUNIT_EXPECT_MEMEQ(test, &got, &want, sizeof(want));
	idle.prev_tid = other->pid = 0;
	hit_switch();
	KUNIT_EXPECT_EQ(test, fix_drain(test, s, expect_nameless, &got), 1);
	KUNIT_EXPECT_MEMEQ(test, &got, &idle, sizeof(idle));
	for (h = hits; h < hits + hit_nr; h++)
		h->hit();
	KUNIT_EXPECT_GT(test, fix_drain(test, s, expect_nameless, &got), 5);
}

/* Signals, memory that one takes from others, and ends others for */
static void without_privilege_others_that_events_are_about_are_not_told(struct kunit *test)
{
	static const struct ktrace_ev_signal_generate signal = {
		64, SI_QUEUE, 0, 0, 1, KTRACE_SIGNAL_LOST_INFO, "",
	};
	static const struct ktrace_ev_memory_rss rss = { 0, 0, KTRACE_MEMORY_SHM };
	static const struct ktrace_ev_memory_oom oom = { 0 };
	static const struct hit table[] = {
		{ KTRACE_EV_SIGNAL_GENERATE, sizeof(signal), &signal, hit_signal_generate },
		{ KTRACE_EV_MEMORY_RSS, sizeof(rss), &rss, hit_memory_rss },
		{ KTRACE_EV_MEMORY_OOM, sizeof(oom), &oom, hit_memory_oom },
	};
	struct kt_session *s;
	u32 i;

	make_tasks(test);
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		s = fix_session(test, true);
		s->target.filter.any_user = false;
		set_bit(current->tgid, s->target.filter.followed);
		KUNIT_ASSERT_EQ(test, kt_control_enable(s, table[i].id, true), 0);
		KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
		table[i].hit();
		expect_records(test, s, &table[i], 1, "without privilege");
		fix_close(test, s);
	}
}

/* Where the kernel is in memory, and what other users' packets are. */
static void without_privilege_no_kernel_address_is_told(struct kunit *test)
{
	static const struct {
		u16 id;
		void (*hit)(void);
		u16 len;
		union {
			struct ktrace_ev_fault fault;
			struct ktrace_ev_lock_contended lock;
			struct ktrace_ev_net net;
			struct ktrace_ev_net_xmit net_xmit;
		} want;
	} table[] = {
		{ KTRACE_EV_FAULT_KERNEL, hit_fault_kernel, sizeof(struct ktrace_ev_fault),
		  { .fault = { 0, 0, KTRACE_FAULT_WRITE, 1 } } },
		{ KTRACE_EV_LOCK_CONTENDED, hit_lock_contended,
		  sizeof(struct ktrace_ev_lock_contended),
		  { .lock = { 0, KTRACE_LOCK_SPIN | KTRACE_LOCK_READ } } },
		{ KTRACE_EV_NET_QUEUE, hit_net_queue, sizeof(struct ktrace_ev_net) },
		{ KTRACE_EV_NET_XMIT, hit_net_xmit, sizeof(struct ktrace_ev_net_xmit) },
		{ KTRACE_EV_NET_RECEIVE, hit_net_receive, sizeof(struct ktrace_ev_net) },
	};
	u32 i;

	make_tasks(test);
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		const struct hit want = { table[i].id, table[i].len, &table[i].want, NULL };
		struct kt_session *s = make_session(test);

		s->target.filter.any_user = false;
		KUNIT_ASSERT_EQ(test, kt_control_enable(s, table[i].id, true), 0);
		KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
		table[i].hit();
		expect_records(test, s, &want, 1, "without privilege");
		fix_close(test, s);
	}
}

/* A thread that is not followed is not recorded, except in TRACER_LOGEVENT. */
static void events_of_others_are_left_out(struct kunit *test)
{
	struct kt_session *s;
	const struct hit *h;

	make_tasks(test);
	s = fix_session(test, true);
	for (h = hits; h < hits + hit_nr; h++)
		KUNIT_ASSERT_EQ(test, kt_control_enable(s, h->id, true), 0);
	KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
	for (h = hits; h < hits + hit_nr; h++) {
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
	TRACER_LOGCRITICAL(0, 1, 2);
	FAST_TRACER_LOGEVENT(0, 1);
	FAST_TRACER_LOGEVENT(KTRACE_SHARK_FAST, 1);
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

/* Commands that read and write are told apart from others, and flushes say no sector. */
static void requests_are_told_by_what_they_ask_for(struct kunit *test)
{
	static const struct {
		unsigned int flags;
		sector_t sector;
		struct ktrace_ev_block want;
	} table[] = {
		{ REQ_OP_READ | REQ_RAHEAD, 9, { .sector = 9, .op = KTRACE_BLOCK_READ } },
		{ REQ_OP_WRITE | REQ_FUA, 8, { .sector = 8, .op = KTRACE_BLOCK_WRITE } },
		{ REQ_OP_ZONE_APPEND, 7, { .sector = 7, .op = KTRACE_BLOCK_WRITE } },
		{ REQ_OP_FLUSH, -1, { .sector = 0, .op = KTRACE_BLOCK_FLUSH } },
		{ REQ_OP_DISCARD, 6, { .sector = 6, .op = KTRACE_BLOCK_DISCARD } },
		{ REQ_OP_WRITE_ZEROES, 5, { .sector = 5, .op = KTRACE_BLOCK_ZEROES } },
		{ REQ_OP_ZONE_RESET, 4, { .sector = 4, .op = KTRACE_BLOCK_OTHER } },
		{ REQ_OP_DRV_IN, 3, { .sector = 0, .op = KTRACE_BLOCK_OTHER } },
	};
	struct gendisk *const disk = request.q->disk;
	const struct request saved = request;
	struct ktrace_ev_block want;
	struct last *last = kunit_kzalloc(test, sizeof(*last), GFP_KERNEL);
	struct kt_session *s;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, last);
	make_tasks(test);
	s = make_session(test);
	KUNIT_ASSERT_EQ(test, kt_control_enable(s, KTRACE_EV_BLOCK_ISSUE, true), 0);
	KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		request.cmd_flags = table[i].flags;
		request.__sector = table[i].sector;
		request.internal_tag = -1;
		want = table[i].want;
		want.dev = want_block.dev;
		want.tag = 2 << 16 | 5;
		want.bytes = 8192;
		hit_block_issue();
		KUNIT_EXPECT_EQ(test, fix_drain(test, s, keep_last, last), 1);
		KUNIT_EXPECT_MEMEQ(test, last->payload, &want, sizeof(want));
	}
	request = saved;
	request.q->disk = NULL;
	hit_block_issue();
	request.q->disk = disk;
	KUNIT_EXPECT_EQ(test, fix_drain(test, s, NULL, NULL), 0);
}

/* Not even of requests that a followed thread issues, as they may be another user's. */
static void without_privilege_sectors_are_not_told(struct kunit *test)
{
	struct ktrace_ev_block_complete want = want_block_complete;
	struct last *last = kunit_kzalloc(test, sizeof(*last), GFP_KERNEL);
	struct kt_session *s;

	KUNIT_ASSERT_NOT_NULL(test, last);
	make_tasks(test);
	s = make_session(test);
	s->target.filter.any_user = false;
	KUNIT_ASSERT_EQ(test, kt_control_enable(s, KTRACE_EV_BLOCK_COMPLETE, true), 0);
	KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
	hit_block_complete();
	KUNIT_EXPECT_EQ(test, fix_drain(test, s, keep_last, last), 1);
	want.sector = 0;
	KUNIT_EXPECT_MEMEQ(test, last->payload, &want, sizeof(want));
}

static struct kunit_case probe_cases[] = {
	KUNIT_CASE(events_that_there_are_can_be_had),
	KUNIT_CASE(an_event_without_tracepoint_is_said_to_be_missing),
	KUNIT_CASE(each_row_is_hooked_while_it_is_wanted),
	KUNIT_CASE(closing_lets_all_go),
	KUNIT_CASE(each_event_holds_what_it_should),
	KUNIT_CASE(events_of_others_are_left_out),
	KUNIT_CASE(without_privilege_nothing_is_told_of_others),
	KUNIT_CASE(without_privilege_others_that_events_are_about_are_not_told),
	KUNIT_CASE(without_privilege_no_kernel_address_is_told),
	KUNIT_CASE(long_file_names_are_cut_and_marked),
	KUNIT_CASE(requests_are_told_by_what_they_ask_for),
	KUNIT_CASE(without_privilege_sectors_are_not_told),
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
