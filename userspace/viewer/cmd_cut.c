// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_cut.c - ktrace cut: part of a tracefile as a new one
 *
 * Losses in the window stay, whatever the conditions; what is left out is no loss.
 */
#include "viewer.h"

#include "json.h"
#include "progress.h"
#include "scope.h"

#include <errno.h>
#include <ktrace/extract.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/**
 * struct cut - one run of the command
 * @scope:	which events
 * @path:	the new file
 * @is_json:	one object
 * @what:	what was asked for, to be written into the file
 * @events:	written
 */
struct cut {
	struct scope scope;
	const char *path;
	bool is_json;
	char what[512];
	__u64 events;
};

/* Appends an option to what was asked for. */
static void note(struct cut *c, const char *name, const char *value)
{
	size_t n = strlen(c->what);

	snprintf(c->what + n, sizeof(c->what) - n, "%s%s %s", n ? " " : "", name, value);
}

/* What is only a part of the part is of no use; but a device is. */
static void remove_output(const char *path)
{
	struct stat st;

	if (!lstat(path, &st) && S_ISREG(st.st_mode))
		unlink(path);
}

static int copy(struct cut *c, struct ktrace_traceset *set)
{
	const struct ktrace_trace_event *e;
	struct ktrace_extract *x;
	int ret = scope_begin(&c->scope, set), error;

	if (!ret)
		ret = ktrace_extract_create(set, c->path, c->what, &x);
	if (ret)
		return ret;
	while ((ret = scope_next(&c->scope, &e)) == 1) {
		c->events += e->id != KTRACE_ID_LOST;
		ret = ktrace_extract_add(x, e);
		if (ret)
			break;
	}
	progress_end();
	error = ktrace_extract_close(x);
	ret = ret ? ret : error;
	if (ret)
		remove_output(c->path);
	return ret;
}

static void put_result(const struct cut *c)
{
	struct ktrace_out *out = output();
	struct stat st = { 0 };

	stat(c->path, &st);
	if (c->is_json) {
		ktrace_out_char(out, '{');
		json_str(out, "file", c->path);
		json_u64(out, "events", c->events);
		json_u64(out, "bytes", (__u64)st.st_size);
		json_key(out, "lost");
		scope_json_lost(out, &c->scope);
		ktrace_out_str(out, "}\n");
		return;
	}
	ktrace_out_safe(out, c->path);
	ktrace_out_str(out, ": ");
	ktrace_out_u64(out, c->events);
	ktrace_out_str(out, " events, ");
	ktrace_out_u64(out, scope_lost(&c->scope));
	ktrace_out_str(out, " lost, ");
	ktrace_out_u64(out, (__u64)st.st_size);
	ktrace_out_str(out, " bytes\n");
}

static int cut_file(struct cut *c, char *path)
{
	struct ktrace_traceset *set;
	int status, ret;

	set = open_files(1, &path, &status);
	if (!set)
		return status;
	ret = copy(c, set);
	if (ret)
		complain_about(c->path, "%s", ret == -EEXIST ? "is the file to be cut" :
			       strerror(-ret));
	else
		put_result(c);
	select_complain(&c->scope.select, set);
	status = output_end(ret ? STATUS_DAMAGED : files_status(set, status));
	ktrace_traceset_close(set);
	return status;
}

static const struct option options[] = {
	SCOPE_OPTIONS,
	{ "output", required_argument, NULL, 'o' },
	{ "json", no_argument, NULL, 'j' },
	COMMON_OPTIONS
};

static const char *take_option(struct cut *c, int option)
{
	static const struct {
		int option;
		const char *name;
	} notes[] = {
		{ OPTION_SINCE, "--since" }, { OPTION_UNTIL, "--until" }, { OPTION_EVENT, "-e" },
		{ 'e', "-e" }, { 'p', "-p" }, { OPTION_FILTER, "--filter" },
		{ OPTION_FILTER_FILE, "--filter-file" },
	};
	size_t i;

	for (i = 0; i < sizeof(notes) / sizeof(notes[0]); i++)
		if (notes[i].option == option)
			note(c, notes[i].name, optarg);
	if (option == 'o')
		c->path = optarg;
	else if (option == 'j')
		c->is_json = true;
	else
		return scope_option(&c->scope, option);
	return NULL;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct cut c = { .scope.keeps_losses = true };
	const char *wrong = NULL;
	int option, status;

	while (!wrong && (option = getopt_long(argc, argv, "e:o:p:", options, NULL)) != -1) {
		if (option == '?' || option >= OPTION_HELP) {
			scope_free(&c.scope);
			return command_common_option(cmd, option);
		}
		wrong = take_option(&c, option);
	}
	if (!wrong && !c.path)
		wrong = "no output: -o FILE";
	if (!wrong && argc - optind != 1)
		wrong = optind == argc ? "no file" : "one file at a time";
	status = wrong ? command_usage(cmd, wrong) : cut_file(&c, argv[optind]);
	scope_free(&c.scope);
	return status;
}

const struct command cmd_cut = {
	.name = "cut",
	.args = "[OPTION...] -o OUTPUT FILE",
	.summary = "Write a part of a tracefile as a new one",
	.help =
"  -o, --output FILE  the new file; replaces what is there\n"
SCOPE_HELP
"  --json             one JSON object\n"
"  --help, --version\n"
"\n"
"The new file has the clocks, streams, event types and names of the old one, and the\n"
"events that were asked for, with their stamps. Losses in the window stay losses; what\n"
"was left out is none. ktrace info shows what was asked for.\n"
"\n"
"JSON members: file, events, bytes, lost (by reason).\n",
	.run = run,
};
