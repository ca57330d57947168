// SPDX-License-Identifier: GPL-2.0
/*
 * pid_filter_kunit.c - suite ktrace_pid_filter: the set of followed processes
 *
 * Most of it with tasks that are made up: ids at the ends of what there can be, users, and
 * any order of events. At all times alive_nr is the number of bits in alive.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/bitmap.h>
#include <linux/cred.h>
#include <linux/kthread.h>
#include <linux/pid.h>
#include <linux/rwsem.h>
#include <linux/sched/signal.h>
#include <linux/user_namespace.h>
#include "control.h"
#include "session_fixture.h"

enum {
	TASKS = 8,
	ROUNDS = 3000,
	THREADS_MAX = 8,
	KTHREADD = 2,		/* parent of all kernel threads */
};


static struct kt_pid_filter filter;

static struct task_struct *make_task(struct kunit *test, pid_t tgid, uid_t uid)
{
	struct task_struct *task = kunit_kzalloc(test, sizeof(*task), GFP_KERNEL);
	struct signal_struct *signal = kunit_kzalloc(test, sizeof(*signal), GFP_KERNEL);
	struct cred *cred = kunit_kzalloc(test, sizeof(*cred), GFP_KERNEL);

	KUNIT_ASSERT_TRUE(test, task && signal && cred);
	cred->uid = cred->euid = cred->suid = KUIDT_INIT(uid);
	cred->user_ns = &init_user_ns;
	task->pid = task->tgid = tgid;
	task->signal = signal;
	rcu_assign_pointer(task->real_cred, cred);
	atomic_set(&signal->live, 1);
	return task;
}

static struct task_struct *make_thread(struct kunit *test, struct task_struct *leader, pid_t pid)
{
	struct task_struct *task = make_task(test, leader->tgid, 0);

	task->pid = pid;
	task->signal = leader->signal;
	atomic_inc(&task->signal->live);
	return task;
}

static void set_uid(struct task_struct *task, uid_t uid)
{
	((struct cred *)rcu_access_pointer(task->real_cred))->euid = KUIDT_INIT(uid);
}

/* Ends a thread as do_exit() does: count down, then tell. */
static bool session_end(struct task_struct *task)
{
	atomic_dec(&task->signal->live);
	return kt_pid_filter_leave(&filter, task);
}

/* As somebody who is followed from outside. */
static void follow(struct kunit *test, struct task_struct *task)
{
	struct task_struct *parent = make_task(test, 1, 0);

	set_bit(parent->tgid, filter.followed);
	kt_pid_filter_fork(&filter, parent, task);
	clear_bit(parent->tgid, filter.followed);
}

static void expect_alive(struct kunit *test, int nr)
{
	KUNIT_EXPECT_EQ(test, atomic_read(&filter.alive_nr), nr);
	KUNIT_EXPECT_EQ(test, bitmap_weight(filter.alive, PID_MAX_LIMIT), nr);
}

static int set_up(struct kunit *test)
{
	memset(&filter, 0, sizeof(filter));
	return kt_pid_filter_init(&filter, KUIDT_INIT(1000), false);
}

static void tear_down(struct kunit *test)
{
	kt_pid_filter_exit(&filter);
}

static void a_new_filter_is_empty(struct kunit *test)
{
	struct task_struct *task = make_task(test, 100, 1000);

	expect_alive(test, 0);
	KUNIT_EXPECT_FALSE(test, filter.had_any);
	KUNIT_EXPECT_FALSE(test, kt_pid_filter_passes(&filter, task));
	KUNIT_EXPECT_FALSE(test, kt_pid_filter_passes(&filter, current));
}

static void children_are_followed_grandchildren_too(struct kunit *test)
{
	struct task_struct *task[TASKS];
	int i;

	for (i = 0; i < TASKS; i++)
		task[i] = make_task(test, 100 + i, 1000);
	follow(test, task[0]);
	for (i = 1; i < TASKS; i++)
		kt_pid_filter_fork(&filter, task[i - 1], task[i]);
	expect_alive(test, TASKS);
	KUNIT_EXPECT_TRUE(test, filter.had_any);
	for (i = 0; i < TASKS; i++)
		KUNIT_EXPECT_TRUE(test, kt_pid_filter_passes(&filter, task[i]));
	/* in any order; the last one says so, and all stay followed for their last events */
	for (i = 0; i < TASKS; i++)
		KUNIT_EXPECT_EQ(test, session_end(task[(i * 3) % TASKS]), i == TASKS - 1);
	expect_alive(test, 0);
	KUNIT_EXPECT_TRUE(test, kt_pid_filter_passes(&filter, task[5]));
}

static void children_of_others_are_not_followed(struct kunit *test)
{
	struct task_struct *a = make_task(test, 100, 1000), *b = make_task(test, 101, 1000);

	kt_pid_filter_fork(&filter, a, b);
	KUNIT_EXPECT_FALSE(test, kt_pid_filter_passes(&filter, b));
	expect_alive(test, 0);
	KUNIT_EXPECT_FALSE(test, session_end(b));
}

/* An id whose followed process is gone may become anybody's. */
static void an_id_that_comes_again_is_somebody_else(struct kunit *test)
{
	struct task_struct *other = make_task(test, 50, 1000), *task = make_task(test, 100, 1000);
	struct task_struct *again = make_task(test, 100, 1000);

	follow(test, task);
	KUNIT_EXPECT_TRUE(test, session_end(task));
	KUNIT_EXPECT_TRUE(test, kt_pid_filter_passes(&filter, task));
	kt_pid_filter_fork(&filter, other, again);
	KUNIT_EXPECT_FALSE(test, kt_pid_filter_passes(&filter, again));
	KUNIT_EXPECT_FALSE(test, session_end(again));
	expect_alive(test, 0);
}

static void a_process_leaves_with_its_last_thread(struct kunit *test)
{
	struct task_struct *leader = make_task(test, 100, 1000);
	struct task_struct *a = make_thread(test, leader, 101);
	struct task_struct *b = make_thread(test, leader, 102);

	follow(test, leader);
	kt_pid_filter_fork(&filter, leader, a);
	kt_pid_filter_fork(&filter, a, b);
	expect_alive(test, 1);
	KUNIT_EXPECT_TRUE(test, kt_pid_filter_passes(&filter, b));
	KUNIT_EXPECT_FALSE(test, session_end(leader));
	KUNIT_EXPECT_FALSE(test, session_end(a));
	expect_alive(test, 1);
	KUNIT_EXPECT_TRUE(test, session_end(b));
	expect_alive(test, 0);
	/* two threads that both were the last when they looked */
	KUNIT_EXPECT_FALSE(test, kt_pid_filter_leave(&filter, a));
	expect_alive(test, 0);
}

static void any_id_will_do(struct kunit *test)
{
	static const pid_t ids[] = { 1, 63, 64, 65, 32767, 32768, PID_MAX_LIMIT - 1 };
	struct task_struct *task[ARRAY_SIZE(ids)];
	int i;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		task[i] = make_task(test, ids[i], 1000);
		/* 1 is what follow() uses */
		if (ids[i] == 1)
			kt_pid_filter_fork(&filter, make_task(test, 2, 0), task[i]);
		else
			follow(test, task[i]);
		expect_alive(test, i);
	}
	for (i = 1; i < ARRAY_SIZE(ids); i++)
		KUNIT_EXPECT_TRUE(test, kt_pid_filter_passes(&filter, task[i]));
	KUNIT_EXPECT_EQ(test, bitmap_weight(filter.followed, PID_MAX_LIMIT), ARRAY_SIZE(ids) - 1);
}

/* Sessions without privilege: a program that runs as somebody else is left alone. */
static void a_program_of_another_user_is_left(struct kunit *test)
{
	struct task_struct *a = make_task(test, 100, 1000), *b = make_task(test, 101, 1000);

	follow(test, a);
	follow(test, b);
	KUNIT_EXPECT_FALSE(test, kt_pid_filter_exec(&filter, a));
	KUNIT_EXPECT_TRUE(test, kt_pid_filter_passes(&filter, a));
	set_uid(a, 0);
	KUNIT_EXPECT_FALSE(test, kt_pid_filter_exec(&filter, a));
	KUNIT_EXPECT_FALSE(test, kt_pid_filter_passes(&filter, a));
	expect_alive(test, 1);
	set_uid(b, 1001);
	KUNIT_EXPECT_TRUE(test, kt_pid_filter_exec(&filter, b));
	expect_alive(test, 0);
	/* not counted twice when they end */
	KUNIT_EXPECT_FALSE(test, session_end(a));
	KUNIT_EXPECT_FALSE(test, session_end(b));
	expect_alive(test, 0);
}

/* ... and so is one that may more than its user, though it runs as that user. */
static void a_program_with_capabilities_is_left(struct kunit *test)
{
	struct task_struct *task = make_task(test, 100, 1000);
	struct cred *cred = (struct cred *)rcu_access_pointer(task->real_cred);
	const struct cred *before = filter.cred;

	filter.cred = make_task(test, 101, 1000)->real_cred;
	follow(test, task);
	KUNIT_EXPECT_FALSE(test, kt_pid_filter_exec(&filter, task));
	expect_alive(test, 1);
	cap_raise(cred->cap_permitted, CAP_NET_ADMIN);
	KUNIT_EXPECT_TRUE(test, kt_pid_filter_exec(&filter, task));
	KUNIT_EXPECT_FALSE(test, kt_pid_filter_passes(&filter, task));
	expect_alive(test, 0);
	filter.cred = before;
}

/* Events of a restricted session that follows us, @of us; what it gets of them. */
static u32 recorded(struct kunit *test, struct kt_session *s, const struct task_struct *of)
{
	const u64 payload = 0;

	kt_emit(&(struct kt_event){
		.id = KTRACE_EV_LOGEVENT,
		.len = sizeof(payload),
		.payload = &payload,
		.who = of,
	});
	return fix_drain(test, s, NULL, NULL);
}

/* exec() has changed the credentials, and not told yet that there is a new program. */
static void what_exec_does_as_somebody_else_is_hidden(struct kunit *test)
{
#ifdef KT_HAS_IN_EXECVE
	struct task_struct *other = make_task(test, 100, 1000);
	struct kt_session *s = fix_session(test, true);
	const struct cred *before = current->real_cred;

	s->target.filter.any_user = false;
	s->target.filter.owner = KUIDT_INIT(1000);
	set_bit(current->tgid, s->target.filter.followed);
	KUNIT_ASSERT_EQ(test, kt_control_enable(s, KTRACE_EV_LOGEVENT, true), 0);
	KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
	rcu_assign_pointer(current->real_cred, other->real_cred);
	KUNIT_EXPECT_EQ(test, recorded(test, s, current), 1);
	current->in_execve = 1;
	KUNIT_EXPECT_EQ(test, recorded(test, s, current), 1);
	set_uid(other, 1001);
	KUNIT_EXPECT_EQ(test, recorded(test, s, current), 0);
	KUNIT_EXPECT_EQ(test, recorded(test, s, NULL), 1);
	set_bit(other->tgid, s->target.filter.followed);
	KUNIT_EXPECT_EQ(test, recorded(test, s, other), 1);
	s->target.filter.any_user = true;
	KUNIT_EXPECT_EQ(test, recorded(test, s, current), 1);
	current->in_execve = 0;
	rcu_assign_pointer(current->real_cred, before);
	KUNIT_EXPECT_EQ(test, fix_lost(s), 0);
#else
	kunit_skip(test, "this kernel's tasks do not say that they are in exec()");
#endif
}

static void with_privilege_any_user_stays_followed(struct kunit *test)
{
	struct task_struct *task = make_task(test, 100, 0);

	filter.any_user = true;
	follow(test, task);
	KUNIT_EXPECT_FALSE(test, kt_pid_filter_exec(&filter, task));
	KUNIT_EXPECT_TRUE(test, kt_pid_filter_passes(&filter, task));
}

static void all_means_all_and_takes_privilege(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kt_pid_filter_follow_all(&filter), -EPERM);
	KUNIT_EXPECT_FALSE(test, kt_pid_filter_passes(&filter, current));
	filter.any_user = true;
	KUNIT_EXPECT_EQ(test, kt_pid_filter_follow_all(&filter), 0);
	KUNIT_EXPECT_TRUE(test, kt_pid_filter_passes(&filter, current));
	KUNIT_EXPECT_TRUE(test, kt_pid_filter_passes(&filter, make_task(test, 4711, 1)));
	expect_alive(test, 0);
}

static void following_says_why_not(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kt_pid_filter_follow(&filter, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, kt_pid_filter_follow(&filter, -5), -EINVAL);
	KUNIT_EXPECT_EQ(test, kt_pid_filter_follow(&filter, PID_MAX_LIMIT - 1), -ESRCH);
	KUNIT_EXPECT_EQ(test, kt_pid_filter_follow(&filter, S32_MAX), -ESRCH);
	KUNIT_EXPECT_EQ(test, kt_pid_filter_follow(&filter, KTHREADD), -EPERM);
	filter.owner = GLOBAL_ROOT_UID;
	KUNIT_EXPECT_EQ(test, kt_pid_filter_follow(&filter, KTHREADD), 0);
	KUNIT_EXPECT_EQ(test, kt_pid_filter_follow(&filter, KTHREADD), 0);
	expect_alive(test, 1);
}

/* From copy_process() on, before the event of its fork, a process can be found. */
static void who_is_followed_before_the_fork_is_told_stays_followed(struct kunit *test)
{
	struct task_struct *other = make_task(test, 50, 0);
	struct task_struct *task = make_task(test, KTHREADD, 0);

	filter.any_user = true;
	KUNIT_ASSERT_EQ(test, kt_pid_filter_follow(&filter, KTHREADD), 0);
	kt_pid_filter_fork(&filter, other, task);
	KUNIT_EXPECT_TRUE(test, kt_pid_filter_passes(&filter, task));
	expect_alive(test, 1);
	/* as a child of somebody who is followed, too: counted once */
	set_bit(other->tgid, filter.followed);
	kt_pid_filter_fork(&filter, other, task);
	KUNIT_EXPECT_TRUE(test, kt_pid_filter_passes(&filter, task));
	expect_alive(test, 1);
	KUNIT_EXPECT_TRUE(test, session_end(task));
	/* its number is somebody else's from now on */
	clear_bit(other->tgid, filter.followed);
	kt_pid_filter_fork(&filter, other, task);
	KUNIT_EXPECT_FALSE(test, kt_pid_filter_passes(&filter, task));
}

/* One side follows, the other tells of the fork; @go is how often they have begun. */
static struct task_struct *racer, *racer_parent;
static atomic_t go, went;

static int tell_of_forks(void *unused)
{
	int round = 0;

	while (!kthread_should_stop()) {
		if (atomic_read(&go) == round) {
			cond_resched();
			continue;
		}
		round++;
		preempt_disable();
		kt_pid_filter_fork(&filter, racer_parent, racer);
		preempt_enable();
		atomic_set(&went, round);
	}
	return 0;
}

static void following_and_the_fork_at_the_same_time(struct kunit *test)
{
	struct task_struct *thread;
	u32 i, lost = 0;

	filter.any_user = true;
	racer_parent = make_task(test, 50, 0);
	racer = make_task(test, KTHREADD, 0);
	atomic_set(&go, 0);
	atomic_set(&went, 0);
	thread = kthread_run(tell_of_forks, NULL, "ktrace_kunit");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, thread);
	for (i = 1; i <= ROUNDS; i++) {
		/* left behind by a former process */
		set_bit(KTHREADD, filter.followed);
		atomic_set(&go, i);
		lost += kt_pid_filter_follow(&filter, KTHREADD) != 0;
		while (atomic_read(&went) != i)
			cond_resched();
		lost += !kt_pid_filter_passes(&filter, racer);
		session_end(racer);
		atomic_set(&racer->signal->live, 1);
	}
	kthread_stop(thread);
	KUNIT_EXPECT_EQ(test, lost, 0);
	expect_alive(test, 0);
}

/* ---- a process that becomes another program ---- */

/* struct follower - a thread that follows @pid, and what came of it */
struct follower {
	pid_t pid;
	int err;
	struct completion is_done;
};

static int follow_it(void *arg)
{
	struct follower *f = arg;

	f->err = kt_pid_filter_follow(&filter, f->pid);
	complete(&f->is_done);
	return 0;
}

/* As exec() of a program with a set-user-ID bit does it, and back. */
static bool become(uid_t uid)
{
	struct cred *cred = prepare_creds();

	if (!cred)
		return false;
	cred->euid = cred->suid = KUIDT_INIT(uid);
	commit_creds(cred);
	return true;
}

static void who_becomes_another_program_is_looked_at_behind_that(struct kunit *test)
{
	struct follower f = { .pid = current->pid };
	struct task_struct *thread;
	bool is_early, has_become;

	init_completion(&f.is_done);
	filter.owner = GLOBAL_ROOT_UID;
	down_write(&current->signal->exec_update_lock);
	thread = kthread_run(follow_it, &f, "ktrace_kunit");
	is_early = !IS_ERR(thread) && wait_for_completion_timeout(&f.is_done, HZ / 5);
	has_become = become(1000);
	up_write(&current->signal->exec_update_lock);
	if (!IS_ERR(thread) && !is_early)
		wait_for_completion(&f.is_done);
	KUNIT_EXPECT_TRUE(test, become(0));
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, thread);
	KUNIT_EXPECT_TRUE(test, has_become);
	KUNIT_EXPECT_FALSE(test, is_early);
	KUNIT_EXPECT_EQ(test, f.err, -EPERM);
	KUNIT_EXPECT_FALSE(test, test_bit(current->tgid, filter.followed));
	expect_alive(test, 0);
}

/* ---- concurrency ---- */

static struct task_struct *crowd[THREADS_MAX][TASKS];
static struct task_struct *crowd_parent;
static atomic_t last_ones, through_nr;

/* Each has ids of its own, in the same words of the bit maps as the others'. */
static int come_and_go(void *arg)
{
	struct task_struct **mine = arg;
	u32 random = (u32)(unsigned long)arg, i;
	struct task_struct *task;

	for (i = 0; i < ROUNDS; i++) {
		random = random * 1664525u + 1013904223u;
		task = mine[(random >> 8) % TASKS];
		preempt_disable();
		if (!atomic_read(&task->signal->live)) {
			atomic_set(&task->signal->live, 1);
			kt_pid_filter_fork(&filter, crowd_parent, task);
		} else if (random >> 31) {
			atomic_add(session_end(task), &last_ones);
		} else {
			set_uid(task, random >> 30 ? 1000 : 0);
			atomic_add(kt_pid_filter_exec(&filter, task), &last_ones);
		}
		preempt_enable();
	}
	for (i = 0; i < TASKS; i++)
		if (atomic_read(&mine[i]->signal->live))
			atomic_add(session_end(mine[i]), &last_ones);
	atomic_inc(&through_nr);
	while (!kthread_should_stop())
		schedule_timeout_uninterruptible(1);
	return 0;
}

static void the_count_is_right_whoever_comes_and_goes(struct kunit *test)
{
	struct task_struct *threads[THREADS_MAX];
	u32 i, j, started = 0, nr = min_t(u32, 2 * num_online_cpus(), THREADS_MAX);

	crowd_parent = make_task(test, 1, 1000);
	set_bit(1, filter.followed);
	atomic_set(&last_ones, 0);
	atomic_set(&through_nr, 0);
	for (i = 0; i < nr; i++)
		for (j = 0; j < TASKS; j++) {
			crowd[i][j] = make_task(test, 128 + j * nr + i, 1000);
			atomic_set(&crowd[i][j]->signal->live, 0);
		}
	for (i = 0; i < nr; i++)
		threads[i] = kthread_run(come_and_go, crowd[i], "ktrace_kunit/%u", i);
	for (i = 0; i < nr; i++)
		started += !IS_ERR(threads[i]);
	while (atomic_read(&through_nr) < started)	/* who is stopped too early never runs */
		schedule_timeout_uninterruptible(1);
	for (i = 0; i < nr; i++)
		if (!IS_ERR(threads[i]))
			kthread_stop(threads[i]);
	expect_alive(test, 0);
	KUNIT_EXPECT_GT(test, atomic_read(&last_ones), 0);
}

/* ---- real processes ---- */

static int wait_until_stopped(void *unused)
{
	set_current_state(TASK_INTERRUPTIBLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_INTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/* kthread_stop() returns before the thread has come to its exit event. */
static bool wait_until_left(const struct kt_pid_filter *f, pid_t tgid)
{
	int i;

	for (i = 0; i < ROUNDS && test_bit(tgid, f->alive); i++)
		schedule_timeout_uninterruptible(1);
	return !test_bit(tgid, f->alive);
}

static void forks_and_exits_of_the_kernel_are_seen(struct kunit *test)
{
	struct kt_session *s = fix_session(test, true);
	struct task_struct *threads[TASKS];
	int i;

	KUNIT_ASSERT_EQ(test, kt_control_follow(s, KTHREADD), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->target.filter.alive_nr), 1);
	for (i = 0; i < TASKS; i++) {
		threads[i] = kthread_run(wait_until_stopped, NULL, "ktrace_kunit/%d", i);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, threads[i]);
		get_task_struct(threads[i]);
		KUNIT_EXPECT_TRUE(test, kt_pid_filter_passes(&s->target.filter, threads[i]));
		KUNIT_EXPECT_TRUE(test, test_bit(threads[i]->tgid, s->target.filter.alive));
	}
	KUNIT_EXPECT_GE(test, atomic_read(&s->target.filter.alive_nr), 1 + TASKS);
	for (i = 0; i < TASKS; i++) {
		kthread_stop(threads[i]);
		KUNIT_EXPECT_TRUE(test, wait_until_left(&s->target.filter, threads[i]->tgid));
		put_task_struct(threads[i]);
	}
	KUNIT_EXPECT_EQ(test, bitmap_weight(s->target.filter.alive, PID_MAX_LIMIT),
			atomic_read(&s->target.filter.alive_nr));
}

static struct kunit_case filter_cases[] = {
	KUNIT_CASE(a_new_filter_is_empty),
	KUNIT_CASE(children_are_followed_grandchildren_too),
	KUNIT_CASE(children_of_others_are_not_followed),
	KUNIT_CASE(an_id_that_comes_again_is_somebody_else),
	KUNIT_CASE(a_process_leaves_with_its_last_thread),
	KUNIT_CASE(any_id_will_do),
	KUNIT_CASE(a_program_of_another_user_is_left),
	KUNIT_CASE(a_program_with_capabilities_is_left),
	KUNIT_CASE(what_exec_does_as_somebody_else_is_hidden),
	KUNIT_CASE(with_privilege_any_user_stays_followed),
	KUNIT_CASE(all_means_all_and_takes_privilege),
	KUNIT_CASE(following_says_why_not),
	KUNIT_CASE(who_is_followed_before_the_fork_is_told_stays_followed),
	KUNIT_CASE(following_and_the_fork_at_the_same_time),
	KUNIT_CASE(who_becomes_another_program_is_looked_at_behind_that),
	KUNIT_CASE(the_count_is_right_whoever_comes_and_goes),
	KUNIT_CASE(forks_and_exits_of_the_kernel_are_seen),
	{ }
};

static struct kunit_suite filter_suite = {
	.name = "ktrace_pid_filter",
	.init = set_up,
	.exit = tear_down,
	.test_cases = filter_cases,
};

kunit_test_suite(filter_suite);
