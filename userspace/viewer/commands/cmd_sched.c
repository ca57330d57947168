// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_sched.c - ktrace sched: how long threads ran, waited, and took to run once woken
 *
 * A run ends when the thread leaves the CPU; interrupts do not end it. Runs and waits count if they
 * end in the window or still last at its end, each with the part inside the window.
 */
#include "analysis/analysis.h"

#include "base/columns.h"
#include "base/histogram.h"

#include <errno.h>
#include <stdio.h>

enum { SCHED_RUN, SCHED_WAKE, SCHED_PREEMPTED, SCHED_WAIT, SCHED_NR };

static const char *const kinds[SCHED_NR] = { "run", "wakeup", "preempted", "wait" };

/* struct task - a thread; @run_ns: time of the run that has not ended */
struct task {
	struct thread_row thread;
	__u64 run_ns;
	struct histogram dists[SCHED_NR];
};

/**
 * struct sched - one run of the command
 * @a:		common part of analyses
 * @tasks:	threads
 * @all:	of all threads
 * @columns:	of the text
 * @has_histograms: print them
 */
struct sched {
	struct analysis a;
	struct hash_table tasks;
	struct histogram all[SCHED_NR];
	struct columns columns;
	bool has_histograms;
};

static void add(struct sched *s, struct task *t, int kind, __u64 ns)
{
	if (histogram_add(&t->dists[kind], ns) || histogram_add(&s->all[kind], ns))
		s->a.error = -ENOMEM;
}

static void end_run(struct sched *s, struct task *t)
{
	if (t->run_ns)
		add(s, t, SCHED_RUN, t->run_ns);
	t->run_ns = 0;
}

static void on_span(void *arg, const struct ktrace_process *p, __u64 until)
{
	struct sched *s = arg;
	__u64 ns = analysis_ns(&s->a, p->since, until);
	struct task *t;

	if (!ns || !analysis_wants(&s->a, p))
		return;
	t = analysis_thread(&s->a, &s->tasks, p);
	if (!t)
		return;
	if (p->status == KTRACE_STATUS_RUN || p->status == KTRACE_STATUS_EXIT) {
		t->run_ns += ns;
		return;
	}
	end_run(s, t);
	if (p->status == KTRACE_STATUS_WAIT_CPU)
		add(s, t, p->is_woken ? SCHED_WAKE : SCHED_PREEMPTED, ns);
	else if (p->status == KTRACE_STATUS_WAIT)
		add(s, t, SCHED_WAIT, ns);
}

static int by_run(const void *x, const void *y)
{
	const struct task *a = x, *b = y;
	__u64 m = a->dists[SCHED_RUN].sum, n = b->dists[SCHED_RUN].sum;

	return ORDER(n, m) ?: ORDER(a->thread.who.tid, b->thread.who.tid);
}

static void put_head(struct analysis *a)
{
	enum { WAKE_UP = 7 };
	static const struct column columns[] = {
		{ "process/thread", 24, 22, 0, 24 }, { "run", 9, 7, 0, 0 }, { "%", 5, 5, 1, 0 },
		{ "runs", 7, 7, 3, 0 }, { "wait", 9, 7, 5, 0 }, { "preempted", 9, 9, 2, 0 },
		{ "wakeups", 7, 7, 6, 0 }, [WAKE_UP] = { "p50", 9, 7, 4, 0 },
		{ "p99", 9, 7, 0, 0 }, { "max", 9, 7, 0, 0 }, { .head = NULL },
	};
	struct columns *t = &((struct sched *)a)->columns;

	columns_begin(t, a->out, columns);
	out_printf(a->out, "\n%*swake-up to running\n", columns_before(t, WAKE_UP), "");
	columns_head(t);
}

static void put_task(struct analysis *a, const void *row)
{
	const struct task *task = row;
	const struct histogram *wake = &task->dists[SCHED_WAKE];
	struct columns *t = &((struct sched *)a)->columns;
	char name[48];

	thread_label_name(&task->thread.who, name, sizeof(name));
	cell(t, "%s", name);
	cell_duration(t, task->dists[SCHED_RUN].sum);
	cell_percent(t, task->dists[SCHED_RUN].sum, a->to - a->from);
	cell(t, "%llu", task->dists[SCHED_RUN].nr);
	cell_duration(t, task->dists[SCHED_WAIT].sum);
	cell_duration(t, task->dists[SCHED_PREEMPTED].sum);
	cell(t, "%llu", wake->nr);
	cell_duration(t, wake->nr ? histogram_percentile(wake, 50) : 0);
	cell_duration(t, wake->nr ? histogram_percentile(wake, 99) : 0);
	cell_duration(t, wake->max);
	cells_end(t);
}

static void put_histograms(struct sched *s)
{
	static const char *const titles[SCHED_NR] = {
		"Runs, from switch to switch", "From wake-up to running",
		"From preemption to running", "Waits, from leaving the CPU to wake-up",
	};
	int i;

	for (i = 0; i < SCHED_NR; i++) {
		if (!s->all[i].nr)
			continue;
		output_line_begin(s->a.out);
		out_printf(s->a.out, "\n%s\n", titles[i]);
		histogram_show(&s->all[i], s->a.out, 2);
	}
}

static void put_json_dists(struct ktrace_out *out, const struct histogram *dists)
{
	int i;

	for (i = 0; i < SCHED_NR; i++) {
		output_line_begin(out);
		json_open(out, kinds[i], '{');
		histogram_json(&dists[i], out);
		ktrace_out_char(out, '}');
	}
}

static void put_json(struct analysis *a, const void *row)
{
	const struct task *t = row;

	thread_label_json(&t->thread.who, a->out);
	put_json_dists(a->out, t->dists);
}

static void show(struct analysis *a)
{
	static const struct sheet sheet = { "tasks", by_run, put_head, put_task, put_json };
	struct sched *s = (struct sched *)a;
	size_t i;

	for (i = 0; i < s->tasks.nr; i++)
		end_run(s, hash_table_at(&s->tasks, i));
	analysis_rows(a, &s->tasks, &sheet);
	if (a->is_json) {
		json_open(a->out, "all", '{');
		put_json_dists(a->out, s->all);
		ktrace_out_char(a->out, '}');
		return;
	}
	columns_end(&s->columns);
	if (s->has_histograms)
		put_histograms(s);
}

static void fill_row(struct analysis *a, struct plot_row *to, const void *row)
{
	const struct task *t = row;

	(void)a;
	thread_label_name(&t->thread.who, to->label, sizeof(to->label));
	to->ns = t->dists[SCHED_RUN].sum;
	to->dist = &t->dists[SCHED_WAKE];
}

static void plot(struct analysis *a, const struct plot_note *note)
{
	struct sched *s = (struct sched *)a;
	static struct plot_rows p = {
		.title = "Threads: time on CPUs, and how long they took to run once woken",
		.bars = "time on CPUs", .dists = "from wake-up to running",
	};
	size_t i;

	for (i = 0; i < s->tasks.nr; i++)
		end_run(s, hash_table_at(&s->tasks, i));
	analysis_plot_rows(a, &s->tasks, &p, by_run, fill_row);
	plot_rows(a->out, &p, note);
}

#define MEMBER(member) OPTION_MEMBER(struct sched, member)

static const struct option_row rows[] = {
	{ .name = "histograms", .flag = MEMBER(has_histograms),
	  .help = "also print distributions of runs, waits and latencies" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ rows, 0 },
	ANALYSIS_SVG_SET,
	ANALYSIS_SETS,
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct sched s = {
		.a = { .show = show, .plot = plot,
		       .needs.providers = "sched" },
		.tasks = HASH_TABLE_INIT(struct task, thread.serial),
	};
	int status, i;
	size_t t;

	s.a.watch = (struct ktrace_state_watch){ .span = on_span, .arg = &s };
	status = analysis_main(&s.a, cmd, argc, argv);
	for (i = 0; i < SCHED_NR; i++) {
		histogram_free(&s.all[i]);
		for (t = 0; t < s.tasks.nr; t++)
			histogram_free(&((struct task *)hash_table_at(&s.tasks, t))->dists[i]);
	}
	hash_table_free(&s.tasks);
	return status;
}

const struct command cmd_sched = {
	.name = "sched",
	.args = "[OPTION...] FILE...",
	.summary = "Show how long threads ran, waited, and took to run once woken",
	.options = sets,
	.needs_files = true,
	.run = run,
};
