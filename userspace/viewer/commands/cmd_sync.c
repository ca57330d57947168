// SPDX-License-Identifier: GPL-2.0
/* cmd_sync.c - ktrace sync: how the clocks of several hosts differ, and how sure that is */
#include "sync_show.h"

#include "base/clocks.h"
#include "base/clocks_cache.h"
#include "base/hosts.h"
#include "base/store_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void on_message(void *arg, const struct ktrace_message *m)
{
	struct sync_run *r = arg;
	const __u32 from = ktrace_sync_host_of(r->sync, ktrace_trace_index(m->from.trace));
	const __u32 to = ktrace_sync_host_of(r->sync, ktrace_trace_index(m->to.trace));
	const bool is_there = from < to;
	struct trips *t = &r->trips[(is_there ? from : to) * r->host_nr + (is_there ? to : from)];

	if (m->kind == KTRACE_MESSAGE_BROADCAST || m->is_retransmitted)
		return;
	if (m->to.time < m->from.time)
		t->inverted++;
	else if (histogram_add(is_there ? &t->there : &t->back, m->to.time - m->from.time))
		r->error = -ENOMEM;
}

/* Reads all again, by the corrected times, and measures each message. Returns 0, -ENOMEM. */
static int evaluate(struct sync_run *r)
{
	struct ktrace_messages *messages = NULL;
	struct ktrace_trace_event e;
	struct ktrace_sync_host h;
	int ret;

	while (ktrace_sync_host(r->sync, r->host_nr, &h))
		r->host_nr++;
	r->trips = calloc((size_t)r->host_nr * r->host_nr, sizeof(*r->trips));
	ret = r->trips ? ktrace_messages_open(r->set, &messages) : -ENOMEM;
	while (!ret && !r->error && (ret = ktrace_traceset_next(r->set, &e)) == 1)
		ret = ktrace_messages_add(messages, &e, on_message, r);
	if (!ret)
		ktrace_messages_end(messages, on_message, r);
	ktrace_messages_close(messages);
	return ret ? ret : r->error;
}

static void complain_growing(const struct sync_run *r)
{
	const struct ktrace_trace *trace;
	size_t i;

	for (i = 0; (trace = ktrace_traceset_trace(r->set, i)); i++)
		if (!ktrace_trace_is_closed(trace))
			complain_about(ktrace_trace_path(trace), "not closed: once it has grown, "
				       "'%s' no longer fits", r->path);
}

/* Writes what was found to a file. Returns 0, -errno, as already reported. */
static int save(const struct sync_run *r, int nr, char **inputs)
{
	const char *name = output_name(r->path, nr, inputs);
	const int fd = name ? open(name, O_WRONLY | O_CLOEXEC) : -1;
	int ret = !name ? -EINVAL : fd < 0 ? -errno : output_room(fd, 0);

	if (!name)
		return ret;
	if (!ret)
		ret = ktrace_sync_save(r->sync, r->set, fd);
	if (fd >= 0 && close(fd) && !ret)
		ret = -errno;
	ret = output_name_end(ret);
	if (!ret)
		complain_growing(r);
	else
		complain_about(r->path, "%s", output_error(ret));
	return ret;
}

static int complain(int error, const char *reference)
{
	if (error == -ENOENT)
		complain_safely("ktrace sync: no host is called '%s'", reference);
	else
		complain_safely("ktrace sync: %s", strerror(-error));
	return error == -ENOENT ? STATUS_USAGE : STATUS_DAMAGED;
}

/* Lets commands find the result that they would find with their options. */
static void keep(const struct sync_run *r)
{
	const struct ktrace_sync_options *o = &r->opts;

	if (o->analysis == KTRACE_SYNC_HULL && !o->wander_ppb && !o->reference)
		clocks_cache_save(r->sync, r->set, o);
}

static int sync_files(struct sync_run *r, int nr, char **paths)
{
	int status, ret;

	clocks_leave();
	r->set = open_files(nr, paths, &status);
	if (!r->set)
		return status;
	ret = ktrace_sync_traceset(r->set, &r->opts, &r->sync);
	if (!ret && r->evaluates)
		ret = evaluate(r);
	if (ret)
		return complain(ret, r->opts.reference);
	if (hosts_count(r->set) < 2)
		complain_safely("ktrace sync: all files are of one host: there is nothing to do");
	else
		keep(r);
	complain_files(r->set);
	if (r->path && save(r, nr, paths))
		return STATUS_DAMAGED;
	return files_status(r->set, status);
}

#define TEXT_MAX (1ul << 30)

/* Reads a text whole. NULL: that failed, as already reported. */
static char *read_text(const char *path, size_t *size)
{
	FILE *file = fopen(path, "re");
	char *text = NULL, *more;
	size_t room = 0;

	for (*size = 0; file && !feof(file) && !ferror(file);) {
		room = room ? 2 * room : 1 << 16;
		more = room <= TEXT_MAX ? realloc(text, room) : NULL;
		if (!more) {
			errno = room <= TEXT_MAX ? ENOMEM : EFBIG;
			break;
		}
		text = more;
		*size += fread(text + *size, 1, room - *size, file);
	}
	if (!file || !feof(file)) {
		complain_about(path, "%s", strerror(errno));
		free(text);
		text = NULL;
	}
	if (file)
		fclose(file);
	return text;
}

static int sync_text(struct sync_run *r, const char *path)
{
	size_t size;
	char *text = read_text(path, &size);
	__u64 line = 0;
	int ret;

	if (!text)
		return STATUS_DAMAGED;
	ret = ktrace_sync_text(text, size, &r->opts, &r->sync, &line);
	free(text);
	if (ret == -EBADMSG) {
		complain_about(path, "line %llu: not 'sender receiver sent received', or no number "
			       "of hosts before", line);
		return STATUS_DAMAGED;
	}
	return ret ? complain(ret, r->opts.reference) : STATUS_OK;
}

static void free_run(struct sync_run *r)
{
	__u32 i;

	for (i = 0; r->trips && i < r->host_nr * r->host_nr; i++) {
		histogram_free(&r->trips[i].there);
		histogram_free(&r->trips[i].back);
	}
	free(r->trips);
	ktrace_sync_close(r->sync);
	ktrace_traceset_close(r->set);
}

static const char *set_analysis(void *to, const char *text)
{
	static const char *const names[] = {
		[KTRACE_SYNC_HULL] = "hull", [KTRACE_SYNC_REGRESSION] = "regression", NULL
	};
	const char *wrong;
	const int i = command_choice("--analysis", text, names, &wrong);

	if (i < 0)
		return wrong;
	((struct sync_run *)to)->opts.analysis = (enum ktrace_sync_analysis)i;
	return NULL;
}

static const char *set_wander(void *to, const char *text)
{
	char *end;
	const unsigned long n = strtoul(text, &end, 10);

	if (*text < '1' || *text > '9' || *end || n > 1000000)
		return "--wander: not a number of 10^-9 per second, from 1 to 1000000";
	((struct sync_run *)to)->opts.wander_ppb = (__u32)n;
	return NULL;
}

#define MEMBER(member) OPTION_MEMBER(struct sync_run, member)

static const struct option_row rows[] = {
	{ .name = "analysis", .value = "hull|regression", .set = set_analysis,
	  .help = "bounds by the convex hull of messages (default), or an\n"
		  "estimate by linear regression" },
	{ .name = "wander", .value = "PPB", .set = set_wander,
	  .help = "how much the rate between two clocks may change in a\n"
		  "second, in 10^-9 (default: 20)" },
	{ .name = "reference", .value = "HOST", .text = MEMBER(opts.reference),
	  .help = "name or boot id of the host whose times are kept\n"
		  "(default: the one with the least error)" },
	{ .name = "evaluate", .flag = MEMBER(evaluates),
	  .help = "read all again, and show how long messages took" },
	{ .letter = 'o', .name = "output", .value = "FILE", .text = MEMBER(path),
	  .help = "also write what was found to FILE: the other commands\n"
		  "read it with --clocks FILE, instead of all events" },
	{ .name = "text", .flag = MEMBER(is_text),
	  .help = "the file has messages as text, 'from to sent received'" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ rows, 0 },
	{ json_options, offsetof(struct sync_run, is_json) },
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct sync_run r = { .opts.size = sizeof(r.opts) };
	int status = command_parse(cmd, &r, argc, argv);

	if (status >= 0)
		return status;
	if (r.is_text && store_folder())
		return command_usage(cmd, "--store: not with --text, which has no files of hosts");
	if (r.is_text && argc - optind != 1)
		return command_usage(cmd, "--text: one file");
	if (r.is_text && r.path)
		return command_usage(cmd, "--output: not with --text, which has no files of hosts");
	r.out = output();
	status = r.is_text ? sync_text(&r, argv[optind]) :
			     sync_files(&r, argc - optind, argv + optind);
	if (r.sync)
		sync_show(&r);
	free_run(&r);
	return output_end(status);
}

const struct command cmd_sync = {
	.name = "sync",
	.args = "[OPTION...] FILE...",
	.summary = "Compare the clocks of several hosts, with the error of each time",
	.options = sets,
	.needs_files = true,
	.run = run,
};
