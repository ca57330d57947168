// SPDX-License-Identifier: GPL-2.0
/* cmd_syscalls.c - ktrace syscalls: how often, how long, how many failed */
#include "analysis.h"

#include "dist.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ERRNO_MAX 4095

/* struct call - a system call, of all threads or of one */
struct call {
	char name[32];
	char thread[48];
	__u32 nr;
	__u32 tid;
	__u64 serial;
	__u64 errors;
	__u32 last_errno;
	struct dist times;
};

/**
 * struct syscalls - one run of the command
 * @a:		what analyses have in common
 * @calls:	in order of first return
 * @nr:		how many
 * @by_thread:	a row for each thread and call
 */
struct syscalls {
	struct analysis a;
	struct call *calls;
	size_t nr;
	bool by_thread;
};

static struct call *call_of(struct syscalls *s, const struct ktrace_process *p, __u32 nr)
{
	const char *name = ktrace_mode_sub_name(s->a.state, p->machine, KTRACE_MODE_SYSCALL, nr);
	__u64 serial = s->by_thread ? p->serial : 0;
	struct call *calls;
	size_t i;

	for (i = 0; i < s->nr; i++)
		if (s->calls[i].nr == nr && s->calls[i].serial == serial)
			return &s->calls[i];
	calls = realloc(s->calls, (s->nr + 1) * sizeof(*calls));
	if (!calls)
		return NULL;
	s->calls = calls;
	calls[s->nr] = (struct call){ .nr = nr, .serial = serial };
	if (name)
		snprintf(calls[s->nr].name, sizeof(calls[s->nr].name), "%s", name);
	else
		snprintf(calls[s->nr].name, sizeof(calls[s->nr].name), "syscall %u", nr);
	return &calls[s->nr++];
}

static void on_left(void *arg, const struct ktrace_process *p,
		    const struct ktrace_mode_level *level, __u64 until, __s64 value)
{
	struct syscalls *s = arg;
	struct call *call;

	if (level->mode != KTRACE_MODE_SYSCALL || until < s->a.from || until >= s->a.until_ns ||
	    !analysis_wants(&s->a, p))
		return;
	call = call_of(s, p, level->sub);
	if (!call || dist_add(&call->times, until > level->since ? until - level->since : 0)) {
		s->a.error = -ENOMEM;
		return;
	}
	if (value < 0 && value >= -ERRNO_MAX) {
		call->errors++;
		call->last_errno = (__u32)-value;
	}
	if (s->by_thread) {
		call->tid = p->tid;
		analysis_name(&s->a, p, call->thread, sizeof(call->thread));
	}
}

static int by_total(const void *x, const void *y)
{
	const struct call *a = x, *b = y;

	if (a->times.sum != b->times.sum)
		return a->times.sum < b->times.sum ? 1 : -1;
	if (a->nr != b->nr)
		return a->nr < b->nr ? -1 : 1;
	return a->serial < b->serial ? -1 : a->serial > b->serial;
}

/* Those that have no name are for the kernel itself: the call was to be made again. */
static void put_errors(struct ktrace_out *out, const struct call *call)
{
	const char *name = strerrorname_np((int)call->last_errno);

	out_printf(out, " %8llu  ", call->errors);
	if (name)
		ktrace_out_str(out, name);
	else
		out_printf(out, "restart (%u)", call->last_errno);
}

static void put_call(struct syscalls *s, const struct call *call)
{
	const __u64 times[] = {
		call->times.sum, call->times.sum / call->times.nr,
		dist_percentile(&call->times, 50), dist_percentile(&call->times, 99),
		call->times.max,
	};
	struct ktrace_out *out = s->a.out;
	size_t i;

	output_line_begin(out);
	if (s->by_thread)
		out_printf(out, "%-24.24s ", call->thread);
	out_printf(out, "%-18.18s %9llu", call->name, call->times.nr);
	for (i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		ktrace_out_char(out, ' ');
		out_duration(out, times[i]);
	}
	if (call->errors)
		put_errors(out, call);
	ktrace_out_char(out, '\n');
}

static void put_text(struct syscalls *s)
{
	struct ktrace_out *out = s->a.out;
	size_t i;

	analysis_text_window(&s->a);
	ktrace_out_char(out, '\n');
	if (s->by_thread)
		out_printf(out, "%-24s ", "process/thread");
	out_printf(out, "%-18s %9s %9s %9s %9s %9s %9s %8s\n", "system call", "calls", "total",
		   "mean", "p50", "p99", "max", "errors");
	for (i = 0; i < s->nr && i < s->a.number; i++)
		put_call(s, &s->calls[i]);
}

static void put_json(struct syscalls *s)
{
	struct ktrace_out *out = s->a.out;
	const struct call *call;
	size_t i;

	analysis_json_begin(&s->a);
	json_key(out, "syscalls");
	ktrace_out_char(out, '[');
	for (i = 0; i < s->nr && i < s->a.number; i++) {
		call = &s->calls[i];
		output_line_begin(out);
		json_element(out);
		ktrace_out_char(out, '{');
		json_str(out, "name", call->name);
		json_u64(out, "number", call->nr);
		if (s->by_thread)
			json_u64(out, "tid", call->tid);
		dist_json(&call->times, out);
		json_u64(out, "errors", call->errors);
		ktrace_out_char(out, '}');
	}
	ktrace_out_char(out, ']');
	analysis_json_end(&s->a);
}

static void show(struct analysis *a)
{
	struct syscalls *s = (struct syscalls *)a;

	if (s->nr)
		qsort(s->calls, s->nr, sizeof(*s->calls), by_total);
	if (a->is_json)
		put_json(s);
	else
		put_text(s);
}

static const char *own_option(struct analysis *a, int option)
{
	(void)option;
	((struct syscalls *)a)->by_thread = true;
	return NULL;
}

static const struct option options[] = {
	ANALYSIS_OPTIONS,
	{ "threads", no_argument, NULL, 'T' },
	COMMON_OPTIONS
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct syscalls s = {
		.a = { .options = options, .option = own_option, .show = show },
	};
	int status;

	s.a.watch = (struct ktrace_state_watch){ .left = on_left, .arg = &s };
	status = analysis_main(&s.a, cmd, argc, argv);
	while (s.nr)
		dist_free(&s.calls[--s.nr].times);
	free(s.calls);
	return status;
}

const struct command cmd_syscalls = {
	.name = "syscalls",
	.args = "[OPTION...] FILE...",
	.summary = "Show how often and how long system calls were made, and how many failed",
	.help =
"  --threads          a row for each thread and system call\n"
ANALYSIS_HELP
"\n"
ANALYSIS_TIMES
"\n"
"Needs events of family syscall. A call counts if it returned in the window and its begin\n"
"was recorded; its whole duration counts. Half and 99 % of the calls took no longer than\n"
"p50 and p99 (3 % too large at most). Behind the errors: the one met last.\n"
"\n"
"Example: where process 187 spends its time in the kernel\n"
"  ktrace syscalls --pid 187 trace.bin\n",
	.run = run,
};
