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
	set = nr ? open_files(nr, paths, &status) : NULL;
	if (set) {
		for (i = 0; (trace = ktrace_traceset_trace(set, i)); i++)
			put_payload_fields(out, trace);
		status = files_status(set, status);
		ktrace_traceset_close(set);
	}
	return output_end(status);
}

static const char *take_option(struct grep *g, int option)
{
	struct event_select *select = &g->printout.scope.select;

	switch (option) {
	case 'e':
		return event_select_add_filter(select, optarg);
	case 'f':
		return event_select_add_filter_file(select, optarg);
	case 'l':
		g->lists = true;
		return NULL;
	default:
		return list_events_option(&g->printout, option);
	}
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
	if (!wrong && argc <= 0)
		wrong = "no file";
	return wrong ? command_usage(cmd, wrong) : list_events_files(&g->printout, argc, argv);
}

static const struct option options[] = {
	LIST_EVENTS_OPTIONS,
	{ "fields", no_argument, NULL, 'l' },
	COMMON_OPTIONS
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct grep g = { .printout.left = ~0ull };
	const char *wrong = NULL;
	int option, status;

	while (!wrong && (option = command_option(argc, argv, "a:ce:f:ln:p:", options)) != -1) {
		if (option == '?' || option >= OPTION_HELP) {
			list_events_free(&g.printout);
			return command_common_option(cmd, option);
		}
		wrong = take_option(&g, option);
	}
	status = wrong ? command_usage(cmd, wrong) : grep(&g, cmd, argc - optind, argv + optind);
	list_events_free(&g.printout);
	return status;
}

const struct command cmd_grep = {
	.name = "grep",
	.args = "[OPTION...] EXPRESSION FILE...",
	.summary = "Print the events for which an expression is true",
	.help =
"  -e, --filter EXPRESSION  the expression; if there are several, all must be\n"
"                     true\n"
"  -f, --filter-file FILE  the same, with what is in FILE; # begins a comment\n"
"  -l, --fields       list the fields that expressions can ask for, also those of\n"
"                     FILEs\n"
"  --since TIME       from TIME on\n"
"  --until TIME       up to TIME, TIME itself not included\n"
"  --event GLOB[,GLOB...]  only events whose provider:name matches\n"
"  -p, --pid N[,N...]  only these processes and threads\n"
"  -a, --alias FILE   names of addresses, a line each: [PID] 0xADDRESS NAME\n"
"  -n, --number N     stop after N events\n"
"  -c, --count        print the number of events only\n"
"  --from-position POSITION, --print-position  see ktrace help list\n"
"  --time rel|wall|raw|delta  rel (default): seconds since the first event\n"
"  --json             one JSON object a line\n"
"  --stacks           behind events the stacks that were recorded with them\n"
"  --symbols, --sysroot DIR, --path-map FROM=TO, --debug-dir DIR, --debuginfod\n"
"                     see ktrace help list\n"
"  -h, --help, --version\n"
"\n"
"EXPRESSION: FIELD OP VALUE, joined by && before ^ (one or the other) before ||,\n"
"with ! and parentheses. OP: == (or =), !=, <, <=, >, >=, ~ (glob: * ? [a-z]).\n"
"FIELD: one of --fields, or a field of the event: prev_tid, field.tid (where tid\n"
"alone is the thread), samples[3]; of an array without index, any element; or\n"
"what the thread was doing once the event had happened: state.process_status, ...\n"
"VALUE: a number, a name, \"text\" with C's escapes, a time. A comparison with a\n"
"field that the event does not have is false, also !=.\n"
"\n"
"  ktrace grep 'state.execution_mode == irq && event ~ sched:*' trace.bin\n"
"  ktrace grep 'event == syscall:exit && ret < 0 && comm ~ \"x*\"' trace.bin\n"
"\n"
"Lines and JSON are those of ktrace list.\n",
	.run = run,
};
