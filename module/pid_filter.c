// SPDX-License-Identifier: GPL-2.0
/*
 * pid_filter.c - which processes a session follows
 *
 * Invariant: alive_nr is the number of bits in alive; code that changes a bit changes the count. A
 * process leaves when its last thread passes do_exit(); its followed bit stays, so that the exit
 * events of all its threads are still recorded.
 */
#include "pid_filter.h"
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/pid.h>
#include <linux/rwsem.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/user_namespace.h>
#include <linux/vmalloc.h>
#include "access.h"
#include "compat.h"

/**
 * kt_pid_filter_init - make an empty set
 * @f:		the filter
 * @owner:	user of the session
 * @any_user:	processes of other users may be followed
 *
 * Context: process, sleeps.
 * Return: 0; -ENOMEM.
 */
int kt_pid_filter_init(struct kt_pid_filter *f, kuid_t owner, bool any_user)
{
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN;
	unsigned long *bits = __vmalloc(KT_PID_FILTER_BYTES, gfp);

	if (!bits)
		return -ENOMEM;
	f->owner = owner;
	f->cred = get_current_cred();
	f->any_user = any_user;
	f->alive = bits + BITS_TO_LONGS(PID_MAX_LIMIT);
	f->followed = bits;
	return 0;
}

/** kt_pid_filter_exit - free the memory; the filter is no longer in use */
void kt_pid_filter_exit(struct kt_pid_filter *f)
{
	if (f->cred)
		put_cred(f->cred);
	vfree(f->followed);
}

static void pid_filter_enter(struct kt_pid_filter *f, pid_t tgid)
{
	/*
	 * ORD(enter:A) pairs ORD(leave:A), ORD(forget_former:A): in follow_task() the bit is set
	 * before signal->live is read; do_exit() counts live down before it looks at the bit.
	 * followed is set after alive. Atomic operations that return a value are full barriers.
	 */
	if (!test_and_set_bit(tgid, f->alive)) {
		atomic_inc(&f->alive_nr);
		/* ORD(enter:B) pairs ORD(has_hung_up:A): alive_nr is counted before had_any */
		smp_store_release(&f->had_any, true);
	}
	set_bit(tgid, f->followed);
}

static bool is_live(const struct task_struct *task)
{
	return atomic_read(&task->signal->live);
}

/* Takes a process out; returns true if none is left. */
static bool pid_filter_leave(struct kt_pid_filter *f, pid_t tgid)
{
	/* ORD(leave:A) pairs ORD(enter:A): signal->live is counted down before */
	return test_and_clear_bit(tgid, f->alive) && atomic_dec_and_test(&f->alive_nr);
}

/*
 * Follows a process, unless it is exiting. If its last thread had passed kt_pid_filter_leave()
 * before pid_filter_enter(), nothing would count it down; and its id, which may be another
 * process's by now, would stay followed.
 */
static int follow_task(struct kt_pid_filter *f, const struct task_struct *task)
{
	const bool was_followed = test_bit(task->tgid, f->followed);

	pid_filter_enter(f, task->tgid);
	if (is_live(task))
		return 0;
	if (!was_followed)
		clear_bit(task->tgid, f->followed);
	pid_filter_leave(f, task->tgid);
	return -ESRCH;
}

/*
 * True if all user ids are the owner's, and all group ids are the same: not for set-user-ID and
 * set-group-ID programs.
 */
static bool runs_as_owner(const struct kt_pid_filter *f, const struct cred *cred)
{
	return uid_eq(cred->uid, f->owner) && uid_eq(cred->euid, f->owner) &&
	       uid_eq(cred->suid, f->owner) && gid_eq(cred->egid, cred->gid) &&
	       gid_eq(cred->sgid, cred->gid);
}

/*
 * True for a user namespace that the owner has created, and those below it: everything in it is the
 * owner's.
 */
static bool is_owners_ns(const struct kt_pid_filter *f, const struct user_namespace *ns)
{
	for (; ns->parent; ns = ns->parent)
		if (ns->parent == f->cred->user_ns && uid_eq(ns->owner, f->owner))
			return true;
	return false;
}

/*
 * True if the credentials are the owner's, with no more capabilities than the owner has: not for
 * programs with file capabilities. Same rule as ptrace(2).
 */
static bool may_be_owners(const struct kt_pid_filter *f, const struct cred *cred)
{
	return runs_as_owner(f, cred) &&
	       (cred->user_ns == f->cred->user_ns ?
		cap_issubset(cred->cap_permitted, f->cred->cap_permitted) :
		is_owners_ns(f, cred->user_ns));
}

static bool is_owners(const struct kt_pid_filter *f, const struct task_struct *task)
{
	bool is;

	rcu_read_lock();
	is = may_be_owners(f, __task_cred(task));
	rcu_read_unlock();
	return is;
}

/* True if exec() has marked the program as one that its user may run but not read. */
static bool is_secret(const struct task_struct *task)
{
	return task->mm && !kt_compat_is_dumpable(task);
}

/* True while exec() writes to the new memory: it sets start_code afterwards. */
static bool is_filled_by_exec(const struct mm_struct *mm)
{
	return mm && !mm->start_code;
}

/**
 * kt_pid_filter_shows - true if the owner may see what @task does now
 * @f:		the filter
 * @task:	any task
 *
 * exec() changes the credentials before it reports the new program, and touches the new program's
 * memory in between. So a followed task is hidden from the change on if kt_pid_filter_exec() is
 * going to leave it; and also while exec() fills the memory of a program that may not be read.
 *
 * Context: any, preemption off.
 */
bool kt_pid_filter_shows(const struct kt_pid_filter *f, const struct task_struct *task)
{
	if (!kt_pid_filter_passes(f, task))
		return false;
	if (f->any_user || task != current || !kt_compat_is_in_exec(task_pt_regs(current)))
		return true;
	return may_be_owners(f, current_real_cred()) &&
	       !(is_filled_by_exec(current->mm) && is_secret(current));
}

/**
 * kt_pid_filter_follow_all - let everything pass
 * @f:		the filter
 *
 * Context: any.
 * Return: 0; -EPERM if this session may not follow other users' processes.
 */
int kt_pid_filter_follow_all(struct kt_pid_filter *f)
{
	if (!f->any_user)
		return -EPERM;
	WRITE_ONCE(f->all, true);
	return 0;
}

/*
 * Follows a process that the owner may look into. It cannot execute another program between the
 * check and the bit: one that did so, and had reported it before the bit was set, would stay
 * followed. The check itself needs locks that others take before that of exec.
 */
static int follow_owners(struct kt_pid_filter *f, struct task_struct *task)
{
	struct rw_semaphore *exec_lock = &task->signal->exec_update_lock;
	bool is_checked = false;
	u64 program = 0;
	int err;

	while (!(err = down_read_killable(exec_lock))) {
		if (is_checked && program == task->self_exec_id)
			break;
		program = task->self_exec_id;
		up_read(exec_lock);
		if (!kt_access_may(f->cred, task))
			return is_live(task) ? -EPERM : -ESRCH;
		is_checked = true;
	}
	if (err)
		return err;
	/* It may have been killed, and its id reused, in the meantime. */
	if (!is_live(task))
		err = -ESRCH;
	else
		err = is_owners(f, task) ? follow_task(f, task) : -EPERM;
	up_read(exec_lock);
	return err;
}

/**
 * kt_pid_filter_follow - follow a process and what it will fork
 * @f:		the filter; fork and exit are being tracked already
 * @pid:	id of any of its threads, in the caller's pid namespace
 *
 * Context: process, sleeps.
 * Return: 0; -EINVAL; -ESRCH no such process, or exiting; -EPERM another user's, or one
 * that may not be looked into; -EINTR killed.
 */
int kt_pid_filter_follow(struct kt_pid_filter *f, pid_t pid)
{
	struct task_struct *task;
	int err;

	if (pid <= 0)
		return -EINVAL;
	rcu_read_lock();
	task = pid_task(find_vpid(pid), PIDTYPE_PID);
	if (task)
		get_task_struct(task);
	rcu_read_unlock();
	if (!task)
		return -ESRCH;
	if (!is_live(task))
		err = -ESRCH;
	else
		err = f->any_user ? follow_task(f, task) : follow_owners(f, task);
	put_task_struct(task);
	return err;
}

/*
 * Clears the bit that a former process of this id has left. But the new process can be found before
 * its fork is reported, so it may have been followed already.
 */
static void forget_former(struct kt_pid_filter *f, pid_t tgid)
{
	if (test_bit(tgid, f->alive))
		return;
	clear_bit(tgid, f->followed);
	/*
	 * ORD(forget_former:A) pairs ORD(enter:A): followed is cleared before alive is read. If
	 * pid_filter_enter() sets alive too late to be seen here, it sets followed later still.
	 */
	smp_mb__after_atomic();
	if (test_bit(tgid, f->alive))
		set_bit(tgid, f->followed);
}

/**
 * kt_pid_filter_fork - update the filter for a new task, which has not run yet
 * @f:		the filter
 * @parent:	the task that made it
 * @child:	the task, possibly a thread
 *
 * Context: preemption off.
 */
void kt_pid_filter_fork(struct kt_pid_filter *f, const struct task_struct *parent,
			const struct task_struct *child)
{
	if (child->tgid == parent->tgid)
		return;
	if (test_bit(parent->tgid, f->followed))
		pid_filter_enter(f, child->tgid);
	else
		forget_former(f, child->tgid);
}

/**
 * kt_pid_filter_exec - stop following a new program that runs as another user or may not be read
 * @f:		the filter
 * @task:	current
 *
 * Context: preemption off.
 * Return: true if no followed process is left.
 */
bool kt_pid_filter_exec(struct kt_pid_filter *f, const struct task_struct *task)
{
	if (f->any_user || !test_bit(task->tgid, f->followed))
		return false;
	if (is_owners(f, task) && !is_secret(task))
		return false;
	clear_bit(task->tgid, f->followed);
	return pid_filter_leave(f, task->tgid);
}

/**
 * kt_pid_filter_leave - stop following a process whose last thread exits
 * @f:		the filter
 * @task:	the thread
 *
 * Context: preemption off.
 * Return: true if no followed process is left.
 */
bool kt_pid_filter_leave(struct kt_pid_filter *f, const struct task_struct *task)
{
	return !is_live(task) && pid_filter_leave(f, task->tgid);
}
