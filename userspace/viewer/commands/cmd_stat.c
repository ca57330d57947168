// SPDX-License-Identifier: GPL-2.0
/* cmd_stat.c - ktrace stat: counts and times by trace, CPU, thread, mode, system call */
#include "analysis/analysis.h"

#include "base/columns.h"

#include <errno.h>
#include <ktrace/statistics.h>
#include <stdio.h>
#include <stdlib.h>

/**
 * struct stat_run - one run of the command
 * @a:		common part of analyses
 * @tree:	the statistics
 * @columns:	of the text
 * @shows_types: also show events by type
 * @depth:	deepest level to show
 * @machine:	of the trace being shown
 */
struct stat_run {
	struct analysis a;
	struct ktrace_statistics *tree;
	struct columns columns;
	bool shows_types;
	__u32 depth;
	__u32 machine;
};

static const char *const levels[KTRACE_STATISTIC_NR + 1] = {
	"traceset", "trace", "cpu", "thread", "mode", "sub", NULL
};

static int begin(struct analysis *a)
{
	struct stat_run *r = (struct stat_run *)a;
	int ret = ktrace_statistics_new(a->state, a->from, a->until_ns, &r->tree);

	if (!ret)
		ktrace_statistics_keep(r->tree, r->depth,
				       r->depth < KTRACE_STATISTIC_THREAD ? 0 :
				       a->select.pid_nr ? ~0ull : a->number);
	return ret;
}

static int count(struct analysis *a, const struct ktrace_trace_event *e)
{
	return ktrace_statistics_update(((struct stat_run *)a)->tree, e);
}

/* Writes the name of a node; @up is its parent. */
static void name_node(struct stat_run *r, const struct ktrace_statistic *n,
		      const struct ktrace_statistic *up, char *text, size_t size)
{
	const struct analysis *a = &r->a;
	const struct ktrace_trace *trace;
	char process[16] = "-";

	switch (n->level) {
	case KTRACE_STATISTIC_TRACESET:
		snprintf(text, size, "all");
		return;
	case KTRACE_STATISTIC_TRACE:
		trace = ktrace_traceset_trace(a->set, n->key);
		r->machine = ktrace_state_machine(a->state, trace);
		snprintf(text, size, "%s", ktrace_trace_path(trace));
		return;
	case KTRACE_STATISTIC_CPU:
		if ((__s64)n->key < 0)
			snprintf(text, size, "no cpu");
		else
			snprintf(text, size, "cpu %llu", n->key);
		return;
	case KTRACE_STATISTIC_THREAD:
		if (n->pid || !n->tid)
			snprintf(process, sizeof(process), "%u", n->pid);
		snprintf(text, size, "%s/%u %s", process, n->tid, n->comm[0] ? n->comm : "?");
		return;
	case KTRACE_STATISTIC_MODE:
		snprintf(text, size, "%s", ktrace_mode_name((__u32)n->key));
		return;
	default:
		ktrace_mode_sub_text(a->state, r->machine, (__u32)up->key, (__u32)n->key, text,
				     size);
	}
}

/* True if a node is shown: of each CPU, up to a->number threads; @threads: counts those. */
static bool is_shown(const struct stat_run *r, const struct ktrace_statistic *n, __u64 *threads)
{
	if (n->level > r->depth)
		return false;
	if (n->level != KTRACE_STATISTIC_THREAD)
		return true;
	if (r->a.select.pid_nr && !analysis_is_selected(&r->a, n->tid, n->pid))
		return false;
	return (*threads)++ < r->a.number;
}

static int by_time(const void *x, const void *y)
{
	const struct ktrace_statistic *a = *(const struct ktrace_statistic *const *)x;
	const struct ktrace_statistic *b = *(const struct ktrace_statistic *const *)y;

	return a->level > KTRACE_STATISTIC_CPU ? ktrace_statistic_order(x, y) :
	       a->key < b->key ? -1 : a->key > b->key;
}

static void put_types(struct stat_run *r, const struct ktrace_statistic *n)
{
	__u32 i;

	for (i = 0; i < n->type_nr; i++) {
		output_line_begin(r->a.out);
		cell(&r->columns, "%*s%s", (int)(2 * n->level + 2), "",
		     n->types[i].type ? n->types[i].type->full_name : "(not described)");
		cell(&r->columns, "%llu", n->types[i].events);
		cells_end(&r->columns);
	}
}

static void put_row(struct stat_run *r, const struct ktrace_statistic *n, const char *name)
{
	struct columns *t = &r->columns;

	output_line_begin(r->a.out);
	cell(t, "%*s%s", (int)(2 * n->level), "", name);
	cell(t, "%llu", n->events);
	cell_duration(t, n->cpu_ns);
	cell_duration(t, n->cumulative_ns);
	cell_duration(t, n->elapsed_ns);
	cell_duration(t, n->wait_ns);
	cell_duration(t, n->wait_cpu_ns);
	cells_end(t);
}

/* True for modes with a single sub-mode that has no number: it would tell nothing new. */
static bool is_plain(const struct ktrace_statistic *n)
{
	return n->level == KTRACE_STATISTIC_MODE && n->key <= KTRACE_MODE_USER;
}

static void put_text(struct stat_run *r, const struct ktrace_statistic *n,
		     const struct ktrace_statistic *up)
{
	char name[256];
	__u64 threads = 0;
	__u32 i;

	name_node(r, n, up, name, sizeof(name));
	put_row(r, n, name);
	if (r->shows_types && (n->level == r->depth || !n->child_nr || is_plain(n)))
		put_types(r, n);
	if (!n->child_nr || is_plain(n))
		return;
	qsort(n->children, n->child_nr, sizeof(n->children[0]), by_time);
	for (i = 0; i < n->child_nr; i++)
		if (is_shown(r, n->children[i], &threads))
			put_text(r, n->children[i], n);
}

static void put_json_types(struct ktrace_out *out, const struct ktrace_statistic *n)
{
	__u32 i;

	json_open(out, "types", '{');
	for (i = 0; i < n->type_nr; i++)
		json_u64(out, n->types[i].type ? n->types[i].type->full_name : "",
			 n->types[i].events);
	ktrace_out_char(out, '}');
}

static void put_json(struct stat_run *r, const struct ktrace_statistic *n,
		     const struct ktrace_statistic *up)
{
	struct ktrace_out *out = r->a.out;
	struct ktrace_mode_syscall call;
	char name[256];
	__u64 threads = 0;
	__u32 i;

	name_node(r, n, up, name, sizeof(name));
	output_line_begin(out);
	json_str(out, "level", levels[n->level]);
	json_str(out, "name", name);
	if (n->level == KTRACE_STATISTIC_SUB && up->key == KTRACE_MODE_SYSCALL) {
		ktrace_mode_call(r->a.state, (__u32)n->key, &call);
		json_s64(out, "key", call.nr);
		json_str(out, "abi", ktrace_syscall_abi_name(call.abi));
	} else {
		json_s64(out, "key", (__s64)n->key);
	}
	if (n->level == KTRACE_STATISTIC_THREAD) {
		json_u64(out, "tid", n->tid);
		json_u64(out, "pid", n->pid);
	}
	json_u64(out, "events", n->events);
	json_u64(out, "cpu_ns", n->cpu_ns);
	json_u64(out, "cumulative_ns", n->cumulative_ns);
	json_u64(out, "elapsed_ns", n->elapsed_ns);
	json_u64(out, "wait_ns", n->wait_ns);
	json_u64(out, "wait_cpu_ns", n->wait_cpu_ns);
	put_json_types(out, n);
	json_open(out, "children", '[');
	if (n->level == KTRACE_STATISTIC_CPU && n->child_nr > r->a.number)
		qsort(n->children, n->child_nr, sizeof(n->children[0]), by_time);
	for (i = 0; i < n->child_nr; i++) {
		if (!is_shown(r, n->children[i], &threads))
			continue;
		json_item(out);
		put_json(r, n->children[i], n);
		ktrace_out_char(out, '}');
	}
	ktrace_out_char(out, ']');
}

static void show(struct analysis *a)
{
	static const struct column columns[] = {
		{ "", 38, 20, 0, 100 }, { "events", 10, 10, 0, 0 }, { "cpu", 9, 7, 0, 0 },
		{ "cumul.", 9, 7, 1, 0 }, { "elapsed", 9, 7, 3, 0 }, { "wait", 9, 7, 2, 0 },
		{ "wait cpu", 9, 8, 4, 0 }, { .head = NULL },
	};
	struct stat_run *r = (struct stat_run *)a;
	const struct ktrace_statistic *root = ktrace_statistics_root(r->tree);

	if (ktrace_statistics_end(r->tree)) {
		a->error = -ENOMEM;
		return;
	}
	if (a->is_json) {
		json_open(a->out, "tree", '{');
		put_json(r, root, NULL);
		ktrace_out_char(a->out, '}');
		return;
	}
	columns_begin(&r->columns, a->out, columns);
	columns_head(&r->columns);
	put_text(r, root, NULL);
	columns_end(&r->columns);
}

static const char *set_depth(void *to, const char *level)
{
	struct stat_run *r = to;
	const char *wrong;
	const int i = command_choice("--depth", level, levels, &wrong);

	if (i < 0)
		return wrong;
	r->depth = (__u32)i;
	return NULL;
}

#define MEMBER(member) OPTION_MEMBER(struct stat_run, member)

static const struct option_row rows[] = {
	{ .name = "depth", .value = "LEVEL", .set = set_depth,
	  .help = "show LEVEL and those above it: traceset, trace, cpu,\n"
		  "thread, mode, sub (default)" },
	{ .name = "types", .flag = MEMBER(shows_types),
	  .help = "also show events by type" },
	{ .letter = 'n', .name = "number", .value = "N", .set = analysis_set_number,
	  .help = "print at most N threads of each CPU, those that ran\n"
		  "longest" },
	{ .help = NULL },
};

static const struct option_row count_rows[] = {
	{ .name = "filter", .value = "EXPRESSION", .set = event_select_add_filter,
	  .help = "count only events for which it is true, see\n"
		  "ktrace-grep(1); times remain those of all events" },
	{ .name = "filter-file", .value = "FILE", .set = event_select_add_filter_file,
	  .help = "the same, with an expression read from FILE" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ rows, 0 },
	{ count_rows, offsetof(struct analysis, select) },
	{ since_options, offsetof(struct analysis, since) },
	{ until_options, offsetof(struct analysis, until) },
	{ json_options, offsetof(struct analysis, is_json) },
	ANALYSIS_PID_SET,
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct stat_run r = {
		.a = { .begin = begin, .event = count,
		       .show = show },
		.depth = KTRACE_STATISTIC_SUB,
	};
	int status = analysis_main(&r.a, cmd, argc, argv);

	ktrace_statistics_free(r.tree);
	return status;
}

const struct command cmd_stat = {
	.name = "stat",
	.args = "[OPTION...] FILE...",
	.summary = "Count events and times by CPU, thread and thread activity",
	.options = sets,
	.needs_files = true,
	.run = run,
};
