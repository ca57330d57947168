// SPDX-License-Identifier: GPL-2.0
/*
 * ptt.c - translates events of libktrace-pthread to those of the POSIX Threads Trace Toolkit
 *
 * shapes[] gives the events for each use of an object, stems[] the use for each function. A
 * function that is not in stems[] has only its call and its return.
 */
#include "ptt.h"

#include "ptt_learn.h"

#include <errno.h>
#include <string.h>

static const struct ktrace_field left_field = {
	.name = "left", .scalar = KTRACE_U32, .size = 4, .label = " left=", .label_size = 6,
};
static const struct ktrace_field owner_field = {
	.name = "owner", .scalar = KTRACE_U32, .size = 4, .label = " owner=", .label_size = 7,
};
static const struct ktrace_field count_field = {
	.name = "count", .scalar = KTRACE_U32, .size = 4, .label = " count=", .label_size = 7,
};

/* ---- building events ---- */

static struct ptt_event *put(struct ptt *p, const struct ptt_kind *kind)
{
	struct ptt_event *e = &p->events[p->nr++];

	e->kind = kind;
	e->nr = 0;
	return e;
}

static void put_value(struct ptt_event *e, const struct ktrace_value *v)
{
	if (e->nr < PTT_ARGS_MAX)
		e->args[e->nr++] = v;
}

static void put_number(struct ptt_event *e, const struct ktrace_field *field, __u32 number)
{
	e->number = number;
	e->own = (struct ktrace_value){
		.field = field, .data = (const char *)&e->number, .count = 1,
	};
	put_value(e, &e->own);
}

/* Adds the fields in @bits that the payload has. */
static void put_values(struct ptt *p, struct ptt_event *e, __u32 bits)
{
	__u32 i;

	for (i = 0; i < p->value_nr; i++)
		if (bits & 1u << i)
			put_value(e, &p->values[i]);
}

/* Adds an event about field @i; the first field is the object of the event. */
static struct ptt_event *put_state_of(struct ptt *p, enum ptt_state state, __u32 i)
{
	struct ptt_event *e = put(p, &p->kinds[state]);

	if (i < p->value_nr)
		put_value(e, &p->values[i]);
	return e;
}

static struct ptt_event *put_state(struct ptt *p, enum ptt_state state)
{
	return put_state_of(p, state, 0);
}

/* ---- steps ---- */

static void do_in(struct ptt *p)
{
	put_values(p, put(p, p->recipe->call), p->recipe->in);
}

/* Omits the number of a key, its first field, which is known only at the end. */
static void do_in_new(struct ptt *p)
{
	put_values(p, put(p, p->recipe->call), p->recipe->in & ~1u);
}

static void do_out(struct ptt *p)
{
	put_values(p, put(p, p->recipe->call + 1), p->recipe->out);
}

/* Adds all fields. */
static void do_lost(struct ptt *p)
{
	put_values(p, put(p, &p->kinds[PTT_LOST]), ~0u);
}

static void do_init(struct ptt *p)
{
	put_values(p, put(p, &p->kinds[PTT_THREAD_INIT]), ~0u);
}

static void do_dead(struct ptt *p)
{
	put_state(p, PTT_THREAD_STATE_DEAD);
}

static void do_detach(struct ptt *p)
{
	if (!ptt_role(p, PTT_RESULT, -1))
		put_state(p, PTT_THREAD_DETACH);
}

static void do_wait(struct ptt *p)
{
	struct ptt_event *e = put_state(p, PTT_THREAD_STATE_WAIT);
	__u32 owner = p->recipe->at[PTT_OWNER];

	if (owner < p->value_nr)
		put_value(e, &p->values[owner]);
}

static void do_wake(struct ptt *p)
{
	put_state(p, PTT_THREAD_STATE_WAKE);
}

static void do_require(struct ptt *p)
{
	put_state(p, PTT_MUTEX_STATE_REQUIRE);
}

/* Reports that the thread has locked mutex @i @count times. */
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
	__u32 count = (__u32)ptt_role(p, PTT_COUNT, 0);

	if (count)
		put_taken(p, 0, count);
}

static void do_free(struct ptt *p)
{
	if (!ptt_role(p, PTT_RESULT, -1))
		put_free(p, 0, (__u32)ptt_role(p, PTT_COUNT, 0));
}

/* Reports that a condition wait releases the mutex, or only one of several locks. */
static void do_let_go(struct ptt *p)
{
	put_free(p, 1, p->count > 1 ? p->count - 1 : 0);
}

static void do_take_again(struct ptt *p)
{
	const __s64 result = ptt_role(p, PTT_RESULT, 0);

	/* The thread did not own it, or no thread can lock it any more. */
	if (result != EPERM && result != ENOTRECOVERABLE)
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

/* ---- tables ---- */

#define STEPS_MAX 4

/**
 * struct shape - the events that a function's events stand for
 * @learn:	updates what is known; may be NULL
 * @in:		steps for stem_in
 * @out:	steps for stem_out
 * @one:	steps for an event that stands for the whole call
 */
struct shape {
	void (*learn)(struct ptt *p);
	ptt_step in[STEPS_MAX + 1];
	ptt_step out[STEPS_MAX + 1];
	ptt_step one[STEPS_MAX + 1];
};

enum { CALLED, LOCK, TRY, UNLOCK, WAIT, COND, BARRIER, ROUND, DETACH, EXIT, NEW, BEGIN, END };

static const struct shape shapes[] = {
	[CALLED] = { NULL, { do_in }, { do_out }, { do_in, do_out } },
	[LOCK] = { ptt_learn_mutex, { do_in, do_require, do_wait }, { do_wake, do_take, do_out },
		   { do_in, do_require, do_take, do_out } },
	[TRY] = { ptt_learn_mutex, { do_in }, { do_out }, { do_in, do_take, do_out } },
	[UNLOCK] = { ptt_learn_mutex, { do_in }, { do_free, do_out }, { do_in, do_free, do_out } },
	[WAIT] = { NULL, { do_in, do_wait }, { do_wake, do_out }, { do_in, do_out } },
	[COND] = { ptt_learn_cond_wait, { do_in, do_let_go, do_wait },
		   { do_wake, do_take_again, do_out }, { do_in, do_out } },
	[BARRIER] = { ptt_learn_barrier_init, { do_in }, { do_barrier_init, do_out }, { NULL } },
	[ROUND] = { ptt_learn_barrier_wait, { do_in, do_arrive }, { do_leave, do_out }, { NULL } },
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

static bool ends_with(const char *name, const char *end)
{
	size_t size = strlen(name);

	return size > strlen(end) && !strcmp(name + size - strlen(end), end);
}

/* Finds fields by name: their roles, and whether the beginning or the end of the call has them. */
static void take_fields(struct ptt_recipe *r, const struct ktrace_event_type *type)
{
	static const char *const roles[PTT_ROLE_NR] = {
		[PTT_RESULT] = "result", [PTT_OWNER] = "owner", [PTT_COUNT] = "count",
	};
	const __u32 nr = type->field_nr < PTT_VALUES_MAX ? type->field_nr : PTT_VALUES_MAX;
	__u32 role, i, bits[PTT_ROLE_NR] = { 0 };

	for (role = 0; role < PTT_ROLE_NR; role++) {
		for (i = 0; i < nr && strcmp(type->fields[i].name, roles[role]); i++)
			;
		r->at[role] = i < nr ? i : PTT_VALUES_MAX;
		bits[role] = 1u << r->at[role];
	}
	r->in = ~(bits[PTT_RESULT] | bits[PTT_OWNER]);
	/*
	 * With a result, count is how often the thread has the mutex afterwards; else it is an
	 * argument.
	 */
	if (r->at[PTT_RESULT] < nr)
		r->in &= ~bits[PTT_COUNT];
	r->out = bits[PTT_RESULT] | (r->is_out ? r->in : 1);
}

static void make_recipe(struct ptt_recipe *r, const struct ktrace_event_type *type)
{
	bool is_in = ends_with(type->name, "_in");
	size_t size = strlen(type->name);
	const struct shape *shape;

	*r = (struct ptt_recipe){ .type = type };
	if (strcmp(type->provider, "pthread"))
		return;
	r->is_out = ends_with(type->name, "_out");
	size -= is_in ? 3 : r->is_out ? 4 : 0;
	shape = shape_of(type->name, size);
	if (!shape)
		return;
	take_fields(r, type);
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

static const ptt_step lost_steps[] = { do_lost, NULL };
static const struct ptt_recipe lost = { .learn = ptt_forget, .steps = lost_steps };

void ptt_init(struct ptt *p)
{
	size_t nr;

	memset(p, 0, sizeof(*p));
	p->kinds = ptt_kinds(&nr);
	ptt_forget(p);
}

void ptt_free(struct ptt *p)
{
	ptt_forget(p);
}

static void take_values(struct ptt *p)
{
	struct ktrace_values it;

	p->value_nr = 0;
	ktrace_values_init(&it, p->event->type, p->event->payload, p->event->len);
	while (p->value_nr < PTT_VALUES_MAX && ktrace_values_next(&it, &p->values[p->value_nr]))
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
	if (p->recipe->learn)
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
