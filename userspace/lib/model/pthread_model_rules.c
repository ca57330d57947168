// SPDX-License-Identifier: LGPL-2.1
/*
 * pthread_model_rules.c - the effect of each call on its object
 *
 * An action that lets other threads continue is recorded before it is done, an acquisition after it
 * is done. So the former (unlock, post, the "in" of a condition wait, of destroy) takes effect at
 * its earlier event, the latter at its later one. An unknown state becomes what the event tells. An
 * event that contradicts the state is reported, and then believed.
 */
#include "pthread_model_state.h"

#include <errno.h>

#define OWNERDEAD 130
#define NOTRECOVERABLE 131
#define SERIAL (-1)

static bool has_got(const struct model_step *st)
{
	return !st->result || (st->result == OWNERDEAD && !st->b->is_thrd);
}

static bool is_mine(const struct model_step *st, const struct object *o)
{
	return o->o.state == MODEL_TAKEN && o->o.owner == &st->t->t;
}

/*
 * Returns how often the thread had locked the mutex before a condition wait under way. If the
 * thread was cancelled there, it holds the mutex again, without an event.
 */
static __u32 had_before(const struct model_step *st, const struct object *mutex)
{
	__u32 i;

	for (i = st->t->frame_nr; i--;)
		if (st->t->frames[i].mutex == mutex)
			return st->t->frames[i].held;
	return 0;
}

static int tell_taken(struct model_step *st, struct object *o, bool has_tried)
{
	const struct model_watch *w = &st->s->watch;
	const struct model_take take = {
		.thread = &st->t->t, .object = &o->o, .has_tried = has_tried,
		.caller = st->caller, .event = st->e,
	};

	if (o->o.is_partial)
		return 0;
	if (w->taken)
		w->taken(w->arg, &take);
	return model_hold_add(st, o);
}

/* Removes all holds of the object that its owner has. */
static void drop_holds(struct model_step *st, struct object *o)
{
	if (o->o.owner)
		while (model_hold_remove(st, (struct thread *)o->o.owner, o))
			;
}

/* Complains if earlier events contradict that the thread now holds the mutex @count times. */
static void check_mutex(struct model_step *st, struct object *o, __u32 count)
{
	__u32 before = o->o.state == MODEL_TAKEN ? o->o.count : 0;

	if (o->o.state == MODEL_UNKNOWN || st->result == OWNERDEAD)
		return;
	o->ghost = NULL;
	if (o->o.state == MODEL_TAKEN && o->o.owner != &st->t->t) {
		o->ghost = o->o.owner;
		model_complain(st, o, "acquired, but thread %u holds it", o->ghost->tid);
	} else if (count != before + 1 && count != had_before(st, o) + 1) {
		model_complain(st, o, "acquired %u times, but %u before", count, before);
	}
}

static int take_mutex(struct model_step *st, struct object *o, __u32 count, bool has_tried)
{
	const __u32 from = o->o.state;
	const bool is_new = !is_mine(st, o);

	check_mutex(st, o, count);
	if (is_new)
		drop_holds(st, o);
	o->o.owner = &st->t->t;
	o->o.count = count;
	o->o.is_recursive |= count > 1;
	o->o.state = MODEL_TAKEN;
	model_changed(st, o, from);
	return is_new ? tell_taken(st, o, has_tried) : 0;
}

/* Complains if the thread cannot release the mutex; false: ignore the event. */
static bool check_give(struct model_step *st, struct object *o, __u32 count)
{
	if (o->o.state == MODEL_UNKNOWN || had_before(st, o))
		return true;
	if (is_mine(st, o)) {
		if (o->o.count != count + 1)
			model_complain(st, o,
				       "released, locked %u times still, but was locked %u times",
				       count, o->o.count);
		return true;
	}
	if (o->ghost == &st->t->t && model_excuse(st, o))
		return false;
	if (o->o.is_recursive || count)
		model_complain(st, o, "released, but thread %u holds it",
			       o->o.state == MODEL_TAKEN ? o->o.owner->tid : 0);
	else
		model_complain_misuse(st, o, "released by a thread that does not hold it");
	return true;
}

static void give_mutex(struct model_step *st, struct object *o, __u32 count)
{
	const __u32 from = o->o.state;

	if (!check_give(st, o, count))
		return;
	if (!count)
		drop_holds(st, o);
	o->o.owner = count ? &st->t->t : NULL;
	o->o.count = count;
	o->o.state = count ? MODEL_TAKEN : MODEL_FREE;
	model_changed(st, o, from);
}

static int take_rwlock(struct model_step *st, struct object *o)
{
	const bool to_read = st->b->op == MODEL_OP_READ;
	const __u32 from = o->o.state;

	if (from == MODEL_TAKEN)
		model_complain(st, o, "acquired, but thread %u holds it for writing",
			       o->o.owner->tid);
	if (from == MODEL_SHARED && !to_read)
		model_complain(st, o, "acquired for writing, but readers hold it: %u",
			       o->o.readers);
	if (from == MODEL_TAKEN)
		drop_holds(st, o);
	o->o.owner = to_read ? NULL : &st->t->t;
	o->o.readers = to_read ? o->o.readers + 1 : 0;
	/* If the state was unknown there may be other readers: their number is not known. */
	o->o.state = !to_read ? MODEL_TAKEN : from == MODEL_UNKNOWN ? MODEL_UNKNOWN : MODEL_SHARED;
	o->reader = to_read ? &st->t->t : NULL;
	model_changed(st, o, from);
	return tell_taken(st, o, st->b->has_tried);
}

static void give_rwlock(struct model_step *st, struct object *o)
{
	const bool is_writer = is_mine(st, o), had = model_hold_remove(st, st->t, o);
	const __u32 from = o->o.state;

	if (!had && from != MODEL_UNKNOWN) {
		if (model_excuse(st, o))
			return;
		model_complain_misuse(st, o, "released by a thread that does not hold it");
	}
	if (had && from == MODEL_TAKEN && !is_writer && model_excuse(st, o))
		return;
	if (from == MODEL_TAKEN)
		drop_holds(st, o);
	o->o.readers -= o->o.readers > 0;
	o->o.owner = NULL;
	o->reader = NULL;
	if (from != MODEL_UNKNOWN)
		o->o.state = o->o.readers ? MODEL_SHARED : MODEL_FREE;
	model_changed(st, o, from);
}

static void settle_sem(struct model_step *st, struct object *o)
{
	const __u32 from = o->o.state;

	o->o.state = !o->o.has_value ? MODEL_UNKNOWN : o->o.value > 0 ? MODEL_FREE : MODEL_TAKEN;
	model_changed(st, o, from);
}

static void take_sem(struct model_step *st, struct object *o)
{
	if (o->o.has_value && o->o.value < 0 && !model_excuse(st, o))
		o->o.has_value = false;
	if (o->o.has_value && --o->o.value < 0)
		model_complain(st, o, "acquired, but its value was %lld",
			       (long long)o->o.value + 1);
	settle_sem(st, o);
}

static void give_sem(struct model_step *st, struct object *o, __s64 change)
{
	if (o->o.has_value && o->o.value < 0 && !model_excuse(st, o))
		o->o.has_value = false;
	o->o.value += change;
	settle_sem(st, o);
}

static __u32 holder_of(const struct model_step *st, const struct object *o)
{
	if (model_has(st, MODEL_F_OWNER) && model_value(st, MODEL_F_OWNER))
		return (__u32)model_value(st, MODEL_F_OWNER);
	if (o->o.owner)
		return o->o.owner->tid;
	return o->reader ? o->reader->tid : 0;
}

static int on_take(struct model_step *st)
{
	struct model_frame f;

	if (st->b->phase == MODEL_IN)
		model_wait_begin(st, holder_of(st, st->o));
	if (st->b->phase == MODEL_OUT)
		model_call_out(st, &f);
	if (st->b->phase == MODEL_IN || !has_got(st) || st->o->o.state == MODEL_GONE)
		return 0;
	switch (st->o->o.kind) {
	case MODEL_SEM:
		take_sem(st, st->o);
		return 0;
	case MODEL_RWLOCK:
		return take_rwlock(st, st->o);
	default:
		return take_mutex(st, st->o, model_has(st, MODEL_F_COUNT) ?
				  (__u32)model_value(st, MODEL_F_COUNT) : 1, st->b->has_tried);
	}
}

static void give(struct model_step *st)
{
	if (st->o->o.kind == MODEL_RWLOCK)
		give_rwlock(st, st->o);
	else
		give_mutex(st, st->o, model_has(st, MODEL_F_COUNT) ?
			   (__u32)model_value(st, MODEL_F_COUNT) : 0);
}

/*
 * Frees the object: it was released at some time during the call, unless owner or count have
 * changed since.
 */
static void end_give(struct model_step *st, const struct model_frame *f)
{
	struct object *o = st->o;

	if (!st->result && f->held == o->o.count && o->o.owner == (f->peer ? &f->peer->t : NULL)) {
		drop_holds(st, o);
		o->o.owner = NULL;
		o->o.count = 0;
		model_set_state(st, o, MODEL_FREE);
	}
}

static int on_give(struct model_step *st)
{
	struct model_frame f;
	bool had;

	switch (st->b->phase) {
	case MODEL_ALL:
		give(st);
		break;
	case MODEL_IN:
		model_call(st)->held = st->o->o.count;
		model_call(st)->peer = (struct thread *)st->o->o.owner;
		if (st->o->o.kind == MODEL_SEM)
			give_sem(st, st->o, 1);
		else
			st->o->doubts++;
		break;
	default:
		had = model_call_out(st, &f);
		if (st->o->o.state == MODEL_GONE || (had && f.life != st->o->o.life))
			break;
		if (st->o->o.kind == MODEL_SEM && st->result)
			give_sem(st, st->o, -1);
		else if (st->o->o.kind != MODEL_SEM && had)
			end_give(st, &f);
		else if (st->o->o.kind != MODEL_SEM)
			model_set_state(st, st->o, MODEL_UNKNOWN);
	}
	return 0;
}

/* Releases the mutex of a condition wait, if the thread has it. */
static int cond_in(struct model_step *st)
{
	struct object *m = model_object_at(st, model_value(st, MODEL_F_MUTEX), MODEL_MUTEX);
	struct model_frame *f = model_call(st);
	const __u32 before = m ? had_before(st, m) : 0;

	if (!m)
		return -ENOMEM;
	if (m->o.state == MODEL_GONE)
		model_object_renew(st, m, MODEL_MUTEX);
	if (is_mine(st, m))
		f->held = m->o.count;
	else if (m->o.state == MODEL_UNKNOWN || before || (m->ghost == &st->t->t &&
							   model_excuse(st, m)))
		f->held = before ? before : 1;
	if (f->held)
		f->mutex = m;
	else
		model_set_state(st, m, MODEL_UNKNOWN);
	if (is_mine(st, m) || (f->held && m->o.state == MODEL_UNKNOWN))
		give_mutex(st, m, f->held - 1);
	model_wait_begin(st, 0);
	return 0;
}

static int cond_out(struct model_step *st)
{
	const bool has_it = st->b->is_thrd ? st->result != 2 :
			    st->result != 1 && st->result != NOTRECOVERABLE;
	struct object *m = model_object_at(st, model_value(st, MODEL_F_MUTEX), MODEL_MUTEX);
	struct model_frame f;
	const bool had = model_call_out(st, &f);

	if (!m)
		return -ENOMEM;
	if (had && has_it && !f.mutex)
		model_complain_misuse(st, m, "used for waiting by a thread that did not hold it");
	if (has_it)
		return take_mutex(st, m, f.held ? f.held : 1, false);
	if (had && f.mutex == m)
		model_set_state(st, m, MODEL_UNKNOWN);
	return 0;
}

/* Compares arrived and departed threads: a round is full before any thread leaves it. */
static void barrier_out(struct model_step *st, struct object *o)
{
	__u64 full = o->arrived / (__u64)o->o.value;

	o->gone++;
	o->serials += st->result == SERIAL;
	if (o->gone > full * (__u64)o->o.value)
		model_complain(st, o, "left by thread %llu of a round, when %u are missing",
			       (o->gone - 1) % (__u64)o->o.value + 1, o->o.left);
	else if (o->serials > full)
		model_complain(st, o, "left by a second thread as the last of its round");
}

static void barrier_in(struct model_step *st, struct object *o)
{
	const __u32 from = o->o.state;

	o->arrived++;
	if (!o->o.value || o->o.is_pshared) {
		model_wait_begin(st, 0);
		return;
	}
	model_excuse(st, o);
	o->o.left = (__u32)((__u64)o->o.value - o->arrived % (__u64)o->o.value);
	o->o.state = o->arrived % (__u64)o->o.value ? MODEL_TAKEN : MODEL_FREE;
	if (o->o.state == MODEL_TAKEN)
		model_wait_begin(st, 0);
	model_changed(st, o, from);
}

static int on_wait(struct model_step *st)
{
	struct object *o = st->o;
	struct model_frame f;

	if (o->o.kind == MODEL_COND)
		return st->b->phase == MODEL_IN ? cond_in(st) : cond_out(st);
	if (st->b->phase == MODEL_IN)
		barrier_in(st, o);
	else if (model_call_out(st, &f) && f.life == o->o.life && o->o.value && o->has_pshared &&
		 !o->o.is_pshared && st->result <= 0)
		barrier_out(st, o);
	return 0;
}

/* Sets the state of a new object. */
static void make(struct model_step *st, struct object *o, const struct model_frame *f)
{
	o->o.made = st->time;
	o->o.is_pshared = f->is_pshared;
	o->has_pshared = f->has_pshared;
	if (o->o.kind == MODEL_BARRIER)
		o->o.value = o->o.left = f->number;
	if (o->o.kind == MODEL_SEM) {
		o->o.value = f->number;
		o->o.has_value = f->binding && !f->is_pshared;
		settle_sem(st, o);
		return;
	}
	if (o->o.kind != MODEL_BARRIER || (o->o.value && !o->o.is_pshared))
		model_set_state(st, o, MODEL_FREE);
}

static int on_init(struct model_step *st)
{
	struct model_frame f;

	if (st->b->phase == MODEL_IN) {
		model_object_renew(st, st->o, st->b->kind);
		model_call(st)->life = st->o->o.life;
		st->o->o.uses = 1;
		if (model_has(st, MODEL_F_COUNT))
			model_call(st)->number = (__u32)model_value(st, MODEL_F_COUNT);
		if (model_has(st, MODEL_F_VALUE))
			model_call(st)->number = (__u32)model_value(st, MODEL_F_VALUE);
		model_call(st)->has_pshared = model_has(st, MODEL_F_PSHARED);
		if (model_has(st, MODEL_F_PSHARED))
			model_call(st)->is_pshared = model_value(st, MODEL_F_PSHARED);
		return 0;
	}
	model_call_out(st, &f);
	if (!st->result && st->o->o.state != MODEL_GONE)
		make(st, st->o, &f);
	return 0;
}

static void on_destroy(struct model_step *st)
{
	struct model_frame f;

	if (st->b->phase != MODEL_OUT)
		return;
	if ((model_call_out(st, &f) && f.life != st->o->o.life) || st->result)
		return;
	drop_holds(st, st->o);
	model_set_state(st, st->o, MODEL_GONE);
}

static void on_open(struct model_step *st)
{
	struct model_frame f;

	if (st->b->phase != MODEL_OUT)
		return;
	model_call_out(st, &f);
	if (st->result || !st->o)
		return;
	if (st->o->o.state == MODEL_GONE)
		model_object_renew(st, st->o, MODEL_SEM);
	st->o->o.is_pshared = true;
	st->o->o.has_value = false;
}

/* Assumes that the first thread runs the routine; the others wait for it. */
static void on_once(struct model_step *st)
{
	struct object *o = st->o;
	struct model_frame f;

	if (st->b->phase == MODEL_IN && o->o.state == MODEL_TAKEN) {
		model_wait_begin(st, o->o.owner->tid);
	} else if (st->b->phase == MODEL_IN && o->o.state != MODEL_DONE) {
		o->o.owner = &st->t->t;
		model_set_state(st, o, MODEL_TAKEN);
	} else if (st->b->phase == MODEL_OUT) {
		model_call_out(st, &f);
		o->o.owner = NULL;
		model_set_state(st, o, MODEL_DONE);
	}
}

static int on_thread(struct model_step *st)
{
	struct model_frame f = { 0 };

	if (st->b->op == MODEL_OP_START)
		return model_thread_start(st);
	if (st->b->op == MODEL_OP_END)
		return model_thread_end(st);
	if (st->b->phase == MODEL_IN && st->b->op == MODEL_OP_JOIN)
		model_join_in(st);
	if (st->b->phase != MODEL_OUT)
		return 0;
	model_call_out(st, &f);
	if (st->b->op == MODEL_OP_JOIN)
		model_join_out(st, &f);
	if (st->b->op == MODEL_OP_DETACH)
		model_detach_out(st);
	return 0;
}

static int on_object(struct model_step *st)
{
	struct model_frame f;

	switch (st->b->op) {
	case MODEL_OP_TAKE:
	case MODEL_OP_READ:
		return on_take(st);
	case MODEL_OP_GIVE:
		return on_give(st);
	case MODEL_OP_WAIT:
		return on_wait(st);
	case MODEL_OP_INIT:
		return on_init(st);
	case MODEL_OP_DESTROY:
		on_destroy(st);
		return 0;
	case MODEL_OP_ONCE:
		on_once(st);
		return 0;
	default:
		if (st->b->phase == MODEL_OUT)
			model_call_out(st, &f);
		return 0;
	}
}

int model_apply(struct model_step *st)
{
	int ret;

	if (st->b->phase == MODEL_IN) {
		ret = model_call_in(st);
		if (ret)
			return ret;
	} else if (st->b->phase == MODEL_ALL && model_has(st, MODEL_F_CALLER)) {
		st->caller = model_value(st, MODEL_F_CALLER);
	}
	if (st->b->kind == MODEL_THREAD)
		return on_thread(st);
	if (st->b->op == MODEL_OP_OPEN) {
		on_open(st);
		return 0;
	}
	if (st->o)
		return on_object(st);
	return 0;
}
