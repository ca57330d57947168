// SPDX-License-Identifier: GPL-2.0
/*
 * sync_thread.c - beginning and end of threads, and what they have
 *
 * Which thread a pthread_t is, only its event thread_start says. A pthread_t is used again as
 * soon as its thread is joined, or has ended detached; and a join may be recorded before the
 * thread begins. So the thread is looked up when the join begins, and again when it is over.
 */
#include "sync_model.h"

#include <errno.h>
#include <stdlib.h>

static struct thread *by_handle(const struct sync_step *st, __u64 handle)
{
	return sync_map_get(&st->s->by_handle, st->t->process->p.serial, handle);
}

/* Its pthread_t is another's: it had ended detached, or the join was not seen. */
static void end_old(struct sync_step *st, struct thread *old)
{
	if (!old || old == st->t || old->is_joined)
		return;
	sync_calls_drop(st, old, false);
	old->has_ended = true;
	old->t.is_detached = true;
	sync_settle(st, old);
}

int sync_thread_start(struct sync_step *st)
{
	__u64 handle = sync_value(st, SYNC_F_OBJECT);
	int ret = 0;

	if (st->t->t.begun || st->t->has_ended || st->t->is_joined)
		ret = sync_thread_renew(st);
	if (ret)
		return ret;
	st->t->is_whole = !st->t->frame_nr;
	st->t->t.begun = st->time;
	st->t->t.handle = handle;
	st->t->t.number = (__u32)sync_value(st, SYNC_F_NUMBER);
	end_old(st, by_handle(st, handle));
	sync_settle(st, st->t);
	return sync_map_set(&st->s->by_handle, st->t->process->p.serial, handle, st->t);
}

int sync_thread_end(struct sync_step *st)
{
	__u64 handle = sync_value(st, SYNC_F_OBJECT);
	struct thread *t = st->t;
	int ret = 0;

	sync_calls_drop(st, t, false);
	t->has_ended = true;
	/* The first thread of a process, or one whose beginning was not recorded */
	if (!t->t.begun) {
		t->t.handle = handle;
		end_old(st, by_handle(st, handle));
		ret = sync_map_set(&st->s->by_handle, t->process->p.serial, handle, t);
	}
	sync_settle(st, t);
	return ret;
}

static __u32 tid_of(const struct thread *t)
{
	return t ? t->t.tid : 0;
}

void sync_join_in(struct sync_step *st)
{
	struct thread *peer = by_handle(st, sync_value(st, SYNC_F_OBJECT));

	if (peer && (peer->is_joined || peer->t.life == SYNC_DEAD))
		peer = NULL;
	sync_call(st)->peer = peer;
	if (!st->b->has_tried)
		sync_wait_begin(st, tid_of(peer));
}

void sync_join_out(struct sync_step *st, const struct sync_frame *f)
{
	struct thread *t = f->peer ? f->peer : by_handle(st, sync_value(st, SYNC_F_OBJECT));

	if (st->result || !t || t->is_joined || (!f->peer && !t->has_ended))
		return;
	sync_calls_drop(st, t, false);
	t->has_ended = t->is_joined = true;
	t->is_surely_joined = f->peer;
	sync_settle(st, t);
}

void sync_detach_out(struct sync_step *st)
{
	struct thread *t = by_handle(st, sync_value(st, SYNC_F_OBJECT));

	if (st->result || !t || t->is_joined)
		return;
	t->t.is_detached = true;
	sync_settle(st, t);
}

int sync_hold_add(struct sync_step *st, struct object *o)
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

static void tell_hold(struct sync_step *st, const struct thread *t, const struct hold *h,
		      bool is_cut)
{
	const struct sync_watch *w = &st->s->watch;
	const struct sync_hold hold = {
		.thread = &t->t, .object = &h->object->o, .from = h->from,
		.until = st->time > h->from ? st->time : h->from, .caller = h->caller,
		.is_cut = is_cut,
	};

	if (h->life != h->object->o.life || h->object->o.state == SYNC_GONE)
		st->s->holds_lost++;
	else if (w->given)
		w->given(w->arg, &hold);
}

bool sync_hold_remove(struct sync_step *st, struct thread *t, const struct object *o)
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

void sync_holds_forget(struct sync_step *st, struct thread *t)
{
	st->s->holds_lost += t->hold_nr;
	t->hold_nr = 0;
}

void sync_holds_flush(struct sync_step *st, const struct thread *t)
{
	__u32 i;

	for (i = 0; i < t->hold_nr; i++)
		tell_hold(st, t, &t->holds[i], true);
}

bool sync_held_since(const struct sync_thread *t, const struct sync_object *o, __u64 *since)
{
	const struct thread *thread = (const struct thread *)t;
	__u32 i = thread->hold_nr;

	while (i && &thread->holds[i - 1].object->o != o)
		i--;
	if (i)
		*since = thread->holds[i - 1].from;
	return i;
}

const struct sync_object *sync_held(const struct sync_thread *t, size_t i)
{
	const struct thread *thread = (const struct thread *)t;

	if (thread->hold_nr > SYNC_HELD_MAX)
		i += thread->hold_nr - SYNC_HELD_MAX;
	return i < thread->hold_nr ? &thread->holds[i].object->o : NULL;
}

const struct sync_thread *sync_find_handle(const struct sync *s, const struct sync_process *p,
					   __u64 handle)
{
	const struct thread *t = sync_map_get(&s->by_handle, p->serial, handle);

	return t ? &t->t : NULL;
}
