// SPDX-License-Identifier: GPL-2.0
/*
 * contention_held.c - how long threads had locks, and which threads that held up
 *
 * A hold lasts from taking a lock to giving it back; if a thread has taken it several times, to the
 * last release. model/held_up.h says which threads it has held up.
 */
#include "contention.h"

#include <errno.h>
#include <stdlib.h>

static void on_held_up(void *arg, const struct model_thread *waiter, const struct model_hold *hold)
{
	struct contention *c = arg;
	const struct model_object *o = hold->object;
	const struct key key = { (__u64)waiter->serial << 32 | hold->thread->serial,
				 ((__u64)o->serial + 1) << 32 | o->kind };
	__u64 from = hold->from, until = hold->until;
	struct row *row;

	if (!contention_wants(c, o->kind) ||
	    !analysis_is_selected(&c->a, waiter->tid, waiter->process->pid) ||
	    !analysis_clip(&c->a, &from, &until))
		return;
	row = contention_add(c, HELD_UP, &key, until - from);
	if (!row)
		return;
	row->thread = waiter;
	row->alias = model_name_alias(c->aliases, c->a.set, waiter);
	row->holder = hold->thread;
	row->holder_alias = model_name_alias(c->aliases, c->a.set, hold->thread);
	row->waited = contention_waited(c, waiter, o);
	c->held_up_sum += until - from;
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
		held_up_given(&c->held_up, h);
}

void contention_on_thread(void *arg, const struct model_thread *t,
			  const struct model_change *change)
{
	struct contention *c = arg;

	if (c->shows_holders)
		held_up_thread(&c->held_up, t, change);
	c->a.error = c->a.error ? c->a.error : c->held_up.error;
}

void contention_held_init(struct contention *c)
{
	held_up_init(&c->held_up);
	c->held_up.found = on_held_up;
	c->held_up.arg = c;
}

void contention_held_free(struct contention *c)
{
	held_up_free(&c->held_up);
}
