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
/* Of users without CAP_SYS_ADMIN. */
#define KT_TARGETS_MAX 16

/* Payloads that tell of two processes are not longer. */
#define KT_HIDE_MAX 80

struct kt_context;

/**
 * struct kt_emit_target - a kernel channel as the hot path sees it
 * @next:	the one behind it in kt_emit_targets
 *
 * Set up before kt_emit_attach(), constant until kt_emit_detach() has returned:
 * @rings:	its rings; data is NULL where there was no memory
 * @watermark:	unread bytes that wake the poller; at least a block if any ring is quick
 * @context:	what is recorded with events, or NULL: set before the session can be started
 * @wait:	where it waits
 * @is_counted:	among KT_TARGETS_MAX; root's are limited by the number of its sessions instead
 *
 * Changing meanwhile:
 * @live:	bit per event id: is recorded now, as it is. Written by kt_emit_set_live()
 * @special:	the same, but kt_emit_special() has more to do for it than to store it. An
 *		event has one of the two bits; while it goes from one to the other, both
 * @filters:	by event id: which of them are wanted, NULL = all. Written by
 *		kt_emit_set_filter()
 * @armed:	somebody polls and has not been woken since. Set by the session, cleared
 *		by whoever wakes
 * @filter:	processes followed
 * @lost_noring: events on CPUs that came up later and found no memory
 * @payer:	user whose filters these are: kt_account_user()
 * @filter_nr:	how many filters there are
 * @work_max:	what a filter may do for an event: KTRACE_MATCH_WORK_MAX by that of the payer's
 *		targets that have any. Written when that number changes
 * @undecided:	events that are recorded because that was used up
 * @missed:	by event id from KTRACE_EV_DYNAMIC on: hits that have no record, lost by the kernel
 * @work:	the wake-up, from contexts where waking is not allowed
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
 * @hide:	where there is @other: takes out of a payload what it tells of @who, of @other
 * @hidden_len:	bytes that @hide leaves of it, if that is less than @len; 0: @len
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

/* The ring of this CPU; without memory it has no data. */
static inline const struct kt_ring *kt_emit_ring(const struct kt_emit_target *t)
{
	return raw_cpu_ptr(t->rings);
}

/* A word at a time, where memcpy() would be a call. */
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
 * It is if the ring is quick and at rest, and the session may see all processes. A block is
 * opened elsewhere, so pollers are woken there. With constants it is short.
 *
 * Context: as kt_emit(), preemption off.
 * Return: false: nothing has been done.
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

/* For a record that is written now, by current or by what has interrupted it. */
static inline u32 kt_emit_tid_flags(void)
{
	BUILD_BUG_ON(PID_MAX_LIMIT > KTRACE_TID_MASK + 1);
	if (unlikely(!in_task())) {
		barrier();	/* a branch not taken, instead of one value more to keep */
		return current->pid | KTRACE_REC_IRQ;
	}
	return current->pid;
}

/**
 * kt_emit_wants - does any session want this event of that process?
 * @id:		KTRACE_EV_*
 * @who:	the task
 *
 * For events that are frequent and costly to describe, most of which nobody wants. kt_emit()
 * asks again.
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
 * @hide:	takes out of it what only the privileged may see; NULL: nothing
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
