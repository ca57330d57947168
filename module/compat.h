/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat.h - differences between kernel versions, as functions with our names
 *
 * The rest of the module is written for the newest kernel. Neither checks versions, because
 * distributions backport changes: what the kernel has is told by types and macros, and by Kbuild's
 * KT_HAS_..., which it finds in the kernel's headers.
 */
#ifndef KT_COMPAT_H
#define KT_COMPAT_H

#include <linux/cgroup.h>
#include <linux/compat.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mount.h>
#include <linux/path.h>
#include <linux/percpu_counter.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/coredump.h>
#ifdef KT_HAS_EXEC_STATE
#include <linux/sched/exec_state.h>
#endif
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include <asm/syscall.h>
#include <trace/events/task.h>
#include "arch/arch.h"

/* Tracepoints page_fault_user and page_fault_kernel: no longer x86's own since 6.16 */
#ifdef KT_ARCH_HAS_FAULTS
#ifdef KT_HAS_TRACE_EXCEPTIONS
#include <trace/events/exceptions.h>
#else
#include <asm/trace/exceptions.h>
#endif
#endif

/* Older kernels call it in_irq(), until 5.11. */
#ifndef in_hardirq
#define in_hardirq() in_irq()
#endif

/* True if this tracepoint passes these arguments after the data pointer. */
#define KT_COMPAT_PASSES(tracepoint, ...)                               \
	__same_type(check_trace_callback_type_##tracepoint,             \
		    void (void (*)(void *, __VA_ARGS__)))

/*
 * 1 if a function may be called with arguments that it does not have; 0 if the kernel compares the
 * type of a function with that of the call.
 */
#if defined(CONFIG_CFI) || defined(CONFIG_CFI_CLANG)
#define KT_COMPAT_ANY_ARGUMENTS 0
#else
#define KT_COMPAT_ANY_ARGUMENTS 1
#endif

/* Waits for readers by RCU after tracepoint_synchronize_unregister(), which may have done so. */
static inline void kt_compat_synchronize_rcu(void)
{
#ifndef KT_HAS_TRACEPOINT_RCU
	synchronize_rcu();
#endif
}

/*
 * Mapped pages are charged to the group of the process that makes them, except where a page cannot
 * be both: until 5.10 the mark of a charged page was in the count of its mappings.
 */
#ifdef KT_HAS_KMEMCG_TYPE
#define KT_COMPAT_GFP_MAPPED GFP_KERNEL
#else
#define KT_COMPAT_GFP_MAPPED GFP_KERNEL_ACCOUNT
#endif

/*
 * Waits until all tracepoint hits that had begun are over. Probes run with preemption off, those of
 * system calls only until 6.12, and none in 7.3.
 */
static inline void kt_compat_finish_hits(void)
{
#ifdef TRACE_EVENT_SYSCALL
	tracepoint_synchronize_unregister();
#else
	synchronize_rcu_expedited();
#endif
}

/* Returns the pages of a process, as exactly as the kernel can count them for us. */
static inline long kt_compat_rss(struct mm_struct *mm, int member)
{
	/* Counters of each CPU since 6.2 */
	if (__same_type(mm->rss_stat, struct percpu_counter[NR_MM_COUNTERS]))
		return percpu_counter_sum_positive((struct percpu_counter *)&mm->rss_stat + member);
	return get_mm_counter(mm, member);
}

/*
 * Returns a thread of the process that owns the memory, NULL: unknown. Called under RCU. When the
 * owner exits, the kernel stores the next one with WRITE_ONCE(): that task was complete long
 * before.
 */
static inline const struct task_struct *kt_compat_mm_owner(const struct mm_struct *mm)
{
#ifdef CONFIG_MEMCG
	return (const struct task_struct *)READ_ONCE(mm->owner);
#else
	return mm == current->mm ? current : NULL;
#endif
}

/*
 * True if current is in exec(). The task's bit for that has a single user in the kernel, so it may
 * be removed; without it, exec is assumed to last as long as the system call. @regs: the program's
 * registers
 */
static inline bool kt_compat_is_in_exec(struct pt_regs *regs)
{
#ifdef KT_HAS_IN_EXECVE
	return current->in_execve;
#else
	return kt_arch_is_exec(syscall_get_nr(current, regs));
#endif
}

/*
 * True if a program may be dumped by its user: exec() says no if the user may not read the program.
 * Since 7.2 the task knows, no longer its memory.
 *
 * Context: any, preemption off. @task: current, with memory
 */
static inline bool kt_compat_is_dumpable(const struct task_struct *task)
{
#ifdef SUID_DUMP_USER
	return get_dumpable(task->mm) == SUID_DUMP_USER;
#else
	/* Only the task itself replaces it. */
	return READ_ONCE(rcu_dereference_protected(task->exec_state, task == current)->dumpable) ==
	       TASK_DUMPABLE_OWNER;
#endif
}

/* Changes the flags of a vma that is being set up; they became read-only with 6.3. */
static inline void kt_compat_vma_flags(struct vm_area_struct *vma, vm_flags_t set,
				       vm_flags_t clear)
{
#ifdef KT_HAS_VM_FLAGS_MOD
	vm_flags_mod(vma, set, clear);
#else
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

/* Runs @work now, whenever it was due; system_wq is deprecated since 6.17. */
static inline void kt_compat_run_now(struct delayed_work *work)
{
#ifdef KT_HAS_PERCPU_WQ
	mod_delayed_work(system_percpu_wq, work, 0);
#else
	mod_delayed_work(system_wq, work, 0);
#endif
}

typedef unsigned long (*kt_compat_shrink)(struct shrinker *, struct shrink_control *);

#ifndef KT_HAS_SHRINKER_ALLOC
/* Shrinkers have names since 6.0. */
static inline int kt_compat_register_shrinker(struct shrinker *s, const char *name)
{
	int (*named)(struct shrinker *, const char *, ...) = (void *)register_shrinker;
	int (*nameless)(struct shrinker *) = (void *)register_shrinker;

	return __same_type(&register_shrinker, nameless) ? nameless(s) : named(s, "%s", name);
}
#endif

/* Registers a shrinker; NULL: no memory. The kernel allocates it since 6.7. */
static inline struct shrinker *kt_compat_add_shrinker(const char *name, kt_compat_shrink count,
						      kt_compat_shrink scan)
{
#ifdef KT_HAS_SHRINKER_ALLOC
	struct shrinker *s = shrinker_alloc(0, "%s", name);
#else
	struct shrinker *s = kzalloc(sizeof(*s), GFP_KERNEL);
#endif

	if (!s)
		return NULL;
	s->count_objects = count;
	s->scan_objects = scan;
	s->seeks = DEFAULT_SEEKS;
#ifdef KT_HAS_SHRINKER_ALLOC
	shrinker_register(s);
#else
	if (kt_compat_register_shrinker(s, name)) {
		kfree(s);
		return NULL;
	}
#endif
	return s;
}

/* Unregisters and frees a shrinker; when it returns, no call is running. */
static inline void kt_compat_remove_shrinker(struct shrinker *s)
{
#ifdef KT_HAS_SHRINKER_ALLOC
	shrinker_free(s);
#else
	unregister_shrinker(s);
	kfree(s);
#endif
}

/*
 * Returns the id of the task's version 2 cgroup; 0 in a kernel without cgroups.
 *
 * Context: any, preemption off, which protects like rcu_read_lock(). That is not used:
 * rcu_read_unlock() may raise a softirq, an event that may call this again.
 */
static inline u64 kt_compat_cgroup_id(struct task_struct *task)
{
	u64 id = 0;

#ifdef CONFIG_CGROUPS
	id = cgroup_id(task_dfl_cgroup(task));
#endif
	return id;
}

/* Type of the flags of tracepoint task_newtask: 64 bits also on 32-bit machines since 6.18 */
typedef typeof(__builtin_choose_expr(KT_COMPAT_PASSES(task_newtask, struct task_struct *, u64),
				     0ull, 0ul)) kt_compat_clone_flags;

/* True for a kernel task with a program's memory. Others than io_uring's exist since 6.4. */
static inline bool kt_compat_is_user_worker(const struct task_struct *task)
{
#ifdef PF_USER_WORKER
	return task->flags & (PF_IO_WORKER | PF_USER_WORKER);
#else
	return task->flags & PF_IO_WORKER;
#endif
}

/*
 * Returns the state of a task that stops running, where tracepoint sched_switch does not pass it:
 * until 5.18. A wakeup on another CPU may already have changed it; the kernel's own event has the
 * same uncertainty there.
 */
static inline unsigned int kt_compat_task_state(const struct task_struct *task)
{
#ifdef KT_HAS_TASK_STATE
	return READ_ONCE(task->__state);
#else
	return READ_ONCE(task->state);
#endif
}

/* The disk of a request, NULL: none. The queue knows it since 5.15. */
#ifdef KT_HAS_QUEUE_DISK
#define kt_compat_disk(rq) ((rq)->q->disk)
#else
#define kt_compat_disk(rq) ((rq)->rq_disk)
#endif

/* Flags of events that were made while the kernel runs, probes above all; one flag since 5.15 */
#ifdef KT_HAS_EVENT_DYNAMIC
#define KT_COMPAT_EVENT_DYNAMIC TRACE_EVENT_FL_DYNAMIC
#else
#define KT_COMPAT_EVENT_DYNAMIC (TRACE_EVENT_FL_KPROBE | TRACE_EVENT_FL_UPROBE)
#endif

/* Opens a file by its name below the root of a mount; the arguments changed with 5.12. */
static inline struct file *kt_compat_open_below(struct vfsmount *mnt, const char *name, int flags)
{
	struct file *(*by_path)(const struct path *, const char *, int, umode_t) =
		(void *)file_open_root;
	struct file *(*by_dentry)(struct dentry *, struct vfsmount *, const char *, int, umode_t) =
		(void *)file_open_root;
	const struct path root = { .mnt = mnt, .dentry = mnt->mnt_root };

	if (__same_type(&file_open_root, by_path))
		return by_path(&root, name, flags, 0);
	return by_dentry(root.dentry, mnt, name, flags, 0);
}

#endif
