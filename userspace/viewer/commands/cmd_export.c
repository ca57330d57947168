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

static const char *set_format(void *to, const char *name)
{
	const char *names[FORMAT_NR + 1] = { NULL }, *wrong;
	struct export *x = to;
	int i;

	for (i = 0; i < (int)FORMAT_NR; i++)
		names[i] = formats[i]->name;
	i = command_choice("--to", name, names, &wrong);
	if (i < 0)
		return wrong;
	x->format = formats[i];
	return NULL;
}

static const char *set_by(void *to, const char *text)
{
	static const char *const names[] = {
		[EXPORT_BY_TIME] = "time", [EXPORT_BY_EVENTS] = "events",
		[EXPORT_BY_LOCKS] = "locks", NULL
	};
	struct export *x = to;
	const char *wrong;
	const int i = command_choice("--by", text, names, &wrong);

	if (i < 0)
		return wrong;
	x->has_by = true;
	x->by = (enum export_by)i;
	return NULL;
}

/* Returns an error if an option does not fit the format; NULL = all do. */
static const char *find_excess(const struct export *x)
{
	const unsigned int takes = x->format ? x->format->takes : ~0u;

	return x->has_columns && !(takes & EXPORT_COLUMNS) ? "--columns: not with this format" :
	       x->has_by && !(takes & EXPORT_BY) ? "--by: not with this format" :
	       x->is_apart && !(takes & EXPORT_APART) ? "--apart: not with this format" :
	       x->where.is_wanted && !(takes & EXPORT_SYMBOLS) ?
	       "--symbols and the like: not with this format" : NULL;
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
	if (!has_files(nr))
		return command_usage(cmd, "no file");
	if (x->format->is_folder && (!x->path || !strcmp(x->path, "-")))
		return command_usage(cmd, "-o FOLDER is missing");
	return write_files(x, cmd, nr, paths);
}

#define MEMBER(member) OPTION_MEMBER(struct export, member)

static const struct option_row rows[] = {
	{ .letter = 't', .name = "to", .value = "FORMAT", .set = set_format,
	  .help = "paje: states, calls and links of threads and objects\n"
		  "that ktraced --pthread recorded, for Paje, pajeng, ViTE\n"
		  "shark: events log:event of 16 bytes, as S.Ha.R.K.\n"
		  "writes chunks\n"
		  "shark-text: the same as lines of its converter\n"
		  "kiwi: the same as lines of the Kiwi viewer\n"
		  "csv: a line an event, for spreadsheets and data frames\n"
		  "sqlite: events, threads and their states as a database\n"
		  "folded: stacks and the time in them, for flame graphs;\n"
		  "the only format with --symbols and the like\n"
		  "ctf: a folder in the Common Trace Format 1.8, for\n"
		  "babeltrace2 and Trace Compass\n"
		  "chrome: JSON for chrome://tracing, Perfetto, speedscope\n"
		  "perfetto: packets for Perfetto" },
	{ .letter = 'o', .name = "output", .value = "FILE", .text = MEMBER(path),
	  .help = "write into FILE, - for standard output (default);\n"
		  "required by sqlite, and by ctf: a new or empty folder" },
	{ .name = "by", .value = "time|events|locks", .set = set_by,
	  .help = "folded: what the numbers count (default: time)" },
	{ .name = "columns", .flag = MEMBER(has_columns),
	  .help = "csv: a column for each field, not one of JSON for all" },
	{ .name = "apart", .flag = MEMBER(is_apart),
	  .help = "perfetto: packets to be mixed with those of others" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ rows, 0 },
	{ output_options, 0 },
	TIME_RANGE_SETS(offsetof(struct export, scope)),
	{ symbols_options, offsetof(struct export, where) },
	{ NULL, 0 },
};

/* @own: the only format of this program; NULL = all formats without a program of their own */
static int run_export(struct export *x, const struct export_format *own, int argc, char **argv)
{
	const struct command *cmd = &cmd_export;
	int status = command_parse(cmd, x, argc, argv);

	if (own)
		x->format = own;
	if (status < 0)
		status = command_check(cmd, find_excess(x));
	if (status < 0)
		status = command_check(cmd, time_range_wrong(&x->scope));
	if (status >= 0)
		return status;
	if (x->format && !x->format->write)
		return command_program(x->format->program, argv);
	return export(x, cmd, argc - optind, argv + optind);
}

int export_main(const struct export_format *own, int argc, char **argv)
{
	static struct export x;
	int status = run_export(&x, own, argc, argv);

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
	.options = sets,
	.reads_files = true,
	.run = run,
};
