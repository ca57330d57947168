// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_irq.c - ktrace irq: interrupts and softirqs, how often and how long
 *
 * Mean and standard deviation are updated with each value (Welford), so that no duration need be
 * stored. Periods are from one beginning to the next on any CPU, whichever ends first.
 */
#include "analysis/analysis.h"

#include "base/columns.h"
#include "base/histogram.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* struct moments - mean and sum of squared differences from it */
struct moments {
	__u64 nr;
	double mean;
	double squares;
};

/* struct line - an interrupt, or a softirq's vector; the first three are the key */
struct line {
	__u32 machine;
	__u32 mode;
	__u32 number;
	char name[32];
	struct histogram times;
	struct moments time;
	__u64 longest_from;
};

/* struct begins - beginnings of an interrupt or vector, even without an end; key as above */
struct begins {
	__u32 machine;
	__u32 mode;
	__u32 number;
	__u64 last;
	bool has_last;
	struct moments period;
};

struct irq {
	struct analysis a;
	struct hash_table lines;
	struct hash_table begins;
	struct columns columns;
};

static void take(struct moments *m, double v)
{
	double off = v - m->mean;

	m->nr++;
	m->mean += off / (double)m->nr;
	m->squares += off * (v - m->mean);
}

/* Rounds and saturates: stamps come from the file, so the value may not fit. */
static __u64 rounded(double v)
{
	return v < 0x1p64 ? (__u64)(v + 0.5) : ~0ull;
}

static __u64 deviation(const struct moments *m)
{
	return m->nr ? rounded(sqrt(m->squares / (double)m->nr)) : 0;
}

static struct line *line_of(struct irq *s, const struct ktrace_process *p, __u32 mode, __u32 number)
{
	const char *name = ktrace_mode_sub_name(s->a.state, p->machine, mode, number);
	const __u32 key[] = { p->machine, mode, number };
	struct line *l = hash_table_get(&s->lines, key);

	if (l && !l->name[0])
		snprintf(l->name, sizeof(l->name), "%s", name ? name : "");
	return l;
}

static void on_left(void *arg, const struct ktrace_process *p,
		    const struct ktrace_mode_level *level, __u64 until, __s64 value)
{
	__u64 ns = until > level->since ? until - level->since : 0;
	struct irq *s = arg;
	struct line *l;

	(void)value;
	if ((level->mode != KTRACE_MODE_IRQ && level->mode != KTRACE_MODE_SOFTIRQ) ||
	    until < s->a.from || until >= s->a.until_ns)
		return;
	l = line_of(s, p, level->mode, level->sub);
	if (l && (!l->times.nr || ns > l->times.max))
		l->longest_from = level->since;
	if (!l || histogram_add(&l->times, ns)) {
		s->a.error = -ENOMEM;
		return;
	}
	take(&l->time, (double)ns);
}

static bool begins_one(const struct ktrace_trace_event *e)
{
	return e->type && e->type->kind == KTRACE_CHANNEL_KERNEL &&
	       (!strcmp(e->type->full_name, "irq:enter") ||
		!strcmp(e->type->full_name, "softirq:enter"));
}

/* Updates the period at a beginning in the window; beginnings come in order of time. */
static int take_begin(struct analysis *a, const struct ktrace_trace_event *e)
{
	const struct ktrace_mode_level *level;
	const struct ktrace_process *p;
	struct begins *b;

	if (!begins_one(e))
		return 0;
	p = ktrace_state_find(a->state, ktrace_state_machine(a->state, e->stream->trace), e->tid,
			      e->stream->cpu);
	level = p ? ktrace_process_mode(p) : NULL;
	if (!level || level->since != e->time)	/* no room on its stack */
		return 0;
	b = hash_table_get(&((struct irq *)a)->begins,
			   (const __u32[]){ p->machine, level->mode, level->sub });
	if (!b)
		return -ENOMEM;
	if (b->has_last)
		take(&b->period, (double)(e->time > b->last ? e->time - b->last : 0));
	b->has_last = true;
	b->last = e->time;
	return 0;
}

static const struct moments *period_of(const struct irq *s, const struct line *l)
{
	static const struct moments none;
	const struct begins *b = hash_table_find(&s->begins, l);

	return b ? &b->period : &none;
}

static int by_total(const void *x, const void *y)
{
	const struct line *a = x, *b = y;

	return ORDER(a->mode, b->mode) ?: ORDER(b->times.sum, a->times.sum) ?:
	       ORDER(a->number, b->number) ?: ORDER(a->machine, b->machine);
}

static double frequency(const struct analysis *a, const struct line *l)
{
	__u64 span = a->to - a->from;

	return span ? (double)l->times.nr * 1e9 / (double)span : 0;
}

static void put_head(struct analysis *a)
{
	static const struct column columns[] = {
		{ "interrupt", 28, 28, 0, 28 }, { "times", 8, 8, 0, 0 }, { "Hz", 9, 9, 3, 0 },
		{ "total", 9, 7, 0, 0 }, { "mean", 9, 7, 5, 0 }, { "deviation", 9, 9, 2, 0 },
		{ "longest", 9, 7, 0, 0 }, { "period", 9, 7, 1, 0 }, { "deviation", 9, 9, 1, 0 },
		{ "longest at", 15, 15, 4, 0 }, { .head = NULL },
	};
	struct irq *s = (struct irq *)a;

	columns_begin(&s->columns, a->out, columns);
	ktrace_out_char(a->out, '\n');
	columns_head(&s->columns);
}

static void put_line(struct analysis *a, const void *row)
{
	const struct line *l = row;
	const struct moments *period = period_of((struct irq *)a, l);
	struct columns *t = &((struct irq *)a)->columns;

	cell(t, "%-7s %4u %.15s", ktrace_mode_name(l->mode), l->number, l->name);
	cell(t, "%llu", l->times.nr);
	cell(t, "%.1f", frequency(a, l));
	cell_duration(t, l->times.sum);
	cell_duration(t, rounded(l->time.mean));
	cell_duration(t, deviation(&l->time));
	cell_duration(t, l->times.max);
	cell_duration(t, rounded(period->mean));
	cell_duration(t, deviation(period));
	cell_seconds(t, analysis_since_start(a, l->longest_from));
	cells_end(t);
}

static void put_json(struct analysis *a, const void *row)
{
	const struct line *l = row;
	const struct moments *period = period_of((struct irq *)a, l);
	struct ktrace_out *out = a->out;

	json_str(out, "kind", ktrace_mode_name(l->mode));
	json_u64(out, "number", l->number);
	json_str(out, "name", l->name);
	json_key(out, "hz");
	out_printf(out, "%.3f", frequency(a, l));
	histogram_json(&l->times, out);
	json_u64(out, "mean_ns", rounded(l->time.mean));
	json_u64(out, "deviation_ns", deviation(&l->time));
	json_u64(out, "longest_from_ns", analysis_since_start(a, l->longest_from));
	json_u64(out, "period_ns", rounded(period->mean));
	json_u64(out, "period_deviation_ns", deviation(period));
}

static void show(struct analysis *a)
{
	static const struct sheet sheet = { "interrupts", by_total, put_head, put_line, put_json };

	analysis_rows(a, &((struct irq *)a)->lines, &sheet);
	columns_end(&((struct irq *)a)->columns);
}

static const struct option_set sets[] = {
	ANALYSIS_WINDOW_SETS,
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct irq s = {
		.a = { .event = take_begin, .show = show,
		       .needs.providers = "irq,softirq" },
		.lines = HASH_TABLE_INIT(struct line, number),
		.begins = HASH_TABLE_INIT(struct begins, number),
	};
	int status;
	size_t i;

	s.a.watch = (struct ktrace_state_watch){ .left = on_left, .arg = &s };
	status = analysis_main(&s.a, cmd, argc, argv);
	for (i = 0; i < s.lines.nr; i++)
		histogram_free(&((struct line *)hash_table_at(&s.lines, i))->times);
	hash_table_free(&s.lines);
	hash_table_free(&s.begins);
	return status;
}

const struct command cmd_irq = {
	.name = "irq",
	.args = "[OPTION...] FILE...",
	.summary = "Show how often and how long interrupts and softirqs were handled",
	.options = sets,
	.needs_files = true,
	.run = run,
};
