// SPDX-License-Identifier: GPL-2.0
/* cmd_grep.c - ktrace grep: the events for which an expression is true */
#include "base/viewer.h"

#include "events/list_events.h"

#include <stdio.h>

/**
 * struct grep - one run of the command
 * @printout:	how events are selected and printed
 * @lists:	print fields instead of events
 */
struct grep {
	struct list_events printout;
	bool lists;
};

static void put_field(struct ktrace_out *out, const char *prefix, const char *name,
		      const char *what)
{
	size_t from;

	output_line_begin(out);
	from = out->len;
	ktrace_out_str(out, prefix);
	ktrace_out_str(out, name);
	ktrace_out_pad(out, from, 24);
	ktrace_out_char(out, ' ');
	ktrace_out_str(out, what);
	ktrace_out_char(out, '\n');
}

static void put_payload_fields(struct ktrace_out *out, const struct ktrace_trace *trace)
{
	const struct ktrace_event_type *type;
	__u32 kind, id, i;

	for (kind = KTRACE_CHANNEL_KERNEL; kind <= KTRACE_CHANNEL_USER; kind++)
		for (id = 0; id < ktrace_trace_types(trace, kind); id++) {
			type = ktrace_trace_type(trace, kind, id);
			for (i = 0; type && i < type->field_nr; i++)
				put_field(out, "field.", type->fields[i].name, type->full_name);
		}
}

/* Prints the fields for expressions: those of all events, then of the files' event types. */
static int put_fields(int nr, char **paths)
{
	const struct ktrace_filter_field *fields;
	struct ktrace_filter_source state;
	struct ktrace_out *out = output();
	const struct ktrace_trace *trace;
	struct ktrace_traceset *set;
	int status = STATUS_OK;
	__u32 i, field_nr;

	fields = ktrace_filter_fields(&field_nr);
	for (i = 0; i < field_nr; i++)
		put_field(out, "", fields[i].name, fields[i].help);
	ktrace_state_source(NULL, &state);
	for (i = 0; i < state.field_nr; i++)
		put_field(out, "", state.fields[i].name, state.fields[i].help);
	set = has_files(nr) ? open_files(nr, paths, &status) : NULL;
	if (set) {
		for (i = 0; (trace = ktrace_traceset_trace(set, i)); i++)
			put_payload_fields(out, trace);
		status = files_status(set, status);
		ktrace_traceset_close(set);
	}
	return output_end(status);
}

/* Takes the first operand as the expression if no option has given one. */
static int grep(struct grep *g, const struct command *cmd, int argc, char **argv)
{
	struct event_select *select = &g->printout.scope.select;
	const char *wrong = NULL;

	if (g->lists)
		return put_fields(argc, argv);
	if (!select->filter_nr) {
		wrong = argc ? event_select_add_filter(select, *argv) : "no expression";
		argc--;
		argv++;
	}
	if (!wrong)
		wrong = time_range_wrong(&g->printout.scope);
	if (!wrong && !has_files(argc))
		wrong = "no file";
	return wrong ? command_usage(cmd, wrong) : list_events_files(&g->printout, argc, argv);
}

static const struct option_row rows[] = {
	{ .letter = 'l', .name = "fields", .flag = OPTION_MEMBER(struct grep, lists),
	  .help = "list the fields that expressions can use, with those of\n"
		  "FILEs" },
	{ .help = NULL },
};

/* As those of other commands, but for the letters */
static const struct option_row select_rows[] = {
	{ .letter = 'e', .name = "filter", .value = "EXPRESSION", .set = event_select_add_filter,
	  .help = "the expression; of several, all must be true" },
	{ .letter = 'f', .name = "filter-file", .value = "FILE",
	  .set = event_select_add_filter_file,
	  .help = "the same, read from FILE; # begins a comment" },
	{ .name = "events", .value = "GLOB[,GLOB...]", .set = event_select_add_globs,
	  .help = "only events whose provider:name matches" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ select_rows, offsetof(struct grep, printout.scope.select) },
	{ rows, 0 },
	{ since_options, offsetof(struct grep, printout.scope.since) },
	{ until_options, offsetof(struct grep, printout.scope.until) },
	{ pid_options, offsetof(struct grep, printout.scope.select) },
	LIST_EVENTS_SETS(offsetof(struct grep, printout)),
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct grep g = { .printout.left = ~0ull };
	int status = command_parse(cmd, &g, argc, argv);

	if (status < 0)
		status = grep(&g, cmd, argc - optind, argv + optind);
	list_events_free(&g.printout);
	return status;
}

const struct command cmd_grep = {
	.name = "grep",
	.args = "[OPTION...] EXPRESSION FILE...",
	.summary = "Print the events for which an expression is true",
	.options = sets,
	.reads_files = true,
	.run = run,
};
