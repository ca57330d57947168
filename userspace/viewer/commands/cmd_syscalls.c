// SPDX-License-Identifier: GPL-2.0
/* cmd_syscalls.c - ktrace syscalls: number of system calls, durations, failures */
#include "analysis/analysis.h"

#include "base/columns.h"
#include "base/histogram.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define ERRNO_MAX 4095

/*
 * struct call - a system call, of all threads or of one; the first two are the key, and @sub tells
 * number and ABI
 */
struct call {
	__u64 serial;
	__u64 sub;
	char name[KTRACE_MODE_SUB_SIZE];
	struct ktrace_mode_syscall call;
	struct thread_label who;
	__u64 errors;
	__u32 last_errno;
	struct histogram times;
};

/**
 * struct syscalls - one run of the command
 * @a:		common part of analyses
 * @calls:	calls that returned
 * @by_thread:	a row for each thread and call
 * @columns:	of the text
 */
struct syscalls {
	struct analysis a;
	struct hash_table calls;
	bool by_thread;
	struct columns columns;
};

static struct call *call_of(struct syscalls *s, const struct ktrace_process *p, __u32 sub)
{
	const __u64 key[] = { s->by_thread ? p->serial : 0, sub };
	struct call *call = hash_table_get(&s->calls, key);

	if (!call || call->name[0])
		return call;
	ktrace_mode_call(s->a.state, sub, &call->call);
	if (call->call.name)
		snprintf(call->name, sizeof(call->name), "%s%s", call->call.mark, call->call.name);
	else
		snprintf(call->name, sizeof(call->name), "%ssyscall %lld", call->call.mark,
			 call->call.nr);
	return call;
}

static void on_left(void *arg, const struct ktrace_process *p,
		    const struct ktrace_mode_level *level, __u64 until, __s64 value)
{
	struct syscalls *s = arg;
	struct call *call;

	if (level->mode != KTRACE_MODE_SYSCALL || until < s->a.from || until >= s->a.until_ns ||
	    analysis_inherited(p, level) || !analysis_wants(&s->a, p))
		return;
	call = call_of(s, p, level->sub);
	if (!call || histogram_add(&call->times, until > level->since ? until - level->since : 0)) {
		s->a.error = -ENOMEM;
		return;
	}
	if (value < 0 && value >= -ERRNO_MAX) {
		call->errors++;
		call->last_errno = (__u32)-value;
	}
	if (s->by_thread)
		thread_label_learn(&call->who, s->a.state, p);
}

static int by_total(const void *x, const void *y)
{
	const struct call *a = x, *b = y;

	return ORDER(b->times.sum, a->times.sum) ?: ORDER(a->sub, b->sub) ?:
	       ORDER(a->serial, b->serial);
}

/* Prints errors. One without a name is internal to the kernel: it restarts the call. */
static void put_errors(struct columns *t, const struct call *call)
{
	const char *name = strerrorname_np((int)call->last_errno);

	cell(t, "%llu", call->errors);
	if (name)
		cell(t, "%s", name);
	else
		cell(t, "restart (%u)", call->last_errno);
}

static void put_head(struct analysis *a)
{
	static const struct column columns[] = {
		{ "process/thread", 24, 15, 0, 24 }, { "system call", 18, 16, 0, 24 },
		{ "calls", 9, 8, 4, 0 }, { "total", 9, 7, 0, 0 }, { "mean", 9, 7, 1, 0 },
		{ "p50", 9, 7, 2, 0 }, { "p99", 9, 7, 3, 0 }, { "max", 9, 7, 0, 0 },
		{ "errors", 8, 6, 0, 0 }, { "last", 13, 13, 5, 13 }, { .head = NULL },
	};
	struct syscalls *s = (struct syscalls *)a;

	columns_begin(&s->columns, a->out, s->by_thread ? columns : columns + 1);
	ktrace_out_char(a->out, '\n');
	columns_head(&s->columns);
}

static void put_call(struct analysis *a, const void *row)
{
	const struct call *call = row;
	const __u64 times[] = {
		call->times.sum, call->times.sum / call->times.nr,
		histogram_percentile(&call->times, 50), histogram_percentile(&call->times, 99),
		call->times.max,
	};
	struct columns *t = &((struct syscalls *)a)->columns;
	char thread[48];
	size_t i;

	if (((struct syscalls *)a)->by_thread) {
		thread_label_name(&call->who, thread, sizeof(thread));
		cell(t, "%s", thread);
	}
	cell(t, "%s", call->name);
	cell(t, "%llu", call->times.nr);
	for (i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		cell_duration(t, times[i]);
	if (call->errors)
		put_errors(t, call);
	cells_end(t);
}

static void put_json(struct analysis *a, const void *row)
{
	const struct call *call = row;

	if (call->call.name)
		json_str(a->out, "name", call->call.name);
	else
		json_str(a->out, "name", call->name + strlen(call->call.mark));
	json_s64(a->out, "number", call->call.nr);
	json_str(a->out, "abi", ktrace_syscall_abi_name(call->call.abi));
	if (((struct syscalls *)a)->by_thread)
		json_u64(a->out, "tid", call->who.tid);
	histogram_json(&call->times, a->out);
	json_u64(a->out, "errors", call->errors);
}

static void show(struct analysis *a)
{
	static const struct sheet sheet = { "syscalls", by_total, put_head, put_call, put_json };

	analysis_rows(a, &((struct syscalls *)a)->calls, &sheet);
	columns_end(&((struct syscalls *)a)->columns);
}

static void fill_row(struct analysis *a, struct plot_row *to, const void *row)
{
	const struct call *call = row;
	char thread[48] = "";

	if (((struct syscalls *)a)->by_thread)
		thread_label_name(&call->who, thread, sizeof(thread));
	snprintf(to->label, sizeof(to->label), "%s%s%s", thread, *thread ? " " : "", call->name);
	to->ns = call->times.sum;
	to->dist = &call->times;
}

static void plot(struct analysis *a, const struct plot_note *note)
{
	static struct plot_rows p = {
		.title = "System calls: time in them, and how long they took",
		.bars = "time in all of them", .dists = "duration of each",
	};

	analysis_plot_rows(a, &((struct syscalls *)a)->calls, &p, by_total, fill_row);
	plot_rows(a->out, &p, note);
}

#define MEMBER(member) OPTION_MEMBER(struct syscalls, member)

static const struct option_row rows[] = {
	{ .name = "threads", .flag = MEMBER(by_thread),
	  .help = "a row for each thread and system call" },
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
	struct syscalls s = {
		.a = { .show = show, .plot = plot,
		       .needs.providers = "syscall" },
		.calls = HASH_TABLE_INIT(struct call, sub),
	};
	int status;
	size_t i;

	s.a.watch = (struct ktrace_state_watch){ .left = on_left, .arg = &s };
	status = analysis_main(&s.a, cmd, argc, argv);
	for (i = 0; i < s.calls.nr; i++)
		histogram_free(&((struct call *)hash_table_at(&s.calls, i))->times);
	hash_table_free(&s.calls);
	return status;
}

const struct command cmd_syscalls = {
	.name = "syscalls",
	.args = "[OPTION...] FILE...",
	.summary = "Show how often and how long system calls were made, and failed",
	.options = sets,
	.needs_files = true,
	.run = run,
};
