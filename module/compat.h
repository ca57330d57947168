/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat.h - differences between kernel versions, as functions with our names
 *
 * The rest of the module is written for the newest kernel and checks no versions.
 */
#ifndef KT_COMPAT_H
#define KT_COMPAT_H

#include <linux/cgroup.h>
#include <linux/compat.h>
#include <linux/mm.h>
#include <linux/percpu_counter.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <linux/version.h>
#include <linux/workqueue.h>

#include <asm/syscall.h>
#include <trace/events/task.h>
#include "arch/arch.h"

/* Tracepoints page_fault_user and page_fault_kernel: no longer x86's own since 6.16 */
#ifdef KT_ARCH_HAS_FAULTS
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#include <trace/events/exceptions.h>
#else
#include <asm/trace/exceptions.h>
#endif
#endif

/*
 * True if this tracepoint passes these arguments after the data pointer. Stable kernels backport
 * changes, so the version number does not tell.
 */
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

/*
 * Waits until all tracepoint hits that had begun are over. Probes run with preemption off; those of
 * system calls no longer do since 6.13.
 */
static inline void kt_compat_finish_hits(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	tracepoint_synchronize_unregister();
#else
	synchronize_rcu_expedited();
#endif
}

/* Returns the pages of a process, as exactly as the kernel can count them for us. */
static inline long kt_compat_rss(struct mm_struct *mm, int member)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
	return percpu_counter_sum_positive(&mm->rss_stat[member]);
#else
	return get_mm_counter(mm, member);
#endif
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

/* Changes the flags of a vma that is being set up; they became read-only with 6.3. */
static inline void kt_compat_vma_flags(struct vm_area_struct *vma, vm_flags_t set,
				       vm_flags_t clear)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_mod(vma, set, clear);
#else
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

/* Runs @work now, whenever it was due; system_wq is deprecated since 6.17. */
static inline void kt_compat_run_now(struct delayed_work *work)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
	mod_delayed_work(system_percpu_wq, work, 0);
#else
	mod_delayed_work(system_wq, work, 0);
#endif
}

typedef unsigned long (*kt_compat_shrink)(struct shrinker *, struct shrink_control *);

/* Registers a shrinker; NULL: no memory. The kernel allocates it since 6.7. */
static inline struct shrinker *kt_compat_add_shrinker(const char *name, kt_compat_shrink count,
						      kt_compat_shrink scan)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	struct shrinker *s = shrinker_alloc(0, "%s", name);
#else
	struct shrinker *s = kzalloc(sizeof(*s), GFP_KERNEL);
#endif
	int err = 0;

	if (!s)
		return NULL;
	s->count_objects = count;
	s->scan_objects = scan;
	s->seeks = DEFAULT_SEEKS;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	shrinker_register(s);
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 0, 0)
	err = register_shrinker(s, "%s", name);
#else
	err = register_shrinker(s);
#endif
	if (!err)
		return s;
	kfree(s);
	return NULL;
}

/* Unregisters and frees a shrinker; when it returns, no call is running. */
static inline void kt_compat_remove_shrinker(struct shrinker *s)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
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

/* Arguments of tracepoint sched_process_exit after the data pointer; @p names the task. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define KT_COMPAT_PROCESS_EXIT_ARGS(p) struct task_struct *p, bool group_dead
#else
#define KT_COMPAT_PROCESS_EXIT_ARGS(p) struct task_struct *p
#endif

#endif
