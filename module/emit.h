/* SPDX-License-Identifier: GPL-2.0 */
/* emit.h - the hot path: from an event to the kernel rings of all sessions that want it */
#ifndef KT_EMIT_H
#define KT_EMIT_H

#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <uapi/linux/ktrace_events.h>
#include "pid_filter.h"
#include "ring/fast.h"
#include "event_filter.h"

/* Kernel event ids are below this. */
#define KT_EVENT_NR 2048
/* Published targets of users without CAP_SYS_ADMIN. */
#define KT_TARGETS_MAX 16

/* Largest payload of an event with a hide function, in bytes. */
#define KT_HIDE_MAX 96

struct kt_context;

/**
 * struct kt_emit_target - a kernel channel as the hot path sees it
 * @next:	the next one in kt_emit_targets
 *
 * Set up before kt_emit_attach(), constant until kt_emit_detach() has returned:
 * @rings:	its rings; data is NULL if there was no memory
 * @watermark:	unread bytes that wake the poller; at least a block if any ring is quick
 * @context:	what is recorded with events, or NULL: set before the session can be started
 * @wait:	wait queue of the poller
 * @is_counted:	counts against KT_TARGETS_MAX; root's are limited by the number of its sessions
 *		instead
 *
 * Changing meanwhile:
 * @live:	bit per event id: is recorded now, without filter and context. Written by
 *		kt_emit_set_live()
 * @special:	the same, but with a filter or context: kt_emit_special(). An event has one of the
 *		two bits, and both while it moves from one to the other
 * @filters:	by event id: its filter, NULL = all are wanted. Written by kt_emit_set_filter()
 * @armed:	the owner polls and has not been woken since. Set by the session, cleared by the
 *		code that wakes
 * @filter:	processes followed
 * @lost_noring: events lost on CPUs that came online later and got no memory
 * @payer:	user whose filters these are: kt_account_user()
 * @filter_nr:	number of @filters
 * @work_max:	work that a filter may do for an event: KTRACE_MATCH_WORK_MAX divided by the number
 *		of the payer's targets that have filters. Written when that number changes
 * @undecided:	events that are recorded because @work_max was used up
 * @missed:	by event id from KTRACE_EV_DYNAMIC on: hits that have no record, lost by the kernel
 * @work:	wakes the poller, for contexts where waking is not allowed
 */
struct kt_emit_target {
	struct kt_emit_target __rcu *next;
	const struct kt_ring __percpu *rings;
	u32 watermark;
	wait_queue_head_t *wait;
	bool is_counted;
	DECLARE_BITMAP(live, KT_EVENT_NR);
	DECLARE_BITMAP(special, KT_EVENT_NR);
	struct kt_event_filter __rcu *filters[KT_EVENT_NR];
	bool armed;
	struct kt_pid_filter filter;
	atomic64_t lost_noring;
	kuid_t payer;
	u32 filter_nr;
	u32 work_max;
	atomic64_t undecided;
	atomic64_t missed[KTRACE_EV_DYNAMIC_NR];
	struct irq_work work;
	struct kt_context *context;
};

/**
 * struct kt_event - one event, before it is a record
 * @id:		KTRACE_EV_*
 * @len:	payload bytes
 * @flags:	KTRACE_REC_TRUNCATED or 0
 * @payload:	the struct of @id
 * @who:	the session must follow this task, NULL: recorded anyway
 * @other:	or this one, may be NULL
 * @hide:	if there is @other: removes from a payload what it tells about @who, about @other
 * @hidden_len:	payload bytes that @hide leaves, if fewer than @len; 0: @len
 */
struct kt_event {
	u16 id;
	u16 len;
	u32 flags;
	const void *payload;
	const struct task_struct *who;
	const struct task_struct *other;
	void (*hide)(void *payload, bool who, bool other);
	u16 hidden_len;
};

/* Changed by kt_emit_attach() and kt_emit_detach(), read with preemption off. */
extern struct kt_emit_target __rcu *kt_emit_targets;

/* ORD(for_each_target:A) pairs ORD(kt_emit_attach:A): a target is seen whole */
#define kt_emit_for_each(t)                                             \
	for ((t) = rcu_dereference_sched(kt_emit_targets); (t);         \
	     (t) = rcu_dereference_sched((t)->next))

/*
 * By event: the target, if it is the only one that has the event, and has it live, and its owner
 * may see all processes; otherwise NULL.
 */
extern struct kt_emit_target __rcu *kt_emit_sole[KT_EVENT_NR];

/* Returns the ring of this CPU; without memory it has no data. */
static inline const struct kt_ring *kt_emit_ring(const struct kt_emit_target *t)
{
	return raw_cpu_ptr(t->rings);
}

/* Copies a word at a time, because memcpy() would be a call. */
static __always_inline void kt_emit_copy(char *to, const char *from, u32 len)
{
	u64 word;

	for (; len >= sizeof(word); len -= sizeof(word)) {
		memcpy(&word, from, sizeof(word));
		WRITE_ONCE(*(u64 *)to, word);
		to += sizeof(word);
		from += sizeof(word);
	}
	if (len)
		memcpy(to, from, len);
}

/**
 * kt_emit_try - record an event in one session if that is simple
 * @t:		its target
 * @id:		KTRACE_EV_*
 * @len:	payload bytes
 * @tid_flags:	as in struct ktrace_record
 * @payload:	the struct of @id
 *
 * It is simple if the ring is quick and at rest, and the session may see all processes. Opening a
 * block, and thus waking pollers, is left to kt_emit_slow(). With constant arguments the code is
 * short.
 *
 * Context: as kt_emit(), preemption off.
 * Return: false if nothing has been done.
 */
static __always_inline bool kt_emit_try(const struct kt_emit_target *t, u16 id, u16 len,
					u32 tid_flags, const void *payload)
{
	const struct kt_ring *r = kt_emit_ring(t);
	struct kt_slot slot = { };

	if (unlikely(!t->filter.any_user))
		return false;
	if (unlikely(!kt_ring_try_claim(r, KTRACE_RECORD_SIZE(len), &slot)))
		return false;
	kt_slot_fill(&slot, id, len, tid_flags);
	kt_emit_copy(slot.payload, payload, len);
	if (unlikely(!kt_ring_publish(r, &slot)))
		kt_ring_publish_rest(r, slot.end);
	return true;
}

/* Returns tid_flags for a record that is written now, by current or by an interrupt of it. */
static inline u32 kt_emit_tid_flags(void)
{
	BUILD_BUG_ON(PID_MAX_LIMIT > KTRACE_TID_MASK + 1);
	if (unlikely(!in_task())) {
		barrier();	/* a branch that is not taken, instead of another value to keep */
		return current->pid | KTRACE_REC_IRQ;
	}
	return current->pid;
}

/**
 * kt_emit_wants - true if any session wants this event of that process
 * @id:		KTRACE_EV_*
 * @who:	the task
 *
 * For frequent events that are costly to describe, and of which sessions want few. kt_emit() checks
 * again.
 *
 * Context: as kt_emit().
 */
static __always_inline bool kt_emit_wants(u16 id, const struct task_struct *who)
{
	const struct kt_emit_target *t;

	preempt_disable_notrace();
	kt_emit_for_each(t)
		if ((test_bit(id, t->live) || test_bit(id, t->special)) &&
		    kt_pid_filter_passes(&t->filter, who))
			break;
	preempt_enable_notrace();
	return t;
}

void kt_emit(const struct kt_event *ev);

/**
 * kt_emit_current - record an event that is about current
 * @id:		KTRACE_EV_*
 * @payload:	the struct of @id
 * @len:	its bytes
 * @hide:	removes from it what only privileged users may see; NULL: nothing
 *
 * Context: as kt_emit().
 */
static inline void kt_emit_current(u16 id, const void *payload, u16 len,
				   void (*hide)(void *payload, bool who, bool other))
{
	kt_emit(&(struct kt_event){
		.id = id,
		.len = len,
		.payload = payload,
		.who = current,
		.other = hide ? current : NULL,
		.hide = hide,
	});
}

void kt_emit_missed(u16 id);
void kt_emit_slow(struct kt_emit_target *t, const struct kt_event *ev, u32 tid_flags);
void kt_emit_special(struct kt_emit_target *t, const struct kt_event *ev, u32 tid_flags);
void kt_emit_fork(const struct task_struct *parent, const struct task_struct *child);
void kt_emit_exec(const struct task_struct *task);
void kt_emit_leave(const struct task_struct *task);

void kt_emit_init_target(struct kt_emit_target *t, wait_queue_head_t *wait);
int kt_emit_attach(struct kt_emit_target *t);
void kt_emit_set_live(struct kt_emit_target *t, u16 id, bool on);
void kt_emit_set_filter(struct kt_emit_target *t, u16 id, struct kt_event_filter *v);
void kt_emit_exit_target(struct kt_emit_target *t);
void kt_emit_detach(struct kt_emit_target *t);
void kt_emit_quiesce(void);

#endif
