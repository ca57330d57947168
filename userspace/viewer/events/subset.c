// SPDX-License-Identifier: GPL-2.0
/*
 * subset.c - writes selected events to a new tracefile
 *
 * Lost events in the window are always kept, whatever the conditions; events left out do not count
 * as lost.
 */
#include "subset.h"

#include "base/json.h"
#include "base/progress.h"
#include "base/replaced_file.h"
#include "base/table.h"

#include <errno.h>
#include <getopt.h>
#include <ktrace/extract.h>
#include <ktrace/tracefile.h>
#include <string.h>
#include <sys/stat.h>

const struct option_row subset_options[] = {
	{ .letter = 'o', .name = "output", .value = "FILE",
	  .text = OPTION_MEMBER(struct subset, path),
	  .help = "the new file; replaces an old one" },
	{ .name = "json", .flag = OPTION_MEMBER(struct subset, is_json),
	  .help = "report as one JSON object" },
	{ .help = NULL },
};

int subset_write(struct subset *x, struct ktrace_traceset *set, const char *path)
{
	const struct ktrace_trace_event *e;
	struct ktrace_extract *file;
	int ret = time_range_begin(&x->scope, set), error;

	if (!ret)
		ret = ktrace_extract_create(set, path, x->what, &file);
	if (ret)
		return ret;
	ktrace_extract_compress(file, x->level);
	while ((ret = time_range_next(&x->scope, &e)) == 1) {
		x->events += e->id != KTRACE_ID_LOST;
		ret = ktrace_extract_add(file, e);
		if (ret)
			break;
	}
	progress_end();
	error = ktrace_extract_close(file);
	return ret ? ret : error;
}

static void put_result(const struct subset *x)
{
	struct ktrace_out *out = output();
	struct stat st = { 0 };

	stat(x->path, &st);
	if (x->is_json) {
		ktrace_out_char(out, '{');
		json_str(out, "file", x->path);
		json_u64(out, "events", x->events);
		json_u64(out, "bytes", (__u64)st.st_size);
		lost_events_json(out, x->scope.lost);
		ktrace_out_str(out, "}\n");
		return;
	}
	ktrace_out_safe(out, x->path);
	out_printf(out, ": %llu events, %llu lost, %llu bytes\n", x->events,
		   lost_total(x->scope.lost), (__u64)st.st_size);
}

static const char *reason(int error)
{
	if (error == -EXDEV)
		return "cannot have events of several boots: a tracefile has one host and one "
		       "clock; name the files together where you read them";
	if (error == -EOVERFLOW)
		return "too many types of user events";
	return output_error(error);
}

int subset_files(struct subset *x, int nr, char **paths)
{
	struct ktrace_traceset *set;
	struct stat there;
	const char *writes;
	int status, ret;
	bool is_fit;

	set = open_files(nr, paths, &status);
	if (!set)
		return status;
	if (x->single && ktrace_traceset_trace(set, 1)) {
		ktrace_traceset_close(set);
		return command_usage(x->single, "one file at a time, or parts of one recording");
	}
	is_fit = stat(x->path, &there) || is_fit_for_trace(&there);
	if (!is_fit)
		complain_about(x->path, "the trace must go to a regular file or /dev/null");
	writes = is_fit ? output_name(x->path, nr, paths) : NULL;
	if (!writes) {
		ktrace_traceset_close(set);
		return STATUS_DAMAGED;
	}
	ret = output_name_end(subset_write(x, set, writes));
	if (ret)
		complain_about(x->path, "%s", reason(ret));
	else
		put_result(x);
	time_range_complain(&x->scope);
	status = output_end(ret ? STATUS_DAMAGED : files_status(set, status));
	ktrace_traceset_close(set);
	return status;
}
