// SPDX-License-Identifier: GPL-2.0
/* main.c - ktrace import --from systrace: converts text of the kernel's trace */
#include "systrace.h"

#include "base/progress.h"
#include "html.h"
#include "import/mapped.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MACHINE "x86_64"
/* Times above this are of the wall clock. */
#define WALL_CLOCK_NS 1000000000000000000ull

/**
 * struct job - one run
 * @x:		options and files
 * @path:	the file
 * @file:	its contents
 * @text:	lines of a JavaScript string, unescaped
 * @json:	traces in a page that are JSON
 * @processes:	lists of processes in a page, with unknown columns
 * @is_cut:	the page ends within a trace
 * @parts:	number of traces
 */
struct job {
	struct import *x;
	const char *path;
	struct mapped file;
	struct event_builder b;
	struct foreign_threads threads;
	struct systrace s;
	struct ktrace_out text;
	__u64 json;
	__u64 processes;
	bool is_cut;
	__u64 parts;
};

typedef int (*take_fn)(struct systrace *s, const char *text, size_t size);

static void unescape(struct job *job, struct html_part *part)
{
	const char *end = part->at + part->size;

	job->text.len = 0;
	for (const char *at = part->at; at < end; at++) {
		if (*at != '\\' || at + 1 == end)
			ktrace_out_char(&job->text, *at);
		else if (*++at == 'n')
			ktrace_out_char(&job->text, '\n');
		else if (*at != '\n')
			ktrace_out_char(&job->text, *at);
		/* A backslash before a newline continues the string: no newline. */
	}
	part->at = job->text.buf;
	part->size = job->text.len;
}

/* Takes a part of a page. Return: 0, -errno. */
static int take_part(struct job *job, const struct html_part *part, take_fn take)
{
	const char *at = part->at, *end = at + part->size;
	bool is_known = true;
	int ret;

	while (at < end && strchr(" \t\r\n", *at) && *at)
		at++;
	if (at < end && (*at == '{' || *at == '[')) {
		job->json++;
		return 0;
	}
	if (end - at > 5 && (!memcmp(at, "USER ", 5) || !memcmp(at, "PID ", 4))) {
		ret = systrace_processes(&job->s, at, (size_t)(end - at), &is_known);
		job->processes += !is_known;
		return ret;
	}
	job->parts++;
	return take(&job->s, part->at, part->size);
}

/* Passes each text of the file to @take. Return: 0, -errno. */
static int each_text(struct job *job, take_fn take)
{
	const char *data = job->file.data;
	struct html_part part;
	size_t at = 0;
	int ret = 0;

	job->json = job->processes = job->parts = 0;
	if (!html_is(data, job->file.size)) {
		job->parts = 1;
		return take(&job->s, data, job->file.size);
	}
	while (!ret && html_next(data, job->file.size, &at, &part, &job->is_cut)) {
		if (part.is_escaped)
			unescape(job, &part);
		if (job->text.error)
			return job->text.error;
		ret = take_part(job, &part, take);
	}
	return ret;
}

static int begin(struct job *job)
{
	struct import_writer_about about = {
		.tool = "ftrace", .machine = MACHINE, .real_ns = job->s.real_ns,
	};
	struct import_clock told;
	const int ret = import_clock(job->x, &told);

	if (ret < 0)
		return ret;
	if (!ret && !job->s.real_ns && job->s.first_ns < WALL_CLOCK_NS)
		complain_about(job->path, "%s", IMPORT_NO_CLOCK);
	if (ret)
		about.real_ns = told.real_ns;
	about.boot = *told.boot ? told.boot : NULL;
	about.host = *told.host ? told.host : NULL;
	return import_writer_about(job->b.f, &about);
}

static int complain(const struct job *job)
{
	int status = systrace_complain(&job->s, job->path);

	if (job->s.has_calls)
		complain_about(job->path, "does not say its machine: system calls are taken as "
			       "those of " MACHINE);
	if (!job->parts)
		complain_about(job->path, "no trace of the kernel in this page");
	if (job->json)
		complain_about(job->path, "%llu traces in the page are JSON and are left out: "
			       "extract them, and use --from chrome",
			       (unsigned long long)job->json);
	if (job->processes)
		complain_about(job->path, "%llu lists of processes in the page are left out",
			       (unsigned long long)job->processes);
	if (job->is_cut)
		complain_about(job->path, "truncated: the page ends within a trace");
	if (job->b.as_text)
		complain_about(job->path, "%llu events have fields that cannot be described, and "
			       "are shown as foreign:text", (unsigned long long)job->b.as_text);
	return status || !job->parts || job->json || job->processes || job->is_cut ?
	       STATUS_DAMAGED : 0;
}

static int write_events(struct job *job)
{
	int ret = import_open(job->x, &job->b.f);

	if (ret)
		return ret;
	ret = begin(job);
	progress_begin_bytes(job->file.size);
	if (!ret)
		ret = each_text(job, systrace_convert);
	progress_end();
	if (!ret)
		ret = builder_write(&job->b);
	return import_close(job->x, job->b.f, ret ? ret : complain(job));
}

static int convert_file(struct import *x, const char *path)
{
	struct job job = { .x = x, .path = path, .text.flush = output_grow };
	int ret = mapped_open(&job.file, path);

	if (ret)
		return ret;
	builder_init(&job.b);
	threads_init(&job.threads);
	systrace_init(&job.s, &job.b, &job.threads);
	ret = each_text(&job, systrace_learn);
	if (!ret && systrace_is_mixed(&job.s, path))
		ret = -ECANCELED;
	if (!ret)
		ret = write_events(&job);
	systrace_free(&job.s);
	threads_free(&job.threads);
	builder_free(&job.b);
	free(job.text.buf);
	mapped_close(&job.file);
	return ret;
}

static int convert_one(struct import *x, int nr, char **paths)
{
	if (nr == 1)
		return convert_file(x, paths[0]);
	complain_about(paths[1], "one file at a time, as each has a clock of its own");
	return -ECANCELED;
}

static int run(int argc, char **argv)
{
	return import_main(argc, argv, convert_one);
}

int main(int argc, char **argv)
{
	return command_main(run, argc, argv);
}
