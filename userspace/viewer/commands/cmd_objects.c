// SPDX-License-Identifier: GPL-2.0
/* cmd_objects.c - ktrace objects: threads, mutexes and so on at one time, from pthread events */
#include "analysis/analysis.h"

#include "events/alias_option.h"
#include "pthread/lock_symbol.h"
#include "model/pthread_model.h"
#include "pthread/model_name.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct objects - one run of the command
 * @a:		common part of analyses
 * @sync:	the model
 * @aliases:	names of addresses, NULL = not begun
 * @shows_gone:	also show objects that were destroyed and threads that were joined
 * @where:	of symbols
 * @symbols:	finds the symbol at an address, NULL = not asked for
 */
struct objects {
	struct analysis a;
	struct model *sync;
	struct object_names *aliases;
	bool shows_gone;
	struct symbols_where where;
	struct symbols *symbols;
};

static int begin(struct analysis *a)
{
	struct objects *r = (struct objects *)a;
	int ret = r->aliases ? 0 : object_names_new(&r->aliases);

	r->symbols = r->where.is_wanted ? symbols_new(&r->where) : NULL;
	if (r->where.is_wanted && !r->symbols)
		ret = -ENOMEM;
	if (!ret)
		ret = object_names_begin(r->aliases, a->set);
	return ret < 0 ? ret : model_new(a->set, a->state, NULL, &r->sync);
}

static int take(struct analysis *a, const struct ktrace_trace_event *e)
{
	struct objects *r = (struct objects *)a;
	int ret = object_names_update(r->aliases, e);

	return ret ? ret : model_update(r->sync, e);
}

static const struct ktrace_trace *trace_of(const struct objects *r, const struct model_process *p)
{
	return ktrace_traceset_trace(r->a.set, p->machine);
}

/* Returns the name of an object at the time shown, NULL = none. */
static const char *name_of(const struct objects *r, const struct model_object *o)
{
	return object_names_find_object(r->aliases, trace_of(r, o->process),
					o->process->pid ? o->process->pid : o->process->tid,
					o->address);
}

static const char *name_of_thread(const struct objects *r, const struct model_thread *t)
{
	return model_name_alias(r->aliases, r->a.set, t);
}

/* Returns the variable of an object; NULL: not known, or not asked for. */
static const struct symbol *variable_at(struct objects *r, const struct model_object *o)
{
	return o->trace ? lock_symbol_of(r->symbols, o->trace, o, o->raw) : NULL;
}

static bool wants_thread(const struct objects *r, const struct model_thread *t)
{
	if (!r->shows_gone && (t->life == MODEL_JOINED || t->life == MODEL_DEAD))
		return false;
	return analysis_is_selected(&r->a, t->tid, t->process->pid);
}

static bool wants_object(const struct objects *r, const struct model_object *o)
{
	if (!r->shows_gone && o->state == MODEL_GONE)
		return false;
	return analysis_is_selected(&r->a, o->process->tid ? o->process->tid : o->process->pid,
				    o->process->pid);
}

static void put_thread(struct objects *r, const struct model_thread *t)
{
	struct ktrace_out *out = r->a.out;
	char name[64];

	model_name_text(t, t->raw, name, sizeof(name));
	output_line_begin(out);
	out_printf(out, "%-30s %-8s ", name, model_life_name(t->life));
	out_duration(out, analysis_age(&r->a, t->since));
	out_printf(out, " %10llu %8llu ", t->calls, t->waits);
	if (t->object) {
		out_printf(out, " %s 0x%llx", model_kind_name(t->object->kind), t->object->address);
		lock_symbol_put(out, variable_at(r, t->object));
	} else if (t->life == MODEL_WAITING) {
		out_printf(out, " thread 0x%llx", t->joins);
	}
	model_name_put(out, name_of_thread(r, t));
	out_printf(out, "\n");
}

static bool has_left(const struct model_object *o)
{
	return o->kind == MODEL_BARRIER && o->value && !o->is_pshared &&
	       (o->state == MODEL_FREE || o->state == MODEL_TAKEN);
}

/* Prints the details of the state: owner, count, value and so on. */
static void put_detail(struct ktrace_out *out, const struct model_object *o)
{
	if (o->owner)
		out_printf(out, " by %u", o->owner->tid);
	if (o->count > 1)
		out_printf(out, ", %u times", o->count);
	if (o->readers)
		out_printf(out, " by %u readers", o->readers);
	if (o->kind == MODEL_SEM && o->has_value)
		out_printf(out, " value %lld", o->value);
	if (has_left(o))
		out_printf(out, " left %u of %lld", o->left, o->value);
	if (o->waiters)
		out_printf(out, ", %u wait", o->waiters);
	if (o->is_pshared)
		out_printf(out, ", shared with other processes");
}

static void put_object(struct objects *r, const struct model_object *o)
{
	struct ktrace_out *out = r->a.out;

	output_line_begin(out);
	out_printf(out, "%-8u %-8s 0x%-14llx ", o->process->pid, model_kind_name(o->kind),
		   o->address);
	out_duration(out, analysis_age(&r->a, o->since));
	out_printf(out, " %10llu %8llu  %s", o->uses, o->waits, model_state_name(o->state));
	put_detail(out, o);
	lock_symbol_put(out, variable_at(r, o));
	model_name_put(out, name_of(r, o));
	out_printf(out, "\n");
}

static void put_text(struct objects *r)
{
	const struct model_thread *t;
	const struct model_object *o;
	__u64 left;
	size_t i;

	out_printf(r->a.out, "\n%-30s %-8s %9s %10s %8s  %s\n", "process/thread", "state", "for",
		   "events", "waits", "waits for");
	for (i = 0, left = r->a.number; (t = model_thread(r->sync, i)) && left; i++) {
		if (!wants_thread(r, t))
			continue;
		put_thread(r, t);
		left--;
	}
	out_printf(r->a.out, "\n%-8s %-8s %-16s %9s %10s %8s  %s\n", "process", "object", "address",
		   "for", "uses", "waits", "state");
	for (i = 0, left = r->a.number; (o = model_object(r->sync, i)) && left; i++) {
		if (!wants_object(r, o))
			continue;
		put_object(r, o);
		left--;
	}
}

static void put_trouble(struct objects *r, const struct model_trouble *t)
{
	struct ktrace_out *out = r->a.out;

	output_line_begin(out);
	out_seconds(out, analysis_since_start(&r->a, t->time), 15);
	out_printf(out, " %u/%u %s", t->pid, t->tid, t->name);
	if (t->address)
		out_printf(out, " %s 0x%llx", model_kind_name(t->kind), t->address);
	out_printf(out, ": %s\n", t->text);
}

static void put_troubles(struct objects *r, bool is_misuse, const char *title)
{
	const struct model_trouble *t;
	bool is_first = true;
	size_t i;

	for (i = 0; (t = model_trouble(r->sync, i)); i++) {
		if (t->is_misuse != is_misuse)
			continue;
		if (is_first)
			out_title(r->a.out, title);
		is_first = false;
		put_trouble(r, t);
	}
}

static void put_json_thread(struct objects *r, const struct model_thread *t)
{
	struct ktrace_out *out = r->a.out;

	model_name_json(out, t, "name", name_of_thread(r, t));
	json_str(out, "state", model_life_name(t->life));
	json_u64(out, "since_ns", analysis_since_start(&r->a, t->since));
	json_u64(out, "events", t->calls);
	json_u64(out, "waits", t->waits);
	if (t->handle)
		json_address(out, "thread", t->handle);
	if (t->object)
		json_address(out, "object", t->object->address);
	if (t->joins)
		json_address(out, "joins", t->joins);
}

static void put_json_object(struct objects *r, const struct model_object *o)
{
	struct ktrace_out *out = r->a.out;

	json_u64(out, "pid", o->process->pid);
	json_str(out, "kind", model_kind_name(o->kind));
	json_address(out, "address", o->address);
	json_u64(out, "life", o->life);
	json_str(out, "state", model_state_name(o->state));
	json_u64(out, "since_ns", analysis_since_start(&r->a, o->since));
	json_u64(out, "uses", o->uses);
	json_u64(out, "waits", o->waits);
	json_u64(out, "waiters", o->waiters);
	if (o->owner)
		json_u64(out, "owner", o->owner->tid);
	if (o->kind == MODEL_MUTEX)
		json_u64(out, "count", o->count);
	if (o->kind == MODEL_RWLOCK)
		json_u64(out, "readers", o->readers);
	if (o->kind == MODEL_SEM && o->has_value)
		json_s64(out, "value", o->value);
	if (has_left(o))
		json_u64(out, "left", o->left);
	json_u64(out, "pshared", o->is_pshared);
	if (name_of(r, o))
		json_str(out, "name", name_of(r, o));
	lock_symbol_json(out, variable_at(r, o));
}

static void put_json_trouble(struct objects *r, const struct model_trouble *t)
{
	struct ktrace_out *out = r->a.out;

	json_str(out, "file", ktrace_trace_path(t->trace));
	json_u64(out, "time_ns", analysis_since_start(&r->a, t->time));
	json_u64(out, "pid", t->pid);
	json_u64(out, "tid", t->tid);
	json_str(out, "event", t->name);
	json_address(out, "address", t->address);
	json_str(out, "text", t->text);
	json_u64(out, "misuse", t->is_misuse);
}

static void put_json(struct objects *r)
{
	struct ktrace_out *out = r->a.out;
	const struct model_trouble *trouble;
	const struct model_thread *t;
	const struct model_object *o;
	__u64 left;
	size_t i;

	json_open(out, "threads", '[');
	for (i = 0, left = r->a.number; (t = model_thread(r->sync, i)) && left; i++) {
		if (!wants_thread(r, t))
			continue;
		left--;
		json_item(out);
		put_json_thread(r, t);
		ktrace_out_char(out, '}');
	}
	ktrace_out_char(out, ']');
	json_open(out, "objects", '[');
	for (i = 0, left = r->a.number; (o = model_object(r->sync, i)) && left; i++) {
		if (!wants_object(r, o))
			continue;
		left--;
		json_item(out);
		put_json_object(r, o);
		ktrace_out_char(out, '}');
	}
	ktrace_out_char(out, ']');
	json_open(out, "troubles", '[');
	for (i = 0; (trouble = model_trouble(r->sync, i)); i++) {
		json_item(out);
		put_json_trouble(r, trouble);
		ktrace_out_char(out, '}');
	}
	ktrace_out_char(out, ']');
}

static void show(struct analysis *a)
{
	struct objects *r = (struct objects *)a;

	/* Without a time, show the state after the last event. */
	if (a->until_ns != ~0ull)
		model_end(r->sync, a->until_ns, a->until_ns);
	if (a->is_json) {
		put_json(r);
		return;
	}
	put_text(r);
	put_troubles(r, false, "impossible");
	put_troubles(r, true, "what POSIX leaves undefined");
}

#define MEMBER(member) OPTION_MEMBER(struct objects, member)

static const struct option_row rows[] = {
	{ .name = "all", .flag = MEMBER(shows_gone),
	  .help = "also what is gone: joined threads, destroyed objects" },
	{ .letter = 'n', .name = "number", .value = "N", .set = analysis_set_number,
	  .help = "print at most N threads and N objects" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ rows, 0 },
	{ at_options, offsetof(struct analysis, until) },
	{ alias_options, offsetof(struct objects, aliases) },
	{ symbols_options, offsetof(struct objects, where) },
	ANALYSIS_PID_SET,
	{ json_options, offsetof(struct analysis, is_json) },
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct objects r = {
		.a = { .begin = begin, .early = take,
		       .show = show,
		       .needs.providers = "pthread" },
	};
	int status = analysis_main(&r.a, cmd, argc, argv);

	model_free(r.sync);
	symbols_free(r.symbols);
	object_names_free(r.aliases);
	return status;
}

const struct command cmd_objects = {
	.name = "objects",
	.args = "[OPTION...] FILE...",
	.summary = "Show threads, mutexes and other objects at a time",
	.options = sets,
	.needs_files = true,
	.run = run,
};
