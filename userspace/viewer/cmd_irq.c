// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_irq.c - ktrace irq: interrupts and softirqs, how often and how long
 *
 * Mean and standard deviation are kept as they come (Welford), so that no duration need be
 * remembered. Periods are from one beginning to the next on any CPU.
 */
#include "analysis.h"

#include "dist.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* struct moments - mean and sum of squared differences from it */
struct moments {
	__u64 nr;
	double mean;
	double squares;
};

/* struct line - an interrupt, or a softirq's vector */
struct line {
	__u32 machine;
	__u32 mode;
	__u32 number;
	char name[32];
	struct dist times;
	struct moments time;
	struct moments period;
	__u64 last;		/* latest beginning, 0 = none */
	__u64 longest_from;
};

struct irq {
	struct analysis a;
	struct line *lines;
	size_t nr;
};

static void take(struct moments *m, double v)
{
	double off = v - m->mean;

	m->nr++;
	m->mean += off / (double)m->nr;
	m->squares += off * (v - m->mean);
}

/* Stamps are the file's: what lies between two may be more than fits. */
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
	struct line *lines;
	size_t i;

	for (i = 0; i < s->nr; i++)
		if (s->lines[i].mode == mode && s->lines[i].number == number &&
		    s->lines[i].machine == p->machine)
			return &s->lines[i];
	lines = realloc(s->lines, (s->nr + 1) * sizeof(*lines));
	if (!lines)
		return NULL;
	s->lines = lines;
	lines[s->nr] = (struct line){ .machine = p->machine, .mode = mode, .number = number };
	snprintf(lines[s->nr].name, sizeof(lines[s->nr].name), "%s", name ? name : "");
	return &lines[s->nr++];
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
	if (!l || dist_add(&l->times, ns)) {
		s->a.error = -ENOMEM;
		return;
	}
	take(&l->time, (double)ns);
	if (l->last)
		take(&l->period, fabs((double)level->since - (double)l->last));
	l->last = level->since;
}

static int by_total(const void *x, const void *y)
{
	const struct line *a = x, *b = y;

	if (a->mode != b->mode)
		return a->mode < b->mode ? -1 : 1;
	if (a->times.sum != b->times.sum)
		return a->times.sum < b->times.sum ? 1 : -1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static double frequency(const struct irq *s, const struct line *l)
{
	__u64 span = s->a.to - s->a.from;

	return span ? (double)l->times.nr * 1e9 / (double)span : 0;
}

static void put_line(struct irq *s, const struct line *l)
{
	const __u64 times[] = {
		l->times.sum, rounded(l->time.mean), deviation(&l->time), l->times.max,
		rounded(l->period.mean), deviation(&l->period),
	};
	struct ktrace_out *out = s->a.out;
	size_t i;

	output_line_begin(out);
	out_printf(out, "%-7s %4u %-15.15s %8llu %9.1f", ktrace_mode_name(l->mode), l->number,
		   l->name, l->times.nr, frequency(s, l));
	for (i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		ktrace_out_char(out, ' ');
		out_duration(out, times[i]);
	}
	ktrace_out_char(out, ' ');
	out_seconds(out, analysis_since_start(&s->a, l->longest_from), 15);
	ktrace_out_char(out, '\n');
}

static void put_text(struct irq *s)
{
	size_t i;

	analysis_text_window(&s->a);
	out_printf(s->a.out, "\n%-28s %8s %9s %9s %9s %9s %9s %9s %9s %15s\n", "interrupt", "times",
		   "Hz", "total", "mean", "deviation", "longest", "period", "deviation",
		   "longest at");
	for (i = 0; i < s->nr && i < s->a.number; i++)
		put_line(s, &s->lines[i]);
}

static void put_json(struct irq *s)
{
	struct ktrace_out *out = s->a.out;
	const struct line *l;
	size_t i;

	analysis_json_begin(&s->a);
	json_key(out, "interrupts");
	ktrace_out_char(out, '[');
	for (i = 0; i < s->nr && i < s->a.number; i++) {
		l = &s->lines[i];
		output_line_begin(out);
		json_element(out);
		ktrace_out_char(out, '{');
		json_str(out, "kind", ktrace_mode_name(l->mode));
		json_u64(out, "number", l->number);
		json_str(out, "name", l->name);
		json_key(out, "hz");
		out_printf(out, "%.3f", frequency(s, l));
		dist_json(&l->times, out);
		json_u64(out, "mean_ns", rounded(l->time.mean));
		json_u64(out, "deviation_ns", deviation(&l->time));
		json_u64(out, "longest_from_ns", analysis_since_start(&s->a, l->longest_from));
		json_u64(out, "period_ns", rounded(l->period.mean));
		json_u64(out, "period_deviation_ns", deviation(&l->period));
		ktrace_out_char(out, '}');
	}
	ktrace_out_char(out, ']');
	analysis_json_end(&s->a);
}

static void show(struct analysis *a)
{
	struct irq *s = (struct irq *)a;

	if (s->nr)
		qsort(s->lines, s->nr, sizeof(*s->lines), by_total);
	if (a->is_json)
		put_json(s);
	else
		put_text(s);
}

static const struct option options[] = {
	ANALYSIS_WINDOW_OPTIONS,
	COMMON_OPTIONS
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct irq s = { .a = { .options = options, .show = show } };
	int status;

	s.a.watch = (struct ktrace_state_watch){ .left = on_left, .arg = &s };
	status = analysis_main(&s.a, cmd, argc, argv);
	while (s.nr)
		dist_free(&s.lines[--s.nr].times);
	free(s.lines);
	return status;
}

const struct command cmd_irq = {
	.name = "irq",
	.args = "[OPTION...] FILE...",
	.summary = "Show how often and how long interrupts and softirqs were handled",
	.help =
ANALYSIS_SINCE_HELP
ANALYSIS_OUTPUT_HELP
"\n"
ANALYSIS_TIMES
"\n"
"Needs events of families irq and softirq. One counts if it ended in the window and its\n"
"begin was recorded. Columns: how many, how many in a second; time of the handlers, mean\n"
"and standard deviation, the longest; mean time from one to the next and its standard\n"
"deviation; when the longest began.\n"
"\n"
"Example: what disturbed the machine in the second second\n"
"  ktrace irq --since 1 --until 2 trace.bin\n",
	.run = run,
};
