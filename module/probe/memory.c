// SPDX-License-Identifier: GPL-2.0
/* memory.c - family "memory": how much processes use, and which ones the OOM killer ends */
#include "probe.h"
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <trace/events/kmem.h>
#include <trace/events/oom.h>
#include "compat.h"
#include "emit.h"

static_assert(KTRACE_MEMORY_FILE == (int)MM_FILEPAGES &&
	      KTRACE_MEMORY_ANON == (int)MM_ANONPAGES &&
	      KTRACE_MEMORY_SWAP == (int)MM_SWAPENTS && KTRACE_MEMORY_SHM == (int)MM_SHMEMPAGES);
static_assert(sizeof(struct ktrace_ev_memory_rss) <= KT_HIDE_MAX);
static_assert(sizeof(struct ktrace_ev_memory_oom) <= KT_HIDE_MAX);

/* Hides the size if the owner is hidden or unknown: the memory may be another user's. */
static void hide_rss(void *payload, bool who, bool other)
{
	struct ktrace_ev_memory_rss *p = payload;

	if (!other && p->pid)
		return;
	p->bytes = 0;
	p->pid = 0;
}

/*
 * Returns a thread of the memory's owner, NULL: unknown. Memory is not always that of current,
 * which swaps out memory of others, and fills that of a child or of a new program before this has
 * its own owner; until then current seems to be its owner.
 */
static const struct task_struct *owner_of(const struct mm_struct *mm)
{
	const struct task_struct *owner;

	if (mm == current->mm)
		return current;
	owner = kt_compat_mm_owner(mm);
	return owner && owner->tgid == current->tgid ? NULL : owner;
}

/* Records the size of a memory. @pages: below 0: unknown, looked up only if the event is wanted */
static void emit_rss(struct mm_struct *mm, int member, long pages)
{
	struct ktrace_ev_memory_rss payload = { .kind = member };
	const struct task_struct *owner;

	rcu_read_lock();
	owner = owner_of(mm);
	if (!kt_emit_wants(KTRACE_EV_MEMORY_RSS, current) &&
	    !(owner && kt_emit_wants(KTRACE_EV_MEMORY_RSS, owner)))
		goto out_unlock;
	payload.bytes = (u64)(pages < 0 ? kt_compat_rss(mm, member) : pages) << PAGE_SHIFT;
	payload.pid = owner ? owner->tgid : 0;
	kt_emit(&(struct kt_event){
		.id = KTRACE_EV_MEMORY_RSS,
		.len = sizeof(payload),
		.payload = &payload,
		.who = current,
		.other = owner ?: current,
		.hide = hide_rss,
	});
out_unlock:
	rcu_read_unlock();
}

static void on_memory_rss(void *data, struct mm_struct *mm, int member)
{
	emit_rss(mm, member, -1);
}

/* While several CPUs count, the sum may be below 0 for a moment. */
static void on_memory_rss_count(void *data, struct mm_struct *mm, int member, long count)
{
	emit_rss(mm, member, max(count, 0l));
}

static void hide_victim(void *payload, bool who, bool other)
{
	if (other)
		memset(payload, 0, sizeof(struct ktrace_ev_memory_oom));
}

static void on_memory_victim(void *data, struct task_struct *task, uid_t uid)
{
	struct ktrace_ev_memory_oom payload = {
		.tid = task->pid,
		.pid = task->tgid,
		.score_adj = task->signal->oom_score_adj,
	};

	memcpy(payload.comm, task->comm, KTRACE_COMM_LEN);
	kt_emit(&(struct kt_event){
		.id = KTRACE_EV_MEMORY_OOM,
		.len = sizeof(payload),
		.payload = &payload,
		.who = current,
		.other = task,
		.hide = hide_victim,
	});
}

/* The tracepoint's caller holds the task, so it exists. */
static void on_memory_victim_pid(void *data, int pid)
{
	struct task_struct *task;

	rcu_read_lock();
	task = pid_task(find_pid_ns(pid, &init_pid_ns), PIDTYPE_PID);
	if (task)
		on_memory_victim(data, task, 0);
	rcu_read_unlock();
}

struct kt_probe kt_probe_memory[] = {
	{ KT_TRACEPOINT_EITHER(KTRACE_EV_MEMORY_RSS, rss_stat, on_memory_rss_count,
			       on_memory_rss) },
	{ KT_TRACEPOINT_EITHER(KTRACE_EV_MEMORY_OOM, mark_victim, on_memory_victim,
			       on_memory_victim_pid) },
	{ }
};
