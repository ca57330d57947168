// SPDX-License-Identifier: GPL-2.0
/* clocks.c - corrects the times of several hosts when their files are opened */
#include "clocks.h"

#include "clocks_cache.h"
#include "hosts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum clocks clocks;
/* of CLOCKS_FILE */
static const char *clocks_file;

static const char *set_clocks(void *to, const char *text)
{
	static const char *const names[] = {
		[CLOCKS_MESSAGES] = "messages", [CLOCKS_TIES] = "ties", [CLOCKS_OWN] = "own", NULL
	};
	const char *wrong;
	const int i = command_choice("--clocks", text, names, &wrong);

	(void)to;
	if (i < 0 && !strchr(text, '/') && access(text, F_OK))
		return wrong;
	clocks = i < 0 ? CLOCKS_FILE : (enum clocks)i;
	clocks_file = text;
	return NULL;
}

const struct option_row clocks_options[] = {
	{ .name = "clocks", .value = "messages|ties|own|FILE", .set = set_clocks,
	  .help = "of several hosts: times by one clock, from messages and\n"
		  "ties (default), from ties only, by each host's own, or\n"
		  "as in a file of 'ktrace sync -o'" },
	{ .help = NULL },
};

void clocks_leave(void)
{
	clocks = CLOCKS_OWN;
}

bool clocks_are_own(void)
{
	return clocks == CLOCKS_OWN;
}

/* Reports why the file does not fit. */
static void complain_file(const struct ktrace_traceset *set, int error, __u64 place)
{
	const struct ktrace_trace *trace = ktrace_traceset_trace(set, place);
	const char *path = trace ? ktrace_trace_path(trace) : "";

	if (error == -EBADMSG)
		complain_about(clocks_file, "line %llu: damaged, or no file of 'ktrace sync -o'",
			       place);
	else if (error == -EPROTONOSUPPORT)
		complain_about(clocks_file, "from a newer ktrace, whose format this one does not "
			       "know");
	else if (error == -ENOENT)
		complain_about(path, "--clocks: '%s' is not about this file: name it in 'ktrace "
			       "sync -o'", clocks_file);
	else if (error == -ESTALE)
		complain_about(path, "--clocks: the file has changed or grown since '%s' was made: "
			       "make that again with 'ktrace sync -o'", clocks_file);
	else
		complain_about(clocks_file, "%s", strerror(-error));
}

/* Corrects a set by the file of --clocks, and reports errors. Returns 0, -errno. */
static int correct_by_file(struct ktrace_traceset *set)
{
	size_t size;
	char *text = clocks_file_read(clocks_file, &size);
	__u64 place;
	int ret;

	if (!text) {
		complain_about(clocks_file, "%s", strerror(errno));
		return -EINVAL;
	}
	ret = ktrace_sync_restore(set, NULL, text, size, &place);
	free(text);
	if (ret)
		complain_file(set, ret, place);
	return ret;
}

int clocks_correct(struct ktrace_traceset *set, bool is_live)
{
	const struct ktrace_sync_options opts = {
		.size = sizeof(opts), .without_messages = is_live || clocks == CLOCKS_TIES,
	};
	struct ktrace_sync *sync;
	int ret;

	if (clocks == CLOCKS_FILE)
		return correct_by_file(set);
	if (clocks == CLOCKS_OWN || hosts_count(set) < 2 || clocks_cache_restore(set, &opts))
		return 0;
	ret = ktrace_sync_traceset(set, &opts, &sync);
	if (ret) {
		fprintf(stderr, "ktrace: %s\n", strerror(-ret));
		return ret;
	}
	clocks_cache_save(sync, set, &opts);
	ktrace_sync_close(sync);
	return 0;
}
