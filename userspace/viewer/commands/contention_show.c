// SPDX-License-Identifier: GPL-2.0
/* contention_show.c - tables, JSON and pictures of ktrace contention */
#include "contention.h"

#include "pthread/lock_symbol.h"

#include <stdio.h>
#include <string.h>

static int by_sum(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	return ORDER(b->dist.sum, a->dist.sum) ?: ORDER(a->key.a, b->key.a) ?:
	       ORDER(a->key.b, b->key.b);
}

static __u64 elapsed(const struct analysis *a)
{
	return a->to > a->from ? a->to - a->from : 0;
}

static void put_object(struct contention *c, struct ktrace_out *out, const struct waited *w)
{
	const struct model_object *o = w->object;

	if (!o) {
		out_printf(out, "(join)");
		return;
	}
	out_printf(out, "%u %s 0x%llx", o->process->pid, model_kind_name(w->kind), o->address);
	if (w->name) {
		ktrace_out_char(out, ':');
		ktrace_out_quoted(out, w->name, strlen(w->name));
	}
	lock_symbol_put(out, lock_symbol_of(c->symbols, w->trace, o, w->raw));
}

static void put_place(struct contention *c, const struct model_thread *t, __u64 raw, __u64 address)
{
	const struct symbol *symbol = c->symbols && address ?
		symbols_find(c->symbols, t->trace, t->process->pid, raw, address, true) : NULL;

	if (!address)
		out_printf(c->a.out, "(not recorded)");
	else if (symbol)
		symbols_put(c->a.out, symbol);
	else
		out_printf(c->a.out, "0x%llx", address);
}

/* Parts of a row, in the order of its line */
enum {
	HAS_KIND = 1, HAS_THREAD = 2, HAS_HOLDER = 4, HAS_OBJECT = 8, HAS_PLACE = 16,
};

/* struct table - @nr: what it counts; @what: title of the last column; @parts: HAS_* */
struct table {
	struct sheet sheet;
	const char *nr;
	const char *what;
	unsigned int parts;
};

static const struct table *table_of(const struct analysis *a)
{
	return (const struct table *)a->sheet;
}

static void head(struct analysis *a)
{
	out_printf(a->out, "\n%8s %9s %6s %9s %9s %9s  %s\n", table_of(a)->nr, "sum", "%", "mean",
		   "p99", "longest", table_of(a)->what);
}

/* Prints the columns that begin all tables. */
static void put_figures(struct analysis *a, const struct histogram *d)
{
	struct ktrace_out *out = a->out;

	out_printf(out, "%8llu ", d->nr);
	out_duration(out, d->sum);
	out_printf(out, " ");
	out_percent(out, d->sum, elapsed(a));
	out_printf(out, " ");
	out_duration(out, d->nr ? d->sum / d->nr : 0);
	out_printf(out, " ");
	out_duration(out, histogram_percentile(d, 99));
	out_printf(out, " ");
	out_duration(out, d->max);
	out_printf(out, "  ");
}

static void text_row(struct analysis *a, const void *x)
{
	const unsigned int parts = table_of(a)->parts;
	const struct row *row = x;

	put_figures(a, &row->dist);
	if (parts & HAS_KIND)
		out_printf(a->out, "%s", contention_kind((__u32)row->key.a));
	if (parts & HAS_THREAD)
		model_name_put_thread(a->out, row->thread, row->alias);
	if (parts & HAS_HOLDER) {
		out_printf(a->out, "  by ");
		model_name_put_thread(a->out, row->holder, row->holder_alias);
	}
	if (parts & HAS_THREAD && parts & HAS_OBJECT)
		out_printf(a->out, "  ");
	if (parts & HAS_OBJECT)
		put_object((struct contention *)a, a->out, &row->waited);
	if (parts & HAS_PLACE)
		put_place((struct contention *)a, row->thread, row->thread->raw, row->key.b);
	out_printf(a->out, "\n");
}

static void text_what(struct contention *c, const struct longest_row *l)
{
	struct ktrace_out *out = c->a.out;

	if (l->wait.name)
		out_printf(out, "%s ", l->wait.name);
	if (l->wait.object)
		put_object(c, out, &l->waited);
	else
		out_printf(out, "0x%llx", l->wait.joins);
	if (l->wait.holder)
		out_printf(out, l->wait.object ? "  held by %u" : "  which is %u", l->wait.holder);
}

static void text_longest_row(struct contention *c, const struct longest_row *l)
{
	struct ktrace_out *out = c->a.out;

	output_line_begin(out);
	out_seconds(out, analysis_since_start(&c->a, l->wait.from), 15);
	out_printf(out, " ");
	out_duration(out, l->ns);
	out_printf(out, "  ");
	model_name_put_thread(out, l->wait.thread, l->alias);
	out_printf(out, "  ");
	text_what(c, l);
	if (l->wait.caller) {
		out_printf(out, "  at ");
		put_place(c, l->wait.thread, l->waited.raw, l->wait.caller);
	}
	out_printf(out, "%s\n", l->wait.is_cut ? "  (not over)" : "");
}

static void text_longest(struct contention *c, const struct longest *l, const char *title)
{
	__u32 i;

	if (l->nr && c->a.number)
		out_title(c->a.out, title);
	for (i = 0; i < l->nr && i < c->a.number; i++)
		text_longest_row(c, &l->rows[i]);
}

static void json_object_of(struct contention *c, const struct waited *w)
{
	struct ktrace_out *out = c->a.out;

	if (!w->object)
		return;
	json_str(out, "kind", model_kind_name(w->kind));
	json_address(out, "address", w->object->address);
	json_str(out, "name", w->name);
	lock_symbol_json(out, lock_symbol_of(c->symbols, w->trace, w->object, w->raw));
}

static void json_place(struct contention *c, const struct model_thread *t, __u64 raw,
		       __u64 address)
{
	struct ktrace_out *out = c->a.out;
	const struct symbol *symbol = c->symbols ?
		symbols_find(c->symbols, t->trace, t->process->pid, raw, address, true) : NULL;

	if (!address)
		return;
	json_address(out, "caller", address);
	if (!symbol)
		return;
	json_key(out, "symbol");
	symbols_put_json(out, symbol);
}

static void json_kind_row(struct analysis *a, const void *x)
{
	const struct row *row = x;

	json_str(a->out, "kind", contention_kind((__u32)row->key.a));
	histogram_json(&row->dist, a->out);
}

static void json_row(struct analysis *a, const void *x)
{
	const struct row *row = x;

	if (row->thread)
		model_name_json(a->out, row->thread, "thread_name", row->alias);
	else
		json_u64(a->out, "pid", row->waited.object->process->pid);
	if (row->holder) {
		json_open(a->out, "by", '{');
		model_name_json(a->out, row->holder, "thread_name", row->holder_alias);
		ktrace_out_char(a->out, '}');
	}
	json_object_of((struct contention *)a, &row->waited);
	histogram_json(&row->dist, a->out);
}

static void json_place_row(struct analysis *a, const void *x)
{
	const struct row *row = x;

	json_u64(a->out, "pid", row->thread->process->pid);
	json_place((struct contention *)a, row->thread, row->thread->raw, row->key.b);
	histogram_json(&row->dist, a->out);
}

static void json_longest_row(struct contention *c, const struct longest_row *l)
{
	struct ktrace_out *out = c->a.out;

	json_item(out);
	json_u64(out, "from_ns", analysis_since_start(&c->a, l->wait.from));
	json_u64(out, "ns", l->ns);
	json_str(out, "call", l->wait.name);
	model_name_json(out, l->wait.thread, "thread_name", l->alias);
	json_object_of(c, &l->waited);
	if (l->wait.name)
		json_u64(out, "holder", l->wait.holder);
	json_u64(out, "cut", l->wait.is_cut);
	json_place(c, l->wait.thread, l->waited.raw, l->wait.caller);
	ktrace_out_char(out, '}');
}

static void json_longest(struct contention *c, const struct longest *l)
{
	struct ktrace_out *out = c->a.out;
	__u32 i;

	ktrace_out_char(out, '[');
	for (i = 0; i < l->nr && i < c->a.number; i++)
		json_longest_row(c, &l->rows[i]);
	ktrace_out_char(out, ']');
}

static const struct table tables[TABLES] = {
	[KINDS] = { { "kinds", by_sum, head, text_row, json_kind_row }, "waits", "kind", HAS_KIND },
	[THREADS] = { { "threads", by_sum, head, text_row, json_row }, "waits", "thread",
		      HAS_THREAD },
	[OBJECTS] = { { "objects", by_sum, head, text_row, json_row }, "waits", "object",
		      HAS_OBJECT },
	[PAIRS] = { { "pairs", by_sum, head, text_row, json_row }, "waits", "thread, object",
		    HAS_THREAD | HAS_OBJECT },
	[PLACES] = { { "places", by_sum, head, text_row, json_place_row }, "waits", "place",
		     HAS_PLACE },
	[HELD] = { { "held", by_sum, head, text_row, json_row }, "holds", "object", HAS_OBJECT },
	[HELD_PLACES] = { { "held_places", by_sum, head, text_row, json_place_row }, "holds",
			  "taken at", HAS_PLACE },
	[HELD_UP] = { { "held_up", by_sum, head, text_row, json_row }, "holds",
		      "thread, held up by, object", HAS_THREAD | HAS_HOLDER | HAS_OBJECT },
};

static void json_sums(struct contention *c)
{
	struct ktrace_out *out = c->a.out;

	json_u64(out, "elapsed_ns", elapsed(&c->a));
	json_u64(out, "waits", c->sum.nr);
	json_u64(out, "thread_ns", c->sum.sum);
	json_u64(out, "object_ns", c->object_sum);
	json_u64(out, "waits_lost", model_waits_lost(c->sync));
	if (c->shows_holds) {
		json_u64(out, "holds", c->held.nr);
		json_u64(out, "held_ns", c->held.sum);
	}
	if (c->shows_holders)
		json_u64(out, "held_up_ns", c->held_up_sum);
	if (c->shows_holds || c->shows_holders)
		json_u64(out, "holds_lost", model_holds_lost(c->sync));
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
	if (model_waits_lost(c->sync))
		out_printf(out, "%llu waits are not counted: events about them were lost\n",
			   model_waits_lost(c->sync));
	if ((c->shows_holds || c->shows_holders) && model_holds_lost(c->sync))
		out_printf(out, "%llu holds are not counted: when they ended is not known\n",
			   model_holds_lost(c->sync));
}

/* Prints a table; as text, leaves out a table without rows. */
static void show_rows(struct contention *c, int table, bool is_wanted)
{
	if (is_wanted && (c->a.is_json || c->rows[table].nr))
		analysis_rows(&c->a, &c->rows[table], &tables[table].sheet);
}

void contention_show(struct analysis *a)
{
	struct contention *c = (struct contention *)a;

	model_end(c->sync, a->until_ns, a->to);
	c->is_ending = true;
	model_flush(c->sync, a->to);
	if (a->is_json)
		json_sums(c);
	else
		text_sums(c);
	show_rows(c, KINDS, true);
	show_rows(c, THREADS, true);
	show_rows(c, OBJECTS, true);
	show_rows(c, PAIRS, c->shows_pairs);
	show_rows(c, PLACES, c->rows[PLACES].nr);
	show_rows(c, HELD_UP, c->shows_holders);
	show_rows(c, HELD, c->shows_holds);
	show_rows(c, HELD_PLACES, c->shows_holds);
	if (a->is_json) {
		json_key(a->out, "longest");
		json_longest(c, &c->longest);
		if (c->shows_holds) {
			json_key(a->out, "longest_held");
			json_longest(c, &c->longest_held);
		}
		return;
	}
	text_longest(c, &c->longest, "longest");
	text_longest(c, &c->longest_held, "held longest");
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

void contention_plot(struct analysis *a, const struct plot_note *note)
{
	struct contention *c = (struct contention *)a;
	static struct plot_rows p = {
		.title = "Objects of threads: time that was waited for them",
		.bars = "all waits together", .dists = "duration of each wait",
	};

	model_end(c->sync, a->until_ns, a->to);
	c->is_ending = true;
	model_flush(c->sync, a->to);
	analysis_plot_rows(a, &c->rows[OBJECTS], &p, by_sum, fill_row);
	plot_rows(a->out, &p, note);
}
