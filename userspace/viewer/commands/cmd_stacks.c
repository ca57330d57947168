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

#define MEMBER(member) OPTION_MEMBER(struct stacks, member)

static const struct option_row rows[] = {
	{ .name = "kernel", .flag = MEMBER(fold.no_user),
	  .help = "only the kernel's part of stacks" },
	{ .name = "user", .flag = MEMBER(fold.no_kernel),
	  .help = "only the programs' part" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	TIME_RANGE_SETS(offsetof(struct stacks, scope)),
	{ rows, 0 },
	{ symbols_options, offsetof(struct stacks, where) },
	{ json_options, offsetof(struct stacks, fold.is_json) },
	{ NULL, 0 },
};

static const char *check(const struct stacks *s)
{
	return s->fold.no_user && s->fold.no_kernel ? "--kernel or --user, not both" :
	       time_range_wrong(&s->scope);
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct stacks s = { .where.is_wanted = false };
	int status;

	fold_init(&s.fold);
	status = command_parse(cmd, &s, argc, argv);
	if (status < 0)
		status = command_check(cmd, check(&s));
	if (status < 0)
		status = stacks_files(&s, argc - optind, argv + optind);
	fold_free(&s.fold);
	time_range_free(&s.scope);
	return status;
}

const struct command cmd_stacks = {
	.name = "stacks",
	.args = "[OPTION...] FILE...",
	.summary = "Count the stacks of events, as input of flame graphs",
	.options = sets,
	.needs_files = true,
	.run = run,
};
