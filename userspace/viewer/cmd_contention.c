// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_contention.c - ktrace contention: who waited for what, how long, from pthread events
 *
 * A wait lasts from the event "in" of a call to its "out"; of one that does not return, to the
 * thread's next event. What lies outside of the window is not counted. Of a wait inside of
 * another, of a signal handler, the time is the inner one's alone: a thread's sum is never more
 * than the time that passed.
 */
#include "analysis.h"

#include "alias.h"
#include "dist.h"
#include "symbols.h"
#include "sync.h"
#include "variable.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_NR 10u
#define DEPTH_NR 4u

/* struct waited - an object, and what it was called and was when it was waited for */
struct waited {
	const struct sync_object *object;	/* NULL: none, but a thread */
	const char *name;			/* may be NULL */
	__u32 kind;
	__u64 raw;				/* stamp of an event in @trace */
	const struct ktrace_trace *trace;
};

/* struct row - waits of a thread, for an object, of a thread for an object, or at a place */
struct row {
	struct key {
		__u64 a;
		__u64 b;
	} key;
	const struct sync_thread *thread;
	struct waited waited;
	struct dist dist;
	__u64 nested[DEPTH_NR + 1];	/* thread: waits inside of one that goes on, by depth */
};

/* struct longest - one wait, clipped */
struct longest {
	struct sync_wait wait;
	struct waited waited;
	__u64 ns;
};

enum { THREADS, OBJECTS, PAIRS, PLACES, TABLES };

/**
 * struct contention - one run of the command
 * @a:		what analyses have in common
 * @sync:	the model
 * @rows:	one table each
 * @longest:	waits, the longest first
 * @longest_nr:	how many
 * @sum:	of all waits
 * @object_sum:	of those for objects
 * @shows_pairs: threads and objects together, too
 * @is_ending:	waits are told that are not over
 * @aliases:	names of objects
 * @where:	of symbols
 * @symbols:	what is at an address
 */
struct contention {
	struct analysis a;
	struct sync *sync;
	struct rows rows[TABLES];
	struct longest longest[LONGEST_NR];
	__u32 longest_nr;
	struct dist sum;
	__u64 object_sum;
	bool shows_pairs, is_ending;
	struct aliases *aliases;
	struct symbols_where where;
	struct symbols *symbols;
};

static __u64 object_key(const struct sync_wait *w)
{
	return w->object ? ((__u64)w->object->serial + 1) << 32 | w->object->kind : 0;
}

/* What the object is called now: later it may be gone, and its name with it. */
static const char *name_of(const struct contention *c, const struct sync_wait *w)
{
	const struct sync_process *p = w->thread->process;
	const struct ktrace_trace *first = ktrace_traceset_trace(c->a.set, p->machine);

	return w->object ? aliases_find_object(c->aliases, first, p->pid ? p->pid : w->thread->tid,
					       w->object->address) : NULL;
}

static struct waited waited_of(const struct contention *c, const struct sync_wait *w)
{
	return (struct waited){
		w->object, name_of(c, w), w->object ? w->object->kind : 0, w->thread->raw,
		w->thread->trace,
	};
}

static struct row *row_of(struct contention *c, int table, __u64 a, __u64 b)
{
	const struct key key = { a, b };
	struct row *row = rows_get(&c->rows[table], &key);

	if (!row)
		c->a.error = -ENOMEM;
	return row;
}

static void add(struct contention *c, int table, struct row *row, const struct sync_wait *w,
		__u64 ns)
{
	if (!row)
		return;
	if (table != OBJECTS)
		row->thread = w->thread;
	if (table != THREADS)
		row->waited = waited_of(c, w);
	if (dist_add(&row->dist, ns))
		c->a.error = -ENOMEM;
}

/* The wait's own time: what waits inside of it took is theirs. */
static __u64 own_ns(const struct contention *c, struct row *thread, const struct sync_wait *w,
		    __u64 ns)
{
	const __u32 depth = w->depth < DEPTH_NR ? w->depth : DEPTH_NR - 1;
	const __u64 inner = w->is_cut && !c->is_ending ? 0 : thread->nested[depth + 1];

	thread->nested[depth + 1] = 0;
	thread->nested[depth] = depth ? thread->nested[depth] + ns : 0;
	return ns > inner ? ns - inner : 0;
}

static void keep_longest(struct contention *c, const struct sync_wait *w, __u64 ns)
{
	__u32 i = c->longest_nr;

	if (i == LONGEST_NR && c->longest[i - 1].ns >= ns)
		return;
	if (i < LONGEST_NR)
		c->longest_nr++;
	else
		i--;
	for (; i && c->longest[i - 1].ns < ns; i--)
		c->longest[i] = c->longest[i - 1];
	c->longest[i] = (struct longest){ *w, waited_of(c, w), ns };
}

static void on_wait(void *arg, const struct sync_wait *w)
{
	struct contention *c = arg;
	__u64 from = w->from, until = w->until, ns, object = object_key(w);
	struct row *thread;

	if (!analysis_is_selected(&c->a, w->thread->tid, w->thread->process->pid))
		return;
	if (!analysis_clip(&c->a, &from, &until) && (from != until || from >= c->a.until_ns))
		return;
	thread = row_of(c, THREADS, w->thread->serial, 0);
	if (!thread)
		return;
	ns = own_ns(c, thread, w, until - from);
	add(c, THREADS, thread, w, ns);
	if (w->object)
		add(c, OBJECTS, row_of(c, OBJECTS, object, 0), w, ns);
	if (c->shows_pairs)
		add(c, PAIRS, row_of(c, PAIRS, w->thread->serial, object), w, ns);
	if (w->caller)
		add(c, PLACES, row_of(c, PLACES, w->thread->process->serial, w->caller), w, ns);
	c->object_sum += w->object ? ns : 0;
	if (dist_add(&c->sum, ns))
		c->a.error = -ENOMEM;
	keep_longest(c, w, ns);
}

static int begin(struct analysis *a)
{
	struct contention *c = (struct contention *)a;
	const struct sync_watch watch = { .wait = on_wait, .arg = c };

	int ret = c->aliases ? 0 : aliases_new(&c->aliases);

	if (!ret)
		ret = aliases_begin(c->aliases, a->set);
	c->symbols = c->where.is_wanted ? symbols_new(&c->where) : NULL;
	return ret < 0 ? ret : sync_new(a->set, a->state, &watch, &c->sync);
}

static int take(struct analysis *a, const struct ktrace_trace_event *e)
{
	struct contention *c = (struct contention *)a;
	int ret = aliases_update(c->aliases, e);

	return ret ? ret : sync_update(c->sync, e);
}

static int by_sum(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	if (a->dist.sum != b->dist.sum)
		return a->dist.sum < b->dist.sum ? 1 : -1;
	if (a->key.a != b->key.a)
		return a->key.a < b->key.a ? -1 : 1;
	return a->key.b < b->key.b ? -1 : a->key.b > b->key.b;
}

static __u64 elapsed(const struct analysis *a)
{
	return a->to > a->from ? a->to - a->from : 0;
}

static void put_thread(struct ktrace_out *out, const struct sync_thread *t)
{
	const char *comm = ktrace_trace_comm(t->trace, t->tid, t->raw);

	out_printf(out, "%u/%u %s", t->process->pid, t->tid, comm ? comm : "?");
}

static void put_object(struct contention *c, struct ktrace_out *out, const struct waited *w)
{
	const struct sync_object *o = w->object;

	if (!o) {
		out_printf(out, "(join)");
		return;
	}
	out_printf(out, "%u %s 0x%llx", o->process->pid, sync_kind_name(w->kind), o->address);
	if (w->name) {
		ktrace_out_char(out, ':');
		ktrace_out_quoted(out, w->name, strlen(w->name));
	}
	variable_put(out, variable_of(c->symbols, w->trace, o, w->raw));
}

static void put_place(struct contention *c, const struct sync_thread *t, __u64 raw, __u64 address)
{
	const struct symbol *symbol = c->symbols ?
		symbols_find(c->symbols, t->trace, t->process->pid, raw, address, true) : NULL;

	if (symbol)
		symbols_put(c->a.out, symbol);
	else
		out_printf(c->a.out, "0x%llx", address);
}

static void head(struct analysis *a, const char *what)
{
	out_printf(a->out, "\n%8s %9s %6s %9s %9s %9s  %s\n", "waits", "sum", "%", "mean", "p99",
		   "longest", what);
}

static void head_threads(struct analysis *a)
{
	head(a, "thread");
}

static void head_objects(struct analysis *a)
{
	head(a, "object");
}

static void head_pairs(struct analysis *a)
{
	head(a, "thread, object");
}

static void head_places(struct analysis *a)
{
	head(a, "place");
}

/* The columns that all tables begin with */
static void put_figures(struct analysis *a, const struct dist *d)
{
	struct ktrace_out *out = a->out;

	out_printf(out, "%8llu ", d->nr);
	out_duration(out, d->sum);
	out_printf(out, " ");
	out_percent(out, d->sum, elapsed(a));
	out_printf(out, " ");
	out_duration(out, d->nr ? d->sum / d->nr : 0);
	out_printf(out, " ");
	out_duration(out, dist_percentile(d, 99));
	out_printf(out, " ");
	out_duration(out, d->max);
	out_printf(out, "  ");
}

static void text_thread(struct analysis *a, const void *x)
{
	const struct row *row = x;

	put_figures(a, &row->dist);
	put_thread(a->out, row->thread);
	out_printf(a->out, "\n");
}

static void text_object(struct analysis *a, const void *x)
{
	const struct row *row = x;

	put_figures(a, &row->dist);
	put_object((struct contention *)a, a->out, &row->waited);
	out_printf(a->out, "\n");
}

static void text_pair(struct analysis *a, const void *x)
{
	const struct row *row = x;

	put_figures(a, &row->dist);
	put_thread(a->out, row->thread);
	out_printf(a->out, "  ");
	put_object((struct contention *)a, a->out, &row->waited);
	out_printf(a->out, "\n");
}

static void text_place(struct analysis *a, const void *x)
{
	const struct row *row = x;

	put_figures(a, &row->dist);
	put_place((struct contention *)a, row->thread, row->thread->raw, row->key.b);
	out_printf(a->out, "\n");
}

static void text_longest(struct contention *c, const struct longest *l)
{
	struct ktrace_out *out = c->a.out;

	output_line_begin(out);
	out_seconds(out, analysis_since_start(&c->a, l->wait.from), 15);
	out_printf(out, " ");
	out_duration(out, l->ns);
	out_printf(out, "  ");
	put_thread(out, l->wait.thread);
	out_printf(out, "  %s ", l->wait.name);
	if (l->wait.object)
		put_object(c, out, &l->waited);
	else
		out_printf(out, "0x%llx", l->wait.joins);
	if (l->wait.holder)
		out_printf(out, l->wait.object ? "  held by %u" : "  which is %u", l->wait.holder);
	if (l->wait.caller) {
		out_printf(out, "  at ");
		put_place(c, l->wait.thread, l->waited.raw, l->wait.caller);
	}
	out_printf(out, "%s\n", l->wait.is_cut ? "  (not over)" : "");
}

static void json_thread_of(struct ktrace_out *out, const struct sync_thread *t)
{
	json_u64(out, "pid", t->process->pid);
	json_u64(out, "tid", t->tid);
	json_str(out, "comm", ktrace_trace_comm(t->trace, t->tid, t->raw));
}

static void json_object_of(struct contention *c, const struct waited *w)
{
	struct ktrace_out *out = c->a.out;

	if (!w->object)
		return;
	json_str(out, "kind", sync_kind_name(w->kind));
	json_address(out, "address", w->object->address);
	json_str(out, "name", w->name);
	variable_json(out, variable_of(c->symbols, w->trace, w->object, w->raw));
}

static void json_place(struct contention *c, const struct sync_thread *t, __u64 raw,
		       __u64 address)
{
	struct ktrace_out *out = c->a.out;
	const struct symbol *symbol = c->symbols ?
		symbols_find(c->symbols, t->trace, t->process->pid, raw, address, true) : NULL;

	json_address(out, "caller", address);
	if (!symbol)
		return;
	json_key(out, "symbol");
	symbols_put_json(out, symbol);
}

static void json_row(struct analysis *a, const void *x)
{
	const struct row *row = x;

	if (row->thread)
		json_thread_of(a->out, row->thread);
	else
		json_u64(a->out, "pid", row->waited.object->process->pid);
	json_object_of((struct contention *)a, &row->waited);
	dist_json(&row->dist, a->out);
}

static void json_place_row(struct analysis *a, const void *x)
{
	const struct row *row = x;

	json_u64(a->out, "pid", row->thread->process->pid);
	json_place((struct contention *)a, row->thread, row->thread->raw, row->key.b);
	dist_json(&row->dist, a->out);
}

static void json_longest(struct contention *c)
{
	struct ktrace_out *out = c->a.out;
	__u32 i;

	json_key(out, "longest");
	ktrace_out_char(out, '[');
	for (i = 0; i < c->longest_nr && i < c->a.number; i++) {
		const struct longest *l = &c->longest[i];

		output_line_begin(out);
		json_element(out);
		ktrace_out_char(out, '{');
		json_u64(out, "from_ns", analysis_since_start(&c->a, l->wait.from));
		json_u64(out, "ns", l->ns);
		json_str(out, "call", l->wait.name);
		json_thread_of(out, l->wait.thread);
		json_object_of(c, &l->waited);
		json_u64(out, "holder", l->wait.holder);
		json_u64(out, "cut", l->wait.is_cut);
		if (l->wait.caller)
			json_place(c, l->wait.thread, l->waited.raw, l->wait.caller);
		ktrace_out_char(out, '}');
	}
	ktrace_out_char(out, ']');
}

static const struct sheet threads = { "threads", by_sum, head_threads, text_thread, json_row };
static const struct sheet objects = { "objects", by_sum, head_objects, text_object, json_row };
static const struct sheet pairs = { "pairs", by_sum, head_pairs, text_pair, json_row };
static const struct sheet places = { "places", by_sum, head_places, text_place, json_place_row };

static void json_sums(struct contention *c)
{
	struct ktrace_out *out = c->a.out;

	json_u64(out, "elapsed_ns", elapsed(&c->a));
	json_u64(out, "waits", c->sum.nr);
	json_u64(out, "thread_ns", c->sum.sum);
	json_u64(out, "object_ns", c->object_sum);
	json_u64(out, "waits_lost", sync_waits_lost(c->sync));
}

static void text_sums(struct contention *c)
{
	struct ktrace_out *out = c->a.out;

	out_printf(out, "elapsed ");
	out_duration(out, elapsed(&c->a));
	out_printf(out, ", %llu waits, of threads ", c->sum.nr);
	out_duration(out, c->sum.sum);
	out_printf(out, ", for objects ");
	out_duration(out, c->object_sum);
	out_printf(out, "\n");
	if (sync_waits_lost(c->sync))
		out_printf(out, "%llu waits are not counted: events about them were lost\n",
			   sync_waits_lost(c->sync));
}

static void show(struct analysis *a)
{
	struct contention *c = (struct contention *)a;
	__u32 i;

	c->is_ending = true;
	sync_flush(c->sync, a->to);
	if (a->is_json)
		json_sums(c);
	else
		text_sums(c);
	if (a->is_json || c->rows[THREADS].nr)
		analysis_rows(a, &c->rows[THREADS], &threads);
	if (a->is_json || c->rows[OBJECTS].nr)
		analysis_rows(a, &c->rows[OBJECTS], &objects);
	if (c->shows_pairs)
		analysis_rows(a, &c->rows[PAIRS], &pairs);
	if (c->rows[PLACES].nr)
		analysis_rows(a, &c->rows[PLACES], &places);
	if (a->is_json) {
		json_longest(c);
		return;
	}
	if (c->longest_nr && a->number)
		out_title(a->out, "longest");
	for (i = 0; i < c->longest_nr && i < a->number; i++)
		text_longest(c, &c->longest[i]);
}

static void fill_row(struct analysis *a, struct plot_row *to, const void *x)
{
	struct ktrace_out out = { .buf = to->label, .cap = sizeof(to->label) - 1 };
	const struct row *row = x;

	put_object((struct contention *)a, &out, &row->waited);
	to->label[out.len] = 0;
	to->ns = row->dist.sum;
	to->dist = &row->dist;
}

static void plot(struct analysis *a, const struct plot_note *note)
{
	struct contention *c = (struct contention *)a;
	static struct plot_rows p = {
		.title = "Objects of threads: time that was waited for them",
		.bars = "all waits together", .dists = "duration of each wait",
	};

	c->is_ending = true;
	sync_flush(c->sync, a->to);
	analysis_plot_rows(a, &c->rows[OBJECTS], &p, by_sum, fill_row);
	plot_rows(a->out, &p, note);
}

static const char *own_option(struct analysis *a, int option)
{
	struct contention *c = (struct contention *)a;
	const char *wrong;

	if (option == 'a') {
		if (!c->aliases && aliases_new(&c->aliases))
			return strerror(ENOMEM);
		return aliases_add_file(c->aliases, optarg);
	}
	if (!symbols_option(&c->where, option, &wrong))
		c->shows_pairs = true;
	return wrong;
}

static const struct option options[] = {
	ANALYSIS_OPTIONS,
	PLOT_OPTIONS,
	{ "pairs", no_argument, NULL, 'c' },
	{ "alias", required_argument, NULL, 'a' },
	SYMBOLS_OPTIONS,
	COMMON_OPTIONS
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct contention c = {
		.a = { .options = options, .option = own_option, .begin = begin, .early = take,
		       .show = show, .plot = plot,
		       .needs.providers = "pthread" },
	};
	int status, i;
	size_t at;

	for (i = 0; i < TABLES; i++)
		c.rows[i] = (struct rows)ROWS_INIT(struct row, key);
	status = analysis_main(&c.a, cmd, argc, argv);
	for (i = 0; i < TABLES; i++) {
		for (at = 0; at < c.rows[i].nr; at++)
			dist_free(&((struct row *)rows_at(&c.rows[i], at))->dist);
		rows_free(&c.rows[i]);
	}
	dist_free(&c.sum);
	symbols_free(c.symbols);
	aliases_free(c.aliases);
	sync_free(c.sync);
	return status;
}

const struct command cmd_contention = {
	.name = "contention",
	.args = "[OPTION...] FILE...",
	.summary = "Show how long threads waited for mutexes and so on",
	.help =
"  -c, --pairs        threads and objects together, too\n"
"  -a, --alias FILE   names of addresses, a line each: [PID] 0xADDRESS NAME\n"
SYMBOLS_HELP
PLOT_HELP
ANALYSIS_HELP
"\n"
ANALYSIS_TIMES
"\n"
"Needs a recording by ktraced --pthread. Columns: how often was waited, the sum,\n"
"its share of the window (of all: from the first event to the last), the mean,\n"
"what 99 % do not exceed, the longest wait. Tables: threads, objects, places of\n"
"the program that waited; then the longest waits with when they began, who waited\n"
"for what, and which thread had it. A join waits for no object, so the sum of\n"
"objects may be lower than that of threads.\n"
"\n"
"Example: which mutexes cost the most in the second second\n"
"  ktrace contention --since 1 --until 2 trace.bin\n",
	.run = run,
};
