// SPDX-License-Identifier: GPL-2.0
/*
 * contention_held.c - how long threads had locks, and which threads that held up
 *
 * A hold lasts from taking a lock to giving it back; if a thread has taken it several times, to the
 * last release. When it ends, it has held up each thread that waits for the lock then, for the
 * time since both the hold and the wait began. If a thread stops waiting before the owner gives
 * the lock back (a timeout, a signal handler waits for something else), the hold counts up to that
 * time. Then only an owner counts, as readers are not known.
 */
#include "contention.h"

#include <errno.h>
#include <stdlib.h>

/* struct waiter - a thread that waits for a lock */
struct waiter {
	const struct model_thread *thread;
	const struct model_object *object;	/* NULL: not waiting */
	__u64 since;
	struct waiter *next, *prev;
};

/* struct slot - row of the tables @waiting and @heads */
struct slot {
	__u64 serial;
	struct waiter *waiter;
};

static struct slot *slot_of(struct contention *c, struct hash_table *rows, __u64 serial)
{
	return hash_table_need(rows, &serial, &c->a.error);
}

static void add_held_up(struct contention *c, const struct waiter *w,
			const struct model_thread *holder, __u64 from, __u64 until)
{
	const struct model_object *o = w->object;
	const struct key key = { (__u64)w->thread->serial << 32 | holder->serial,
				 ((__u64)o->serial + 1) << 32 | o->kind };
	struct row *row;

	if (from < w->since)
		from = w->since;
	if (w->thread == holder || from >= until || !contention_wants(c, o->kind) ||
	    !analysis_is_selected(&c->a, w->thread->tid, w->thread->process->pid) ||
	    !analysis_clip(&c->a, &from, &until))
		return;
	row = contention_add(c, HELD_UP, &key, until - from);
	if (!row)
		return;
	row->thread = w->thread;
	row->alias = model_name_alias(c->aliases, c->a.set, w->thread);
	row->holder = holder;
	row->holder_alias = model_name_alias(c->aliases, c->a.set, holder);
	row->waited = contention_waited(c, w->thread, o);
	c->held_up_sum += until - from;
}

static void hold_up(struct contention *c, const struct model_hold *h)
{
	const __u64 serial = h->object->serial;
	const struct slot *head = h->object->waiters ? hash_table_find(&c->heads, &serial) : NULL;
	const struct waiter *w;

	for (w = head ? head->waiter : NULL; w; w = w->next)
		add_held_up(c, w, h->thread, h->from, h->until);
}

static void add_hold(struct contention *c, const struct model_hold *h)
{
	const struct model_thread *t = h->thread;
	const struct model_wait wait = {
		.thread = t, .object = h->object, .from = h->from, .until = h->until,
		.caller = h->caller, .is_cut = h->is_cut,
	};
	const struct key key = { ((__u64)h->object->serial + 1) << 32 | h->object->kind, 0 };
	const struct key place = { t->process->serial, h->caller };
	__u64 from = h->from, until = h->until;
	struct row *row;

	if (!contention_wants(c, h->object->kind) ||
	    !analysis_is_selected(&c->a, t->tid, t->process->pid) ||
	    (!analysis_clip(&c->a, &from, &until) && (from != until || from >= c->a.until_ns)))
		return;
	row = contention_add(c, HELD, &key, until - from);
	if (row)
		row->waited = contention_waited(c, t, h->object);
	row = contention_add(c, HELD_PLACES, &place, until - from);
	if (row)
		row->thread = t;
	if (histogram_add(&c->held, until - from))
		c->a.error = -ENOMEM;
	contention_keep(c, &c->longest_held, &wait, until - from);
}

void contention_on_given(void *arg, const struct model_hold *h)
{
	struct contention *c = arg;

	if (c->shows_holds)
		add_hold(c, h);
	if (c->shows_holders)
		hold_up(c, h);
}

static void enter(struct contention *c, struct waiter *w, const struct model_thread *t,
		  __u64 since)
{
	struct slot *head = slot_of(c, &c->heads, t->object->serial);

	if (!head)
		return;
	*w = (struct waiter){ t, t->object, since, head->waiter, NULL };
	if (head->waiter)
		head->waiter->prev = w;
	head->waiter = w;
}

static void leave(struct contention *c, struct waiter *w, const struct model_thread *t, __u64 until)
{
	const struct model_thread *owner = w->object->owner;
	const __u64 serial = w->object->serial;
	struct slot *head = hash_table_find(&c->heads, &serial);
	__u64 from;

	/* After a loss it is unknown whether the thread has waited until now. */
	if (owner && t->life != MODEL_NOT_KNOWN && model_held_since(owner, w->object, &from))
		add_held_up(c, w, owner, from, until);
	if (w->prev)
		w->prev->next = w->next;
	else
		head->waiter = w->next;
	if (w->next)
		w->next->prev = w->prev;
	w->object = NULL;
}

void contention_on_thread(void *arg, const struct model_thread *t,
			  const struct model_change *change)
{
	struct contention *c = arg;
	const bool waits = t->life == MODEL_WAITING && t->object && model_is_lock(t->object);
	struct slot *slot;

	if (!c->shows_holders)
		return;
	slot = slot_of(c, &c->waiting, t->serial);
	if (slot && !slot->waiter && waits) {
		slot->waiter = calloc(1, sizeof(*slot->waiter));
		c->a.error = slot->waiter ? c->a.error : -ENOMEM;
	}
	if (!slot || !slot->waiter)
		return;
	if (slot->waiter->object)
		leave(c, slot->waiter, t, change->time);
	if (waits)
		enter(c, slot->waiter, t, change->time);
}

void contention_held_init(struct contention *c)
{
	c->waiting = (struct hash_table)HASH_TABLE_INIT(struct slot, serial);
	c->heads = (struct hash_table)HASH_TABLE_INIT(struct slot, serial);
}

void contention_held_free(struct contention *c)
{
	hash_table_free_with(&c->waiting, offsetof(struct slot, waiter));
	hash_table_free(&c->heads);
}
