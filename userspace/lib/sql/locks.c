// SPDX-License-Identifier: LGPL-2.1
/*
 * locks.c - tables of waits for locks and other objects of threads, of holds, and who held up whom
 *
 * They are made of pthread events, by the model that ktrace contention uses. Rows come when
 * something ends; what still lasts at the end of the files is last.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "follow.h"
#include "interval.h"
#include "model/held_up.h"
#include "model/object_names.h"
#include "sql.h"

/**
 * struct lock_row - a wait, a hold, or a time in which a thread held up another one
 * @at:		columns of all intervals
 * @lock:	number of the object, 0 = none: a wait for the end of a thread
 * @kind:	enum model_kind
 * @address:	of the object, or the pthread_t
 * @name:	that the program gave it, NULL = none
 * @call:	waits: the function
 * @other:	thread that has the object, 0 = not known
 * @caller:	address that the call came from, 0 = not recorded
 * @depth:	waits: number of waits around it
 */
struct lock_row {
	struct interval at;
	__u64 lock;
	__u32 kind;
	__u64 address;
	const char *name;
	const char *call;
	__u32 other;
	__u64 caller;
	__u32 depth;
};

/**
 * struct lock_cursor - rows
 * @f:		common part
 * @model:	threads and objects
 * @names:	of objects
 * @held_up:	threads that wait for locks
 * @rows:	queue, empty before the next event is read
 * @cap:	room
 */
struct lock_cursor {
	struct follow_cursor f;
	struct model *model;
	struct object_names *names;
	struct held_up held_up;
	struct lock_row *rows;
	size_t cap;
};

static const char *name_of(const struct lock_cursor *c, const struct model_thread *t,
			   const struct model_object *o)
{
	const struct model_process *p = t->process;
	const struct ktrace_trace *first = ktrace_traceset_trace(c->f.reader.set, p->machine);

	return object_names_find_object(c->names, first, p->pid ? p->pid : t->tid, o->address);
}

/* Adds a row; returns NULL if it is not wanted or there is no memory. */
static struct lock_row *add(struct lock_cursor *c, const struct model_thread *t,
			    const struct model_object *o, __u64 from, __u64 to)
{
	const __u32 machine = t->process->machine;
	const struct ktrace_process *p = ktrace_state_find(c->f.state, machine, t->tid, -1);
	struct lock_row *r;

	if (!ktrace_cursor_takes(&c->f.base, INTERVAL_TID, t->tid))
		return NULL;
	if (!LIST_GROW(c->rows, c->f.nr, c->cap)) {
		c->f.error = -ENOMEM;
		return NULL;
	}
	r = &c->rows[c->f.nr++];
	*r = (struct lock_row){ .kind = o ? o->kind : MODEL_THREAD };
	r->at = (struct interval){ .from = from, .to = to, .tid = t->tid, .has_tid = true,
				   .pid = t->process->pid, .machine = machine,
				   .cpu = p ? p->cpu : -1 };
	ktrace_interval_name(&r->at, p ? ktrace_process_name(c->f.state, p) : NULL);
	if (o) {
		r->lock = (__u64)o->serial + 1;
		r->address = o->address;
		r->name = name_of(c, t, o);
	}
	return r;
}

static void on_wait(void *arg, const struct model_wait *w)
{
	struct lock_cursor *c = arg;
	struct lock_row *r = add(c, w->thread, w->object, w->from, w->until);

	if (!r)
		return;
	if (!w->object)
		r->address = w->joins;
	r->call = w->name;
	r->other = w->holder;
	r->caller = w->caller;
	r->depth = w->depth;
	r->at.is_open = w->is_cut && c->f.is_over;
}

static void on_hold(void *arg, const struct model_hold *h)
{
	struct lock_cursor *c = arg;
	struct lock_row *r = add(c, h->thread, h->object, h->from, h->until);

	if (!r)
		return;
	r->caller = h->caller;
	r->at.is_open = h->is_cut && c->f.is_over;
}

static void on_held_up(void *arg, const struct model_thread *waiter, const struct model_hold *h)
{
	struct lock_row *r = add(arg, waiter, h->object, h->from, h->until);

	if (r)
		r->other = h->thread->tid;
}

static void on_given(void *arg, const struct model_hold *h)
{
	held_up_given(&((struct lock_cursor *)arg)->held_up, h);
}

static void on_thread(void *arg, const struct model_thread *t, const struct model_change *change)
{
	held_up_thread(&((struct lock_cursor *)arg)->held_up, t, change);
}

static int take(struct follow_cursor *f, const struct ktrace_trace_event *e)
{
	struct lock_cursor *c = (struct lock_cursor *)f;
	int ret = object_names_update(c->names, e);

	ret = ret ? ret : model_update(c->model, e);
	return ret ? ret : c->held_up.error;
}

static void end(struct follow_cursor *f)
{
	struct lock_cursor *c = (struct lock_cursor *)f;

	model_end(c->model, ~0ull, f->last);
	model_flush(c->model, f->last);
}

static void forget(struct lock_cursor *c)
{
	c->f.nr = c->f.at = 0;
	model_free(c->model);
	c->model = NULL;
	object_names_free(c->names);
	c->names = NULL;
	held_up_free(&c->held_up);
}

static int begin(struct lock_cursor *c, const struct model_watch *watch)
{
	int ret;

	forget(c);
	held_up_init(&c->held_up);
	c->held_up.found = on_held_up;
	c->held_up.arg = c;
	c->f.watch = (struct ktrace_state_watch){ .arg = c };
	c->f.take = take;
	c->f.end = end;
	ret = ktrace_follow_begin(&c->f);
	if (!ret)
		ret = object_names_new(&c->names);
	if (!ret)
		ret = object_names_begin(c->names, c->f.reader.set);
	return ret < 0 ? ret : model_new(c->f.reader.set, c->f.state, watch, &c->model);
}

static int begin_waits(struct cursor *base)
{
	const struct model_watch watch = { .wait = on_wait, .arg = base };

	return begin((struct lock_cursor *)base, &watch);
}

static int begin_holds(struct cursor *base)
{
	const struct model_watch watch = { .given = on_hold, .arg = base };

	return begin((struct lock_cursor *)base, &watch);
}

static int begin_blocks(struct cursor *base)
{
	const struct model_watch watch = { .given = on_given, .thread = on_thread, .arg = base };

	return begin((struct lock_cursor *)base, &watch);
}

static void close_locks(struct cursor *base)
{
	struct lock_cursor *c = (struct lock_cursor *)base;

	forget(c);
	free(c->rows);
	ktrace_follow_end(&c->f);
}

enum { LOCK_NUMBER = INTERVAL_COMMON, LOCK_KIND, LOCK_ADDRESS, LOCK_NAME, LOCK_OTHER, LOCK_CALLER,
       LOCK_CALL, LOCK_DEPTH };

#define LOCK_COLUMNS \
	INTERVAL_COLUMNS("CPU where the thread ran last, NULL = unknown"), \
	{ "lock", "INTEGER", "number of the object: what is made later at its address has the " \
	  "same; NULL: a wait for the end of a thread", 0 }, \
	{ "kind", "TEXT", "mutex, cond, barrier, sem, rwlock, spin, once or join", 0 }, \
	{ "address", "INTEGER", "address of the object; join: the pthread_t", 0 }, \
	{ "name", "TEXT", "name that the program gave the object, NULL = none", 0 }

static const struct column wait_columns[] = {
	LOCK_COLUMNS,
	{ "holder_tid", "INTEGER", "thread that had the object when the wait began, or that is "
	  "joined; NULL = not known", 0 },
	{ "caller", "INTEGER", "address that the call came from, NULL = not recorded", 0 },
	{ "call", "TEXT", "function in which it waits, such as mutex_lock", 0 },
	{ "depth", "INTEGER", "waits of the thread around it: it is in a signal handler", 0 },
};

static const struct column hold_columns[] = {
	LOCK_COLUMNS,
	{ "holder_tid", "INTEGER", "the thread", 0 },
	{ "caller", "INTEGER", "address that the call that took it came from, NULL = not recorded",
	  0 },
};

static const struct column block_columns[] = {
	LOCK_COLUMNS,
	{ "holder_tid", "INTEGER", "thread that had the lock", 0 },
};

static void result_number(sqlite3_context *to, __u64 value)
{
	if (value)
		sqlite3_result_int64(to, (sqlite3_int64)value);
}

static void result_call(struct lock_cursor *c, sqlite3_context *to, const struct lock_row *r,
			int column)
{
	if (column == LOCK_CALL)
		ktrace_result_string(to, &c->f.cell, r->call);
	else if (column == LOCK_DEPTH)
		sqlite3_result_int64(to, r->depth);
	else
		result_number(to, r->caller);
}

static void column(struct cursor *base, sqlite3_context *to, int i)
{
	struct lock_cursor *c = (struct lock_cursor *)base;
	const struct lock_row *r = &c->rows[c->f.at - 1];

	switch (i) {
	case LOCK_NUMBER:
		result_number(to, r->lock);
		break;
	case LOCK_KIND:
		ktrace_result_string(to, &c->f.cell,
				     r->lock ? model_kind_name(r->kind) : "join");
		break;
	case LOCK_ADDRESS:
		result_number(to, r->address);
		break;
	case LOCK_NAME:
		ktrace_result_string(to, &c->f.cell, r->name);
		break;
	case LOCK_OTHER:
		result_number(to, base->table->columns == hold_columns ? r->at.tid : r->other);
		break;
	case LOCK_CALLER:
	case LOCK_CALL:
	case LOCK_DEPTH:
		result_call(c, to, r, i);
		break;
	default:
		ktrace_result_interval(base->table->sql, &c->f.cell, to, &r->at,
				       (enum interval_column)i);
	}
}

#define LOCK_CLASS(things) { \
	.cursor_size = sizeof(struct lock_cursor), .cost = COST_ALL, .time = -1, .ns = -1, \
	.filter = begin_##things, .next = ktrace_follow_next, \
	.column = column, .close = close_locks }
#define COLUMNS(list) .columns = list, .nr = sizeof(list) / sizeof((list)[0])

static const struct table_class wait_class = LOCK_CLASS(waits);
static const struct table_class hold_class = LOCK_CLASS(holds);
static const struct table_class block_class = LOCK_CLASS(blocks);

const struct table ktrace_lock_tables[] = {
	{ .class = &wait_class, .name = "lock_waits",
	  .doc = "a thread waited for a mutex or another object, or for a thread to end; needs "
	  "pthread:*", COLUMNS(wait_columns) },
	{ .class = &hold_class, .name = "lock_holds",
	  .doc = "a thread had a mutex, spin lock or read-write lock; needs pthread:*",
	  COLUMNS(hold_columns) },
	{ .class = &block_class, .name = "lock_blocks",
	  .doc = "a time in which a thread waited for a lock that another one had; needs "
	  "pthread:*", COLUMNS(block_columns) },
	{ .name = NULL },
};
