// SPDX-License-Identifier: LGPL-2.1
/* held_up.c - which thread held up which other one, with which lock, and how long */
#include "held_up.h"

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

static struct slot *slot_of(struct held_up *h, struct hash_table *rows, __u64 serial)
{
	return hash_table_need(rows, &serial, &h->error);
}

static void add(struct held_up *h, const struct waiter *w, const struct model_hold *hold)
{
	struct model_hold part = *hold;

	if (part.from < w->since)
		part.from = w->since;
	if (w->thread != hold->thread && part.from < part.until)
		h->found(h->arg, w->thread, &part);
}

void held_up_given(struct held_up *h, const struct model_hold *hold)
{
	const __u64 serial = hold->object->serial;
	const struct slot *head = hold->object->waiters ? hash_table_find(&h->heads, &serial) :
				  NULL;
	const struct waiter *w;

	for (w = head ? head->waiter : NULL; w; w = w->next)
		add(h, w, hold);
}

static void enter(struct held_up *h, struct waiter *w, const struct model_thread *t, __u64 since)
{
	struct slot *head = slot_of(h, &h->heads, t->object->serial);

	if (!head)
		return;
	*w = (struct waiter){ t, t->object, since, head->waiter, NULL };
	if (head->waiter)
		head->waiter->prev = w;
	head->waiter = w;
}

static void leave(struct held_up *h, struct waiter *w, const struct model_thread *t, __u64 until)
{
	struct model_hold hold = {
		.thread = w->object->owner, .object = w->object, .until = until,
	};
	const __u64 serial = w->object->serial;
	struct slot *head = hash_table_find(&h->heads, &serial);

	/* After a loss it is unknown whether the thread has waited until now. */
	if (hold.thread && t->life != MODEL_NOT_KNOWN &&
	    model_held_since(hold.thread, w->object, &hold.from))
		add(h, w, &hold);
	if (w->prev)
		w->prev->next = w->next;
	else
		head->waiter = w->next;
	if (w->next)
		w->next->prev = w->prev;
	w->object = NULL;
}

void held_up_thread(struct held_up *h, const struct model_thread *t,
		    const struct model_change *change)
{
	const bool waits = t->life == MODEL_WAITING && t->object && model_is_lock(t->object);
	struct slot *slot = slot_of(h, &h->waiting, t->serial);

	if (slot && !slot->waiter && waits) {
		slot->waiter = calloc(1, sizeof(*slot->waiter));
		h->error = slot->waiter ? h->error : -ENOMEM;
	}
	if (!slot || !slot->waiter)
		return;
	if (slot->waiter->object)
		leave(h, slot->waiter, t, change->time);
	if (waits)
		enter(h, slot->waiter, t, change->time);
}

void held_up_init(struct held_up *h)
{
	h->waiting = (struct hash_table)HASH_TABLE_INIT(struct slot, serial);
	h->heads = (struct hash_table)HASH_TABLE_INIT(struct slot, serial);
}

void held_up_free(struct held_up *h)
{
	hash_table_free_with(&h->waiting, offsetof(struct slot, waiter));
	hash_table_free(&h->heads);
}
