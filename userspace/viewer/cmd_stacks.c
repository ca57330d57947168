// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_stacks.c - ktrace stacks: how many events had which stack, folded
 *
 * Events are counted by their stacks' numbers as they are read; what the numbers mean is put
 * into words at the end, once each, and lines that have become the same are joined.
 */
#include "viewer.h"

#include "context.h"
#include "progress.h"
#include "rows.h"
#include "scope.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* struct counted - events with the same stacks; up to @comm it is the key */
struct counted {
	const struct ktrace_trace *trace;
	__u64 kernel;
	__u64 user;
	char comm[16];
	__u64 raw;	/* of the first one */
	__u64 nr;
};

/* struct folded - a line */
struct folded {
	char *text;
	__u64 nr;
};

/**
 * struct stacks - one run of the command
 * @scope:	which events
 * @where:	whether to look symbols up, and where
 * @symbols:	of programs, NULL = they are not looked up
 * @no_kernel:	leave stacks of the kernel out
 * @no_user:	leave those of programs out
 * @counted:	what there was
 * @without:	events that had none
 */
struct stacks {
	struct scope scope;
	struct symbols_where where;
	struct symbols *symbols;
	bool no_kernel;
	bool no_user;
	struct rows counted;
	__u64 without;
};

static int count(struct stacks *s, const struct ktrace_trace_event *e)
{
	struct counted key = { .trace = e->stream->trace }, *row;
	const char *comm = e->tid ? ktrace_trace_comm(key.trace, e->tid, e->raw) : "swapper";

	if (!s->no_kernel)
		ktrace_event_find_item(e, KTRACE_ITEM_KSTACK, &key.kernel);
	if (!s->no_user)
		ktrace_event_find_item(e, KTRACE_ITEM_USTACK, &key.user);
	if (!key.kernel && !key.user) {
		s->without += e->id != KTRACE_ID_LOST;
		return 0;
	}
	strncpy(key.comm, comm && *comm ? comm : "?", sizeof(key.comm) - 1);
	row = rows_get(&s->counted, &key);
	if (!row)
		return -ENOMEM;
	if (!row->nr++)
		row->raw = e->raw;
	return 0;
}

/* Outermost first */
static void put_stack(struct stacks *s, struct ktrace_out *out, const struct counted *c,
		      __u64 number)
{
	struct frame f = { .trace = c->trace, .raw = c->raw };

	f.stack = number ? ktrace_trace_stack(c->trace, number) : NULL;
	if (number && !f.stack)
		ktrace_out_str(out, ";[unknown]");
	for (f.i = f.stack ? f.stack->nr : 0; f.i--;) {
		ktrace_out_char(out, ';');
		context_put_function(out, s->symbols, &f);
	}
}

static int fold(struct stacks *s, const struct counted *c, struct folded *to)
{
	struct ktrace_out out = { .flush = output_grow };
	char comm[sizeof(c->comm)], *at;

	out.error = output_grow(&out);
	memcpy(comm, c->comm, sizeof(comm));
	for (at = comm; (at = strchr(at, ';'));)
		*at = ':';
	ktrace_out_safe(&out, comm);
	put_stack(s, &out, c, c->user);
	put_stack(s, &out, c, c->kernel);
	ktrace_out_char(&out, '\0');
	to->text = out.error ? NULL : strdup(out.buf);
	to->nr = c->nr;
	free(out.buf);
	return to->text ? 0 : -ENOMEM;
}

static int by_text(const void *x, const void *y)
{
	return strcmp(((const struct folded *)x)->text, ((const struct folded *)y)->text);
}

static int by_number(const void *x, const void *y)
{
	const struct folded *a = x, *b = y;

	return a->nr != b->nr ? (a->nr < b->nr ? 1 : -1) : by_text(x, y);
}

/* Joins those with the same text. Return: how many are left. */
static size_t join(struct folded *lines, size_t nr)
{
	size_t i, left = 0;

	qsort(lines, nr, sizeof(*lines), by_text);
	for (i = 0; i < nr; i++) {
		if (left && !strcmp(lines[left - 1].text, lines[i].text)) {
			lines[left - 1].nr += lines[i].nr;
			free(lines[i].text);
		} else {
			lines[left++] = lines[i];
		}
	}
	qsort(lines, left, sizeof(*lines), by_number);
	return left;
}

static int print(struct stacks *s)
{
	struct folded *lines = calloc(s->counted.nr + 1, sizeof(*lines));
	struct ktrace_out *out = output();
	size_t nr = 0, i;
	int ret = lines ? 0 : -ENOMEM;

	for (i = 0; i < s->counted.nr && !ret; i++) {
		ret = fold(s, rows_at(&s->counted, i), &lines[nr]);
		nr += !ret;
	}
	if (!ret)
		nr = join(lines, nr);
	for (i = 0; i < nr; i++) {
		if (!ret) {
			output_line_begin(out);
			ktrace_out_str(out, lines[i].text);
			ktrace_out_char(out, ' ');
			ktrace_out_u64(out, lines[i].nr);
			ktrace_out_char(out, '\n');
		}
		free(lines[i].text);
	}
	free(lines);
	return ret;
}

static int read_all(struct stacks *s, struct ktrace_traceset *set)
{
	const struct ktrace_trace_event *e;
	int ret = scope_begin(&s->scope, set);

	while (!ret && (ret = scope_next(&s->scope, &e)) > 0)
		ret = count(s, e);
	progress_end();
	return ret;
}

static int stacks_files(struct stacks *s, int nr, char **paths)
{
	struct ktrace_traceset *set;
	int status, ret;

	set = open_files(nr, paths, &status);
	if (!set)
		return status;
	s->symbols = s->where.is_wanted ? symbols_new(&s->where) : NULL;
	ret = s->where.is_wanted && !s->symbols ? -ENOMEM : read_all(s, set);
	if (!ret)
		ret = print(s);
	if (ret)
		fprintf(stderr, "ktrace: %s\n", strerror(-ret));
	else if (s->without)
		fprintf(stderr, "ktrace: %llu events had no stack\n",
			(unsigned long long)s->without);
	scope_complain(&s->scope);
	status = ret ? STATUS_DAMAGED : files_status(set, status);
	symbols_free(s->symbols);
	ktrace_traceset_close(set);
	status = output_end(status);
	scope_warn_lost(&s->scope);
	return status;
}

static const char *take_option(struct stacks *s, int option)
{
	const char *wrong;

	if (option == 'k' || option == 'u') {
		s->no_user |= option == 'k';
		s->no_kernel |= option == 'u';
		return s->no_user && s->no_kernel ? "--kernel or --user, not both" : NULL;
	}
	return symbols_option(&s->where, option, &wrong) ? wrong : scope_option(&s->scope, option);
}

static const struct option options[] = {
	SCOPE_OPTIONS,
	{ "kernel", no_argument, NULL, 'k' },
	{ "user", no_argument, NULL, 'u' },
	SYMBOLS_OPTIONS,
	COMMON_OPTIONS
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct stacks s = { .counted = ROWS_INIT(struct counted, comm) };
	const char *wrong = NULL;
	int option, status;

	while (!wrong && (option = getopt_long(argc, argv, "e:p:", options, NULL)) != -1) {
		if (option == '?' || option >= OPTION_HELP) {
			scope_free(&s.scope);
			return command_common_option(cmd, option);
		}
		wrong = take_option(&s, option);
	}
	if (!wrong && optind == argc)
		wrong = "no file";
	status = wrong ? command_usage(cmd, wrong) : stacks_files(&s, argc - optind, argv + optind);
	rows_free(&s.counted);
	scope_free(&s.scope);
	return status;
}

const struct command cmd_stacks = {
	.name = "stacks",
	.args = "[OPTION...] FILE...",
	.summary = "Count the stacks that events had, as flame graphs want them",
	.help =
	SCOPE_HELP
"  --kernel           only the kernel's part of stacks\n"
"  --user             only the programs' part\n"
	SYMBOLS_HELP
"  --help, --version\n"
"\n"
"Needs events that were recorded with ktraced --context kstack or ustack. A line is: name of\n"
"the thread, functions from the outermost to the innermost, the program's before the kernel's,\n"
"separated by semicolons; a blank; how many events had this stack. The most frequent comes\n"
"first. Functions of the kernel end with _[k]; [FILE] is code in a file whose functions are not\n"
"known, or were not looked up (--symbols); [unknown] is any other. This is what flamegraph.pl\n"
"and inferno-flamegraph read.\n"
"\n"
"  ktraced -o t.bin -e sched --context sched:switch=kstack,ustack -- make\n"
"  ktrace stacks -e sched:switch --symbols t.bin | flamegraph.pl > blocked.svg\n",
	.run = run,
};
