// SPDX-License-Identifier: GPL-2.0
/* cmd_stacks.c - ktrace stacks: number of events with each stack, folded */
#include "base/viewer.h"

#include "base/progress.h"
#include "events/fold.h"
#include "events/time_range.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/**
 * struct stacks - one run of the command
 * @scope:	which events
 * @where:	whether and where to look up symbols
 * @fold:	the stacks, counted
 */
struct stacks {
	struct time_range scope;
	struct symbols_where where;
	struct fold fold;
};

static int read_all(struct stacks *s, struct ktrace_traceset *set)
{
	const struct ktrace_trace_event *e;
	int ret = time_range_begin(&s->scope, set);

	while (!ret && (ret = time_range_next(&s->scope, &e)) > 0)
		ret = fold_event(&s->fold, e);
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
	s->fold.symbols = s->where.is_wanted ? symbols_new(&s->where) : NULL;
	ret = s->where.is_wanted && !s->fold.symbols ? -ENOMEM : read_all(s, set);
	if (!ret)
		ret = fold_print(&s->fold);
	if (ret)
		fprintf(stderr, "ktrace: %s\n", strerror(-ret));
	else
		fold_complain(&s->fold);
	time_range_complain(&s->scope);
	status = ret ? STATUS_DAMAGED : files_status(set, status);
	ktrace_traceset_close(set);
	status = output_end(status);
	time_range_warn_lost(&s->scope);
	return status;
}

static const char *take_option(struct stacks *s, int option)
{
	const char *wrong;

	if (option == 'j') {
		s->fold.is_json = true;
		return NULL;
	}
	if (option == 'k' || option == 'u') {
		s->fold.no_user |= option == 'k';
		s->fold.no_kernel |= option == 'u';
		return s->fold.no_user && s->fold.no_kernel ? "--kernel or --user, not both" : NULL;
	}
	return symbols_option(&s->where, option, &wrong) ? wrong :
		time_range_option(&s->scope, option);
}

static const struct option options[] = {
	TIME_RANGE_OPTIONS,
	{ "kernel", no_argument, NULL, 'k' },
	{ "user", no_argument, NULL, 'u' },
	SYMBOLS_OPTIONS,
	{ "json", no_argument, NULL, 'j' },
	COMMON_OPTIONS
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct stacks s = { .where.is_wanted = false };
	const char *wrong = NULL;
	int option, status;

	fold_init(&s.fold);
	while (!wrong && (option = command_option(argc, argv, "e:p:", options)) != -1) {
		if (option == '?' || option >= OPTION_HELP) {
			time_range_free(&s.scope);
			return command_common_option(cmd, option);
		}
		wrong = take_option(&s, option);
	}
	if (!wrong)
		wrong = time_range_wrong(&s.scope);
	if (!wrong && optind == argc)
		wrong = "no file";
	status = wrong ? command_usage(cmd, wrong) : stacks_files(&s, argc - optind, argv + optind);
	fold_free(&s.fold);
	time_range_free(&s.scope);
	return status;
}

const struct command cmd_stacks = {
	.name = "stacks",
	.args = "[OPTION...] FILE...",
	.summary = "Count the stacks that events had, as flame graphs want them",
	.help =
	TIME_RANGE_HELP
"  --kernel           only the kernel's part of stacks\n"
"  --user             only the programs' part\n"
	SYMBOLS_HELP
"  --json             one JSON object a stack\n"
"  -h, --help, --version\n"
"\n"
"Needs events that were recorded with ktraced --context kstack or ustack. A line\n"
"is: name of the thread, functions from the outermost to the innermost, the\n"
"program's before the kernel's, separated by semicolons; a blank; how many events\n"
"had this stack. The most frequent comes first. Functions of the kernel end with\n"
"_[k]; [FILE] is code in a file whose functions are not known, or were not looked\n"
"up (--symbols); [unknown] is any other. This is what flamegraph.pl and\n"
"inferno-flamegraph read.\n"
"\n"
"JSON members: events, stack (an array of these names).\n"
"\n"
"  ktraced -o t.bin -e sched --context sched:switch=kstack,ustack -- make\n"
"  ktrace stacks -e sched:switch --symbols t.bin | flamegraph.pl > blocked.svg\n",
	.run = run,
};
