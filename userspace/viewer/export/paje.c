// SPDX-License-Identifier: GPL-2.0
/*
 * paje.c - ktrace export --to paje: states of threads and objects, calls, links
 *
 * Reads the files from their beginning, as states would be undefined otherwise; writes the states
 * known at the start of the window. Reads them twice: a link is begun only if the first reading
 * has seen its end. Both readings do the same, so that links get the same numbers.
 */
#include "paje.h"

#include "base/progress.h"
#include "base/table.h"
#include "model/slices.h"

#include <errno.h>
#include <string.h>

/* Where links begin: at an object, the creation of a thread, its end. */
#define PLACE_CREATION (1ull << 62)
#define PLACE_END (2ull << 62)
/* Result of the last thread to arrive at a barrier */
#define SERIAL (-1)

/* Types of links by kind of object; for MODEL_THREAD: joins */
static const char *const link_types[MODEL_KIND_NR] = {
	"L0", "L1", "L2", "L3", "L4", "L5", "L6", "L7",
};

static __u64 place_of_creation(const struct model_process *process, __u32 number)
{
	return PLACE_CREATION | (__u64)process->serial << 32 | number;
}

/* What an event does to links, besides the changes reported by the model */
enum action {
	DOES_NOTHING,
	CREATES,
	STARTS,
	ENDS,
	POSTS,
	SIGNALS_ALL,
	TAKES,
};

static const struct rule {
	const char *name;
	enum action action;
} rules[] = {
	{ "thread_create_in", CREATES }, { "thrd_create_in", CREATES },
	{ "thread_start", STARTS }, { "thread_end", ENDS },
	{ "sem_post_in", POSTS }, { "cond_signal_in", POSTS }, { "cnd_signal_in", POSTS },
	{ "cond_broadcast_in", SIGNALS_ALL }, { "cnd_broadcast_in", SIGNALS_ALL },
	{ "sem_wait", TAKES }, { "sem_trywait", TAKES }, { "sem_timedwait", TAKES },
	{ "sem_clockwait", TAKES },
};

/* Writes a line of a link: its container, the thread at this end, the key shared by both ends. */
static void put_link(struct paje *p, enum paje_line line, const char *type,
		     const struct model_thread *t, const struct paje_source *source, __u32 i)
{
	if (paje_show_begin(p, t, line))
		out_printf(p->out, " %s P%u T%u %s %llu.%u\n", type, t->process->serial, t->serial,
			   type, source->number, i);
}

static void begin_link(struct paje *p, __u64 place, const struct model_thread *t, const char *type,
		       struct paje_source source)
{
	__s64 nr, i;

	source.time = p->e->time;
	source.thread = t->serial;
	source.is_shown = p->is_open && paje_wants(p, t->tid, t->process->pid);
	nr = paje_links_begin(&p->links, place, &source);
	if (nr < 0)
		p->error = (int)nr;
	for (i = 0; i < nr; i++)
		put_link(p, PAJE_START_LINK, type, t, &source, (__u32)i);
}

static void end_link(struct paje *p, __u64 place, const struct model_thread *t, const char *type,
		     __u64 since)
{
	const bool is_wanted = p->is_open && paje_wants(p, t->tid, t->process->pid);
	struct paje_source source;

	if (paje_links_end(&p->links, place, t->serial, since, is_wanted, &source) && p->is_second)
		put_link(p, PAJE_END_LINK, type, t, &source, source.used);
}

/* True if the call that has ended did its work. */
static bool has_succeeded(const struct ktrace_trace_event *e)
{
	const __s64 result = event_integer(e, "result");

	return !result || result == SERIAL || result == EOWNERDEAD;
}

static void on_thread(void *arg, const struct model_thread *t, const struct model_change *c)
{
	(void)c;
	paje_show_thread(arg, t);
}

/*
 * True if waiting threads may go on: the object was released, all have arrived, or the routine is
 * done.
 */
static bool lets_go(const struct model_object *o, const struct model_change *c)
{
	if (!c->by || (c->from != MODEL_TAKEN && c->from != MODEL_SHARED))
		return false;
	if (o->kind == MODEL_ONCE)
		return o->state == MODEL_DONE;
	return o->state == MODEL_FREE && o->kind != MODEL_SEM && o->kind != MODEL_COND;
}

static void on_object(void *arg, const struct model_object *o, const struct model_change *c)
{
	const bool is_lock = o->kind == MODEL_MUTEX || o->kind == MODEL_SPIN;
	struct paje *p = arg;

	if (lets_go(o, c))
		begin_link(p, o->serial, c->by, link_types[o->kind], (struct paje_source){
			.is_many = !is_lock, .is_only = o->kind != MODEL_BARRIER });
	paje_show_object(p, o);
}

static void on_wait(void *arg, const struct model_wait *w)
{
	const struct model_thread *other;
	struct paje *p = arg;

	if (w->is_cut || !has_succeeded(p->e))
		return;
	if (w->object) {
		end_link(p, w->object->serial, w->thread, link_types[w->object->kind], w->from);
		return;
	}
	other = model_find_handle(p->sync, w->thread->process, w->joins);
	if (other)
		end_link(p, PLACE_END | other->serial, w->thread, link_types[MODEL_THREAD], 0);
}

static enum action action_of(const struct ktrace_event_type *type)
{
	size_t i;

	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (!strcmp(rules[i].name, type->name))
			return rules[i].action;
	return DOES_NOTHING;
}

/* Applies what the event does to links, besides the changes reported by the model. */
static void follow(struct paje *p)
{
	const struct model_thread *t = model_actor(p->sync);
	const struct model_object *o = model_target(p->sync);
	const enum action action = t ? action_of(p->e->type) : DOES_NOTHING;

	if (action == CREATES)
		begin_link(p, place_of_creation(t->process,
						(__u32)event_integer(p->e, "number")), t, "LC",
			   (struct paje_source){ .is_only = true });
	if (action == STARTS)
		end_link(p, place_of_creation(t->process, t->number), t, "LC", 0);
	if (action == ENDS)
		begin_link(p, PLACE_END | t->serial, t, link_types[MODEL_THREAD],
			   (struct paje_source){ .is_only = true });
	if (action == POSTS && o)
		begin_link(p, o->serial, t, link_types[o->kind], (struct paje_source){ 0 });
	if (action == SIGNALS_ALL && o)
		begin_link(p, o->serial, t, link_types[o->kind], (struct paje_source){
			.is_many = true, .is_only = true });
	if (action == TAKES && o && has_succeeded(p->e))
		paje_links_use(&p->links, o->serial);
}

/* Keeps the latest name in @rows; @text NULL: unchanged. Returns the row, NULL if out of memory. */
static struct paje_name *keep_name(struct paje *p, struct hash_table *rows, __u64 key,
				   const char *text)
{
	struct paje_name *name = hash_table_need(rows, &key, &p->error);

	if (name && text)
		name->text = text;
	return name;
}

/* First reading: keeps the names of the event's thread and object. */
static void keep_names(struct paje *p)
{
	const struct model_thread *t = model_actor(p->sync);
	const struct model_object *o = model_target(p->sync);
	struct paje_name *name;

	if (t) {
		name = keep_name(p, &p->thread_names, t->serial,
				 model_name_alias(p->aliases, p->x->set, t));
		if (name)
			name->raw = t->raw;
	}
	if (o)
		keep_name(p, &p->object_names, paje_object_key(o),
			  object_names_object(p->aliases, p->e, o->address));
}

/* Return: 0, -errno. */
static int take(void *arg, const struct ktrace_trace_event *e)
{
	struct paje *p = arg;
	int ret;

	p->e = e;
	/* Time never goes back, even where clocks did: readers need lines in order. */
	if (e->time > p->now)
		p->now = e->time;
	if (!p->is_open && e->time >= p->from) {
		const __u64 now = p->now;

		p->is_open = true;
		p->now = p->from;
		paje_show_all(p);
		p->now = now;
	}
	ret = p->is_second ? 0 : object_names_update(p->aliases, e);
	if (!ret)
		ret = model_update(p->sync, e);
	if (ret)
		return ret;
	if (!p->is_second)
		keep_names(p);
	follow(p);
	return p->error;
}

/* Starts over with an empty model. Return: 0, -errno. */
static int begin_reading(struct paje *p)
{
	const struct model_watch watch = { .thread = on_thread, .object = on_object,
					.wait = on_wait, .arg = p };

	model_free(p->sync);
	p->sync = NULL;
	p->is_open = false;
	p->now = p->start;
	return model_new(p->x->set, p->states, &watch, &p->sync);
}

/* First reading: counts links. */
static int take_first(void *arg, const struct ktrace_trace_event *e)
{
	progress_at(e->time);
	return take(arg, e);
}

/* Reads all events again and writes them. Return: 0, -errno. */
static int read_second(struct paje *p)
{
	struct time_range *s = &p->x->scope;
	const struct ktrace_trace_event *e;
	int ret;

	s->watch = take;
	s->watcher = p;
	s->prints = true;
	ret = time_range_begin(s, p->x->set);
	while (!ret && !p->out->error) {
		ret = time_range_next(s, &e);
		if (ret <= 0)
			break;
		if (model_actor(p->sync))
			paje_show_event(p, model_actor(p->sync));
		ret = p->error;
	}
	progress_end();
	if (s->until.is_set && p->to <= s->end && p->to > p->now)
		p->now = p->to;
	if (p->is_open)
		paje_show_end(p);
	return ret ? ret : p->error;
}

static int read_twice(struct paje *p)
{
	int ret = begin_reading(p);

	if (!ret)
		ret = time_range_read(p->x->set, p->to, take_first, p);
	paje_links_again(&p->links);
	p->is_second = true;
	if (!ret)
		ret = ktrace_traceset_seek(p->x->set, 0);
	if (!ret)
		ret = begin_reading(p);
	if (ret)
		return ret;
	paje_put_header(p->out);
	paje_show_types(p->out);
	return read_second(p);
}

static int write_paje(struct export *x)
{
	struct paje p = {
		.x = x, .out = output(),
		.machines = HASH_TABLE_INIT(struct paje_made, serial),
		.processes = HASH_TABLE_INIT(struct paje_made, serial),
		.threads = HASH_TABLE_INIT(struct paje_made, serial),
		.objects = HASH_TABLE_INIT(struct paje_object, serial),
		.thread_names = HASH_TABLE_INIT(struct paje_name, key),
		.object_names = HASH_TABLE_INIT(struct paje_name, key),
	};
	__u64 end;
	int ret = files_span(x->set, &p.start, &end);

	paje_links_init(&p.links);
	when_window(&x->scope.since, &x->scope.until, p.start, &p.from, &p.to);
	if (!ret)
		ret = ktrace_state_new(x->set, &p.states);
	progress_begin(p.start, p.to < end ? p.to : end);
	if (!ret)
		ret = object_names_new(&p.aliases);
	if (!ret)
		ret = object_names_begin(p.aliases, x->set);
	if (ret >= 0)
		ret = read_twice(&p);
	model_free(p.sync);
	ktrace_state_free(p.states);
	paje_links_free(&p.links);
	hash_table_free(&p.machines);
	hash_table_free(&p.processes);
	hash_table_free(&p.threads);
	hash_table_free(&p.objects);
	hash_table_free(&p.thread_names);
	hash_table_free(&p.object_names);
	object_names_free(p.aliases);
	return ret;
}

const struct export_format export_paje = {
	.name = "paje",
	.write = write_paje,
};
