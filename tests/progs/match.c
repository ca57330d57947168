// SPDX-License-Identifier: GPL-2.0
/*
 * match.c - what filters say about the events of a file, for comparison with an oracle
 *
 *   match FILE [SINCE] < EXPRESSIONS
 *
 * For each line of the input a line of the output: a digit for each event, losses among them,
 * 1 if the expression is true; or "column N: MESSAGE". With SINCE, ns since the epoch, only
 * for events from there on, of which the state is sought.
 */
#include <ktrace/state.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __attribute__((noreturn)) void die(const char *what)
{
	fprintf(stderr, "match: %s\n", what);
	exit(1);
}

static void match(const char *path, struct ktrace_filter *f, struct ktrace_filter_source *source,
		  __u64 since)
{
	struct ktrace_traceset *set;
	struct ktrace_states *state;
	struct ktrace_trace_event e;
	__u64 start, end;
	int ret;

	if (ktrace_traceset_open(NULL, &set) || ktrace_traceset_add(set, path) ||
	    ktrace_traceset_span(set, &start, &end))
		die("the file cannot be read");
	ktrace_filter_start(f, start);
	if (ktrace_state_new(set, &state) || (since && ktrace_state_seek(state, since)))
		die("no state");
	source->arg = state;
	while ((ret = ktrace_traceset_next(set, &e)) == 1) {
		if (ktrace_filter_uses(f, source) && ktrace_state_update(state, &e))
			die("no state");
		putchar(ktrace_filter_match(f, &e) ? '1' : '0');
	}
	if (ret)
		die("reading failed");
	putchar('\n');
	ktrace_state_free(state);
	ktrace_traceset_close(set);
}

int main(int argc, char **argv)
{
	static char line[KTRACE_FILTER_TEXT_MAX + 16];
	struct ktrace_filter_error error;
	struct ktrace_filter_source source;
	const struct ktrace_filter_source *const sources = &source;
	const struct ktrace_filter_options opts = {
		.size = sizeof(opts), .sources = &sources, .source_nr = 1,
	};
	struct ktrace_filter *f;

	if (argc < 2 || argc > 3)
		die("usage: match FILE [SINCE] < EXPRESSIONS");
	ktrace_state_source(NULL, &source);
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (ktrace_filter_parse(line, &opts, &f, &error)) {
			printf("column %u: %s\n", error.column, error.message);
			continue;
		}
		match(argv[1], f, &source, argc > 2 ? strtoull(argv[2], NULL, 10) : 0);
		ktrace_filter_free(f);
	}
	return 0;
}
