// SPDX-License-Identifier: GPL-2.0
/* cmd_seq.c - ktrace seq: when files begin, so that they can be put in order */
#include "base/viewer.h"

#include "base/json.h"
#include "base/when.h"

#include <stdio.h>
#include <string.h>

/* Finds the first event that is not a loss. Return: 1, 0 = none, -errno. */
static int first_event(struct ktrace_traceset *set, struct ktrace_trace_event *e)
{
	int ret;

	do
		ret = ktrace_traceset_next(set, e);
	while (ret == 1 && e->id == KTRACE_ID_LOST);
	return ret;
}

static void put_text(struct ktrace_out *out, const struct ktrace_part *file,
		     const struct ktrace_trace_event *e)
{
	output_line_begin(out);
	if (e)
		out_seconds(out, e->time, 0);
	else
		ktrace_out_char(out, '-');
	ktrace_out_char(out, ' ');
	ktrace_out_safe(out, file->path);
	ktrace_out_char(out, '\n');
}

static void put_json(struct ktrace_out *out, const struct ktrace_part *file,
		     const struct ktrace_trace_event *e)
{
	output_line_begin(out);
	ktrace_out_char(out, '{');
	json_str(out, "file", file->path);
	if (file->number)
		json_u64(out, "part", file->number);
	if (e) {
		json_seconds(out, "time", e->time);
		json_u64(out, "raw", e->raw);
	}
	ktrace_out_str(out, "}\n");
}

/* Shows one file by itself; @path is a file, or the name from which parts get theirs. */
static int show_file(char *path, bool is_json)
{
	struct ktrace_trace_event e;
	struct ktrace_part file;
	int status, ret;
	struct ktrace_traceset *set = open_files(1, &path, &status);

	if (!set)
		return status;
	ret = first_event(set, &e);
	if (ret < 0)
		fprintf(stderr, "ktrace: %s\n", strerror(-ret));
	else if (ktrace_trace_part(ktrace_traceset_trace(set, 0), 0, &file))
		(is_json ? put_json : put_text)(output(), &file, ret ? &e : NULL);
	status = files_status(set, ret < 0 ? STATUS_DAMAGED : status);
	ktrace_traceset_close(set);
	return status;
}

static const struct option_set sets[] = {
	{ json_options, 0 },
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	bool is_json = false;
	int status = command_parse(cmd, &is_json, argc, argv), one;

	if (status >= 0)
		return status;
	for (status = STATUS_OK; optind < argc; optind++) {
		one = show_file(argv[optind], is_json);
		status = one ? one : status;
	}
	return output_end(status);
}

const struct command cmd_seq = {
	.name = "seq",
	.args = "[OPTION...] FILE...",
	.summary = "Print when each file begins, to put parts in order",
	.options = sets,
	.needs_files = true,
	.run = run,
};
