// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_lock_order.c - ktrace lock-order: which lock was taken while which was held
 *
 * An edge of the graph: B was taken, or waited for without end, while A was held. What was only
 * tried makes no edge to it, as it would not have waited. A cycle can be a deadlock, unless one
 * thread alone made all of it, or another lock was held each time ("guard"). Of the cycles
 * through an edge the shortest is told.
 */
#include "analysis.h"

#include "scc.h"
#include "symbols.h"
#include "sync.h"
#include "variable.h"

#include <errno.h>
#include <stdlib.h>

#define GUARDS 4u

/**
 * struct edge - @to was taken while @from was held
 * @key:	serials and lives of both
 * @from:	what was held
 * @to:		what was taken
 * @from_kind, @to_kind: what they were: later there may be something else at that address
 * @count:	how often
 * @first:	when for the first time
 * @tid:	by this thread then
 * @caller:	from where @to was taken when that was recorded for the first time, 0 = never
 * @thread, @raw, @trace: by whom, stamp and file then; without a caller, for the first time
 * @is_shared:	and by others later
 * @guards:	keys of what was held each time, 0 = none
 * @is_told:	it is part of one that was told
 */
struct edge {
	struct edge_key {
		__u64 from;
		__u64 to;
	} key;
	const struct sync_object *from, *to;
	__u32 from_kind, to_kind;
	__u64 count;
	__u64 first;
	__u32 tid;
	__u64 caller;
	const struct sync_thread *thread;
	__u64 raw;
	const struct ktrace_trace *trace;
	bool is_shared, is_told;
	__u64 guards[GUARDS];
};

/**
 * struct lock_order - one run of the command
 * @a:		what analyses have in common
 * @sync:	the model
 * @edges:	of the graph
 * @graph:	the same, when cycles are searched: of @begin and @to
 * @begin:	by node: its first edge
 * @to:		by edge: the node where it ends
 * @component:	by node
 * @back:	by edge: that by which its end was reached, + 1; 0 = it was not
 * @queue:	edges that were reached
 * @cycle:	edges of the cycle at hand
 * @cycle_nr:	how many
 * @cycles:	told so far
 * @is_dot:	print for graphviz
 * @raw:	stamp of the event at hand
 * @where:	of symbols
 * @symbols:	what is at an address
 */
struct lock_order {
	struct analysis a;
	struct sync *sync;
	struct rows edges;
	struct graph graph;
	size_t *begin;
	size_t *to;
	size_t *component;
	size_t *back;
	size_t *queue;
	size_t *cycle;
	size_t cycle_nr;
	__u64 cycles;
	bool is_dot;
	__u64 raw;
	struct symbols_where where;
	struct symbols *symbols;
};

static struct edge *edge_at(const struct lock_order *r, size_t i)
{
	return rows_at(&r->edges, i);
}

static bool is_lock(const struct sync_object *o)
{
	return o->kind == SYNC_MUTEX || o->kind == SYNC_RWLOCK || o->kind == SYNC_SPIN;
}

static __u64 key_of(const struct sync_object *o)
{
	return ((__u64)o->serial + 1) << 32 | o->life;
}

static bool holds(const struct sync_thread *t, __u64 key)
{
	const struct sync_object *o;
	size_t i;

	for (i = 0; (o = sync_held(t, i)); i++)
		if (key_of(o) == key)
			return true;
	return false;
}

static void set_guards(struct edge *e, const struct sync_thread *t)
{
	const struct sync_object *o;
	__u32 nr = 0;
	size_t i;

	for (i = 0; (o = sync_held(t, i)) && nr < GUARDS; i++)
		if (o != e->from && o != e->to)
			e->guards[nr++] = key_of(o);
}

/* struct taking - a lock was taken, or is waited for without end */
struct taking {
	const struct sync_thread *thread;
	const struct sync_object *to;
	__u64 time;
	__u64 raw;
	__u64 caller;
};

static void add_edge(struct lock_order *r, const struct sync_object *from,
		     const struct taking *now)
{
	const struct sync_object *to = now->to;
	const struct sync_thread *t = now->thread;
	const struct edge_key key = { key_of(from), key_of(to) };
	struct edge *e = rows_get(&r->edges, &key);
	__u32 i;

	if (!e) {
		r->a.error = -ENOMEM;
		return;
	}
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
	for (i = 0; i < GUARDS; i++)
		if (e->guards[i] && !holds(t, e->guards[i]))
			e->guards[i] = 0;
}

static void add_edges(struct lock_order *r, const struct taking *now)
{
	const struct sync_thread *t = now->thread;
	const struct sync_object *from;
	size_t i;

	if (now->time < r->a.from || now->time >= r->a.until_ns || !is_lock(now->to) ||
	    !analysis_is_selected(&r->a, t->tid, t->process->pid))
		return;
	for (i = 0; (from = sync_held(t, i)); i++)
		if (from != now->to)
			add_edge(r, from, now);
}

static void on_taken(void *arg, const struct sync_take *take)
{
	if (!take->has_tried)
		add_edges(arg, &(struct taking){ take->thread, take->object, take->event->time,
						 take->event->raw, take->caller });
}

/* Who waits to the end would have taken it. */
static void on_wait(void *arg, const struct sync_wait *w)
{
	struct lock_order *r = arg;

	if (w->is_cut && w->object)
		add_edges(r, &(struct taking){ w->thread, w->object, w->from, r->raw, w->caller });
}

static int begin(struct analysis *a)
{
	struct lock_order *r = (struct lock_order *)a;
	const struct sync_watch watch = { .wait = on_wait, .taken = on_taken, .arg = r };

	r->symbols = r->where.is_wanted ? symbols_new(&r->where) : NULL;
	if (r->where.is_wanted && !r->symbols)
		return -ENOMEM;
	return sync_new(a->set, a->state, &watch, &r->sync);
}

static int take(struct analysis *a, const struct ktrace_trace_event *e)
{
	struct lock_order *r = (struct lock_order *)a;

	r->raw = e->raw;
	return sync_update(r->sync, e);
}

static int by_first(const void *x, const void *y)
{
	const struct edge *a = x, *b = y;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return a->key.from < b->key.from ? -1 : a->key.from > b->key.from;
}

/* While cycles are searched, edges are in this order. */
static int by_from(const void *x, const void *y)
{
	const struct edge *a = x, *b = y;

	if (a->key.from != b->key.from)
		return a->key.from < b->key.from ? -1 : 1;
	return a->key.to < b->key.to ? -1 : a->key.to > b->key.to;
}

/* The node that a lock is, if edges begin there, else the number of nodes */
static size_t node_of(const struct lock_order *r, __u64 lock)
{
	size_t low = 0, high = r->graph.nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (edge_at(r, r->begin[middle])->key.from < lock)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < r->graph.nr && edge_at(r, r->begin[low])->key.from != lock)
		low = r->graph.nr;
	return low;
}

/* Edges that begin at one lock lie together: each lock of these is a node. */
static void make_graph(struct lock_order *r)
{
	size_t i;

	for (i = 0; i < r->edges.nr; i++)
		if (!i || edge_at(r, i)->key.from != edge_at(r, i - 1)->key.from)
			r->begin[r->graph.nr++] = i;
	r->begin[r->graph.nr] = r->edges.nr;
	for (i = 0; i < r->edges.nr; i++)
		r->to[i] = node_of(r, edge_at(r, i)->key.to);
	r->graph.begin = r->begin;
	r->graph.to = r->to;
}

static bool is_in_cycle(const struct lock_order *r, size_t from, size_t edge)
{
	size_t to = r->to[edge];

	return to < r->graph.nr && r->component[to] == r->component[from];
}

/*
 * The shortest way from where the edge ends to @node, where it begins: into @r->cycle. There is
 * one: both are in one component.
 */
static void find_cycle(struct lock_order *r, size_t node, size_t first)
{
	size_t head = 0, tail = 1, i, at, end;

	r->queue[0] = first;
	r->back[first] = first + 1;
	while (r->to[r->queue[head]] != node) {
		at = r->queue[head++];
		end = r->to[at];
		for (i = r->begin[end]; i < r->begin[end + 1]; i++)
			if (!r->back[i] && is_in_cycle(r, end, i)) {
				r->back[i] = at + 1;
				r->queue[tail++] = i;
			}
	}
	r->cycle_nr = 0;
	for (at = r->queue[head]; at != first; at = r->back[at] - 1)
		r->cycle[r->cycle_nr++] = at;
	r->cycle[r->cycle_nr++] = first;
	while (tail)
		r->back[r->queue[--tail]] = 0;
}

static bool has_guard(const struct edge *e, __u64 guard)
{
	__u32 i;

	for (i = 0; i < GUARDS; i++)
		if (e->guards[i] == guard)
			return true;
	return false;
}

/* Can it be a deadlock? */
static bool is_dangerous(const struct lock_order *r)
{
	const struct edge *first = edge_at(r, r->cycle[r->cycle_nr - 1]);
	bool is_shared = first->is_shared, is_guarded;
	size_t i;
	__u32 g;

	for (i = 0; i + 1 < r->cycle_nr; i++) {
		is_shared |= edge_at(r, r->cycle[i])->is_shared;
		is_shared |= edge_at(r, r->cycle[i])->tid != first->tid;
	}
	for (g = 0; g < GUARDS; g++) {
		is_guarded = first->guards[g];
		for (i = 0; i + 1 < r->cycle_nr; i++)
			is_guarded &= has_guard(edge_at(r, r->cycle[i]), first->guards[g]);
		if (is_guarded)
			return false;
	}
	return is_shared;
}

static void put_lock(struct lock_order *r, struct ktrace_out *out, const struct edge *e,
		     bool is_from)
{
	const struct sync_object *o = is_from ? e->from : e->to;

	out_printf(out, "%u %s 0x%llx", o->process->pid,
		   sync_kind_name(is_from ? e->from_kind : e->to_kind), o->address);
	variable_put(out, variable_of(r->symbols, e->trace, o, e->raw));
}

static const struct symbol *symbol_of(struct lock_order *r, const struct edge *e)
{
	if (!e->caller || !r->symbols)
		return NULL;
	return symbols_find(r->symbols, e->trace, e->thread->process->pid, e->raw,
			    e->caller, true);
}

/* Where the second one was taken, if that was recorded */
static void put_place(struct lock_order *r, const struct edge *e)
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

static void json_place(struct lock_order *r, const struct edge *e)
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
	const struct edge *e = x;
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

static void json_lock(struct lock_order *r, const struct edge *e, bool is_from)
{
	const struct sync_object *o = is_from ? e->from : e->to;
	struct ktrace_out *out = r->a.out;

	ktrace_out_char(out, '{');
	json_str(out, "kind", sync_kind_name(is_from ? e->from_kind : e->to_kind));
	json_address(out, "address", o->address);
	variable_json(out, variable_of(r->symbols, e->trace, o, e->raw));
	ktrace_out_char(out, '}');
}

static void json_edge(struct analysis *a, const void *x)
{
	const struct edge *e = x;
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

static void put_cycle(struct lock_order *r)
{
	struct ktrace_out *out = r->a.out;
	size_t i;

	output_line_begin(out);
	if (r->a.is_json) {
		json_element(out);
		ktrace_out_char(out, '[');
	} else if (!r->cycles) {
		out_title(out, "cycles: threads that do so at the same time wait for each other");
	} else {
		out_printf(out, "\n");
	}
	for (i = r->cycle_nr; i--;) {
		edge_at(r, r->cycle[i])->is_told = true;
		if (!r->a.is_json) {
			text_edge(&r->a, edge_at(r, r->cycle[i]));
			continue;
		}
		json_element(out);
		ktrace_out_char(out, '{');
		json_edge(&r->a, edge_at(r, r->cycle[i]));
		ktrace_out_char(out, '}');
	}
	if (r->a.is_json)
		ktrace_out_char(out, ']');
	r->cycles++;
}

static int put_cycles(struct lock_order *r)
{
	size_t nr = r->edges.nr, node, i;

	r->back = calloc(6 * nr + 1, sizeof(*r->back));
	if (!r->back)
		return -ENOMEM;
	r->queue = r->back + nr;
	r->cycle = r->queue + nr;
	r->to = r->cycle + nr;
	r->component = r->to + nr;
	r->begin = r->component + nr;
	make_graph(r);
	if (scc_find(&r->graph, r->component))
		return -ENOMEM;
	for (node = 0; node < r->graph.nr; node++)
		for (i = r->begin[node]; i < r->begin[node + 1]; i++) {
			if (edge_at(r, i)->is_told || !is_in_cycle(r, node, i))
				continue;
			find_cycle(r, node, i);
			if (is_dangerous(r))
				put_cycle(r);
		}
	return 0;
}

/* A variable's name may have quotes. */
static void put_node(struct lock_order *r, const struct edge *e, bool is_from)
{
	char text[512];
	struct ktrace_out node = { .buf = text, .cap = sizeof(text) };

	put_lock(r, &node, e, is_from);
	ktrace_out_quoted(r->a.out, text, node.len);
}

static void put_dot(struct lock_order *r)
{
	struct ktrace_out *out = r->a.out;
	const struct edge *e;
	size_t i;

	out_printf(out, "digraph locks {\n");
	for (i = 0; i < KTRACE_LOST_NR; i++)
		if (r->a.lost[i])
			out_printf(out, "  label=\"events were lost: incomplete\";\n");
	for (i = 0; i < r->edges.nr; i++) {
		e = edge_at(r, i);
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

	sync_flush(r->sync, a->to);
	rows_sort(&r->edges, by_from);
	if (r->is_dot && !a->is_json) {
		put_dot(r);
		return;
	}
	if (a->is_json) {
		json_key(a->out, "cycles");
		ktrace_out_char(a->out, '[');
	}
	a->error = a->error ? a->error : put_cycles(r);
	if (a->is_json)
		ktrace_out_char(a->out, ']');
	else if (!r->cycles)
		out_printf(a->out, "no cycles\n");
	analysis_rows(a, &r->edges, &edges);
}

enum { OPTION_DOT = 300 };

static const char *own_option(struct analysis *a, int option)
{
	struct lock_order *r = (struct lock_order *)a;
	const char *wrong = NULL;

	if (!symbols_option(&r->where, option, &wrong))
		a->is_bare = r->is_dot = true;
	return wrong;
}

static const struct option options[] = {
	ANALYSIS_OPTIONS,
	{ "dot", no_argument, NULL, OPTION_DOT },
	SYMBOLS_OPTIONS,
	COMMON_OPTIONS
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct lock_order r = {
		.a = { .options = options, .option = own_option, .begin = begin, .early = take,
		       .show = show,
		       .needs.providers = "pthread" },
		.edges = ROWS_INIT(struct edge, key),
	};
	int status = analysis_main(&r.a, cmd, argc, argv);

	free(r.back);
	symbols_free(r.symbols);
	rows_free(&r.edges);
	sync_free(r.sync);
	return status;
}

const struct command cmd_lock_order = {
	.name = "lock-order",
	.args = "[OPTION...] FILE...",
	.summary = "Show which lock was taken while which was held, and cycles",
	.help =
"  --dot              for graphviz: ktrace lock-order --dot FILE | dot -Tsvg\n"
SYMBOLS_HELP
ANALYSIS_HELP
"\n"
ANALYSIS_TIMES
"\n"
"Needs a recording by ktraced --pthread. Locks are mutexes, read-write locks and\n"
"spin locks; of those that a thread holds the latest 64 count. A line says how\n"
"often the second was taken while the first was held, when first, and by which\n"
"thread; and from where, once a thread had to wait for it. What was only tried\n"
"does not count. Cycles come first: threads that do so at the same time can block\n"
"each other; not those of one thread, or in all of which another lock was held.\n"
"\n"
"Example: the order of the locks of a program\n"
"  ktraced --pthread -o trace.bin -- ./program; ktrace lock-order trace.bin\n",
	.run = run,
};
