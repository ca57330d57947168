// SPDX-License-Identifier: GPL-2.0
/*
 * convert.c - converts events of Chrome's format, phase by phase
 *
 * A slice whose event tells its duration is written as two events. Among events of the same time,
 * ends of such slices come first, the shortest before the others; their beginnings come last, the
 * longest before the others: so slices are nested as their times are.
 */
#include "chrome.h"

#include <errno.h>
#include <stdlib.h>

/* Phases that need no field with their letter: names, ids or fields tell */
#define KNOWN_PHASES "BEXiICbneSTpFstf"
#define ASYNC_PHASES "bneSTpF"

bool chrome_time(const struct json_value *v, __s64 *ns)
{
	return v->at && json_scaled(v, 3, ns);
}

__s64 chrome_id(struct chrome *c, const struct json_value *v, int *error)
{
	char text[FOREIGN_ID];
	__s64 number;

	if (!v->at || v->kind == JSON_NULL)
		return 0;
	if (json_scaled(v, 0, &number))
		return number;
	json_copy(v, text, sizeof(text));
	return threads_text_id(&c->threads, text, error);
}

struct foreign_thread *chrome_thread_of(struct chrome *c, const struct chrome_event *e)
{
	int error = 0;
	const __s64 pid = chrome_id(c, &e->pid, &error);
	const __s64 tid = e->tid.at ? chrome_id(c, &e->tid, &error) : pid;

	return error ? NULL : threads_get(&c->threads, pid, tid);
}

int chrome_put(struct chrome *c, const struct foreign_thread *thread, __s64 ns, __s64 rank)
{
	struct spooled e = {
		.ts = (__u64)(ns + c->shift), .rank = rank, .cpu = -1, .tid = thread->own_tid,
		.pid = thread->own_pid,
	};

	memcpy(e.comm, thread->comm, sizeof(e.comm));
	return builder_put(&c->b, KTRACE_CHANNEL_USER, e);
}

/* Keeps a member's text in @to, ended by NUL. */
static const char *keep(struct ktrace_out *to, const struct json_value *v)
{
	to->len = 0;
	if (v->at)
		json_text(to, v);
	ktrace_out_char(to, 0);
	return to->error ? "" : to->buf;
}

/* Names an event: number of its category and name. */
static int name_event(struct chrome *c, const struct chrome_event *e)
{
	char *category = (char *)keep(&c->category, &e->cat);

	for (char *at = category; (at = strchr(at, ',')); at++)
		*at = '+';
	return builder_name(&c->b, category, keep(&c->name, &e->name));
}

static __u64 digest(__u64 hash, const struct json_value *v)
{
	for (size_t i = 0; v->at && i < v->size; i++)
		hash = (hash ^ (unsigned char)v->at[i]) * 1099511628211ull;
	return (hash ^ 0xff) * 1099511628211ull;
}

static const struct json_value *id_of(const struct chrome_event *e)
{
	return e->id.at ? &e->id : e->global.at ? &e->global : e->local.at ? &e->local : NULL;
}

/* Reads an id: a number, or "0x..." */
static bool take_id(const struct json_value *v, __u64 *id)
{
	char text[24], *end;
	bool is_big;

	if (json_integer(v, id, &is_big))
		return true;
	if (v->kind != JSON_STRING || v->size < 3 || v->size >= sizeof(text) ||
	    memcmp(v->at, "0x", 2))
		return false;
	json_copy(v, text, sizeof(text));
	*id = strtoull(text, &end, 16);
	return !*end;
}

static void put_id(struct chrome *c, const char *name, const struct json_value *v)
{
	__u64 id;

	if (v && v->at && take_id(v, &id))
		builder_u64(&c->b, "x64", name, id);
	else if (v)
		chrome_put_named(c, name, v);
}

static void put_flow(struct chrome *c, const char *name, const struct json_value *v)
{
	const __u32 nr = 1;
	__u64 id;

	if (!v)
		return;
	if (!take_id(v, &id))
		id = digest(14695981039346656037ull, v);
	ktrace_out_str(&c->b.desc, "x64[] ");
	ktrace_out_str(&c->b.desc, name);
	ktrace_out_char(&c->b.desc, ';');
	ktrace_out_bytes(&c->b.payload, (const char *)&nr, sizeof(nr));
	ktrace_out_bytes(&c->b.payload, (const char *)&id, sizeof(id));
}

static void put_flows(struct chrome *c, const struct chrome_event *e)
{
	if (e->phase && strchr("stf", e->phase))
		put_flow(c, e->phase == 'f' ? "flow_end" : "flow", id_of(e));
	else if (!e->phase || !strchr(ASYNC_PHASES, e->phase))
		put_id(c, "id", id_of(e));
	if (e->bind_id.at && chrome_is_true(&e->flow_out))
		put_flow(c, "flow", &e->bind_id);
	if (e->bind_id.at && chrome_is_true(&e->flow_in))
		put_flow(c, "flow_end", &e->bind_id);
	else if (e->bind_id.at && !chrome_is_true(&e->flow_out))
		put_id(c, "bind_id", &e->bind_id);
}

/* Adds all fields of an event. */
static void put_fields(struct chrome *c, const struct chrome_event *e)
{
	const bool is_scoped = e->s.at && !json_is(&e->s, "t");

	if (e->phase && strchr(ASYNC_PHASES, e->phase))
		put_id(c, "id", id_of(e));
	chrome_put_args(c, &e->args);
	put_flows(c, e);
	if (is_scoped)
		chrome_put_named(c, "scope", &e->s);
	if (!e->phase || !strchr(KNOWN_PHASES, e->phase))
		chrome_put_named(c, "phase", &e->ph);
	if (e->phase != 'X')
		chrome_put_named(c, "dur", &e->dur);
	for (int i = 0; i < e->other_nr; i++)
		chrome_put_field(c, &e->key[i], &e->value[i]);
	if (e->sf.at)
		chrome_put_stack(c, &e->sf);
	chrome_put_named(c, "stack", &e->stack);
	chrome_put_named(c, "esf", &e->esf);
	chrome_put_named(c, "estack", &e->estack);
	chrome_put_named(c, "cpu", &e->cpu);
	chrome_put_named(c, "weight", &e->weight);
	c->b.text = c->b.desc.len > KTRACE_DESC_SIZE_MAX - 2 && e->args.at ?
		    keep(&c->text, &e->args) : NULL;
}

static int put_instant(struct chrome *c, const struct chrome_event *e,
		       const struct foreign_thread *thread, __s64 ns)
{
	const int number = name_event(c, e);

	if (number < 0)
		return number;
	builder_begin(&c->b, (__u32)number, "", c->name.buf);
	put_fields(c, e);
	return chrome_put(c, thread, ns, 0);
}

static int put_begin(struct chrome *c, const struct chrome_event *e, struct foreign_thread *thread,
		     __s64 ns)
{
	const int number = name_event(c, e);

	if (number < 0 || slices_open(&thread->slices, (__u32)number))
		return -ENOMEM;
	builder_begin(&c->b, (__u32)number, "_begin", c->name.buf);
	put_fields(c, e);
	return chrome_put(c, thread, ns, 0);
}

static int put_end(struct chrome *c, const struct chrome_event *e, struct foreign_thread *thread,
		   __s64 ns)
{
	const int named = e->name.at ? name_event(c, e) : builder_name(&c->b, "track", "slice");
	const bool is_open = thread->slices.depth;
	int number;

	if (named < 0)
		return named;
	number = (int)slices_close(&thread->slices, (__u32)named);
	if (!number && (!is_open || e->name.at))
		number = named;
	if (number < 0)
		return number;
	builder_begin(&c->b, (__u32)number, "_end", "");
	put_fields(c, e);
	return chrome_put(c, thread, ns, 0);
}

static bool has_duration(const struct chrome_event *e)
{
	return e->dur.at && e->dur.kind != JSON_NULL;
}

/* True if a slice's duration is none, or ends at a time that can be written. */
static bool is_possible(const struct chrome *c, const struct chrome_event *e, __s64 ns)
{
	__s64 dur;

	return e->phase != 'X' || !has_duration(e) ||
	       (chrome_time(&e->dur, &dur) && dur >= 0 &&
		dur <= INT64_MAX - c->shift - (ns > 0 ? ns : 0));
}

static int put_complete(struct chrome *c, const struct chrome_event *e,
			const struct foreign_thread *thread, __s64 ns)
{
	int number = name_event(c, e), ret;
	__s64 dur = 0;

	if (number < 0)
		return number;
	chrome_time(&e->dur, &dur);
	builder_begin(&c->b, (__u32)number, "_begin", c->name.buf);
	put_fields(c, e);
	ret = chrome_put(c, thread, ns, INT64_MAX - dur);
	/* Without a duration the slice has no end. */
	if (ret || !has_duration(e))
		return ret;
	builder_begin(&c->b, (__u32)number, "_end", "");
	return chrome_put(c, thread, ns + dur, dur ? INT64_MIN + dur : INT64_MAX);
}

/* Writes a counter: its only series becomes a field "value", several keep their names. */
static int put_counter(struct chrome *c, const struct chrome_event *e,
		       const struct foreign_thread *thread, __s64 ns)
{
	struct json_value key, value, next;
	struct json_iterator it;

	keep(&c->name, &e->name);
	builder_begin_counter(&c->b, c->name.buf);
	if (e->args.at && e->args.kind == JSON_OBJECT) {
		json_enter(&it, &e->args);
		if (json_next(&it, &key, &value) == 1 && !json_next(&it, &key, &next))
			chrome_put_named(c, "value", &value);
		else
			chrome_put_args(c, &e->args);
	}
	if (id_of(e))
		put_id(c, "id", id_of(e));
	if (e->cat.at && e->cat.size)
		chrome_put_named(c, "category", &e->cat);
	return chrome_put(c, thread, ns, 0);
}

static int put_on(struct chrome *c, const struct chrome_event *e, struct foreign_thread *thread,
		  __s64 ns)
{
	switch (e->phase) {
	case 'B':
	case 'b':
	case 'S':
		return put_begin(c, e, thread, ns);
	case 'E':
	case 'e':
	case 'F':
		return put_end(c, e, thread, ns);
	case 'X':
		return put_complete(c, e, thread, ns);
	case 'C':
		return put_counter(c, e, thread, ns);
	default:
		return put_instant(c, e, thread, ns);
	}
}

/* Writes an event on the track of its id. */
static int put_async(struct chrome *c, const struct chrome_event *e, __s64 ns)
{
	const bool is_by_name = strchr("STpF", e->phase);
	struct async_key key = { .kind = 14695981039346656037ull };
	struct foreign_thread *track;
	int error = 0, ret;
	__s64 pid = chrome_id(c, &e->pid, &error);

	key.pid = e->local.at && !e->id.at && !e->global.at ? pid : 0;
	if (!take_id(id_of(e), &key.id))
		key.id = digest(key.kind, id_of(e));
	key.kind = digest(digest(key.kind, &e->cat), is_by_name ? &e->name : &e->scope);
	track = error ? NULL : asyncs_track(&c->asyncs, &c->threads, &key, pid,
					    keep(&c->name, &e->name));
	if (!track)
		return -ENOMEM;
	ret = put_on(c, e, track, ns);
	return ret ? ret : asyncs_done(&c->asyncs, &key, track);
}

/* True if the event tells a name that is kept as that of a thread. */
static bool is_kept_name(const struct chrome_event *e, const struct foreign_thread *thread)
{
	const struct json_value name = json_member(&e->args, "name");

	return (json_is(&e->name, "thread_name") || json_is(&e->name, "process_name")) &&
	       name.at && json_is(&name, thread->comm);
}

/* Writes what a trace tells about threads and processes, apart from names that are kept. */
static int put_fact(struct chrome *c, const struct chrome_event *e)
{
	struct foreign_thread *thread = chrome_thread_of(c, e);
	const __s64 ns = c->has_time ? c->least : 0;

	if (!thread)
		return -ENOMEM;
	/* ktrace repeats the names of threads where they change. */
	if (c->is_own)
		return chrome_learn_name(c, e);
	if (is_kept_name(e, thread))
		return 0;
	builder_begin_event(&c->b, "metadata", keep(&c->name, &e->name));
	chrome_put_args(c, &e->args);
	return chrome_put(c, thread, ns, INT64_MIN);
}

int chrome_convert(struct chrome *c, const struct json_value *v)
{
	struct foreign_thread *thread;
	struct chrome_event e;
	__s64 ns;

	if (chrome_event_parse(v, &e)) {
		chrome_count_bad(c, v);
		return 0;
	}
	/* Some programs end their events with an empty one, to write a comma after all others. */
	if (json_skip_blanks(v->at + 1, v->at + v->size) == v->at + v->size - 1)
		return 0;
	if (e.phase == 'M')
		return put_fact(c, &e);
	if (!e.ph.at || !chrome_time(&e.ts, &ns) || !is_possible(c, &e, ns)) {
		chrome_count_bad(c, v);
		return 0;
	}
	if (c->is_own)
		return chrome_convert_own(c, &e);
	if (e.phase && strchr(ASYNC_PHASES, e.phase) && id_of(&e))
		return put_async(c, &e, ns);
	thread = chrome_thread_of(c, &e);
	return thread ? put_on(c, &e, thread, ns) : -ENOMEM;
}

/* Returns the thread of a sample, which does not tell its process. */
static struct foreign_thread *thread_of_sample(struct chrome *c, const struct chrome_event *e)
{
	int error = 0;
	const __s64 tid = chrome_id(c, &e->tid, &error);
	const __u32 key = (__u32)tid;
	const struct { __u32 tid; __s64 pid; } *taken = NULL;

	if (tid > 0 && tid < BUILDER_TID_MIN)
		taken = hash_table_find(&c->threads.taken, &key);
	return error ? NULL : threads_get(&c->threads, taken ? taken->pid : 0, tid);
}

int chrome_convert_sample(struct chrome *c, const struct json_value *v)
{
	struct foreign_thread *thread;
	struct chrome_event e;
	__s64 ns;

	if (chrome_event_parse(v, &e) || !chrome_time(&e.ts, &ns)) {
		chrome_count_bad(c, v);
		return 0;
	}
	thread = thread_of_sample(c, &e);
	if (!thread)
		return -ENOMEM;
	builder_begin_event(&c->b, "sample", keep(&c->name, &e.name));
	e.phase = 'i';
	put_fields(c, &e);
	return chrome_put(c, thread, ns, 0);
}
