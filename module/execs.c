// SPDX-License-Identifier: GPL-2.0
/*
 * execs.c - programs that the descendants of a process execute
 *
 * A session's owner asks, one by one, for the programs that its descendants have executed, and for
 * what could keep them from being recorded: KTRACE_IOC_EXEC. Each program is examined in its own
 * context before it runs, because it may be gone a moment later.
 *
 *   sched_process_exec --> execs_on_exec() --> an entry in the queue of each watcher above
 *   a writer maps rings --> kt_execs_attached() --> one in the queue of its session
 *   owner --> kt_execs_next()
 *
 * A full queue keeps its entries, and counts further programs as lost.
 */
#include "execs.h"
#include <linux/binfmts.h>
#include <linux/capability.h>
#include <linux/elf.h>
#include <linux/fs_struct.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/nsproxy.h>
#include <linux/path.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/resource.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <trace/events/sched.h>
#include "compat.h"
#include "find.h"
#include "probe.h"

enum {
	EXECS_MAX = 512,	/* in a queue: a power of two */
	PARENTS_MAX = 1024,	/* between a program and its watcher */
	ENVIRONMENT_MAX = 65536, /* bytes that are looked at, with preemption off */
};

#define NOT_LOOKED_AT U32_MAX	/* all flags at once, which no environment has */

/**
 * struct kt_execs - what one session watches
 * @node:	in watches
 * @watcher:	process whose descendants are watched
 * @owner:	user of the session
 * @for_all:	programs of any user may attach to it
 * @root:	the watcher's root folder when it began
 * @mounts:	its mount namespace; compared only
 * @lock:	protects the members below
 * @first:	oldest program, counted without end
 * @end:	one after the newest program
 * @lost:	programs that could not be queued
 * @queue:	the programs
 */
struct kt_execs {
	struct list_head node;
	struct pid *watcher;
	kuid_t owner;
	bool for_all;
	struct path root;
	const void *mounts;
	raw_spinlock_t lock;
	u32 first;
	u32 end;
	u64 lost;
	struct ktrace_exec queue[EXECS_MAX];
};

/* Changed under watches_lock, read under RCU. The probe is registered while there is any. */
static LIST_HEAD(watches);
static DEFINE_MUTEX(watches_lock);

static struct tracepoint *process_exec;

/* ---- properties of a program ---- */

/**
 * struct scan - an environment, byte by byte
 * @at:		offset in the current variable
 * @is_session:	the variable is KTRACE_SESSION, as far as it has been read
 * @is_preload:	the same for LD_PRELOAD
 * @found:	bytes of the library's name that match so far
 * @has_session: there is a KTRACE_SESSION
 * @has_library: there is an LD_PRELOAD with the library
 */
struct scan {
	u32 at;
	bool is_session;
	bool is_preload;
	u32 found;
	bool has_session;
	bool has_library;
};

static void begin_variable(struct scan *s)
{
	s->at = 0;
	s->is_session = true;
	s->is_preload = true;
	s->found = 0;
}

static void scan_byte(struct scan *s, char c)
{
	static const char session[] = "KTRACE_SESSION=", preload[] = "LD_PRELOAD=";
	static const char library[] = "libktrace-pthread";	/* has its first letter only once */

	if (!c) {
		begin_variable(s);
		return;
	}
	if (s->at < sizeof(session) - 1)
		s->is_session &= c == session[s->at];
	if (s->at == sizeof(session) - 2)
		s->has_session |= s->is_session;
	if (s->at < sizeof(preload) - 1) {
		s->is_preload &= c == preload[s->at];
	} else if (s->is_preload) {
		s->found = c == library[s->found] ? s->found + 1 : c == library[0];
		if (!library[s->found]) {
			s->has_library = true;
			s->found = 0;
		}
	}
	s->at++;
}

/*
 * Scans the environment. exec() has just written it, so its pages are present; missing ones are not
 * waited for.
 */
static u32 look_at_environment(const struct mm_struct *mm)
{
	const unsigned long begin = mm->env_start, size = mm->env_end - begin;
	unsigned long at, n;
	struct scan s = { };
	char part[64];
	u32 i;

	if (begin >= mm->env_end)
		return KTRACE_EXEC_EMPTY;
	begin_variable(&s);
	for (at = 0; at < size && at < ENVIRONMENT_MAX; at += n) {
		n = min(size - at, sizeof(part));
		if (copy_from_user_nofault(part, (void __user *)(begin + at), n))
			break;
		for (i = 0; i < n; i++)
			scan_byte(&s, part[i]);
	}
	if (at < size && !(s.has_session && s.has_library))
		return KTRACE_EXEC_UNREAD;
	return (s.has_session ? 0 : KTRACE_EXEC_NO_SESSION) |
	       (s.has_library ? 0 : KTRACE_EXEC_NO_LIBRARY);
}

/* True if there is no dynamic linker: its address, AT_BASE of the auxiliary vector, is 0. */
static bool is_static(const struct mm_struct *mm)
{
	const unsigned long *word = mm->saved_auxv;
	const u32 *half = (const u32 *)mm->saved_auxv;
	u32 i;

	if (!kt_arch_is_64bit(task_pt_regs(current))) {
		for (i = 0; i + 1 < AT_VECTOR_SIZE && half[i]; i += 2)
			if (half[i] == AT_BASE)
				return !half[i + 1];
		return false;
	}
	for (i = 0; i + 1 < AT_VECTOR_SIZE && word[i]; i += 2)
		if (word[i] == AT_BASE)
			return !word[i + 1];
	return false;
}

/* Fills in what is reported about current in any case */
static void execs_begin(const struct kt_execs *w, struct ktrace_exec *e)
{
	*e = (struct ktrace_exec){
		.size = sizeof(*e),
		.pid = pid_nr_ns(task_tgid(current), ns_of_pid(w->watcher)),
		.limit = ~0ull,
	};
	memcpy(e->comm, current->comm, sizeof(e->comm));
}

/* @environment: what look_at_environment() found, NOT_LOOKED_AT before the first watch wants it */
static void execs_describe(const struct kt_execs *w, const struct linux_binprm *bprm,
			   u32 *environment, struct ktrace_exec *e)
{
	const struct mm_struct *mm = current->mm;
	const struct fs_struct *fs = current->fs;

	execs_begin(w, e);
	if (strscpy(e->name, bprm->filename, sizeof(e->name)) < 0)
		e->flags |= KTRACE_EXEC_CUT;
	if (current->nsproxy->mnt_ns != w->mounts)
		e->flags |= KTRACE_EXEC_MOUNTS;
	/* In another namespace the same folder has another mount. */
	if (READ_ONCE(fs->root.dentry) != w->root.dentry ||
	    (READ_ONCE(fs->root.mnt) != w->root.mnt && !(e->flags & KTRACE_EXEC_MOUNTS)))
		e->flags |= KTRACE_EXEC_ROOT;
	if (!w->for_all && !uid_eq(current_uid(), w->owner))
		e->flags |= KTRACE_EXEC_USER;
	if (bprm->secureexec)
		e->flags |= KTRACE_EXEC_SECURE;
	if (e->flags & (KTRACE_EXEC_USER | KTRACE_EXEC_SECURE))
		return;		/* no more about a program that is not the owner's */
	if (*environment == NOT_LOOKED_AT)
		*environment = look_at_environment(mm);
	e->flags |= *environment | (is_static(mm) ? KTRACE_EXEC_STATIC : 0);
	if (rlimit(RLIMIT_AS) != RLIM_INFINITY)
		e->limit = rlimit(RLIMIT_AS);
	e->used = (u64)mm->total_vm << PAGE_SHIFT;
}

/* ---- watchers ---- */

enum kin { STRANGER, DESCENDANT, TOO_FAR };

static enum kin kin_of(const struct pid *watcher)
{
	const struct task_struct *task = current;
	u32 i;

	for (i = 0; i < PARENTS_MAX && task->pid; i++) {
		/* ORD(kin_of:A) pairs the kernel's: a parent is seen whole */
		task = rcu_dereference(task->real_parent);
		if (task_tgid((struct task_struct *)task) == watcher)
			return DESCENDANT;
	}
	return task->pid ? TOO_FAR : STRANGER;
}

/* Queues a program. @e: NULL: it is only counted as lost */
static void execs_put(struct kt_execs *w, const struct ktrace_exec *e)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&w->lock, flags);
	if (e && w->end - w->first < EXECS_MAX)
		w->queue[w->end++ % EXECS_MAX] = *e;
	else
		w->lost++;
	raw_spin_unlock_irqrestore(&w->lock, flags);
}

static void execs_on_exec(void *data, struct task_struct *p, pid_t old_pid,
			  struct linux_binprm *bprm)
{
	u32 environment = NOT_LOOKED_AT;
	struct ktrace_exec e;
	struct kt_execs *w;
	enum kin kin;

	rcu_read_lock();
	list_for_each_entry_rcu(w, &watches, node) {
		kin = kin_of(w->watcher);
		if (kin == DESCENDANT)
			execs_describe(w, bprm, &environment, &e);
		if (kin != STRANGER)
			execs_put(w, kin == DESCENDANT ? &e : NULL);
	}
	rcu_read_unlock();
}

/** kt_execs_attached - report that current is a writer of the session. Context: any */
void kt_execs_attached(struct kt_execs *w)
{
	struct ktrace_exec e;

	execs_begin(w, &e);
	e.flags = KTRACE_EXEC_ATTACHED;
	execs_put(w, &e);
}

/** kt_execs_bytes - memory that a watch takes, to be charged to the session */
u32 kt_execs_bytes(void)
{
	return sizeof(struct kt_execs);
}

static int execs_add(struct kt_execs *w)
{
	int err = 0;

	mutex_lock(&watches_lock);
	if (list_empty(&watches))
		err = tracepoint_probe_register(process_exec, execs_on_exec, NULL);
	if (!err)
		list_add_rcu(&w->node, &watches);
	mutex_unlock(&watches_lock);
	return err;
}

/**
 * kt_execs_watch - begin to report what the descendants of the calling process execute
 * @owner:	user of the session
 * @for_all:	programs of any user may attach to it. Ignored without CAP_SYS_ADMIN: programs of
 *		other users are then reported as such, without looking into them
 * @out:	for kt_execs_next() and kt_execs_end()
 *
 * Context: process, sleeps.
 * Return: 0; -EOPNOTSUPP this kernel has no such tracepoint; -ENOMEM.
 */
int kt_execs_watch(kuid_t owner, bool for_all, struct kt_execs **out)
{
	struct kt_execs *w;
	int err;

	if (!process_exec)
		return -EOPNOTSUPP;
	w = __vmalloc(sizeof(*w), GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (!w)
		return -ENOMEM;
	w->owner = owner;
	w->for_all = for_all && capable(CAP_SYS_ADMIN);
	w->watcher = get_task_pid(current, PIDTYPE_TGID);
	get_fs_root(current->fs, &w->root);
	w->mounts = current->nsproxy->mnt_ns;
	raw_spin_lock_init(&w->lock);
	err = execs_add(w);
	if (err) {
		path_put(&w->root);
		put_pid(w->watcher);
		vfree(w);
		return err;
	}
	*out = w;
	return 0;
}

/**
 * kt_execs_next - take the oldest program out of the queue
 * @w:		the watch
 * @out:	out: the program, or KTRACE_EXEC_NONE; and how many were lost
 *
 * Context: process.
 */
void kt_execs_next(struct kt_execs *w, struct ktrace_exec *out)
{
	*out = (struct ktrace_exec){ .size = sizeof(*out), .flags = KTRACE_EXEC_NONE };
	raw_spin_lock_irq(&w->lock);
	if (w->first != w->end)
		*out = w->queue[w->first++ % EXECS_MAX];
	out->lost = w->lost;
	raw_spin_unlock_irq(&w->lock);
}

/** kt_execs_end - end a watch. Context: process, sleeps */
void kt_execs_end(struct kt_execs *w)
{
	mutex_lock(&watches_lock);
	list_del_rcu(&w->node);
	if (list_empty(&watches))
		WARN_ON_ONCE(tracepoint_probe_unregister(process_exec, execs_on_exec, NULL));
	mutex_unlock(&watches_lock);
	kt_probe_quiesce();
	path_put(&w->root);
	put_pid(w->watcher);
	vfree(w);
}

/** kt_execs_init - find the tracepoint. Context: loading, sleeps */
void kt_execs_init(void)
{
	check_trace_callback_type_sched_process_exec(execs_on_exec);
	process_exec = kt_find_tracepoint("sched_process_exec");
}
