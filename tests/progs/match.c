// SPDX-License-Identifier: GPL-2.0
/*
 * match.c - what filters say about the events of a file, for comparison with an oracle
 *
 *   match FILE < EXPRESSIONS
 *
 * For each line of the input a line of the output: a digit for each event, losses among them,
 * 1 if the expression is true; or "column N: MESSAGE".
 */
#include <ktrace/filter.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __attribute__((noreturn)) void die(const char *what)
{
	fprintf(stderr, "match: %s\n", what);
	exit(1);
}

static void match(const char *path, struct ktrace_filter *f)
{
	struct ktrace_traceset *set;
	struct ktrace_trace_event e;
	__u64 start, end;
	int ret;

	if (ktrace_traceset_open(NULL, &set) || ktrace_traceset_add(set, path) ||
	    ktrace_traceset_span(set, &start, &end))
		die("the file cannot be read");
	ktrace_filter_start(f, start);
	while ((ret = ktrace_traceset_next(set, &e)) == 1)
		putchar(ktrace_filter_match(f, &e) ? '1' : '0');
	if (ret)
		die("reading failed");
	putchar('\n');
	ktrace_traceset_close(set);
}

int main(int argc, char **argv)
{
	static char line[KTRACE_FILTER_TEXT_MAX + 16];
	struct ktrace_filter_error error;
	struct ktrace_filter *f;

	if (argc != 2)
		die("usage: match FILE < EXPRESSIONS");
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (ktrace_filter_parse(line, NULL, &f, &error)) {
			printf("column %u: %s\n", error.column, error.message);
			continue;
		}
		match(argv[1], f);
		ktrace_filter_free(f);
	}
	return 0;
}
