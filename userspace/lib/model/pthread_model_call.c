// SPDX-License-Identifier: LGPL-2.1
/*
 * pthread_model_call.c - calls under way, and waits
 *
 * A call has a frame from its event "in" to its "out". Calls nest: a signal handler or a routine of
 * pthread_once() makes calls inside another. Frames above the one that ends were left by a jump, an
 * exception or a cancellation: their calls waited no longer than until the thread's next event.
 */
#include "pthread_model_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES_MAX 64u

static void tell_thread(struct model_step *st, struct thread *t, __u32 from)
{
	const struct model_watch *w = &st->s->watch;
	const struct model_change c = { st->time, from, st->t ? &st->t->t : NULL, st->e };

	t->t.since = st->time;
	if (w->thread)
		w->thread(w->arg, &t->t, &c);
}

static const struct model_frame *top_wait(const struct thread *t)
{
	__u32 i;

	for (i = t->frame_nr; i--;)
		if (t->frames[i].is_wait)
			return &t->frames[i];
	return NULL;
}

static __u32 life_of(const struct thread *t, const struct model_frame *wait)
{
	if (wait)
		return MODEL_WAITING;
	if (t->is_joined)
		return MODEL_JOINED;
	if (t->has_ended)
		return t->t.is_detached ? MODEL_DEAD : MODEL_ZOMBIE;
	return MODEL_RUNNING;
}

void model_settle(struct model_step *st, struct thread *t)
{
	const struct model_frame *wait = top_wait(t);
	const struct model_object *object = wait && wait->object ? &wait->object->o : NULL;
	__u64 joins = wait && !wait->object ? wait->address : 0;
	__u32 from = t->t.life, life = life_of(t, wait);

	if (life == from && object == t->t.object && joins == t->t.joins)
		return;
	model_stir(st->s, t);
	t->t.life = (__u8)life;
	t->t.object = object;
	t->t.joins = joins;
	tell_thread(st, t, from);
}

void model_forget_life(struct model_step *st, struct thread *t)
{
	__u32 from = t->t.life;

	t->t.object = NULL;
	t->t.joins = 0;
	t->t.life = MODEL_NOT_KNOWN;
	tell_thread(st, t, from);
}

static __u32 waits_below(const struct thread *t, __u32 at)
{
	__u32 n = 0;

	while (at--)
		n += t->frames[at].is_wait;
	return n;
}

static void tell_wait(struct model_step *st, struct thread *t, __u32 at, __u64 until, bool is_cut)
{
	const struct model_frame *f = &t->frames[at];
	const struct model_wait w = {
		.thread = &t->t, .object = f->object ? &f->object->o : NULL, .life = f->life,
		.joins = f->object ? 0 : f->address, .from = f->time,
		.until = until > f->time ? until : f->time, .holder = f->holder,
		.caller = f->caller, .depth = waits_below(t, at), .is_cut = is_cut,
		.name = st->s->stems[f->binding->stem],
	};

	if (st->s->watch.wait)
		st->s->watch.wait(st->s->watch.arg, &w);
}

static void add_waiters(struct model_step *st, struct object *o, int change)
{
	const __u32 from = o->o.state;

	o->o.waiters += (__u32)change;
	if (o->o.kind == MODEL_COND)
		o->o.state = o->o.waiters ? MODEL_TAKEN : o->o.made ? MODEL_FREE : MODEL_UNKNOWN;
	model_changed(st, o, from);
}

/* Ends the effects that the call has on its object while under way. */
static void undo(struct model_step *st, const struct thread *t, const struct model_frame *f)
{
	struct object *o = f->object;

	if (!o || o->o.life != f->life || o->o.state == MODEL_GONE)
		return;
	if (f->binding->op == MODEL_OP_GIVE && o->doubts)
		o->doubts--;
	if (f->is_wait && o->o.waiters)
		add_waiters(st, o, -1);
	if (f->binding->op == MODEL_OP_ONCE && o->o.owner == &t->t) {
		o->o.owner = NULL;
		model_set_state(st, o, MODEL_FREE);
	}
}

static int grow(struct thread *t)
{
	__u32 cap = t->frame_cap ? 2 * t->frame_cap : 2;
	struct model_frame *frames = realloc(t->frames, cap * sizeof(*frames));

	if (!frames)
		return -ENOMEM;
	t->frames = frames;
	t->frame_cap = cap;
	return 0;
}

/* Drops the oldest frame; so many frames can only be left over from jumps. */
static void drop_oldest(struct model_step *st, struct thread *t)
{
	const struct model_frame f = t->frames[0];

	if (f.is_wait)
		tell_wait(st, t, 0, f.next, true);
	memmove(t->frames, t->frames + 1, --t->frame_nr * sizeof(f));
	t->is_whole = false;
	undo(st, t, &f);
}

int model_call_in(struct model_step *st)
{
	struct thread *t = st->t;
	struct model_frame *f;

	if (t->frame_nr == FRAMES_MAX)
		drop_oldest(st, t);
	if (t->frame_nr == t->frame_cap && grow(t))
		return -ENOMEM;
	f = &t->frames[t->frame_nr++];
	*f = (struct model_frame){
		.binding = st->b, .object = st->o, .life = st->o ? st->o->o.life : 0,
		.time = st->time,
	};
	if (model_has(st, MODEL_F_OBJECT))
		f->address = model_value(st, MODEL_F_OBJECT);
	if (model_has(st, MODEL_F_CALLER))
		f->caller = model_value(st, MODEL_F_CALLER);
	return 0;
}

static bool is_call(const struct model_frame *f, const struct model_step *st)
{
	if (f->binding->stem != st->b->stem)
		return false;
	return !f->binding->size[MODEL_F_OBJECT] || !model_has(st, MODEL_F_OBJECT) ||
	       f->address == model_value(st, MODEL_F_OBJECT);
}

/* Drops the frames from @at on, whose calls ended without an event. */
static void leave(struct model_step *st, struct thread *t, __u32 at, bool is_lost)
{
	struct model_frame f;

	while (t->frame_nr > at) {
		f = t->frames[t->frame_nr - 1];
		if (f.is_wait && is_lost)
			st->s->waits_lost++;
		else if (f.is_wait)
			tell_wait(st, t, t->frame_nr - 1, f.next ? f.next : st->time, true);
		t->frame_nr--;
		undo(st, t, &f);
	}
}

bool model_call_out(struct model_step *st, struct model_frame *frame)
{
	struct thread *t = st->t;
	__u32 at = t->frame_nr;

	while (at && !is_call(&t->frames[at - 1], st))
		at--;
	if (!at) {
		/*
		 * An unlock is recorded as one event, and has a second one only if it fails
		 * unexpectedly.
		 */
		if (t->is_whole && !(st->b->op == MODEL_OP_GIVE && st->result))
			model_complain(st, NULL, "no such call is under way");
		*frame = (struct model_frame){ 0 };
		return false;
	}
	leave(st, t, at, false);
	*frame = t->frames[at - 1];
	st->caller = frame->caller;
	if (frame->is_wait)
		tell_wait(st, t, at - 1, st->time, false);
	t->frame_nr--;
	undo(st, t, frame);
	model_settle(st, t);
	return true;
}

void model_wait_begin(struct model_step *st, __u32 holder)
{
	struct model_frame *f = model_call(st);

	f->is_wait = true;
	f->holder = holder;
	st->t->t.waits++;
	if (st->o) {
		st->o->o.waits++;
		add_waiters(st, st->o, 1);
	}
	model_settle(st, st->t);
}

void model_calls_drop(struct model_step *st, struct thread *t, bool is_lost)
{
	leave(st, t, 0, is_lost);
	if (is_lost)
		t->is_whole = false;
}

void model_calls_flush(struct model_step *st, struct thread *t)
{
	__u32 at;

	for (at = t->frame_nr; at--;)
		if (t->frames[at].is_wait)
			tell_wait(st, t, at, st->time, true);
}
