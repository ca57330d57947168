// SPDX-License-Identifier: GPL-2.0
/*
 * pid_filter.c - which processes a session follows
 *
 * Invariant: alive_nr is the number of bits in alive; whoever changes a bit changes
 * the count. A process leaves when its last thread passes do_exit(); its followed
 * bit stays, so that the exit events of all its threads are still recorded.
 */
#include "pid_filter.h"
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/pid.h>
#include <linux/rwsem.h>
#include <linux/sched/coredump.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/user_namespace.h>
#include <linux/vmalloc.h>
#include "access.h"
#include "compat.h"

/**
 * kt_pid_filter_init - an empty set
 * @f:		the filter
 * @owner:	user of the session
 * @any_user:	may processes of other users be followed?
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

/** kt_pid_filter_exit - give the memory back; nobody uses the filter any more */
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
	 * before signal->live is read; do_exit() counts live down before it looks here. followed
	 * is set behind it. Atomic operations that return something are full barriers.
	 */
	if (!test_and_set_bit(tgid, f->alive)) {
		atomic_inc(&f->alive_nr);
		/* ORD(enter:B) pairs ORD(has_hung_up:A): counted before there was one */
		smp_store_release(&f->had_any, true);
	}
	set_bit(tgid, f->followed);
}

static bool is_live(const struct task_struct *task)
{
	return atomic_read(&task->signal->live);
}

/* True when nobody is left. */
static bool pid_filter_leave(struct kt_pid_filter *f, pid_t tgid)
{
	/* ORD(leave:A) pairs ORD(enter:A): signal->live is counted down before */
	return test_and_clear_bit(tgid, f->alive) && atomic_dec_and_test(&f->alive_nr);
}

/*
 * If the last thread came past kt_pid_filter_leave() before pid_filter_enter(), nobody would count
 * down; and the number, which may be another process's by now, would stay followed.
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

/* Nobody else's, and not running as somebody else: set-user-ID and set-group-ID programs. */
static bool runs_as_owner(const struct kt_pid_filter *f, const struct cred *cred)
{
	return uid_eq(cred->uid, f->owner) && uid_eq(cred->euid, f->owner) &&
	       uid_eq(cred->suid, f->owner) && gid_eq(cred->egid, cred->gid) &&
	       gid_eq(cred->sgid, cred->gid);
}

/* A user namespace that the owner has made: all that is in it is the owner's. */
static bool is_owners_ns(const struct kt_pid_filter *f, const struct user_namespace *ns)
{
	for (; ns->parent; ns = ns->parent)
		if (ns->parent == f->cred->user_ns && uid_eq(ns->owner, f->owner))
			return true;
	return false;
}

/* Nor capable of more than the owner: programs with file capabilities. As ptrace(2) has it. */
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

/* As exec() marks a program that its user may run but not read. */
static bool is_secret(const struct mm_struct *mm)
{
	return mm && get_dumpable((struct mm_struct *)mm) != SUID_DUMP_USER;
}

/* exec() says where the code begins when it writes to the new memory no more. */
static bool is_filled_by_exec(const struct mm_struct *mm)
{
	return mm && !mm->start_code;
}

/**
 * kt_pid_filter_shows - may the owner see what @task does now?
 * @f:		the filter
 * @task:	any task
 *
 * exec() changes the credentials before it tells of the new program, and touches the new program's
 * memory in between. So a followed task is not shown from the change on, if kt_pid_filter_exec() is
 * going to leave it; nor while exec() fills the memory of a program that may not be read.
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
	       !(is_filled_by_exec(current->mm) && is_secret(current->mm));
}

/**
 * kt_pid_filter_follow_all - let everything pass
 * @f:		the filter
 *
 * Context: any.
 * Return: 0; -EPERM when other users' processes are not for this session.
 */
int kt_pid_filter_follow_all(struct kt_pid_filter *f)
{
	if (!f->any_user)
		return -EPERM;
	WRITE_ONCE(f->all, true);
	return 0;
}

/*
 * The same, if the owner may look at it. Until then it does not become another program: one that
 * did so behind the check, and had told of it before the bit was set, would stay followed.
 */
static int follow_owners(struct kt_pid_filter *f, struct task_struct *task)
{
	struct rw_semaphore *exec_lock = &task->signal->exec_update_lock;
	int err;

	if (!kt_access_may(f->cred, task))
		return is_live(task) ? -EPERM : -ESRCH;
	err = down_read_killable(exec_lock);
	if (err)
		return err;
	/* It may have been killed, and its number given away, in the meantime. */
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
 * The bit that a former process of this number left behind means nothing any more. But the new one
 * can be found before its fork is told, so somebody may have followed it already.
 */
static void forget_former(struct kt_pid_filter *f, pid_t tgid)
{
	if (test_bit(tgid, f->alive))
		return;
	clear_bit(tgid, f->followed);
	/*
	 * ORD(forget_former:A) pairs ORD(enter:A): cleared before alive is read. Whoever sets alive
	 * too late to be seen here sets followed later still.
	 */
	smp_mb__after_atomic();
	if (test_bit(tgid, f->alive))
		set_bit(tgid, f->followed);
}

/**
 * kt_pid_filter_fork - a task has been made; it has not run yet
 * @f:		the filter
 * @parent:	who made it
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
 * kt_pid_filter_exec - a new program: leave it alone if it runs as somebody else or may not be read
 * @f:		the filter
 * @task:	current
 *
 * Context: preemption off.
 * Return: true when nobody is left in the set.
 */
bool kt_pid_filter_exec(struct kt_pid_filter *f, const struct task_struct *task)
{
	if (f->any_user || !test_bit(task->tgid, f->followed))
		return false;
	if (is_owners(f, task) && !is_secret(task->mm))
		return false;
	clear_bit(task->tgid, f->followed);
	return pid_filter_leave(f, task->tgid);
}

/**
 * kt_pid_filter_leave - a thread exits
 * @f:		the filter
 * @task:	the thread
 *
 * Context: preemption off.
 * Return: true when nobody is left in the set.
 */
bool kt_pid_filter_leave(struct kt_pid_filter *f, const struct task_struct *task)
{
	return !is_live(task) && pid_filter_leave(f, task->tgid);
}
