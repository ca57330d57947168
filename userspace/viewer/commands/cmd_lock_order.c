// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_lock_order.c - ktrace lock-order: which lock was taken while another one was held
 *
 * An edge from A to B means: B was taken, or waited for without end, while A was held. Taking B by
 * a try call adds no edge, as that would not have waited.
 */
#include "analysis/analysis.h"

#include "pthread/lock_cycles.h"
#include "pthread/lock_symbol.h"
#include "model/pthread_model.h"
#include "symbols/symbols.h"

#include <errno.h>

/* Maximum number of edges to look at while searching for cycles: some seconds */
#define STEPS_MAX (1ull << 29)

/**
 * struct lock_order - one run of the command
 * @a:		common part of analyses
 * @sync:	the model
 * @edges:	of the graph
 * @cycles:	number of cycles printed so far
 * @is_dot:	print for graphviz
 * @raw:	stamp of the current event
 * @where:	of symbols
 * @symbols:	finds the symbol at an address
 */
struct lock_order {
	struct analysis a;
	struct model *sync;
	struct hash_table edges;
	__u64 cycles;
	bool is_dot;
	__u64 raw;
	struct symbols_where where;
	struct symbols *symbols;
};

static __u64 key_of(const struct model_object *o)
{
	return ((__u64)o->serial + 1) << 32 | o->life;
}

/* True if no other thread can hold it at the same time. */
static bool is_exclusive(const struct model_object *o, const struct model_thread *t)
{
	return o->kind != MODEL_RWLOCK || o->owner == t;
}

static bool holds(const struct model_thread *t, __u64 key)
{
	const struct model_object *o;
	size_t i;

	for (i = 0; (o = model_held(t, i)); i++)
		if (key_of(o) == key && is_exclusive(o, t))
			return true;
	return false;
}

static void set_guards(struct lock_edge *e, const struct model_thread *t)
{
	const struct model_object *o;
	__u32 nr = 0;
	size_t i;

	for (i = 0; (o = model_held(t, i)) && nr < LOCK_GUARDS; i++)
		if (o != e->from && o != e->to && is_exclusive(o, t))
			e->guards[nr++] = key_of(o);
}

/* struct taking - a thread took a lock, or waits for it without end */
struct taking {
	const struct model_thread *thread;
	const struct model_object *to;
	__u64 time;
	__u64 raw;
	__u64 caller;
};

static void add_edge(struct lock_order *r, const struct model_object *from,
		     const struct taking *now)
{
	const struct model_object *to = now->to;
	const struct model_thread *t = now->thread;
	const struct lock_edge_key key = { key_of(from), key_of(to) };
	struct lock_edge *e = hash_table_need(&r->edges, &key, &r->a.error);
	__u32 i;

	if (!e)
		return;
	if (!e->count++) {
		e->from = from;
		e->to = to;
		e->from_kind = from->kind;
		e->to_kind = to->kind;
		e->first = now->time;
		e->tid = t->tid;
		set_guards(e, t);
	}
	e->is_shared |= e->tid != t->tid;
	if (!e->thread || (!e->caller && now->caller)) {
		e->caller = now->caller;
		e->thread = t;
		e->raw = now->raw;
		e->trace = t->trace;
	}
	for (i = 0; i < LOCK_GUARDS; i++)
		if (e->guards[i] && !holds(t, e->guards[i]))
			e->guards[i] = 0;
}

static void add_edges(struct lock_order *r, const struct taking *now)
{
	const struct model_thread *t = now->thread;
	const struct model_object *from;
	size_t i;

	if (now->time < r->a.from || now->time >= r->a.until_ns || !model_is_lock(now->to) ||
	    !analysis_is_selected(&r->a, t->tid, t->process->pid))
		return;
	for (i = 0; (from = model_held(t, i)); i++)
		if (from != now->to)
			add_edge(r, from, now);
}

static void on_taken(void *arg, const struct model_take *take)
{
	if (!take->has_tried)
		add_edges(arg, &(struct taking){ take->thread, take->object, take->event->time,
						 take->event->raw, take->caller });
}

/* A thread that waits until the end counts as if it had taken the lock. */
static void on_wait(void *arg, const struct model_wait *w)
{
	struct lock_order *r = arg;

	if (w->is_cut && w->object)
		add_edges(r, &(struct taking){ w->thread, w->object, w->from, r->raw, w->caller });
}

static int begin(struct analysis *a)
{
	struct lock_order *r = (struct lock_order *)a;
	const struct model_watch watch = { .wait = on_wait, .taken = on_taken, .arg = r };

	r->symbols = r->where.is_wanted ? symbols_new(&r->where) : NULL;
	if (r->where.is_wanted && !r->symbols)
		return -ENOMEM;
	return model_new(a->set, a->state, &watch, &r->sync);
}

static int take(struct analysis *a, const struct ktrace_trace_event *e)
{
	struct lock_order *r = (struct lock_order *)a;

	r->raw = e->raw;
	return model_update(r->sync, e);
}

static int by_first(const void *x, const void *y)
{
	const struct lock_edge *a = x, *b = y;

	return ORDER(a->first, b->first) ?: ORDER(a->key.from, b->key.from);
}

static void put_lock(struct lock_order *r, struct ktrace_out *out, const struct lock_edge *e,
		     bool is_from)
{
	const struct model_object *o = is_from ? e->from : e->to;

	out_printf(out, "%u %s 0x%llx", o->process->pid,
		   model_kind_name(is_from ? e->from_kind : e->to_kind), o->address);
	lock_symbol_put(out, lock_symbol_of(r->symbols, e->trace, o, e->raw));
}

static const struct symbol *symbol_of(struct lock_order *r, const struct lock_edge *e)
{
	if (!e->caller || !r->symbols)
		return NULL;
	return symbols_find(r->symbols, e->trace, e->thread->process->pid, e->raw,
			    e->caller, true);
}

/* Prints where the second lock was taken, if that was recorded. */
static void put_place(struct lock_order *r, const struct lock_edge *e)
{
	const struct symbol *symbol = symbol_of(r, e);

	if (!e->caller)
		return;
	ktrace_out_str(r->a.out, " from ");
	if (symbol)
		symbols_put(r->a.out, symbol);
	else
		out_printf(r->a.out, "0x%llx", e->caller);
}

static void json_place(struct lock_order *r, const struct lock_edge *e)
{
	const struct symbol *symbol = symbol_of(r, e);
	struct ktrace_out *out = r->a.out;

	if (e->caller)
		json_address(out, "caller", e->caller);
	if (!symbol)
		return;
	json_key(out, "symbol");
	symbols_put_json(out, symbol);
}

static void text_edge(struct analysis *a, const void *x)
{
	const struct lock_edge *e = x;
	struct ktrace_out *out = a->out;

	out_printf(out, "%10llu ", e->count);
	out_seconds(out, analysis_since_start(a, e->first), 15);
	out_printf(out, " %10u  ", e->tid);
	put_lock((struct lock_order *)a, out, e, true);
	out_printf(out, " -> ");
	put_lock((struct lock_order *)a, out, e, false);
	put_place((struct lock_order *)a, e);
	out_printf(out, "\n");
}

static void heading(struct analysis *a)
{
	out_printf(a->out, "\n%10s %15s %10s\n", "times", "first", "thread");
}

static void json_lock(struct lock_order *r, const struct lock_edge *e, bool is_from)
{
	const struct model_object *o = is_from ? e->from : e->to;
	struct ktrace_out *out = r->a.out;

	ktrace_out_char(out, '{');
	json_str(out, "kind", model_kind_name(is_from ? e->from_kind : e->to_kind));
	json_address(out, "address", o->address);
	lock_symbol_json(out, lock_symbol_of(r->symbols, e->trace, o, e->raw));
	ktrace_out_char(out, '}');
}

static void json_edge(struct analysis *a, const void *x)
{
	const struct lock_edge *e = x;
	struct ktrace_out *out = a->out;

	json_u64(out, "pid", e->from->process->pid);
	json_u64(out, "times", e->count);
	json_u64(out, "first_ns", analysis_since_start(a, e->first));
	json_u64(out, "tid", e->tid);
	json_key(out, "held");
	json_lock((struct lock_order *)a, e, true);
	json_key(out, "taken");
	json_lock((struct lock_order *)a, e, false);
	json_place((struct lock_order *)a, e);
}

static void put_cycle(void *arg, struct lock_edge *const *cycle, size_t nr)
{
	struct lock_order *r = arg;
	struct ktrace_out *out = r->a.out;

	output_line_begin(out);
	if (r->a.is_json) {
		json_element(out);
		ktrace_out_char(out, '[');
	} else if (!r->cycles) {
		out_title(out, "cycles: threads that do so at the same time wait for each other");
	} else {
		out_printf(out, "\n");
	}
	while (nr--) {
		if (!r->a.is_json) {
			text_edge(&r->a, cycle[nr]);
			continue;
		}
		json_item(out);
		json_edge(&r->a, cycle[nr]);
		ktrace_out_char(out, '}');
	}
	if (r->a.is_json)
		ktrace_out_char(out, ']');
	r->cycles++;
}

/* Quotes a node, as the name of a variable may contain quotes. */
static void put_node(struct lock_order *r, const struct lock_edge *e, bool is_from)
{
	char text[512];
	struct ktrace_out node = { .buf = text, .cap = sizeof(text) };

	put_lock(r, &node, e, is_from);
	ktrace_out_quoted(r->a.out, text, node.len);
}

static void put_dot(struct lock_order *r)
{
	struct ktrace_out *out = r->a.out;
	const struct lock_edge *e;
	size_t i;

	out_printf(out, "digraph locks {\n");
	for (i = 0; i < KTRACE_LOST_NR; i++)
		if (r->a.lost[i])
			out_printf(out, "  label=\"events were lost: incomplete\";\n");
	hash_table_for_each(e, &r->edges) {
		output_line_begin(out);
		out_printf(out, "  ");
		put_node(r, e, true);
		out_printf(out, " -> ");
		put_node(r, e, false);
		out_printf(out, " [label=\"%llu\"];\n", e->count);
	}
	out_printf(out, "}\n");
}

static void show(struct analysis *a)
{
	static const struct sheet edges = { "edges", by_first, heading, text_edge, json_edge };
	struct lock_order *r = (struct lock_order *)a;
	const struct lock_cycles cycles = { put_cycle, r, STEPS_MAX };
	__u64 unsearched = 0;

	model_flush(r->sync, a->to);
	hash_table_sort(&r->edges, lock_edge_order);
	if (r->is_dot && !a->is_json) {
		put_dot(r);
		return;
	}
	if (a->is_json)
		json_open(a->out, "cycles", '[');
	if (!a->error)
		a->error = lock_cycles_find(&r->edges, &cycles, &unsearched);
	if (a->is_json)
		ktrace_out_char(a->out, ']');
	else if (!a->error && !r->cycles && !unsearched)
		out_printf(a->out, "no cycles\n");
	if (unsearched && a->is_json)
		json_u64(a->out, "unsearched", unsearched);
	else if (unsearched)
		out_printf(a->out, "not searched, as it would take too long: cycles through %llu"
			   " lines\n", unsearched);
	analysis_rows(a, &r->edges, &edges);
}

static const char *set_dot(void *to, const char *value)
{
	struct lock_order *r = to;

	(void)value;
	r->a.is_bare = r->is_dot = true;
	return NULL;
}

static const struct option_row rows[] = {
	{ .name = "dot", .set = set_dot,
	  .help = "print a graph: ktrace lock-order --dot FILE | dot -Tsvg" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ rows, 0 },
	{ symbols_options, offsetof(struct lock_order, where) },
	ANALYSIS_SETS,
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct lock_order r = {
		.a = { .begin = begin, .early = take,
		       .show = show,
		       .needs.providers = "pthread" },
		.edges = HASH_TABLE_INIT(struct lock_edge, key),
	};
	int status = analysis_main(&r.a, cmd, argc, argv);

	symbols_free(r.symbols);
	hash_table_free(&r.edges);
	model_free(r.sync);
	return status;
}

const struct command cmd_lock_order = {
	.name = "lock-order",
	.args = "[OPTION...] FILE...",
	.summary = "Show which locks were taken while others were held; cycles",
	.options = sets,
	.needs_files = true,
	.run = run,
};
