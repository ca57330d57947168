// SPDX-License-Identifier: GPL-2.0
/*
 * emit.c - the hot path: from an event to the kernel rings of all sessions that want it
 *
 * Sessions publish a target, i.e. what the hot path needs to know of them, in one of a
 * few slots under RCU. The read side is a region with preemption off, as for
 * tracepoints; it takes no lock, allocates nothing and calls nobody but the ring, so
 * it may be entered in any context and from within itself: the ring writer nests.
 *
 * Waking up: kt_emit() cannot wake (it may be called with run-queue locks held), so it
 * queues an irq_work, once per arming. That the poller arms and then looks at the
 * rings, while we store to a ring and then look at armed, is deliberately not ordered
 * by a full barrier in here: what slips through is found by the session's tick.
 */
#include "emit.h"
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>

/* Changed under slots_lock, read with preemption off. Slots from slots_used on are empty. */
static struct kt_emit_target __rcu *slots[KT_TARGETS_MAX];
static u32 slots_used;
static DEFINE_MUTEX(slots_lock);

/* ORD(for_each_target:A) pairs ORD(kt_emit_attach:A): a target is seen whole */
#define for_each_target(t, i)                                           \
	for ((i) = 0; (i) < READ_ONCE(slots_used); (i)++)               \
		if (((t) = rcu_dereference_sched(slots[i])) != NULL)

static void wake_poller(struct irq_work *work)
{
	struct kt_emit_target *t = container_of(work, struct kt_emit_target, work);

	wake_up_all(t->wait);
}

static void wake_once(struct kt_emit_target *t)
{
	WRITE_ONCE(t->armed, false);
	irq_work_queue(&t->work);
}

static void record(struct kt_emit_target *t, const struct kt_event *ev, u32 tid_flags)
{
	const struct kt_ring *r = &t->rings[raw_smp_processor_id()];
	struct kt_slot slot;

	if (unlikely(!READ_ONCE(r->data))) {
		atomic64_inc(&t->lost_noring);
		return;
	}
	if (kt_ring_reserve(r, ev->id, ev->len, tid_flags, &slot) == KT_RING_OK) {
		memcpy(slot.payload, ev->payload, ev->len);
		kt_ring_commit(r);
	}
	if (READ_ONCE(t->armed) &&
	    READ_ONCE(r->w->head) - READ_ONCE(r->tail->tail) >= t->watermark)
		wake_once(t);
}

static bool wants(const struct kt_emit_target *t, const struct kt_event *ev)
{
	return !ev->who || kt_filter_passes(&t->filter, ev->who) ||
	       (ev->other && kt_filter_passes(&t->filter, ev->other));
}

/**
 * kt_emit - record an event in all sessions that want it
 * @ev:		the event
 *
 * Context: any in which RCU is watching, NMI included.
 */
void kt_emit(const struct kt_event *ev)
{
	u32 tid_flags = (current->pid & KTRACE_TID_MASK) | ev->flags;
	struct kt_emit_target *t;
	u32 i;

	preempt_disable_notrace();
	if (!in_task())
		tid_flags |= KTRACE_REC_IRQ;
	for_each_target(t, i)
		if (test_bit(ev->id, t->live) && wants(t, ev))
			record(t, ev, tid_flags);
	preempt_enable_notrace();
}

/** kt_emit_fork - all filters: a child was made. Context: as kt_emit() */
void kt_emit_fork(const struct task_struct *parent, const struct task_struct *child)
{
	struct kt_emit_target *t;
	u32 i;

	preempt_disable_notrace();
	for_each_target(t, i)
		kt_filter_fork(&t->filter, parent, child);
	preempt_enable_notrace();
}

/** kt_emit_exec - all filters: current runs a new program. Context: as kt_emit() */
void kt_emit_exec(const struct task_struct *task)
{
	struct kt_emit_target *t;
	u32 i;

	preempt_disable_notrace();
	for_each_target(t, i)
		if (kt_filter_exec(&t->filter, task))
			wake_once(t);
	preempt_enable_notrace();
}

/** kt_emit_leave - all filters: a thread exits. Context: as kt_emit() */
void kt_emit_leave(const struct task_struct *task)
{
	struct kt_emit_target *t;
	u32 i;

	preempt_disable_notrace();
	for_each_target(t, i)
		if (kt_filter_leave(&t->filter, task))
			wake_once(t);
	preempt_enable_notrace();
}

/** kt_emit_init_target - make a target fit for kt_emit_attach(), no event live */
void kt_emit_init_target(struct kt_emit_target *t, wait_queue_head_t *wait)
{
	t->wait = wait;
	init_irq_work(&t->work, wake_poller);
}

/**
 * kt_emit_attach - publish a target
 * @t:		the target
 *
 * Context: process.
 * Return: 0; -EBUSY with KT_TARGETS_MAX published.
 */
int kt_emit_attach(struct kt_emit_target *t)
{
	u32 i = 0;

	mutex_lock(&slots_lock);
	while (i < KT_TARGETS_MAX && rcu_access_pointer(slots[i]))
		i++;
	if (i < KT_TARGETS_MAX) {
		/* ORD(kt_emit_attach:A) pairs ORD(for_each_target:A): a target is seen whole */
		rcu_assign_pointer(slots[i], t);
		WRITE_ONCE(slots_used, max(slots_used, i + 1));
	}
	mutex_unlock(&slots_lock);
	return i < KT_TARGETS_MAX ? 0 : -EBUSY;
}

/**
 * kt_emit_detach - unpublish a target; when it returns nobody uses it any more
 * @t:		the target
 *
 * Context: process, sleeps.
 */
void kt_emit_detach(struct kt_emit_target *t)
{
	u32 i;

	mutex_lock(&slots_lock);
	for (i = 0; i < KT_TARGETS_MAX; i++)
		if (rcu_access_pointer(slots[i]) == t)
			RCU_INIT_POINTER(slots[i], NULL);
	while (slots_used && !rcu_access_pointer(slots[slots_used - 1]))
		WRITE_ONCE(slots_used, slots_used - 1);
	mutex_unlock(&slots_lock);
	synchronize_rcu();
	irq_work_sync(&t->work);
}

/** kt_emit_quiesce - when it returns, all that kt_emit() had begun is done */
void kt_emit_quiesce(void)
{
	synchronize_rcu();
}
