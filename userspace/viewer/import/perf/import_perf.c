// SPDX-License-Identifier: GPL-2.0
/*
 * import_perf.c - ktrace import --from perf: reads the text of perf script and of simpleperf
 *
 * A file made by perf record is converted by perf script first. Lines after an event with its call
 * chain become its stacks. A line that is not understood may be the beginning of a thread's name
 * with a newline in it, which is seen by the next line; otherwise it is reported.
 */
#include "import/import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/progress.h"
#include "perf_data.h"
#include "perf_job.h"
#include "simpleperf.h"

#define LINE_MAX_SIZE (1u << 20)
#define COMM_COLUMN 16		/* perf pads names to it, unless call chains follow */
#define EARLY_MAX (64u << 20)	/* bytes of lines that may wait for the first time */

/**
 * struct text - a text that is being read
 * @job:	takes the events
 * @held:	a line that is not understood, NULL = none
 * @held_nr:	its number
 * @is_after_blank:	a blank line was in front of it
 * @was_blank:	the line before is blank
 * @early:	lines of records with time 0, each with a NUL, which wait for the first other time
 * @is_timed:	there was one
 * @is_simpleperf:	the text is of simpleperf
 * @simpleperf:	then, its sample
 */
struct text {
	struct perf_job *job;
	char *held;
	__u64 held_nr;
	bool is_after_blank;
	bool was_blank;
	struct ktrace_out early;
	bool is_timed;
	bool is_simpleperf;
	struct simpleperf simpleperf;
};

static bool take_fact(const char *line, const char *key, char *to, size_t size)
{
	const size_t n = strlen(key);

	if (strncmp(line, key, n))
		return false;
	snprintf(to, size, "%s", line + n);
	return true;
}

/* "... = 12.345678 (TOD) = 1.234567890 (monotonic)" */
static void take_reference(struct perf_job *job, const char *line)
{
	const char *real = strstr(line, " = "), *mono = real ? strstr(real + 3, " = ") : NULL;
	unsigned long long s[2];
	char fraction[2][10], digits[20];

	if (!mono || sscanf(real, " = %llu.%9[0-9]", &s[0], fraction[0]) != 2 ||
	    sscanf(mono, " = %llu.%9[0-9]", &s[1], fraction[1]) != 2)
		return;
	for (int i = 0; i < 2; i++) {
		/* Pads to nine digits: 12.5 is 12.500000000 */
		snprintf(digits, sizeof(digits), "%s%s", fraction[i],
			 &"000000000"[strlen(fraction[i])]);
		s[i] = s[i] * 1000000000 + strtoull(digits, NULL, 10);
	}
	job->zero_ns = s[0] - s[1];
}

static void take_header(struct perf_job *job, const char *line)
{
	if (take_fact(line, "# hostname : ", job->host, sizeof(job->host)) ||
	    take_fact(line, "# os release : ", job->kernel, sizeof(job->kernel)) ||
	    take_fact(line, "# arch : ", job->machine, sizeof(job->machine)))
		return;
	if (!strncmp(line, "# reference time:", 17))
		take_reference(job, line);
}

static void complain_held(struct text *t)
{
	if (t->held)
		perf_job_complain(t->job, t->held_nr, "not as perf script -F comm,pid,tid,cpu,time,"
				  "event,trace writes it");
	free(t->held);
	t->held = NULL;
}

static int hold(struct text *t, const char *line)
{
	complain_held(t);
	t->held = strdup(line);
	t->held_nr = t->job->nr;
	t->is_after_blank = t->was_blank;
	return t->held ? 0 : -ENOMEM;
}

/*
 * Puts the held line in front of the name in @line if both are one name with a newline: perf has
 * padded it to its column as a whole, or never pads and had ended the event before.
 */
static void join_comm(struct text *t, const char *line, struct perf_line *parsed, char *comm)
{
	const size_t held = t->held ? strlen(t->held) : 0, n = strlen(parsed->comm);

	if (!t->held || *line == ' ' || strncmp(line, parsed->comm, n) ||
	    held + 1 + n > COMM_COLUMN ||
	    (held + 1 + n != COMM_COLUMN && (*t->held == ' ' || !t->is_after_blank)))
		return;
	snprintf(comm, COMM_COLUMN + 1, "%s\n%s", t->held + strspn(t->held, " "), parsed->comm);
	parsed->comm = comm;
	free(t->held);
	t->held = NULL;
}

/* Passes on the records that have waited, as of time @ns. */
static int put_early(struct text *t, __u64 ns)
{
	struct perf_line parsed;
	char *next;
	int ret = t->early.error;

	t->is_timed = true;
	if (!t->early.len)
		return ret;
	for (char *at = t->early.buf; at < t->early.buf + t->early.len && !ret; at = next) {
		next = at + strlen(at) + 1;
		if (!perf_line_parse(at, &parsed))
			continue;
		parsed.ns = ns;
		ret = perf_job_event(t->job, &parsed);
		t->job->early++;
	}
	t->early.len = 0;
	return ret;
}

static int take_event(struct text *t, const char *line, struct perf_line *parsed)
{
	char comm[COMM_COLUMN + 1];
	int ret = 0;

	join_comm(t, line, parsed, comm);
	complain_held(t);
	/* perf tells at time 0 what was there before it began: mappings, names. */
	if (!t->is_timed && parsed->has_time && !parsed->ns && perf_line_is_record(parsed) &&
	    t->early.len < EARLY_MAX) {
		ktrace_out_bytes(&t->early, line, strlen(line) + 1);
		return t->early.error;
	}
	if (!t->is_timed && parsed->has_time)
		ret = put_early(t, parsed->ns);
	return ret ? ret : perf_job_event(t->job, parsed);
}

static int take_simpleperf(struct text *t, const char *line)
{
	bool is_known = true;
	int ret = simpleperf_take(&t->simpleperf, t->job, line, &is_known);

	if (!is_known)
		perf_job_complain(t->job, t->job->nr, "not as simpleperf report-sample writes it");
	return ret;
}

/* @copy: the same, to be cut up */
static int take_line(struct text *t, const char *line, char *copy)
{
	struct perf_line parsed;
	bool is_known;
	int ret;

	if (!t->job->has_event && simpleperf_is(line))
		t->is_simpleperf = true;
	if (t->is_simpleperf)
		return take_simpleperf(t, line);
	if (*line == '#' && (line[1] == ' ' || !line[1] || line[1] == '=')) {
		take_header(t->job, line);
		return 0;
	}
	if (!line[strspn(line, " \t")]) {
		t->was_blank = true;
		return 0;
	}
	if (!strncmp(line, " instruction trace error", 24)) {
		ret = perf_job_error(t->job, line);
	} else if (perf_line_parse(copy, &parsed)) {
		ret = take_event(t, line, &parsed);
	} else {
		ret = perf_job_more(t->job, line, &is_known);
		if (!ret && !is_known)
			ret = hold(t, line);
	}
	t->was_blank = false;
	return ret;
}

static int end_text(struct text *t, int ret)
{
	complain_held(t);
	if (!ret)
		ret = put_early(t, 0);
	free(t->early.buf);
	if (!ret && t->is_simpleperf)
		ret = simpleperf_end(&t->simpleperf, t->job);
	simpleperf_free(&t->simpleperf);
	return ret ? ret : perf_job_end(t->job);
}

static int take_lines(struct perf_job *job, FILE *file)
{
	struct text t = { .job = job, .was_blank = true, .early.flush = output_grow };
	char *line = NULL, *copy;
	size_t size = 0;
	__u64 at = 0;
	ssize_t n;
	int ret = 0;

	while (!ret && (n = getline(&line, &size, file)) > 0) {
		job->nr++;
		at += (__u64)n;
		progress_at(at);
		if (line[n - 1] == '\n')
			line[--n] = 0;
		if ((size_t)n > LINE_MAX_SIZE || strlen(line) != (size_t)n) {
			perf_job_complain(job, job->nr, "longer than 1 MiB, or with a NUL");
			continue;
		}
		copy = strdup(line);
		ret = copy ? take_line(&t, line, copy) : -ENOMEM;
		free(copy);
	}
	free(line);
	/* Also if a line is longer than the memory */
	if (!ret && !feof(file))
		perf_job_complain(job, job->nr, strerror(errno));
	return end_text(&t, ret);
}

static int read_file(struct perf_job *job)
{
	FILE *file = fopen(job->path, "re");
	struct stat st;
	int ret;

	if (!file || fstat(fileno(file), &st) || S_ISDIR(st.st_mode)) {
		complain_about(job->path, "%s", strerror(file ? EISDIR : errno));
		if (file)
			fclose(file);
		return -ECANCELED;
	}
	progress_begin_bytes((__u64)st.st_size);
	ret = S_ISREG(st.st_mode) && perf_data_is(file) ?
	      perf_data_read(job, file, take_lines) : take_lines(job, file);
	progress_end();
	fclose(file);
	return ret;
}

static void report(const struct perf_job *job)
{
	const __u64 cut = job->stacks ? import_stacks_cut(job->stacks) : 0;

	if (job->bad > 1)
		complain_about(job->path, "%llu lines are not understood and left out", job->bad);
	if (job->untimed)
		complain_about(job->path, "%llu events have no time: they are 1 ns apart, in the "
			       "order of the text", job->untimed);
	if (job->early)
		complain_about(job->path, "%llu records of perf have the time 0, as they are of "
			       "before the recording: they are at the time of the first event",
			       job->early);
	if (cut)
		complain_about(job->path, "%llu stacks are longer than %u frames, and cut", cut,
			       KTRACE_STACK_FRAMES);
}

static int convert_file(struct perf_job *job)
{
	int ret = import_open(job->x, &job->f);

	if (ret)
		return ret;
	ret = read_file(job);
	if (!ret && !import_writer_has_about(job->f))
		ret = perf_job_begin(job);
	if (!ret)
		ret = perf_job_finish(job);
	if (!ret)
		ret = import_stacks_flush(job->stacks);
	report(job);
	if (!ret && job->bad)
		ret = STATUS_DAMAGED;
	return import_close(job->x, job->f, ret);
}

static int convert(struct import *x, int nr, char **paths)
{
	struct perf_job job = { .x = x, .path = paths[0] };
	int ret = -ECANCELED;

	perf_job_init(&job);
	if (nr == 1)
		ret = convert_file(&job);
	else
		complain_about(paths[1], "one file at a time, as each has a clock of its own");
	perf_job_free(&job);
	return ret;
}

const struct import_format import_perf = { .name = "perf", .convert = convert };
