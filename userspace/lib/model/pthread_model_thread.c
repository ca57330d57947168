// SPDX-License-Identifier: LGPL-2.1
/*
 * pthread_model_thread.c - beginning and end of threads, and what they hold
 *
 * Only event thread_start tells which thread a pthread_t is. A pthread_t is reused as soon as its
 * thread is joined, or has ended detached; and a join may be recorded before the thread begins. So
 * the thread is looked up when the join begins, and again when it returns.
 */
#include "pthread_model_state.h"

#include <errno.h>
#include <stdlib.h>

static struct thread *by_handle(const struct model_step *st, __u64 handle)
{
	return model_map_get(&st->s->by_handle, st->t->process->p.serial, handle);
}

/* Ends a thread whose pthread_t another one has: it ended detached, or its join was not seen. */
static void end_old(struct model_step *st, struct thread *old)
{
	if (!old || old == st->t || old->is_joined)
		return;
	model_calls_drop(st, old, false);
	old->has_ended = true;
	old->t.is_detached = true;
	model_settle(st, old);
}

int model_thread_start(struct model_step *st)
{
	__u64 handle = model_value(st, MODEL_F_OBJECT);
	int ret = 0;

	if (st->t->t.begun || st->t->has_ended || st->t->is_joined)
		ret = model_thread_renew(st);
	if (ret)
		return ret;
	st->t->is_whole = !st->t->frame_nr;
	st->t->t.begun = st->time;
	st->t->t.handle = handle;
	st->t->t.number = (__u32)model_value(st, MODEL_F_NUMBER);
	end_old(st, by_handle(st, handle));
	model_settle(st, st->t);
	return model_map_set(&st->s->by_handle, st->t->process->p.serial, handle, st->t);
}

int model_thread_end(struct model_step *st)
{
	__u64 handle = model_value(st, MODEL_F_OBJECT);
	struct thread *t = st->t;
	int ret = 0;

	model_calls_drop(st, t, false);
	t->has_ended = true;
	/* The first thread of a process, or one whose beginning was not recorded */
	if (!t->t.begun) {
		t->t.handle = handle;
		end_old(st, by_handle(st, handle));
		ret = model_map_set(&st->s->by_handle, t->process->p.serial, handle, t);
	}
	model_settle(st, t);
	return ret;
}

static __u32 tid_of(const struct thread *t)
{
	return t ? t->t.tid : 0;
}

void model_join_in(struct model_step *st)
{
	struct thread *peer = by_handle(st, model_value(st, MODEL_F_OBJECT));

	if (peer && (peer->is_joined || peer->t.life == MODEL_DEAD))
		peer = NULL;
	model_call(st)->peer = peer;
	if (!st->b->has_tried)
		model_wait_begin(st, tid_of(peer));
}

void model_join_out(struct model_step *st, const struct model_frame *f)
{
	struct thread *t = f->peer ? f->peer : by_handle(st, model_value(st, MODEL_F_OBJECT));

	if (st->result || !t || t->is_joined || (!f->peer && !t->has_ended))
		return;
	model_calls_drop(st, t, false);
	t->has_ended = t->is_joined = true;
	t->is_surely_joined = f->peer;
	model_settle(st, t);
}

void model_detach_out(struct model_step *st)
{
	struct thread *t = by_handle(st, model_value(st, MODEL_F_OBJECT));

	if (st->result || !t || t->is_joined)
		return;
	t->t.is_detached = true;
	model_settle(st, t);
}

int model_hold_add(struct model_step *st, struct object *o)
{
	struct thread *t = st->t;
	__u32 cap = t->hold_cap ? 2 * t->hold_cap : 4;
	struct hold *holds = t->holds;

	if (t->hold_nr == t->hold_cap) {
		holds = realloc(t->holds, cap * sizeof(*holds));
		if (!holds)
			return -ENOMEM;
		t->holds = holds;
		t->hold_cap = cap;
	}
	holds[t->hold_nr++] = (struct hold){ o, o->o.life, st->time, st->caller };
	return 0;
}

static void tell_hold(struct model_step *st, const struct thread *t, const struct hold *h,
		      bool is_cut)
{
	const struct model_watch *w = &st->s->watch;
	const struct model_hold hold = {
		.thread = &t->t, .object = &h->object->o, .from = h->from,
		.until = st->time > h->from ? st->time : h->from, .caller = h->caller,
		.is_cut = is_cut,
	};

	if (h->life != h->object->o.life || h->object->o.state == MODEL_GONE)
		st->s->holds_lost++;
	else if (w->given)
		w->given(w->arg, &hold);
}

bool model_hold_remove(struct model_step *st, struct thread *t, const struct object *o)
{
	__u32 i = t->hold_nr;

	while (i && t->holds[i - 1].object != o)
		i--;
	if (!i)
		return false;
	tell_hold(st, t, &t->holds[i - 1], false);
	for (; i < t->hold_nr; i++)
		t->holds[i - 1] = t->holds[i];
	t->hold_nr--;
	return true;
}

void model_holds_forget(struct model_step *st, struct thread *t)
{
	st->s->holds_lost += t->hold_nr;
	t->hold_nr = 0;
}

void model_holds_flush(struct model_step *st, const struct thread *t)
{
	__u32 i;

	for (i = 0; i < t->hold_nr; i++)
		tell_hold(st, t, &t->holds[i], true);
}

bool model_held_since(const struct model_thread *t, const struct model_object *o, __u64 *since)
{
	const struct thread *thread = (const struct thread *)t;
	__u32 i = thread->hold_nr;

	while (i && &thread->holds[i - 1].object->o != o)
		i--;
	if (i)
		*since = thread->holds[i - 1].from;
	return i;
}

const struct model_object *model_held(const struct model_thread *t, size_t i)
{
	const struct thread *thread = (const struct thread *)t;

	if (thread->hold_nr > MODEL_HELD_MAX)
		i += thread->hold_nr - MODEL_HELD_MAX;
	return i < thread->hold_nr ? &thread->holds[i].object->o : NULL;
}

const struct model_thread *model_find_handle(const struct model *s, const struct model_process *p,
					     __u64 handle)
{
	const struct thread *t = model_map_get(&s->by_handle, p->serial, handle);

	return t ? &t->t : NULL;
}
