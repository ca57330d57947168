// SPDX-License-Identifier: GPL-2.0
/* cmd_state.c - ktrace state: what threads, CPUs and devices were doing at one time */
#include "analysis/analysis.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes "user+syscall read+irq 5". */
static void name_modes(const struct analysis *a, const struct ktrace_process *p, char *text,
		       size_t size)
{
	struct ktrace_out out = { .buf = text, .cap = size - 1 };
	char sub[KTRACE_MODE_SUB_SIZE];
	__u32 i;

	for (i = 0; i < p->depth; i++) {
		ktrace_out_str(&out, i ? "+" : "");
		ktrace_out_str(&out, ktrace_mode_name(p->stack[i].mode));
		if (p->stack[i].mode <= KTRACE_MODE_USER)
			continue;
		ktrace_out_char(&out, ' ');
		ktrace_out_str(&out, ktrace_mode_sub_text(a->state, p->machine, p->stack[i].mode,
							  p->stack[i].sub, sub, sizeof(sub)));
	}
	text[out.len] = '\0';
}

/* Sorts running threads first, then those that wait for a CPU, then others; then by number. */
static int by_status(const void *x, const void *y)
{
	static const int order[KTRACE_STATUS_NR] = {
		[KTRACE_STATUS_RUN] = 0, [KTRACE_STATUS_EXIT] = 1, [KTRACE_STATUS_WAIT_CPU] = 2,
		[KTRACE_STATUS_WAIT_FORK] = 3, [KTRACE_STATUS_WAIT] = 4,
		[KTRACE_STATUS_ZOMBIE] = 5, [KTRACE_STATUS_UNNAMED] = 6, [KTRACE_STATUS_DEAD] = 7,
	};
	const struct ktrace_process *a = *(const struct ktrace_process *const *)x;
	const struct ktrace_process *b = *(const struct ktrace_process *const *)y;

	if (order[a->status] != order[b->status])
		return order[a->status] - order[b->status];
	return ORDER(a->tid, b->tid) ?: a->cpu - b->cpu;
}

/* Collects the threads that are asked for and not dead. NULL: none, or no memory: a->error */
static const struct ktrace_process **collect(struct analysis *a, size_t *nr)
{
	const struct ktrace_process *p, **all = NULL, **bigger;
	size_t i;

	for (i = *nr = 0; (p = ktrace_state_process(a->state, i)); i++) {
		if (p->status == KTRACE_STATUS_DEAD ||
		    (a->select.pid_nr && !analysis_wants(a, p)))
			continue;
		bigger = realloc(all, (*nr + 1) * sizeof(*all));
		if (!bigger) {
			a->error = -ENOMEM;
			break;
		}
		all = bigger;
		all[(*nr)++] = p;
	}
	if (*nr)
		qsort(all, *nr, sizeof(*all), by_status);
	return all;
}

static void put_thread(struct analysis *a, const struct ktrace_process *p)
{
	char name[96], modes[160], status[32], cpu[16] = "-";

	analysis_name(a, p, name, sizeof(name));
	name_modes(a, p, modes, sizeof(modes));
	snprintf(status, sizeof(status), "%s%s%s", ktrace_status_name(p->status),
		 p->status == KTRACE_STATUS_WAIT ? " " : "",
		 p->status == KTRACE_STATUS_WAIT ? ktrace_wait_name(p->wait) : "");
	if (p->cpu >= 0)
		snprintf(cpu, sizeof(cpu), "%d", p->cpu);
	output_line_begin(a->out);
	out_printf(a->out, "%-28s %4s  %-14s ", name, cpu, status);
	out_duration(a->out, analysis_age(a, p->since));
	out_printf(a->out, "  %s\n", modes);
}

static void put_resource(struct analysis *a, const struct ktrace_resource *r)
{
	char what[48], name[96] = "";
	const struct ktrace_process *p;

	if (r->kind == KTRACE_RESOURCE_CPU) {
		p = ktrace_state_find(a->state, r->machine, r->tid, (__s32)r->number);
		if (p)
			analysis_name(a, p, name, sizeof(name));
	}
	analysis_resource_name(a, r, what, sizeof(what));
	output_line_begin(a->out);
	out_printf(a->out, "%-33s  %-14s ", what,
		   ktrace_resource_mode_name(ktrace_resource_mode(r)));
	out_duration(a->out, analysis_age(a, r->since));
	out_printf(a->out, "  %s\n", name);
}

/* Returns the resource after @last, ordered by kind, then by number; NULL = none. */
static const struct ktrace_resource *next_resource(const struct analysis *a,
						   const struct ktrace_resource *last)
{
	const struct ktrace_resource *r, *best = NULL;
	size_t i;

#define KEY(x) ((__u64)(x)->kind << 60 | (__u64)(x)->number << 20 | (x)->machine)
	for (i = 0; (r = ktrace_state_resource(a->state, i)); i++)
		if ((!last || KEY(r) > KEY(last)) && (!best || KEY(r) < KEY(best)))
			best = r;
#undef KEY
	return best;
}

static void put_text(struct analysis *a, const struct ktrace_process **all, size_t nr)
{
	const struct ktrace_resource *r = NULL;
	size_t i;

	out_printf(a->out, "\n%-28s %4s  %-14s %9s  %s\n", "process/thread", "cpu", "status", "for",
		   "mode");
	for (i = 0; i < nr && i < a->number; i++)
		put_thread(a, all[i]);
	if (a->select.pid_nr)
		return;
	out_printf(a->out, "\n%-33s  %-14s %9s  %s\n", "resource", "mode", "for", "runs");
	while ((r = next_resource(a, r)))
		put_resource(a, r);
}

static void put_json_modes(struct analysis *a, const struct ktrace_process *p)
{
	struct ktrace_out *out = a->out;
	const char *abi;
	__s64 number;
	__u32 i;

	json_open(out, "modes", '[');
	for (i = 0; i < p->depth; i++) {
		json_item(out);
		json_str(out, "mode", ktrace_mode_name(p->stack[i].mode));
		abi = analysis_sub(a, &p->stack[i], &number);
		json_s64(out, "sub", number);
		json_str(out, "abi", abi);
		json_str(out, "name", ktrace_mode_sub_name(a->state, p->machine, p->stack[i].mode,
							   p->stack[i].sub));
		json_u64(out, "since_ns", analysis_since_start(a, p->stack[i].since));
		ktrace_out_char(out, '}');
	}
	ktrace_out_char(out, ']');
}

static void put_json_thread(struct analysis *a, const struct ktrace_process *p)
{
	struct ktrace_out *out = a->out;

	json_item(out);
	json_u64(out, "machine", p->machine);
	json_u64(out, "tid", p->tid);
	json_u64(out, "pid", ktrace_process_pid(a->state, p));
	json_u64(out, "ppid", p->ppid);
	json_str(out, "comm", ktrace_process_name(a->state, p));
	json_s64(out, "cpu", p->cpu);
	json_str(out, "status", ktrace_status_name(p->status));
	if (p->status == KTRACE_STATUS_WAIT)
		json_str(out, "wait", ktrace_wait_name(p->wait));
	if (p->created)
		json_u64(out, "created_ns", analysis_since_start(a, p->created));
	json_u64(out, "inserted_ns", analysis_since_start(a, p->inserted));
	json_u64(out, "since_ns", analysis_since_start(a, p->since));
	put_json_modes(a, p);
	ktrace_out_char(out, '}');
}

static void put_json_resource(struct analysis *a, const struct ktrace_resource *r)
{
	struct ktrace_out *out = a->out;
	__u32 i;

	json_item(out);
	json_u64(out, "machine", r->machine);
	json_str(out, "kind", ktrace_resource_kind_name(r->kind));
	json_u64(out, "number", r->number);
	if (r->name[0])
		json_str(out, "name", r->name);
	if (r->kind == KTRACE_RESOURCE_CPU)
		json_u64(out, "tid", r->tid);
	json_u64(out, "since_ns", analysis_since_start(a, r->since));
	json_open(out, "modes", '[');
	for (i = 0; i < r->depth; i++) {
		json_element(out);
		ktrace_out_quoted(out, ktrace_resource_mode_name(r->modes[i]),
				  strlen(ktrace_resource_mode_name(r->modes[i])));
	}
	ktrace_out_str(out, "]}");
}

static void put_json(struct analysis *a, const struct ktrace_process **all, size_t nr)
{
	const struct ktrace_resource *r = NULL;
	size_t i;

	json_open(a->out, "threads", '[');
	for (i = 0; i < nr && i < a->number; i++)
		put_json_thread(a, all[i]);
	ktrace_out_char(a->out, ']');
	json_open(a->out, "resources", '[');
	while ((r = next_resource(a, r)))
		put_json_resource(a, r);
	ktrace_out_char(a->out, ']');
}

static void show(struct analysis *a)
{
	const struct ktrace_process **all;
	size_t nr;

	all = collect(a, &nr);
	if (a->is_json && !a->error)
		put_json(a, all, nr);
	else if (!a->error)
		put_text(a, all, nr);
	free(all);
}

static const struct option_row rows[] = {
	{ .letter = 'n', .name = "number", .value = "N", .set = analysis_set_number,
	  .help = "print at most N threads" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ at_options, offsetof(struct analysis, until) },
	ANALYSIS_PID_SET,
	{ rows, 0 },
	{ json_options, offsetof(struct analysis, is_json) },
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct analysis a = { .show = show };

	return analysis_main(&a, cmd, argc, argv);
}

const struct command cmd_state = {
	.name = "state",
	.args = "[OPTION...] FILE...",
	.summary = "Show what threads, CPUs and devices were doing at a time",
	.options = sets,
	.needs_files = true,
	.run = run,
};
