// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_import.c - ktrace import: files of another tool as a tracefile
 *
 * A table of formats; each has its own file. The common parts are here: options, the output, which
 * gets its name when it is complete, and the report at the end.
 */
#include "base/table.h"
#include "import/import.h"

#include <errno.h>
#include <linux/ktrace_file.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktrace/tracefile.h>
#include <ktrace/when.h>

#include "base/foreign.h"
#include "base/json.h"
#include "base/when.h"
#include "import/import_machines.h"
#include "import/import_writer.h"
#include "import/input.h"
#include "import/uncompress.h"

static const struct import_format import_chrome = { .name = "chrome", .program = "import-chrome" };
static const struct import_format import_ctf = { .name = "ctf", .program = "import-ctf" };
static const struct import_format import_systrace = {
	.name = "systrace", .program = "import-systrace",
};
static const struct import_format import_trace_dat = {
	.name = "trace-dat", .program = "import-trace-dat",
};
static const struct import_format import_perfetto = {
	.name = "perfetto", .program = "import-perfetto",
};

static const struct import_format *const formats[] = {
	&import_chrome,
	&import_ctf,
	&import_perfetto,
	&import_systrace,
	&import_trace_dat,
	&import_perf,
	&import_shark,
};

#define FORMAT_NR (sizeof(formats) / sizeof(formats[0]))

/* Converter of this program; in ktrace, NULL until it knows the format */
static int (*own_convert)(struct import *x, int nr, char **paths);

static const char *set_format(void *to, const char *name)
{
	const char *names[FORMAT_NR + 1] = { NULL }, *wrong;
	struct import *x = to;
	int i;

	for (i = 0; i < (int)FORMAT_NR; i++)
		names[i] = formats[i]->name;
	i = command_choice("--from", name, names, &wrong);
	if (i < 0)
		return wrong;
	x->format = formats[i];
	return NULL;
}

int import_open(struct import *x, struct import_writer **out)
{
	return import_writer_open(x->writes, x->level, out);
}

int import_close(struct import *x, struct import_writer *f, int ret)
{
	int error, ended = f ? import_writer_end(f, x->path) : 0;

	x->events = f ? import_writer_events(f) : 0;
	x->lost = f ? import_writer_losses(f) : 0;
	error = import_writer_close(f);
	error = ended ? ended : error;
	if (ret < 0 || error)
		return ret < 0 ? ret : error;
	if (!x->skipped)
		return ret;
	complain_about(x->path, "%llu events were left out: their descriptions are too long, or "
		       "too many", (unsigned long long)x->skipped);
	return STATUS_DAMAGED;
}

int import_event(struct import *x, struct import_writer *f, __u32 kind, const char *desc,
		 struct import_writer_event *e)
{
	int ret = import_type(f, kind, desc, &e->type);

	if (ret != -EINVAL && ret != -EOVERFLOW)
		return ret ? ret : import_writer_put(f, e);
	x->skipped++;
	return 0;
}

static int clock_of(struct ktrace_traceset *set, struct import_clock *clock)
{
	const struct ktrace_trace *trace = ktrace_traceset_trace(set, 0);
	const char *boot = ktrace_trace_meta(trace, "host", "boot");
	const char *host = ktrace_trace_meta(trace, "host", "name");
	struct ktrace_clock_info info;

	ktrace_trace_clock(trace, &info);
	if (!boot || !info.zero_ns)
		return 0;
	snprintf(clock->boot, sizeof(clock->boot), "%s", boot);
	snprintf(clock->host, sizeof(clock->host), "%s", host ? host : "");
	clock->real_ns = info.zero_ns;
	return 1;
}

int import_clock(const struct import *x, struct import_clock *clock)
{
	struct ktrace_traceset *set;
	char *path = (char *)x->like;
	int status, ret;

	*clock = (struct import_clock){ .real_ns = x->offset_ns };
	if (!x->like)
		return x->has_offset;
	set = open_files(1, &path, &status);
	if (!set)
		return -ECANCELED;
	ret = clock_of(set, clock);
	ktrace_traceset_close(set);
	if (ret)
		return ret;
	complain_about(x->like, "does not say what boot it is of");
	return -ECANCELED;
}

static void put_file(const struct import *x, struct ktrace_out *out)
{
	struct stat st = { 0 };

	stat(x->path, &st);
	if (x->is_json) {
		ktrace_out_char(out, '{');
		json_str(out, "file", x->path);
		json_u64(out, "events", x->events);
		json_u64(out, "lost", x->lost);
		if (x->skipped)
			json_u64(out, "skipped", x->skipped);
		json_u64(out, "bytes", (__u64)st.st_size);
		if (x->ticks)
			json_u64(out, "ticks_per_ms", x->ticks);
		ktrace_out_char(out, '}');
		return;
	}
	ktrace_out_safe(out, x->path);
	out_printf(out, ": %llu events, ", x->events);
	if (x->lost)
		out_printf(out, "%llu lost, ", x->lost);
	if (x->skipped)
		out_printf(out, "%llu left out, ", x->skipped);
	out_printf(out, "%llu bytes\n", (__u64)st.st_size);
}

static void put_result(struct import *x)
{
	struct ktrace_out *out = output();

	import_machines_sum(x);
	if (!x->machine_nr) {
		put_file(x, out);
	} else if (x->is_json) {
		ktrace_out_char(out, '{');
		json_open(out, "files", '[');
		import_machines_print(x, out, put_file);
		ktrace_out_char(out, ']');
		json_u64(out, "events", x->events);
		json_u64(out, "lost", x->lost);
		ktrace_out_char(out, '}');
	} else {
		import_machines_print(x, out, put_file);
	}
	if (x->is_json)
		ktrace_out_char(out, '\n');
}

static int import(struct import *x, int nr, char **paths)
{
	int ret;

	x->writes = output_name(x->path, nr, paths);
	if (!x->writes)
		return STATUS_DAMAGED;
	x->inputs = paths;
	x->input_nr = nr;
	ret = input_prepare(x, nr, paths);
	if (!ret)
		ret = own_convert(x, nr, paths);
	if (!ret && x->is_damaged)
		ret = STATUS_DAMAGED;
	if (x->machine_nr)
		output_name_skip();
	ret = output_name_end(ret);
	if (ret >= 0)
		put_result(x);
	import_machines_free(x);
	if (ret >= 0)
		return output_end(ret);
	if (ret != -ECANCELED)
		complain_about(x->path, "%s", output_error(ret));
	return STATUS_DAMAGED;
}

static const char *set_ticks(void *to, const char *text)
{
	struct import *x = to;

	return number_parse(text, 1, 0xffffffffu, &x->ticks) ? NULL :
	       "--ticks-per-ms: not a number from 1 to 4294967295";
}

static const char *set_offset(void *to, const char *text)
{
	struct import *x = to;
	struct ktrace_when when;

	if (!ktrace_when_parse(text, &when))
		return "--offset: not a time such as @1700000000.5 or 2026-01-31T12:00";
	x->offset_ns = when.ns;
	x->has_offset = true;
	return NULL;
}

#define MEMBER(member) OPTION_MEMBER(struct import, member)

static const struct option_row rows[] = {
	{ .letter = 'f', .name = "from", .value = "FORMAT", .set = set_format,
	  .help = "format of the files (default: by the content of the\n"
		  "first)\n"
		  "chrome: JSON of Chrome's trace event format\n"
		  "ctf: a folder with traces of CTF 1.8 or 2, as LTTng's\n"
		  "trace-dat: what trace-cmd records\n"
		  "perfetto: packets of traced or ktraced --service\n"
		  "perf: text of perf script or simpleperf, or what perf\n"
		  "record records\n"
		  "systrace: text of the kernel's trace, of trace-cmd\n"
		  "report or atrace, or a page of systrace\n"
		  "shark: chunks of S.Ha.R.K., a file each, compressed or\n"
		  "not" },
	{ .letter = 'o', .name = "output", .value = "FILE", .text = MEMBER(path),
	  .help = "the new file; replaces an old one once it is complete;\n"
		  "of several machines, NAME.HOST.bin for each" },
	{ .name = "like", .value = "FILE", .text = MEMBER(like),
	  .help = "use the clock of this tracefile of the same machine and\n"
		  "boot" },
	{ .name = "offset", .value = "TIME", .set = set_offset,
	  .help = "date of the input clock's 0: @SECONDS since the epoch,\n"
		  "or a date" },
	{ .name = "ticks-per-ms", .value = "N", .set = set_ticks,
	  .help = "shark: ticks of the stamps in a ms, whatever the files\n"
		  "say" },
	{ .name = "raw-ticks", .flag = MEMBER(is_raw),
	  .help = "shark: show ticks as if each were a nanosecond" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ rows, 0 },
	{ output_options, 0 },
	{ compress_options, offsetof(struct import, level) },
	{ json_options, offsetof(struct import, is_json) },
	{ NULL, 0 },
};

static const char *missing(const struct import *x, int nr)
{
	if (!nr)
		return "no file";
	if (!x->path)
		return "-o FILE is missing";
	if (x->ticks && x->is_raw)
		return "--ticks-per-ms and --raw-ticks exclude each other";
	if (x->like && x->has_offset)
		return "--like and --offset exclude each other";
	if ((x->ticks || x->is_raw) && !x->format->has_ticks)
		return "--ticks-per-ms, --raw-ticks: not with this format";
	if ((x->like || x->has_offset) && x->format->has_ticks)
		return "--like, --offset: not with this format";
	return NULL;
}

static const char *format_of_head(struct import *x, const unsigned char *head, size_t nr)
{
	const char *looks = foreign_format(head, nr), *by;
	static char text[96];

	if (looks)
		return set_format(x, looks);
	if (compression_of(head, nr, &by) == COMPRESSION_OTHER) {
		snprintf(text, sizeof(text), "the file is compressed by %s, which ktrace cannot "
			 "unpack: unpack it first", by);
		return text;
	}
	if (nr >= sizeof(KTRACE_FILE_MAGIC) - 1 &&
	    !memcmp(head, KTRACE_FILE_MAGIC, sizeof(KTRACE_FILE_MAGIC) - 1))
		return "the file is a tracefile of ktrace already";
	return "--from FORMAT is missing: the file does not look like any that is known. "
	       "Looked for " FOREIGN_FORMATS;
}

/* Sets the format by the content of the first file. Return: the exit status, -1 = go on. */
static int guess_format(struct import *x, const struct command *cmd, char **path)
{
	static unsigned char head[INPUT_HEAD];
	struct stat st;
	ssize_t nr;

	if (!stat(*path, &st) && S_ISDIR(st.st_mode))
		return command_check(cmd, set_format(x, "ctf"));
	nr = input_head(path, head);
	return nr < 0 ? STATUS_DAMAGED : command_check(cmd, format_of_head(x, head, (size_t)nr));
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct import x = { 0 };
	int status = command_parse(cmd, &x, argc, argv);

	if (status < 0 && !x.format && optind < argc)
		status = guess_format(&x, cmd, &argv[optind]);
	if (status < 0)
		status = command_check(cmd, missing(&x, argc - optind));
	if (status >= 0)
		return status;
	if (x.format->convert)
		own_convert = x.format->convert;
	if (!own_convert)
		return command_program(x.format->program, argv);
	return import(&x, argc - optind, argv + optind);
}

/* The libraries for some formats are not made for malicious files: a crash in them is an error. */
static void on_crash(int number)
{
	static const char text[] = "ktrace import: reading this file crashed, in the library "
				   "for its format or in ktrace: nothing was written\n";

	(void)number;
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	output_drop();
	_exit(STATUS_DAMAGED);
}

static void watch_crashes(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	/* A library that recurses too deeply leaves no room on the thread's stack. */
	static char stack[65536];
	const stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = {
		.sa_handler = on_crash, .sa_flags = SA_RESETHAND | SA_ONSTACK,
	};

	sigaltstack(&other, NULL);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
}

int import_main(int argc, char **argv, int (*convert)(struct import *x, int nr, char **paths))
{
	own_convert = convert;
	watch_crashes();
	return command_run(&cmd_import, argc, argv);
}

const struct command cmd_import = {
	.name = "import",
	.args = "-o OUTPUT [OPTION...] FILE...",
	.summary = "Convert files of another tool to a tracefile",
	.options = sets,
	.run = run,
};
