// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_export.c - ktrace export: write events in the format of another tool
 *
 * A table of formats; each has its own file. The common parts are here: options, input files,
 * output file, reports of losses.
 */
#include "export/export.h"

#include <stdio.h>
#include <string.h>

static const struct export_format sqlite = { .name = "sqlite", .program = "export-sqlite" };
static const struct export_format perfetto = {
	.name = "perfetto", .program = "export-perfetto", .takes = EXPORT_APART,
};

static const struct export_format *const formats[] = {
	&export_paje,
	&export_shark,
	&export_shark_text,
	&export_kiwi,
	&export_csv,
	&export_folded,
	&export_ctf,
	&sqlite,
	&export_chrome,
	&perfetto,
};

#define FORMAT_NR (sizeof(formats) / sizeof(formats[0]))

static const char *take_format(struct export *x, const char *name)
{
	const char *names[FORMAT_NR + 1] = { NULL }, *wrong;
	int i;

	for (i = 0; i < (int)FORMAT_NR; i++)
		names[i] = formats[i]->name;
	i = command_choice("--to", name, names, &wrong);
	if (i < 0)
		return wrong;
	x->format = formats[i];
	return NULL;
}

static const char *take_by(struct export *x)
{
	static const char *const names[] = {
		[EXPORT_BY_TIME] = "time", [EXPORT_BY_EVENTS] = "events",
		[EXPORT_BY_LOCKS] = "locks", NULL
	};
	const char *wrong;
	const int i = command_choice("--by", optarg, names, &wrong);

	if (i < 0)
		return wrong;
	x->by = (unsigned int)i;
	return NULL;
}

static const char *take_option(struct export *x, int option)
{
	const char *wrong;

	switch (option) {
	case 't':
		return take_format(x, optarg);
	case 'c':
		x->given |= EXPORT_COLUMNS;
		x->has_columns = true;
		return NULL;
	case 'b':
		x->given |= EXPORT_BY;
		return take_by(x);
	case 'a':
		x->given |= EXPORT_APART;
		x->is_apart = true;
		return NULL;
	case 'o':
		x->path = optarg;
		return NULL;
	default:
		if (symbols_option(&x->where, option, &wrong)) {
			x->given |= EXPORT_SYMBOLS;
			return wrong;
		}
		return time_range_option(&x->scope, option);
	}
}

/* Returns an error if an option does not fit the format; NULL = all do. */
static const char *find_excess(const struct export *x)
{
	const unsigned int excess = x->format ? x->given & ~x->format->takes : 0;

	return excess & EXPORT_COLUMNS ? "--columns: not with this format" :
	       excess & EXPORT_BY ? "--by: not with this format" :
	       excess & EXPORT_APART ? "--apart: not with this format" :
	       excess ? "--symbols and the like: not with this format" : NULL;
}

static int write_files(struct export *x, const struct command *cmd, int nr, char **paths)
{
	int status, ret;

	x->set = open_files(nr, paths, &status);
	if (!x->set)
		return status;
	if (x->format->is_single && ktrace_traceset_trace(x->set, 1)) {
		ktrace_traceset_close(x->set);
		return command_usage(cmd, "one file at a time, or parts of one recording");
	}
	if (x->path && !x->format->is_folder && output_to(x->path, nr, paths)) {
		ktrace_traceset_close(x->set);
		return STATUS_DAMAGED;
	}
	ret = x->format->write(x);
	if (ret) {
		if (ret != EXPORT_SAID)
			complain_about(x->path && strcmp(x->path, "-") ? x->path :
				       "standard output", "%s", output_error(ret));
		output_void();
	} else {
		time_range_complain(&x->scope);
	}
	status = ret ? STATUS_DAMAGED : files_status(x->set, status);
	ktrace_traceset_close(x->set);
	status = output_end(status);
	time_range_warn_lost(&x->scope);
	return status;
}

static int export(struct export *x, const struct command *cmd, int nr, char **paths)
{
	if (!x->format)
		return command_usage(cmd, "--to FORMAT is missing");
	if (!nr)
		return command_usage(cmd, "no file");
	if (x->format->is_folder && (!x->path || !strcmp(x->path, "-")))
		return command_usage(cmd, "-o FOLDER is missing");
	return write_files(x, cmd, nr, paths);
}

static const struct option options[] = {
	TIME_RANGE_OPTIONS,
	{ "to", required_argument, NULL, 't' },
	{ "columns", no_argument, NULL, 'c' },
	{ "by", required_argument, NULL, 'b' },
	{ "apart", no_argument, NULL, 'a' },
	SYMBOLS_OPTIONS,
	OUTPUT_OPTIONS,
	COMMON_OPTIONS
};

/* @own: the only format of this program; NULL = all formats without a program of their own */
static int take_options(struct export *x, const struct export_format *own, int argc, char **argv)
{
	const struct command *cmd = &cmd_export;
	const char *wrong = NULL;
	int option;

	while (!wrong && (option = command_option(argc, argv, "e:o:p:t:", options)) != -1) {
		if (option == '?' || option >= OPTION_HELP)
			return command_common_option(cmd, option);
		wrong = take_option(x, option);
	}
	if (own)
		x->format = own;
	wrong = wrong ? wrong : find_excess(x);
	wrong = wrong ? wrong : time_range_wrong(&x->scope);
	if (wrong)
		return command_usage(cmd, wrong);
	if (x->format && !x->format->write)
		return command_program(x->format->program, argv);
	return export(x, cmd, argc - optind, argv + optind);
}

int export_main(const struct export_format *own, int argc, char **argv)
{
	static struct export x;
	int status = take_options(&x, own, argc, argv);

	time_range_free(&x.scope);
	return status;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	(void)cmd;
	return export_main(NULL, argc, argv);
}

const struct command cmd_export = {
	.name = "export",
	.args = "--to FORMAT [OPTION...] FILE...",
	.summary = "Write events in the format of another tool",
	.help =
"  -t, --to FORMAT    paje: what ktraced --pthread has recorded, as states of\n"
"                     threads and objects, calls, links and variables, for Paje,\n"
"                     pajeng and ViTE\n"
"                     shark: events log:event, 16 bytes each, as S.Ha.R.K. writes\n"
"                     chunks\n"
"                     shark-text: the same as lines of its converter\n"
"                     kiwi: the same as lines of a viewer of time lines\n"
"                     csv: a line an event, for spreadsheets and data frames\n"
"                     sqlite: events, threads and their states as a database\n"
"                     folded: where time goes, as stacks for flame graphs\n"
"                     ctf: a folder of the Common Trace Format 1.8, for\n"
"                     babeltrace2 and Trace Compass\n"
"                     chrome: JSON for chrome://tracing, Perfetto and speedscope\n"
"                     perfetto: packets for Perfetto\n"
"  -o, --output FILE  write into FILE, - for standard output (default); ctf: a\n"
"                     new or empty folder\n"
OUTPUT_HELP
"  --by time|events|locks  folded: what numbers are (default: time)\n"
"  --columns          csv: a column for each field, not one of JSON for all\n"
"  --apart            perfetto: for a place among packets of others\n"
TIME_RANGE_HELP
SYMBOLS_HELP
"                     folded only\n"
"  -h, --help, --version\n"
"\n"
"paje: times are seconds since the first event of the files. They are read from\n"
"their beginning, twice: what is known where the window begins is written for its\n"
"first event, and what lasts at its end ends there. -e and --filter choose among\n"
"the events of calls; states, links and variables follow from all of them. -p\n"
"chooses processes and threads; objects are their process's. What was lost is\n"
"said; states are unknown behind it.\n"
"\n"
"shark: in the order of ktrace list, with their stamps. What is not from\n"
"TRACER_LOGEVENT is left out, and how many that are is said. ktrace import --from\n"
"shark reads it. shark and shark-text take the files of one recording only.\n"
"\n"
"shark-text: CODE TSC ARGS. Codes: 0 start (context, ticks of a ms), 1 stop, 2\n"
"and 3 interrupt or wake-up of a timer, begin (number; 0 for a timer) and end, 4\n"
"switch (context), 5 task (context, pid), 6 activate, 7 end, 8 end of cycle\n"
"(context), 9 id (context, pid), 10 ticks of a ms, 16 server active (server), 20\n"
"deadline miss, 21 WCET violation (context); of an ipoint its number, and nothing\n"
"behind the stamp. All others are left out.\n"
"\n"
"kiwi: a line start with colours of tasks, then TIME EVENT ARG1 ARG2 ARG3: us\n"
"since the first event of the files, name, par1, par2, thread.\n"
"\n"
"csv: RFC 4180, UTF-8, the events of ktrace list, losses among them, whatever is\n"
"asked for. Columns: time (seconds since the epoch), ns (since the first event),\n"
"trace, stream, cpu, pid, tid, comm, event, flags (separated by blanks), fields\n"
"(JSON), bytes (hexadecimal, of what is not described), context (JSON); as in\n"
"ktrace list --json, and empty where that has no member. With --columns all\n"
"fields that events of -e can have follow as columns field_NAME; text is as it\n"
"is, all else as in JSON without quotes. The column fields then has what has no\n"
"column.\n"
"\n"
"sqlite: needs -o. Views: events, states (of threads), losses, and one a type of\n"
"events, named like it: SELECT * FROM \"sched:switch\" WHERE ns < 1e9. ns is since\n"
"the first event.\n"
"\n"
"folded: lines of frames, outermost first, separated by semicolons, a blank, ns.\n"
"Needs events of family sched; those of syscall and irq tell more. Frames:\n"
"process (PID), thread (TID), run, wait:WHY, wait-cpu:woken or :preempted,\n"
"unknown or another status; when it ran, user or what else it did, such as\n"
"syscall:read and irq:timer on top of it; when it did not, the call it was in,\n"
"and the stacks that sched:switch has recorded (ktraced --context). Idle CPUs are\n"
"left out. The files are read from their beginning; -e and --filter have no\n"
"meaning. With --by events the numbers are events, and the lines those of ktrace\n"
"stacks. With --by locks they are ns that threads waited: for objects of ktraced\n"
"--pthread, and by lock:contended for locks of the kernel. Frames: process,\n"
"thread, kind and address, and the calling function or stacks of lock:contended.\n"
"\n"
"ctf: the events of ktrace list in its order, with a stream for each ring.\n"
"Documentation/formats.md says what becomes of names, losses and the rest.\n"
"\n"
"chrome: slices of CPUs of sched:switch, arrows of sched:wakeup; bars of what\n"
"begins and ends, by the names of events, of threads and interrupts; all else as\n"
"instants. Times are us since the first event; integers above 2^53 are text.\n"
"\n"
"perfetto: scheduling, system calls, interrupts and power as events of the\n"
"kernel's tracer by CPU, all others as events of tracks: bars and instants as\n"
"with chrome. Times are ns since the epoch.\n",
	.run = run,
};
