// SPDX-License-Identifier: GPL-2.0
/*
 * ptt.c - the events of libktrace-pthread as those of the POSIX Threads Trace Toolkit
 *
 * shapes[] says what an event stands for, by what its function does with an object; stems[]
 * which function does what. A function that is not there has its call and its return only.
 *
 * Barriers. Who arrives counts down to 0, and the last one does not wait; who leaves counts up
 * again. Threads may arrive for the next round while others still leave: so both are counted on
 * their own. Who leaves a round that is not full shows that there are arrivals that were not
 * seen, as those of another process, and the barrier is known no more.
 */
#include "ptt.h"

#include <errno.h>
#include <string.h>

/* struct place - where an object is: the key of rows */
struct place {
	__u64 address;
	__u32 pid;
	__u32 trace;
};

/**
 * struct barrier - one that is known
 * @place:	the key
 * @asked:	count that it is being initialized with
 * @count:	of arrivals in a round; 0 = not known
 * @arrived:	in this round
 * @gone:	have left, of the round that is left
 * @full:	may leave: have arrived in rounds that are full, and not left
 */
struct barrier {
	struct place place;
	__u32 asked;
	__u32 count;
	__u32 arrived;
	__u32 gone;
	__u64 full;
};

/* struct mutex - one that a thread has @count times */
struct mutex {
	struct place place;
	__u32 count;
};

/* struct arrival - a thread at a barrier; place.address is its id */
struct arrival {
	struct place place;
	bool is_last;
};

static const struct ktrace_field left_field = {
	.name = "left", .scalar = KTRACE_U32, .size = 4, .label = " left=", .label_size = 6,
};
static const struct ktrace_field owner_field = {
	.name = "owner", .scalar = KTRACE_U32, .size = 4, .label = " owner=", .label_size = 7,
};
static const struct ktrace_field count_field = {
	.name = "count", .scalar = KTRACE_U32, .size = 4, .label = " count=", .label_size = 7,
};

static const struct ktrace_value *find(const struct ptt *p, const char *name)
{
	__u32 i;

	for (i = 0; i < p->value_nr; i++)
		if (!strcmp(p->values[i].field->name, name))
			return &p->values[i];
	return NULL;
}

static bool is_number(const struct ktrace_value *v)
{
	return v->field->shape == KTRACE_ONE && v->count;
}

/* @missing if the event does not have it */
static __s64 number_of(const struct ptt *p, const char *name, __s64 missing)
{
	const struct ktrace_value *v = find(p, name);

	return v && is_number(v) ? ktrace_value_s64(v, 0) : missing;
}

static void *row_of(struct ptt *p, struct rows *rows, __u64 address)
{
	const struct place place = {
		address, p->pid, ktrace_trace_index(p->event->stream->trace),
	};
	void *row = rows_get(rows, &place);

	if (!row)
		p->error = -ENOMEM;
	return row;
}

/* ---- what is put together ---- */

static struct ptt_event *put(struct ptt *p, const struct ptt_kind *kind)
{
	struct ptt_event *e = &p->events[p->nr++];

	e->kind = kind;
	e->nr = 0;
	return e;
}

static void put_value(struct ptt_event *e, const struct ktrace_value *v)
{
	e->args[e->nr++] = *v;
}

static void put_number(struct ptt_event *e, const struct ktrace_field *field, __u32 number)
{
	e->number = number;
	e->args[e->nr++] = (struct ktrace_value){
		.field = field, .data = (const char *)&e->number, .count = 1,
	};
}

/* About the object of the event, its first field, or another one */
static struct ptt_event *put_state_of(struct ptt *p, enum ptt_state state, __u32 i)
{
	struct ptt_event *e = put(p, ptt_kind_of_state(state));

	if (i < p->value_nr)
		put_value(e, &p->values[i]);
	return e;
}

static struct ptt_event *put_state(struct ptt *p, enum ptt_state state)
{
	return put_state_of(p, state, 0);
}

/* ---- steps ---- */

/* Does the field belong to the beginning of a call? The others are known when it is over. */
static bool is_of_in(const struct ptt *p, const struct ktrace_value *v)
{
	const char *name = v->field->name;
	bool has_result = find(p, "result");

	if (!strcmp(name, "result") || !strcmp(name, "owner"))
		return false;
	return !has_result || strcmp(name, "count");
}

static void do_in(struct ptt *p)
{
	struct ptt_event *e = put(p, p->recipe->call);
	__u32 i;

	for (i = 0; i < p->value_nr; i++)
		if (is_of_in(p, &p->values[i]))
			put_value(e, &p->values[i]);
}

/* The number of a key, its first field, is known at the end. */
static void do_in_new(struct ptt *p)
{
	struct ptt_event *e = put(p, p->recipe->call);
	__u32 i;

	for (i = 1; i < p->value_nr; i++)
		if (is_of_in(p, &p->values[i]))
			put_value(e, &p->values[i]);
}

/* The object, or the two of a wait for a condition, and the result */
static void do_out(struct ptt *p)
{
	struct ptt_event *e = put(p, p->recipe->call + 1);
	__u32 i;

	for (i = 0; i < p->value_nr; i++)
		if (!i || !strcmp(p->values[i].field->name, "result") ||
		    (p->recipe->is_out && is_of_in(p, &p->values[i])))
			put_value(e, &p->values[i]);
}

/* All there is */
static void do_lost(struct ptt *p)
{
	struct ptt_event *e = put_state(p, PTT_LOST);
	__u32 i;

	for (i = 1; i < p->value_nr; i++)
		put_value(e, &p->values[i]);
}

static void do_init(struct ptt *p)
{
	struct ptt_event *e = put_state(p, PTT_THREAD_INIT);

	if (p->value_nr > 1)
		put_value(e, &p->values[1]);
}

static void do_dead(struct ptt *p)
{
	put_state(p, PTT_THREAD_STATE_DEAD);
}

static void do_detach(struct ptt *p)
{
	if (!number_of(p, "result", -1))
		put_state(p, PTT_THREAD_DETACH);
}

static void do_wait(struct ptt *p)
{
	struct ptt_event *e = put_state(p, PTT_THREAD_STATE_WAIT);
	const struct ktrace_value *owner = find(p, "owner");

	if (owner)
		put_value(e, owner);
}

static void do_wake(struct ptt *p)
{
	put_state(p, PTT_THREAD_STATE_WAKE);
}

static void do_require(struct ptt *p)
{
	put_state(p, PTT_MUTEX_STATE_REQUIRE);
}

/* The thread has mutex @i @count times now. */
static void put_taken(struct ptt *p, __u32 i, __u32 count)
{
	if (count > 1) {
		put_number(put_state_of(p, PTT_MUTEX_COUNT_INC, i), &count_field, count);
		return;
	}
	put_state_of(p, PTT_MUTEX_STATE_TAKEN, i);
	put_number(put_state_of(p, PTT_MUTEX_OWNER, i), &owner_field, p->event->tid);
}

static void put_free(struct ptt *p, __u32 i, __u32 count)
{
	if (count) {
		put_number(put_state_of(p, PTT_MUTEX_COUNT_DEC, i), &count_field, count);
		return;
	}
	put_number(put_state_of(p, PTT_MUTEX_OWNER, i), &owner_field, 0);
	put_state_of(p, PTT_MUTEX_STATE_FREE, i);
}

static void do_take(struct ptt *p)
{
	__u32 count = (__u32)number_of(p, "count", 0);

	if (count)
		put_taken(p, 0, count);
}

static void do_free(struct ptt *p)
{
	if (!number_of(p, "result", -1))
		put_free(p, 0, (__u32)number_of(p, "count", 0));
}

/* A wait for a condition gives the mutex away, or once if it has it more often. */
static void do_let_go(struct ptt *p)
{
	put_free(p, 1, p->count > 1 ? p->count - 1 : 0);
}

static void do_take_again(struct ptt *p)
{
	/* It was not the thread's, which has not got it now either. */
	if (number_of(p, "result", 0) != EPERM)
		put_taken(p, 1, p->count);
}

static void do_barrier_init(struct ptt *p)
{
	if (p->is_known)
		put_number(put_state(p, PTT_BARRIER_INIT), &left_field, p->left);
}

static void do_arrive(struct ptt *p)
{
	if (p->is_known)
		put_number(put_state(p, PTT_BARRIER_LEFT_DEC), &left_field, p->left);
	if (!p->is_last)
		put_state(p, PTT_THREAD_STATE_WAIT_BARRIER);
}

static void do_leave(struct ptt *p)
{
	if (!p->is_last)
		put_state(p, PTT_THREAD_STATE_WAKE_BARRIER);
	if (p->is_known)
		put_number(put_state(p, PTT_BARRIER_LEFT_INC), &left_field, p->left);
}

/* ---- what is learnt ---- */

static __u64 address_of(const struct ptt *p, __u32 i)
{
	return i < p->value_nr && is_number(&p->values[i]) ?
	       (__u64)ktrace_value_s64(&p->values[i], 0) : 0;
}

static void learn_barrier_init(struct ptt *p)
{
	struct barrier *b = row_of(p, &p->barriers, address_of(p, 0));

	if (!b)
		return;
	if (!p->recipe->is_out) {
		b->asked = (__u32)number_of(p, "count", 0);
		return;
	}
	b->count = number_of(p, "result", -1) ? 0 : b->asked;
	b->arrived = b->gone = 0;
	b->full = 0;
	p->is_known = b->count;
	p->left = b->count;
}

static void arrive(struct ptt *p, struct barrier *b)
{
	struct arrival *a;

	if (b->count) {
		p->is_known = true;
		p->left = b->count - ++b->arrived;
		p->is_last = !p->left;
	}
	if (p->is_last) {
		b->arrived = 0;
		b->full += b->count;
	}
	a = row_of(p, &p->arrivals, p->event->tid);
	if (a)
		a->is_last = p->is_last;
}

static void leave(struct ptt *p, struct barrier *b)
{
	struct arrival *a = row_of(p, &p->arrivals, p->event->tid);

	p->is_last = a && a->is_last;
	if (a)
		a->is_last = false;
	if (!b->full)
		b->count = 0;
	if (!b->count)
		return;
	b->full--;
	p->is_known = true;
	p->left = ++b->gone;
	if (b->gone == b->count)
		b->gone = 0;
}

static void learn_barrier_wait(struct ptt *p)
{
	struct barrier *b = row_of(p, &p->barriers, address_of(p, 0));

	if (!b)
		return;
	if (p->recipe->is_out)
		leave(p, b);
	else
		arrive(p, b);
}

/* Only recursive mutexes are kept, and those of programs that have some. */
static void learn_mutex(struct ptt *p)
{
	__u32 count = (__u32)number_of(p, "count", 0);
	struct mutex *m;

	if ((count <= 1 && !p->mutexes.nr) || number_of(p, "result", -1))
		return;
	m = row_of(p, &p->mutexes, address_of(p, 0));
	if (m)
		m->count = count;
}

static void learn_cond_wait(struct ptt *p)
{
	const struct mutex *m;

	if (!p->mutexes.nr)
		return;
	m = row_of(p, &p->mutexes, address_of(p, 1));
	if (m)
		p->count = m->count;
}

/* ---- tables ---- */

/**
 * struct shape - what the events of a function stand for
 * @learn:	what is to be kept; may be NULL
 * @in:		steps for stem_in
 * @out:	steps for stem_out
 * @one:	steps for the event that stands for all of the call
 */
struct shape {
	void (*learn)(struct ptt *p);
	ptt_step in[PTT_STEPS_MAX + 1];
	ptt_step out[PTT_STEPS_MAX + 1];
	ptt_step one[PTT_STEPS_MAX + 1];
};

enum { CALLED, LOCK, TRY, UNLOCK, WAIT, COND, BARRIER, ROUND, DETACH, EXIT, NEW, BEGIN, END };

static const struct shape shapes[] = {
	[CALLED] = { NULL, { do_in }, { do_out }, { do_in, do_out } },
	[LOCK] = { learn_mutex, { do_in, do_require, do_wait }, { do_wake, do_take, do_out },
		   { do_in, do_require, do_take, do_out } },
	[TRY] = { learn_mutex, { do_in }, { do_out }, { do_in, do_take, do_out } },
	[UNLOCK] = { learn_mutex, { do_in }, { do_free, do_out }, { do_in, do_free, do_out } },
	[WAIT] = { NULL, { do_in, do_wait }, { do_wake, do_out }, { do_in, do_out } },
	[COND] = { learn_cond_wait, { do_in, do_let_go, do_wait },
		   { do_wake, do_take_again, do_out }, { do_in, do_out } },
	[BARRIER] = { learn_barrier_init, { do_in }, { do_barrier_init, do_out }, { NULL } },
	[ROUND] = { learn_barrier_wait, { do_in, do_arrive }, { do_leave, do_out }, { NULL } },
	[DETACH] = { NULL, { do_in }, { do_detach, do_out }, { NULL } },
	[EXIT] = { NULL, { NULL }, { NULL }, { do_in } },
	[NEW] = { NULL, { NULL }, { NULL }, { do_in_new, do_out } },
	[BEGIN] = { NULL, { NULL }, { NULL }, { do_init } },
	[END] = { NULL, { NULL }, { NULL }, { do_dead } },
};

static const struct {
	const char *stem;
	int shape;
} stems[] = {
	{ "thread_start", BEGIN }, { "thread_end", END },
	{ "thread_exit", EXIT }, { "thrd_exit", EXIT },
	{ "thread_join", WAIT }, { "thread_timedjoin", WAIT }, { "thread_clockjoin", WAIT },
	{ "thrd_join", WAIT },
	{ "thread_detach", DETACH }, { "thrd_detach", DETACH },
	{ "mutex_lock", LOCK }, { "mutex_timedlock", LOCK }, { "mutex_clocklock", LOCK },
	{ "mtx_lock", LOCK }, { "mtx_timedlock", LOCK },
	{ "mutex_trylock", TRY }, { "mtx_trylock", TRY },
	{ "mutex_unlock", UNLOCK }, { "mtx_unlock", UNLOCK },
	{ "cond_wait", COND }, { "cond_timedwait", COND }, { "cond_clockwait", COND },
	{ "cnd_wait", COND }, { "cnd_timedwait", COND },
	{ "barrier_init", BARRIER }, { "barrier_wait", ROUND },
	{ "sem_wait", WAIT }, { "sem_timedwait", WAIT }, { "sem_clockwait", WAIT },
	{ "rwlock_rdlock", WAIT }, { "rwlock_timedrdlock", WAIT }, { "rwlock_clockrdlock", WAIT },
	{ "rwlock_wrlock", WAIT }, { "rwlock_timedwrlock", WAIT }, { "rwlock_clockwrlock", WAIT },
	{ "spin_lock", WAIT },
	{ "key_create", NEW }, { "tss_create", NEW },
};

static const struct shape *shape_of(const char *stem, size_t size)
{
	size_t i;

	for (i = 0; i < sizeof(stems) / sizeof(stems[0]); i++)
		if (strlen(stems[i].stem) == size && !memcmp(stems[i].stem, stem, size))
			return &shapes[stems[i].shape];
	return ptt_kind_of_call(stem, size) ? &shapes[CALLED] : NULL;
}

static bool ends_with(const char *name, size_t size, const char *end)
{
	return size > strlen(end) && !strcmp(name + size - strlen(end), end);
}

static void make_recipe(struct ptt_recipe *r, const struct ktrace_event_type *type)
{
	size_t size = strlen(type->name);
	const struct shape *shape;
	bool is_in = ends_with(type->name, size, "_in");

	*r = (struct ptt_recipe){ .type = type };
	if (strcmp(type->provider, "pthread"))
		return;
	r->is_out = ends_with(type->name, size, "_out");
	size -= is_in ? 3 : r->is_out ? 4 : 0;
	shape = shape_of(type->name, size);
	if (!shape)
		return;
	r->call = ptt_kind_of_call(type->name, size);
	r->learn = shape->learn;
	r->steps = is_in ? shape->in : r->is_out ? shape->out : shape->one;
}

static const struct ptt_recipe *recipe_of(struct ptt *p, const struct ktrace_event_type *type)
{
	struct ptt_recipe *r = &p->recipes[((size_t)type >> 4) % PTT_RECIPE_NR];

	if (r->type != type)
		make_recipe(r, type);
	return r->steps ? r : NULL;
}

/* ---- public ---- */

static const struct rows no_barriers = ROWS_INIT(struct barrier, place);
static const struct rows no_mutexes = ROWS_INIT(struct mutex, place);
static const struct rows no_arrivals = ROWS_INIT(struct arrival, place);

void ptt_init(struct ptt *p)
{
	memset(p, 0, sizeof(*p));
	p->barriers = no_barriers;
	p->mutexes = no_mutexes;
	p->arrivals = no_arrivals;
}

void ptt_free(struct ptt *p)
{
	rows_free(&p->barriers);
	rows_free(&p->mutexes);
	rows_free(&p->arrivals);
}

/* Nothing is certain any more. */
static void forget(struct ptt *p)
{
	ptt_free(p);
	p->barriers = no_barriers;
	p->mutexes = no_mutexes;
	p->arrivals = no_arrivals;
}

static const ptt_step lost_steps[] = { do_lost, NULL };
static const struct ptt_recipe lost = { .learn = forget, .steps = lost_steps };

static void take_values(struct ptt *p)
{
	struct ktrace_values it;

	p->value_nr = 0;
	ktrace_values_init(&it, p->event->type, p->event->payload, p->event->len);
	while (p->value_nr < PTT_ARGS_MAX && ktrace_values_next(&it, &p->values[p->value_nr]))
		p->value_nr++;
}

void ptt_see(struct ptt *p, const struct ktrace_trace_event *e)
{
	p->event = e;
	p->recipe = NULL;
	if (e->id == KTRACE_ID_LOST)
		p->recipe = &lost;
	else if (e->type && !(e->flags & KTRACE_EVENT_NO_START))
		p->recipe = recipe_of(p, e->type);
	if (!p->recipe)
		return;
	take_values(p);
	p->is_known = p->is_last = false;
	p->count = 0;
	if (!p->recipe->learn)
		return;
	p->pid = ktrace_trace_pid(e->stream->trace, e->tid, e->raw);
	p->recipe->learn(p);
}

__u32 ptt_expand(struct ptt *p)
{
	const ptt_step *step;

	p->nr = 0;
	if (!p->recipe)
		return 0;
	for (step = p->recipe->steps; *step; step++)
		(*step)(p);
	return p->nr;
}
