// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_seq.c - ktrace seq: when files begin, so that they can be put in order
 *
 * Each file is read by itself, so that parts have times of their own. Of several hosts all files
 * together tell the times.
 */
#include "base/viewer.h"

#include "base/clocks.h"
#include "base/hosts.h"
#include "base/json.h"
#include "base/when.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/**
 * struct seq - what is printed
 * @is_json:	as JSON
 * @all:	all files, with corrected times; NULL = all are of one host
 */
struct seq {
	bool is_json;
	struct ktrace_traceset *all;
};

/* struct begin - a file's first event: whether there is one, its stamp, time and error */
struct begin {
	bool is_any;
	__u64 raw;
	__u64 time;
	struct time_error error;
};

/* Finds the first event that is not a loss. Return: 1, 0 = none, -errno. */
static int first_event(struct ktrace_traceset *set, struct ktrace_trace_event *e)
{
	int ret;

	do
		ret = ktrace_traceset_next(set, e);
	while (ret == 1 && e->id == KTRACE_ID_LOST);
	return ret;
}

/* Returns the trace in the set of all files that has this one, NULL. */
static const struct ktrace_trace *find_trace(const struct seq *seq, const char *path)
{
	const struct ktrace_trace *trace;
	struct ktrace_part part;
	size_t i, k;

	for (i = 0; seq->all && (trace = ktrace_traceset_trace(seq->all, i)); i++)
		for (k = 0; ktrace_trace_part(trace, k, &part); k++)
			if (!strcmp(part.path, path))
				return trace;
	return NULL;
}

static struct begin begin_of(const struct seq *seq, const char *path,
			     const struct ktrace_trace_event *e)
{
	const struct ktrace_trace *trace = find_trace(seq, path);
	struct begin begin = { .is_any = true, .raw = e->raw, .time = e->time };

	if (!trace)
		return begin;
	begin.time = ktrace_trace_time(trace, e->raw);
	begin.error = time_error_of(trace, e->raw);
	return begin;
}

static void put_text(struct ktrace_out *out, const struct seq *seq, const struct ktrace_part *file,
		     const struct begin *begin)
{
	output_line_begin(out);
	if (begin->is_any)
		out_seconds(out, begin->time, 0);
	else
		ktrace_out_char(out, '-');
	ktrace_out_char(out, ' ');
	ktrace_out_safe(out, file->path);
	if (begin->is_any && seq->all &&
	    (!begin->error.is_known || time_error_larger(&begin->error))) {
		ktrace_out_char(out, ' ');
		out_time_error(out, &begin->error);
	}
	ktrace_out_char(out, '\n');
}

static void put_json(struct ktrace_out *out, const struct seq *seq, const struct ktrace_part *file,
		     const struct begin *begin)
{
	output_line_begin(out);
	ktrace_out_char(out, '{');
	json_str(out, "file", file->path);
	if (file->number)
		json_u64(out, "part", file->number);
	if (begin->is_any) {
		json_seconds(out, "time", begin->time);
		json_u64(out, "raw", begin->raw);
		if (seq->all)
			json_time_error(out, &begin->error);
	}
	ktrace_out_str(out, "}\n");
}

/* Shows one file by itself; @path is a file, or the name from which parts get theirs. */
static int show_file(const struct seq *seq, char *path)
{
	struct begin begin = { 0 };
	struct ktrace_trace_event e;
	struct ktrace_part file;
	int status, ret;
	struct ktrace_traceset *set = open_files(1, &path, &status);

	if (!set)
		return status;
	ret = first_event(set, &e);
	if (ret < 0)
		fprintf(stderr, "ktrace: %s\n", strerror(-ret));
	if (ret >= 0 && ktrace_trace_part(ktrace_traceset_trace(set, 0), 0, &file)) {
		if (ret)
			begin = begin_of(seq, file.path, &e);
		(seq->is_json ? put_json : put_text)(output(), seq, &file, &begin);
	}
	status = files_status(set, ret < 0 ? STATUS_DAMAGED : status);
	ktrace_traceset_close(set);
	return status;
}

/*
 * Opens all files together, and keeps them open if they are of several hosts. What is wrong with
 * them is reported when each is read.
 */
static int open_all(struct seq *seq, int nr, char **paths)
{
	const struct ktrace_traceset_options opts = { .size = sizeof(opts) };
	char **list = files_expand(nr, paths, &nr);
	int ret = list ? ktrace_traceset_open(&opts, &seq->all) : -ENOMEM, i;

	for (i = 0; !ret && i < nr; i++)
		if (ktrace_traceset_add(seq->all, list[i]) == -ENOMEM)
			ret = -ENOMEM;
	files_free(list);
	if (!ret && hosts_count(seq->all) > 1 && !clocks_are_own())
		return clocks_correct(seq->all, false);
	ktrace_traceset_close(seq->all);
	seq->all = NULL;
	return ret;
}

static const struct option_set sets[] = {
	{ json_options, offsetof(struct seq, is_json) },
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct seq seq = { 0 };
	int status = command_parse(cmd, &seq, argc, argv), one;

	if (status >= 0)
		return status;
	one = open_all(&seq, argc - optind, argv + optind);
	if (one)
		fprintf(stderr, "ktrace: %s\n", strerror(-one));
	for (status = one ? STATUS_DAMAGED : STATUS_OK; optind < argc; optind++) {
		one = show_file(&seq, argv[optind]);
		status = one ? one : status;
	}
	ktrace_traceset_close(seq.all);
	return output_end(status);
}

const struct command cmd_seq = {
	.name = "seq",
	.args = "[OPTION...] FILE...",
	.summary = "Print when each file begins, to put parts in order",
	.options = sets,
	.needs_files = true,
	.lacks_store = true,
	.run = run,
};
