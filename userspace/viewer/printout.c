// SPDX-License-Identifier: GPL-2.0
/* printout.c - the events of files as lines */
#include "printout.h"

#include "progress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parse_count(const char *text, __u64 *n)
{
	char *end;

	errno = 0;
	*n = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

const char *printout_option(struct printout *p, int option)
{
	switch (option) {
	case 'j':
		p->lines.is_json = true;
		return NULL;
	case 'c':
		p->counts = true;
		return NULL;
	case 't':
		return line_parse_time_format(optarg, &p->lines.time) ? NULL :
		       "--time: must be rel, wall, raw or delta";
	case 'n':
		return parse_count(optarg, &p->left) ? NULL : "-n: not a number";
	default:
		return scope_option(&p->scope, option);
	}
}

/* Prints the events. Return: 0, -errno. */
static int print_all(struct printout *p, struct ktrace_traceset *set)
{
	const struct ktrace_trace_event *e;
	__u64 lines = 0;
	int ret;

	p->scope.prints = !p->counts;
	ret = scope_begin(&p->scope, set);
	p->lines.has_many_files = ktrace_traceset_trace(set, 1);
	p->lines.start = p->lines.before = p->scope.start;
	p->lines.out = output();
	while (!ret && lines < p->left && !p->lines.out->error) {
		ret = scope_next(&p->scope, &e);
		if (ret <= 0)
			break;
		ret = 0;
		lines++;
		if (!p->counts)
			line_put(&p->lines, e);
	}
	progress_end();
	if (p->counts && !ret) {
		ktrace_out_u64(p->lines.out, lines);
		ktrace_out_char(p->lines.out, '\n');
	}
	return ret;
}

int printout_files(struct printout *p, int nr, char **paths)
{
	struct ktrace_traceset *set;
	int status, ret;

	set = open_files(nr, paths, &status);
	if (!set)
		return status;
	ret = print_all(p, set);
	if (ret)
		fprintf(stderr, "ktrace: %s\n", strerror(-ret));
	select_complain(&p->scope.select, set);
	status = ret ? STATUS_DAMAGED : files_status(set, status);
	ktrace_traceset_close(set);
	status = output_end(status);
	if (p->scope.select.filter_nr)
		scope_warn_lost(&p->scope);
	return status;
}
