// SPDX-License-Identifier: GPL-2.0
/*
 * emit.c - the hot path: from an event to the kernel rings of all sessions that want it
 *
 * Sessions publish a target, i.e. what the hot path needs to know of them, in an RCU list. Readers
 * run with preemption off; they take no lock and allocate nothing, so the hot path may be entered
 * in any context and from within itself: the ring writer nests.
 *
 * The common case of a quick ring is inline, in emit.h; all else is in kt_emit_slow() and
 * kt_emit_special().
 *
 * Waking up: kt_emit() cannot wake (it may be called with run-queue locks held), so it queues an
 * irq_work, once per arming. The poller arms and then looks at the rings; the hot path stores to a
 * ring and then looks at armed. It deliberately has no full barrier between these two: the
 * session's tick finds the wake-ups that slip through.
 */
#include "emit.h"
#include <linux/mutex.h>
#include "context.h"

struct kt_emit_target __rcu *kt_emit_targets;
struct kt_emit_target __rcu *kt_emit_sole[KT_EVENT_NR];
static u32 target_nr;	/* those with is_counted */

/* Protects the list, its length, the events that are live, and kt_emit_sole. */
static DEFINE_MUTEX(targets_lock);

/* Returns a pointer of the list, for code that changes it. */
static struct kt_emit_target *emit_locked(struct kt_emit_target __rcu *t)
{
	return rcu_dereference_protected(t, lockdep_is_held(&targets_lock));
}

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

/* Wakes the poller, if it waits and the ring @r has reached the watermark. */
static void wake_if_due(struct kt_emit_target *t, const struct kt_ring *r)
{
	if (READ_ONCE(t->armed) &&
	    READ_ONCE(r->w->head) - READ_ONCE(r->tail->tail) >= t->watermark)
		wake_once(t);
}

static void emit_record(struct kt_emit_target *t, const struct kt_event *ev, u32 tid_flags,
			const struct kt_context_tail *tail)
{
	const struct kt_ring *r = kt_emit_ring(t);
	const u32 more = tail ? tail->len : 0;
	struct kt_slot slot;

	if (unlikely(!READ_ONCE(r->data))) {
		atomic64_inc(&t->lost_noring);
		return;
	}
	if (kt_ring_reserve(r, ev->id, ev->len + more, tid_flags, &slot) == KT_RING_OK) {
		memcpy(slot.payload, ev->payload, ev->len);
		if (more)
			memcpy(slot.payload + ev->len, tail->items, more);
		kt_ring_commit(r, &slot);
	}
	wake_if_due(t, r);
}

/* Records an event with its context, or without if the record would be too long. */
static noinline void record_context(struct kt_emit_target *t, const struct kt_event *ev,
				    u32 tid_flags)
{
	struct kt_context_tail tail;

	kt_context_take(t->context, ev->id, &tail);
	if (ev->len + tail.len > kt_ring_payload_max(kt_emit_ring(t)->block_size))
		tail.len = 0;
	emit_record(t, ev, tid_flags | (tail.len ? KTRACE_REC_CONTEXT : 0), &tail);
}

static bool emit_wants(const struct kt_emit_target *t, const struct kt_event *ev)
{
	return !ev->who || kt_pid_filter_passes(&t->filter, ev->who) ||
	       (ev->other && kt_pid_filter_passes(&t->filter, ev->other));
}

/*
 * True if the event's filter passes it. @ev: as the owner may see it; @is_seen: the owner may see
 * current
 */
static bool passes_filter(struct kt_emit_target *t, const struct kt_event *ev, u32 tid_flags,
			  bool is_seen)
{
	s64 work = READ_ONCE(t->work_max);
	const struct kt_event_filter *v;
	bool is_wanted;

	/*
	 * ORD(passes_filter:A) pairs ORD(kt_emit_set_filter:B), ORD(kt_emit_set_live:A): special
	 * before its filter and its context
	 */
	smp_rmb();
	/* ORD(passes_filter:B) pairs ORD(kt_emit_set_filter:A): a filter is seen whole */
	v = rcu_dereference_sched(t->filters[ev->id]);
	if (!v)
		return true;
	is_wanted = kt_event_filter_passes(v, ev->payload, ev->len, tid_flags, is_seen, &work);
	if (unlikely(work < 0))
		atomic64_inc(&t->undecided);
	return is_wanted;
}

/*
 * Records an event if its filter passes it; with context, if the event has any and the owner may
 * see current.
 */
static void record_special(struct kt_emit_target *t, const struct kt_event *ev, u32 tid_flags,
			   bool is_seen)
{
	if (!passes_filter(t, ev, tid_flags, is_seen))
		return;
	if (is_seen && t->context)
		record_context(t, ev, tid_flags);
	else
		emit_record(t, ev, tid_flags, NULL);
}

static bool emit_shows(const struct kt_emit_target *t, const struct kt_event *ev)
{
	return !ev->who || kt_pid_filter_shows(&t->filter, ev->who) ||
	       (ev->other && kt_pid_filter_shows(&t->filter, ev->other));
}

/*
 * Records an event for an owner who may not see other users' processes: the record tells nothing
 * about hidden tasks, not even which of them wakes or interrupts a visible one. The idle task
 * belongs to no user.
 */
static noinline void record_restricted(struct kt_emit_target *t, const struct kt_event *ev,
				       u32 tid_flags, bool is_special)
{
	const bool is_seen = kt_pid_filter_shows(&t->filter, current);
	struct kt_event told = *ev;
	u8 payload[KT_HIDE_MAX];

	if (!emit_shows(t, ev))
		return;
	if (!is_seen)
		tid_flags &= ~KTRACE_TID_MASK;
	if (ev->hide) {
		memcpy(payload, ev->payload, ev->len);
		ev->hide(payload, ev->who->pid && !kt_pid_filter_shows(&t->filter, ev->who),
			 ev->other->pid && !kt_pid_filter_shows(&t->filter, ev->other));
		told.payload = payload;
		if (ev->hidden_len) {
			told.len = ev->hidden_len;
			tid_flags &= ~KTRACE_REC_TRUNCATED;
		}
	}
	if (is_special)
		record_special(t, &told, tid_flags, is_seen);
	else
		emit_record(t, &told, tid_flags, NULL);
}

/**
 * kt_emit_slow - record an event in one session that wants it
 * @t:		its target
 * @ev:		the event
 * @tid_flags:	as in struct ktrace_record
 *
 * Context: as kt_emit(), preemption off.
 */
void kt_emit_slow(struct kt_emit_target *t, const struct kt_event *ev, u32 tid_flags)
{
	if (likely(t->filter.any_user))
		emit_record(t, ev, tid_flags, NULL);
	else
		record_restricted(t, ev, tid_flags, false);
}

/**
 * kt_emit_special - record an event in one session, if its filter lets it pass, with context
 * @t:		its target, in which the event is special
 * @ev:		the event
 * @tid_flags:	as in struct ktrace_record
 *
 * Context: as kt_emit(), preemption off.
 */
void kt_emit_special(struct kt_emit_target *t, const struct kt_event *ev, u32 tid_flags)
{
	if (!emit_wants(t, ev))
		return;
	if (unlikely(!t->filter.any_user))
		record_restricted(t, ev, tid_flags, true);
	else
		record_special(t, ev, tid_flags, true);
}

/**
 * kt_emit - record an event in all sessions that want it
 * @ev:		the event
 *
 * Context: any in which RCU is watching, NMI included.
 */
void kt_emit(const struct kt_event *ev)
{
	const u32 tid_flags = kt_emit_tid_flags() | ev->flags;
	struct kt_emit_target *t;

	preempt_disable_notrace();
	kt_emit_for_each(t) {
		if (test_bit(ev->id, t->live)) {
			if (emit_wants(t, ev) &&
			    unlikely(!kt_emit_try(t, ev->id, ev->len, tid_flags, ev->payload)))
				kt_emit_slow(t, ev, tid_flags);
		} else if (unlikely(test_bit(ev->id, t->special))) {
			kt_emit_special(t, ev, tid_flags);
		}
	}
	preempt_enable_notrace();
}

static void count_missed(struct kt_emit_target *t, u16 id)
{
	const struct kt_ring *r = kt_emit_ring(t);

	atomic64_inc(&t->missed[id - KTRACE_EV_DYNAMIC]);
	if (READ_ONCE(r->data))
		kt_count(&r->w->lost.count[KTRACE_LOST_NESTED], 1);
	else
		atomic64_inc(&t->lost_noring);
}

/**
 * kt_emit_missed - count an event of current that has no record
 * @id:		the event, from KTRACE_EV_DYNAMIC on
 *
 * Counts it as lost in all sessions that want it; whether their filters would have passed it is
 * unknown.
 *
 * Context: as kt_emit(), preemption off.
 */
void kt_emit_missed(u16 id)
{
	struct kt_emit_target *t;

	kt_emit_for_each(t)
		if ((test_bit(id, t->live) || test_bit(id, t->special)) &&
		    kt_pid_filter_passes(&t->filter, current))
			count_missed(t, id);
}

/** kt_emit_fork - tell all filters that a child was made. Context: as kt_emit() */
void kt_emit_fork(const struct task_struct *parent, const struct task_struct *child)
{
	struct kt_emit_target *t;

	preempt_disable_notrace();
	kt_emit_for_each(t)
		kt_pid_filter_fork(&t->filter, parent, child);
	preempt_enable_notrace();
}

/** kt_emit_exec - tell all filters of an exec by current. Context: as kt_emit() */
void kt_emit_exec(const struct task_struct *task)
{
	struct kt_emit_target *t;

	preempt_disable_notrace();
	kt_emit_for_each(t)
		if (kt_pid_filter_exec(&t->filter, task))
			wake_once(t);
	preempt_enable_notrace();
}

/** kt_emit_leave - tell all filters that a thread exits. Context: as kt_emit() */
void kt_emit_leave(const struct task_struct *task)
{
	struct kt_emit_target *t;

	preempt_disable_notrace();
	kt_emit_for_each(t)
		if (kt_pid_filter_leave(&t->filter, task))
			wake_once(t);
	preempt_enable_notrace();
}

/** kt_emit_init_target - prepare a target for kt_emit_attach(), no event live */
void kt_emit_init_target(struct kt_emit_target *t, wait_queue_head_t *wait)
{
	t->wait = wait;
	init_irq_work(&t->work, wake_poller);
	t->work_max = KTRACE_MATCH_WORK_MAX;
}

/*
 * Shares the work for one event among a payer's targets: all their filters together may do no more
 * than one could.
 */
static void share_work_locked(kuid_t payer)
{
	struct kt_emit_target *t;
	u32 nr = 0;

	for (t = emit_locked(kt_emit_targets); t; t = emit_locked(t->next))
		nr += t->filter_nr && uid_eq(t->payer, payer);
	for (t = emit_locked(kt_emit_targets); t; t = emit_locked(t->next))
		if (t->filter_nr && uid_eq(t->payer, payer))
			WRITE_ONCE(t->work_max, KTRACE_MATCH_WORK_MAX / nr);
}

/**
 * kt_emit_attach - publish a target
 * @t:		the target
 *
 * Context: process.
 * Return: 0; -EBUSY if it is counted and KT_TARGETS_MAX counted ones are published.
 */
int kt_emit_attach(struct kt_emit_target *t)
{
	bool has_room;

	mutex_lock(&targets_lock);
	has_room = !t->is_counted || target_nr < KT_TARGETS_MAX;
	if (has_room) {
		target_nr += t->is_counted;
		RCU_INIT_POINTER(t->next, emit_locked(kt_emit_targets));
		/* ORD(kt_emit_attach:A) pairs ORD(for_each_target:A): a target is seen whole */
		rcu_assign_pointer(kt_emit_targets, t);
	}
	mutex_unlock(&targets_lock);
	return has_room ? 0 : -EBUSY;
}

static bool emit_has_locked(const struct kt_emit_target *t, u16 id)
{
	return test_bit(id, t->live) || test_bit(id, t->special);
}

/*
 * Finds the sole target of an event. A target whose owner may not see all processes is none,
 * because its records have to be checked.
 */
static void find_sole_locked(u16 id)
{
	struct kt_emit_target *t, *found = NULL;
	u32 nr = 0;

	for (t = emit_locked(kt_emit_targets); t; t = emit_locked(t->next))
		if (emit_has_locked(t, id)) {
			found = t;
			nr++;
		}
	if (nr != 1 || !found->filter.any_user || test_bit(id, found->special))
		found = NULL;
	/* ORD(find_sole:A) pairs ORD(log_to_sessions:A): a target is seen whole */
	rcu_assign_pointer(kt_emit_sole[id], found);
}

/* True if the event has context, which is chosen while the event is not live. */
static bool has_context(const struct kt_emit_target *t, u16 id)
{
	return t->context && kt_context_has(t->context, id);
}

/**
 * kt_emit_set_live - begin or end recording an event
 * @t:		the target, published
 * @id:		the event
 * @on:		whether it is to be recorded
 *
 * Events that have begun may still be recorded until kt_emit_quiesce().
 *
 * Context: process.
 */
void kt_emit_set_live(struct kt_emit_target *t, u16 id, bool on)
{
	mutex_lock(&targets_lock);
	/* ORD(kt_emit_set_live:A) pairs ORD(passes_filter:A): filter and context, then special */
	smp_wmb();
	assign_bit(id, rcu_access_pointer(t->filters[id]) || has_context(t, id) ? t->special :
										 t->live, on);
	find_sole_locked(id);
	mutex_unlock(&targets_lock);
}

/*
 * Moves an event between the two bitmaps without a gap in its recording: an emitter that no longer
 * finds the old bit finds the new one, and one that was too early for the new one is done before
 * the old one goes.
 */
static void emit_move(unsigned long *from, unsigned long *to, u16 id)
{
	if (!test_bit(id, from))
		return;
	mutex_lock(&targets_lock);
	set_bit(id, to);
	find_sole_locked(id);
	mutex_unlock(&targets_lock);
	synchronize_rcu();	/* without the lock: others need not wait */
	mutex_lock(&targets_lock);
	clear_bit(id, from);
	find_sole_locked(id);
	mutex_unlock(&targets_lock);
}

/**
 * kt_emit_set_filter - choose among the events of a type
 * @t:		the target, published
 * @id:		the event
 * @v:		the filter; NULL: all are wanted. Taken over
 *
 * When it returns, only events that @v wants are recorded, except for those that had begun. The
 * filter before is freed when no emitter can be using it.
 *
 * Context: process, sleeps; no other caller changes the target.
 */
void kt_emit_set_filter(struct kt_emit_target *t, u16 id, struct kt_event_filter *v)
{
	struct kt_event_filter *old;

	mutex_lock(&targets_lock);
	old = rcu_dereference_protected(t->filters[id], lockdep_is_held(&targets_lock));
	t->filter_nr += !!v - !!old;
	share_work_locked(t->payer);
	/* ORD(kt_emit_set_filter:A) pairs ORD(passes_filter:B): a filter is seen whole */
	rcu_assign_pointer(t->filters[id], v);
	/* ORD(kt_emit_set_filter:B) pairs ORD(passes_filter:A): the filter, then special */
	smp_wmb();
	mutex_unlock(&targets_lock);
	if (v && !old)
		emit_move(t->live, t->special, id);
	else if (old && !v && !has_context(t, id))
		emit_move(t->special, t->live, id);
	kt_event_filter_retire(old);
}

/** kt_emit_exit_target - free what a target holds; it is not published */
void kt_emit_exit_target(struct kt_emit_target *t)
{
	u32 id;

	for (id = 0; id < KT_EVENT_NR; id++)
		kt_event_filter_free(rcu_dereference_protected(t->filters[id], true));
}

/* Removes a target from the list. It keeps its own next, for readers that are at it. */
static void unlink_locked(struct kt_emit_target *t)
{
	struct kt_emit_target *before = emit_locked(kt_emit_targets);

	if (before == t) {
		RCU_INIT_POINTER(kt_emit_targets, emit_locked(t->next));
	} else {
		while (emit_locked(before->next) != t)
			before = emit_locked(before->next);
		RCU_INIT_POINTER(before->next, emit_locked(t->next));
	}
	target_nr -= t->is_counted;
}

/**
 * kt_emit_detach - unpublish a target; when it returns, it is no longer in use
 * @t:		the target, published, no event live
 *
 * Context: process, sleeps.
 */
void kt_emit_detach(struct kt_emit_target *t)
{
	WARN_ON_ONCE(!bitmap_empty(t->live, KT_EVENT_NR) ||
		     !bitmap_empty(t->special, KT_EVENT_NR));
	mutex_lock(&targets_lock);
	unlink_locked(t);
	share_work_locked(t->payer);
	mutex_unlock(&targets_lock);
	synchronize_rcu();
	irq_work_sync(&t->work);
}

/** kt_emit_quiesce - wait until everything that kt_emit() had begun is done */
void kt_emit_quiesce(void)
{
	synchronize_rcu();
}
