// SPDX-License-Identifier: GPL-2.0
/*
 * sync_rules.c - what each call does to its object
 *
 * What lets others go on is recorded before it is done, what a thread gets when it has it: a
 * transition is made by the earlier event of the first (unlock, post, the "in" of a condition's
 * wait, of destroy), and by the later of the second. A state that was unknown becomes what the
 * event says; one that contradicts it is complained of, and then the event is believed.
 */
#include "sync_model.h"

#include <errno.h>

#define OWNERDEAD 130
#define NOTRECOVERABLE 131
#define SERIAL (-1)

static bool has_got(const struct sync_step *st)
{
	return !st->result || (st->result == OWNERDEAD && !st->b->is_thrd);
}

static bool is_mine(const struct sync_step *st, const struct object *o)
{
	return o->o.state == SYNC_TAKEN && o->o.owner == &st->t->t;
}

/*
 * How often the thread had the mutex before a condition's wait that is under way: if the thread
 * was cancelled there, it has it again, untold.
 */
static __u32 had_before(const struct sync_step *st, const struct object *mutex)
{
	__u32 i;

	for (i = st->t->frame_nr; i--;)
		if (st->t->frames[i].mutex == mutex)
			return st->t->frames[i].held;
	return 0;
}

static int tell_taken(struct sync_step *st, struct object *o, bool has_tried)
{
	const struct sync_watch *w = &st->s->watch;
	const struct sync_take take = {
		.thread = &st->t->t, .object = &o->o, .has_tried = has_tried,
		.caller = st->caller, .event = st->e,
	};

	if (o->o.is_partial)
		return 0;
	if (w->taken)
		w->taken(w->arg, &take);
	return sync_hold_add(st, o);
}

/* Nobody has it any more, as far as the thread lists go. */
static void drop_holds(struct sync_step *st, struct object *o)
{
	if (o->o.owner)
		while (sync_hold_remove(st, (struct thread *)o->o.owner, o))
			;
}

/* Which thread has it, according to other events? */
static void check_mutex(struct sync_step *st, struct object *o, __u32 count)
{
	__u32 before = o->o.state == SYNC_TAKEN ? o->o.count : 0;

	if (o->o.state == SYNC_UNKNOWN || st->result == OWNERDEAD)
		return;
	o->ghost = NULL;
	if (o->o.state == SYNC_TAKEN && o->o.owner != &st->t->t) {
		o->ghost = o->o.owner;
		sync_complain(st, o, "taken, but thread %u has it", o->ghost->tid);
	} else if (count != before + 1 && count != had_before(st, o) + 1) {
		sync_complain(st, o, "taken %u times, but %u before", count, before);
	}
}

static int take_mutex(struct sync_step *st, struct object *o, __u32 count, bool has_tried)
{
	const __u32 from = o->o.state;
	const bool is_new = !is_mine(st, o);

	check_mutex(st, o, count);
	if (is_new)
		drop_holds(st, o);
	o->o.owner = &st->t->t;
	o->o.count = count;
	o->o.is_recursive |= count > 1;
	o->o.state = SYNC_TAKEN;
	sync_changed(st, o, from);
	return is_new ? tell_taken(st, o, has_tried) : 0;
}

/* What is wrong with giving it back? false: the event is to be passed over. */
static bool check_give(struct sync_step *st, struct object *o, __u32 count)
{
	if (o->o.state == SYNC_UNKNOWN || had_before(st, o))
		return true;
	if (is_mine(st, o)) {
		if (o->o.count != count + 1)
			sync_complain(st, o, "given back, %u left, but had %u times", count,
				      o->o.count);
		return true;
	}
	if (o->ghost == &st->t->t && sync_excuse(st, o))
		return false;
	if (o->o.is_recursive || count)
		sync_complain(st, o, "given back, but thread %u has it",
			      o->o.state == SYNC_TAKEN ? o->o.owner->tid : 0);
	else
		sync_complain_misuse(st, o, "given back by a thread that does not have it");
	return true;
}

static void give_mutex(struct sync_step *st, struct object *o, __u32 count)
{
	const __u32 from = o->o.state;

	if (!check_give(st, o, count))
		return;
	if (!count)
		drop_holds(st, o);
	o->o.owner = count ? &st->t->t : NULL;
	o->o.count = count;
	o->o.state = count ? SYNC_TAKEN : SYNC_FREE;
	sync_changed(st, o, from);
}

static int take_rwlock(struct sync_step *st, struct object *o)
{
	const bool to_read = st->b->op == SYNC_OP_READ;
	const __u32 from = o->o.state;

	if (from == SYNC_TAKEN)
		sync_complain(st, o, "taken, but thread %u has it to write", o->o.owner->tid);
	if (from == SYNC_SHARED && !to_read)
		sync_complain(st, o, "taken to write, but %u read", o->o.readers);
	if (from == SYNC_TAKEN)
		drop_holds(st, o);
	o->o.owner = to_read ? NULL : &st->t->t;
	o->o.readers = to_read ? o->o.readers + 1 : 0;
	/* With readers from before all is known, the number is not. */
	o->o.state = !to_read ? SYNC_TAKEN : from == SYNC_UNKNOWN ? SYNC_UNKNOWN : SYNC_SHARED;
	o->reader = to_read ? &st->t->t : NULL;
	sync_changed(st, o, from);
	return tell_taken(st, o, st->b->has_tried);
}

static void give_rwlock(struct sync_step *st, struct object *o)
{
	const bool is_writer = is_mine(st, o), had = sync_hold_remove(st, st->t, o);
	const __u32 from = o->o.state;

	if (!had && from != SYNC_UNKNOWN) {
		if (sync_excuse(st, o))
			return;
		sync_complain_misuse(st, o, "given back by a thread that does not have it");
	}
	if (had && from == SYNC_TAKEN && !is_writer && sync_excuse(st, o))
		return;
	if (from == SYNC_TAKEN)
		drop_holds(st, o);
	o->o.readers -= o->o.readers > 0;
	o->o.owner = NULL;
	o->reader = NULL;
	if (from != SYNC_UNKNOWN)
		o->o.state = o->o.readers ? SYNC_SHARED : SYNC_FREE;
	sync_changed(st, o, from);
}

static void settle_sem(struct sync_step *st, struct object *o)
{
	const __u32 from = o->o.state;

	o->o.state = !o->o.has_value ? SYNC_UNKNOWN : o->o.value > 0 ? SYNC_FREE : SYNC_TAKEN;
	sync_changed(st, o, from);
}

static void take_sem(struct sync_step *st, struct object *o)
{
	if (o->o.has_value && o->o.value < 0 && !sync_excuse(st, o))
		o->o.has_value = false;
	if (o->o.has_value && --o->o.value < 0)
		sync_complain(st, o, "taken, but its value was %lld", (long long)o->o.value + 1);
	settle_sem(st, o);
}

static void give_sem(struct sync_step *st, struct object *o, __s64 change)
{
	if (o->o.has_value && o->o.value < 0 && !sync_excuse(st, o))
		o->o.has_value = false;
	o->o.value += change;
	settle_sem(st, o);
}

static __u32 holder_of(const struct sync_step *st, const struct object *o)
{
	if (sync_has(st, SYNC_F_OWNER) && sync_value(st, SYNC_F_OWNER))
		return (__u32)sync_value(st, SYNC_F_OWNER);
	if (o->o.owner)
		return o->o.owner->tid;
	return o->reader ? o->reader->tid : 0;
}

static int on_take(struct sync_step *st)
{
	struct sync_frame f;

	if (st->b->phase == SYNC_IN)
		sync_wait_begin(st, holder_of(st, st->o));
	if (st->b->phase == SYNC_OUT)
		sync_call_out(st, &f);
	if (st->b->phase == SYNC_IN || !has_got(st) || st->o->o.state == SYNC_GONE)
		return 0;
	switch (st->o->o.kind) {
	case SYNC_SEM:
		take_sem(st, st->o);
		return 0;
	case SYNC_RWLOCK:
		return take_rwlock(st, st->o);
	default:
		return take_mutex(st, st->o, sync_has(st, SYNC_F_COUNT) ?
				  (__u32)sync_value(st, SYNC_F_COUNT) : 1, st->b->has_tried);
	}
}

static void give(struct sync_step *st)
{
	if (st->o->o.kind == SYNC_RWLOCK)
		give_rwlock(st, st->o);
	else
		give_mutex(st, st->o, sync_has(st, SYNC_F_COUNT) ?
			   (__u32)sync_value(st, SYNC_F_COUNT) : 0);
}

/* The release did happen at some time in the call, unless another has taken it since. */
static void end_give(struct sync_step *st, const struct sync_frame *f)
{
	struct object *o = st->o;

	if (!st->result && f->held == o->o.count && o->o.owner == (f->peer ? &f->peer->t : NULL)) {
		drop_holds(st, o);
		o->o.owner = NULL;
		o->o.count = 0;
		sync_set_state(st, o, SYNC_FREE);
	}
}

static int on_give(struct sync_step *st)
{
	struct sync_frame f;
	bool had;

	switch (st->b->phase) {
	case SYNC_ALL:
		give(st);
		break;
	case SYNC_IN:
		sync_call(st)->held = st->o->o.count;
		sync_call(st)->peer = (struct thread *)st->o->o.owner;
		if (st->o->o.kind == SYNC_SEM)
			give_sem(st, st->o, 1);
		else
			st->o->doubts++;
		break;
	default:
		had = sync_call_out(st, &f);
		if (st->o->o.state == SYNC_GONE || (had && f.life != st->o->o.life))
			break;
		if (st->o->o.kind == SYNC_SEM && st->result)
			give_sem(st, st->o, -1);
		else if (st->o->o.kind != SYNC_SEM && had)
			end_give(st, &f);
		else if (st->o->o.kind != SYNC_SEM)
			sync_set_state(st, st->o, SYNC_UNKNOWN);
	}
	return 0;
}

/* A condition's wait gives its mutex back, if the thread has it. */
static int cond_in(struct sync_step *st)
{
	struct object *m = sync_object_at(st, sync_value(st, SYNC_F_MUTEX), SYNC_MUTEX);
	struct sync_frame *f = sync_call(st);
	const __u32 before = m ? had_before(st, m) : 0;

	if (!m)
		return -ENOMEM;
	if (m->o.state == SYNC_GONE)
		sync_object_renew(st, m, SYNC_MUTEX);
	if (is_mine(st, m))
		f->held = m->o.count;
	else if (m->o.state == SYNC_UNKNOWN || before || (m->ghost == &st->t->t &&
							  sync_excuse(st, m)))
		f->held = before ? before : 1;
	if (f->held)
		f->mutex = m;
	else
		sync_set_state(st, m, SYNC_UNKNOWN);
	if (is_mine(st, m) || (f->held && m->o.state == SYNC_UNKNOWN))
		give_mutex(st, m, f->held - 1);
	sync_wait_begin(st, 0);
	return 0;
}

static int cond_out(struct sync_step *st)
{
	const bool has_it = st->b->is_thrd ? st->result != 2 :
			    st->result != 1 && st->result != NOTRECOVERABLE;
	struct object *m = sync_object_at(st, sync_value(st, SYNC_F_MUTEX), SYNC_MUTEX);
	struct sync_frame f;
	const bool had = sync_call_out(st, &f);

	if (!m)
		return -ENOMEM;
	if (had && has_it && !f.mutex)
		sync_complain_misuse(st, m, "waited with by a thread that did not have it");
	if (has_it)
		return take_mutex(st, m, f.held ? f.held : 1, false);
	if (had && f.mutex == m)
		sync_set_state(st, m, SYNC_UNKNOWN);
	return 0;
}

/* Threads that have come, threads that have gone: rounds are full before anybody goes. */
static void barrier_out(struct sync_step *st, struct object *o)
{
	__u64 full = o->arrived / (__u64)o->o.value;

	o->gone++;
	o->serials += st->result == SERIAL;
	if (o->gone > full * (__u64)o->o.value)
		sync_complain(st, o, "left by thread %llu of a round, when %u are missing",
			      (o->gone - 1) % (__u64)o->o.value + 1, o->o.left);
	else if (o->serials > full)
		sync_complain(st, o, "left by a second thread as the last of its round");
}

static void barrier_in(struct sync_step *st, struct object *o)
{
	const __u32 from = o->o.state;

	o->arrived++;
	if (!o->o.value || o->o.is_pshared) {
		sync_wait_begin(st, 0);
		return;
	}
	sync_excuse(st, o);
	o->o.left = (__u32)((__u64)o->o.value - o->arrived % (__u64)o->o.value);
	o->o.state = o->arrived % (__u64)o->o.value ? SYNC_TAKEN : SYNC_FREE;
	if (o->o.state == SYNC_TAKEN)
		sync_wait_begin(st, 0);
	sync_changed(st, o, from);
}

static int on_wait(struct sync_step *st)
{
	struct object *o = st->o;
	struct sync_frame f;

	if (o->o.kind == SYNC_COND)
		return st->b->phase == SYNC_IN ? cond_in(st) : cond_out(st);
	if (st->b->phase == SYNC_IN)
		barrier_in(st, o);
	else if (sync_call_out(st, &f) && f.life == o->o.life && o->o.value && o->has_pshared &&
		 !o->o.is_pshared && st->result <= 0)
		barrier_out(st, o);
	return 0;
}

/* The state of a new object */
static void make(struct sync_step *st, struct object *o, const struct sync_frame *f)
{
	o->o.made = st->time;
	o->o.is_pshared = f->is_pshared;
	o->has_pshared = f->has_pshared;
	if (o->o.kind == SYNC_BARRIER)
		o->o.value = o->o.left = f->number;
	if (o->o.kind == SYNC_SEM) {
		o->o.value = f->number;
		o->o.has_value = f->binding && !f->is_pshared;
		settle_sem(st, o);
		return;
	}
	if (o->o.kind != SYNC_BARRIER || (o->o.value && !o->o.is_pshared))
		sync_set_state(st, o, SYNC_FREE);
}

static int on_init(struct sync_step *st)
{
	struct sync_frame f;

	if (st->b->phase == SYNC_IN) {
		sync_object_renew(st, st->o, st->b->kind);
		sync_call(st)->life = st->o->o.life;
		st->o->o.uses = 1;
		if (sync_has(st, SYNC_F_COUNT))
			sync_call(st)->number = (__u32)sync_value(st, SYNC_F_COUNT);
		if (sync_has(st, SYNC_F_VALUE))
			sync_call(st)->number = (__u32)sync_value(st, SYNC_F_VALUE);
		sync_call(st)->has_pshared = sync_has(st, SYNC_F_PSHARED);
		if (sync_has(st, SYNC_F_PSHARED))
			sync_call(st)->is_pshared = sync_value(st, SYNC_F_PSHARED);
		return 0;
	}
	sync_call_out(st, &f);
	if (!st->result && st->o->o.state != SYNC_GONE)
		make(st, st->o, &f);
	return 0;
}

static void on_destroy(struct sync_step *st)
{
	struct sync_frame f;

	if (st->b->phase != SYNC_OUT)
		return;
	if ((sync_call_out(st, &f) && f.life != st->o->o.life) || st->result)
		return;
	drop_holds(st, st->o);
	sync_set_state(st, st->o, SYNC_GONE);
}

static void on_open(struct sync_step *st)
{
	struct sync_frame f;

	if (st->b->phase != SYNC_OUT)
		return;
	sync_call_out(st, &f);
	if (st->result || !st->o)
		return;
	if (st->o->o.state == SYNC_GONE)
		sync_object_renew(st, st->o, SYNC_SEM);
	st->o->o.is_pshared = true;
	st->o->o.has_value = false;
}

/* The first thread runs the routine, as far as can be told; the others wait for it. */
static void on_once(struct sync_step *st)
{
	struct object *o = st->o;
	struct sync_frame f;

	if (st->b->phase == SYNC_IN && o->o.state == SYNC_TAKEN) {
		sync_wait_begin(st, o->o.owner->tid);
	} else if (st->b->phase == SYNC_IN && o->o.state != SYNC_DONE) {
		o->o.owner = &st->t->t;
		sync_set_state(st, o, SYNC_TAKEN);
	} else if (st->b->phase == SYNC_OUT) {
		sync_call_out(st, &f);
		o->o.owner = NULL;
		sync_set_state(st, o, SYNC_DONE);
	}
}

static int on_thread(struct sync_step *st)
{
	struct sync_frame f = { 0 };

	if (st->b->op == SYNC_OP_START)
		return sync_thread_start(st);
	if (st->b->op == SYNC_OP_END)
		return sync_thread_end(st);
	if (st->b->phase == SYNC_IN && st->b->op == SYNC_OP_JOIN)
		sync_join_in(st);
	if (st->b->phase != SYNC_OUT)
		return 0;
	sync_call_out(st, &f);
	if (st->b->op == SYNC_OP_JOIN)
		sync_join_out(st, &f);
	if (st->b->op == SYNC_OP_DETACH)
		sync_detach_out(st);
	return 0;
}

static int on_object(struct sync_step *st)
{
	struct sync_frame f;

	switch (st->b->op) {
	case SYNC_OP_TAKE:
	case SYNC_OP_READ:
		return on_take(st);
	case SYNC_OP_GIVE:
		return on_give(st);
	case SYNC_OP_WAIT:
		return on_wait(st);
	case SYNC_OP_INIT:
		return on_init(st);
	case SYNC_OP_DESTROY:
		on_destroy(st);
		return 0;
	case SYNC_OP_ONCE:
		on_once(st);
		return 0;
	default:
		if (st->b->phase == SYNC_OUT)
			sync_call_out(st, &f);
		return 0;
	}
}

int sync_apply(struct sync_step *st)
{
	int ret;

	if (st->b->phase == SYNC_IN) {
		ret = sync_call_in(st);
		if (ret)
			return ret;
	} else if (st->b->phase == SYNC_ALL && sync_has(st, SYNC_F_CALLER)) {
		st->caller = sync_value(st, SYNC_F_CALLER);
	}
	if (st->b->kind == SYNC_THREAD)
		return on_thread(st);
	if (st->b->op == SYNC_OP_OPEN) {
		on_open(st);
		return 0;
	}
	if (st->o)
		return on_object(st);
	return 0;
}
