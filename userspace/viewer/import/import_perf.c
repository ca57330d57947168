// SPDX-License-Identifier: GPL-2.0
/*
 * import_perf.c - ktrace import --from perf: reads the text of perf script
 *
 * No library reads perf.data, whose layout is internal to perf; its text is the stable interface.
 * So a file made by perf record is converted by perf script first. Lines after an event with its
 * call chain become a field of it.
 */
#include "import.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/progress.h"
#include "import_writer.h"
#include "perf_line.h"

#define LINE_MAX_SIZE (1u << 20)
#define COMPLAINTS 10u		/* complaints about lines; the rest is only counted */

extern char **environ;

/**
 * struct job - one run
 * @x:		options and files
 * @f:		the tracefile being written
 * @path:	the current file
 * @nr:		number of the current line
 * @bad:	number of invalid lines
 * @host:	name of the machine, "" = unknown; @kernel, @machine: likewise
 * @zero_ns:	time when the clock was 0, 0 = unknown
 * @has_event:	@event, described by @desc, with payload @data, is still to be written
 * @comm:	its thread's name
 * @chain:	its call chain
 * @name:	its name
 * @text:	its text as read
 */
struct job {
	struct import *x;
	struct import_writer *f;
	const char *path;
	__u64 nr;
	__u64 bad;
	char host[64];
	char kernel[64];
	char machine[64];
	__u64 zero_ns;
	bool has_event;
	struct import_writer_event event;
	struct ktrace_out desc;
	struct ktrace_out data;
	struct ktrace_out chain;
	struct ktrace_out name;
	struct ktrace_out text;
	char comm[64];
};

static void complain_line(struct job *job, const char *what)
{
	if (job->bad++ < COMPLAINTS)
		complain_about(job->path, "%llu: %s", job->nr, what);
}

static bool take_fact(const char *line, const char *key, char *to, size_t size)
{
	const size_t n = strlen(key);

	if (strncmp(line, key, n))
		return false;
	snprintf(to, size, "%s", line + n);
	return true;
}

/* "... = 12.345678 (TOD) = 1.234567890 (monotonic)" */
static void take_reference(struct job *job, const char *line)
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

static void take_header(struct job *job, const char *line)
{
	if (take_fact(line, "# hostname : ", job->host, sizeof(job->host)) ||
	    take_fact(line, "# os release : ", job->kernel, sizeof(job->kernel)) ||
	    take_fact(line, "# arch : ", job->machine, sizeof(job->machine)))
		return;
	if (!strncmp(line, "# reference time:", 17))
		take_reference(job, line);
}

static const char *or_null(const char *s)
{
	return *s ? s : NULL;
}

/* Writes what is known at the first event. */
static int begin(struct job *job)
{
	struct import_writer_about about = {
		.tool = "perf", .host = or_null(job->host), .kernel = or_null(job->kernel),
		.machine = *job->machine ? job->machine : "x86_64",
	};
	struct import_clock told;
	int ret = import_clock(job->x, &told);

	if (ret < 0)
		return ret;
	if (!ret && !job->zero_ns)
		complain_about(job->path, "%s", IMPORT_NO_CLOCK);
	about.real_ns = ret ? told.real_ns : job->zero_ns;
	about.boot = or_null(told.boot);
	if (!about.host)
		about.host = or_null(told.host);
	return import_writer_about(job->f, &about);
}

/*
 * Writes the event as text: its fields are invalid or, if text only looks like fields, need more
 * types than there are.
 */
static int describe_as_text(struct job *job)
{
	job->data.len = 0;
	ktrace_out_bytes(&job->data, job->name.buf, job->name.len);
	ktrace_out_bytes(&job->data, job->text.buf, job->text.len);
	ktrace_out_bytes(&job->data, job->chain.buf, job->chain.len);
	ktrace_out_char(&job->data, 0);
	return job->data.error ? job->data.error :
	       import_type(job->f, KTRACE_CHANNEL_KERNEL, IMPORT_WRITER_TEXT, &job->event.type);
}

static void keep_text(struct ktrace_out *out, const char *text)
{
	out->len = 0;
	ktrace_out_bytes(out, text, strlen(text) + 1);
}

/* Writes the pending event, once its call chain is complete. */
static int put_event(struct job *job)
{
	int ret;

	if (!job->has_event)
		return 0;
	job->has_event = false;
	if (job->chain.len) {
		ktrace_out_str(&job->desc, "string callchain;");
		ktrace_out_bytes(&job->data, job->chain.buf, job->chain.len);
		ktrace_out_char(&job->data, 0);
	}
	ktrace_out_bytes(&job->desc, "}", 2);
	ret = job->desc.error ? job->desc.error : job->data.error;
	if (!ret)
		ret = import_type(job->f, KTRACE_CHANNEL_KERNEL, job->desc.buf, &job->event.type);
	if (ret == -EINVAL || ret == -EOVERFLOW)
		ret = describe_as_text(job);
	job->event.data = job->data.buf;
	job->event.len = job->data.len;
	return ret ? ret : import_writer_put(job->f, &job->event);
}

/* "PERF_RECORD_LOST lost 12"; ignores perf's other records. */
static int take_record(struct job *job, const struct perf_line *line)
{
	const char *lost = strstr(line->text, "lost ");
	struct ktrace_lost newly = { 0 };

	if (!lost)
		return 0;
	newly.count[KTRACE_LOST_FULL] = strtoull(lost + 5, NULL, 10);
	return import_writer_lost(job->f, KTRACE_CHANNEL_KERNEL, line->cpu, line->ns, &newly);
}

static void put_name(struct ktrace_out *out, char *event)
{
	char *colon = strchr(event, ':');

	if (colon)
		*colon = 0;
	import_writer_name(out, colon ? event : "perf");
	ktrace_out_char(out, ':');
	import_writer_name(out, colon ? colon + 1 : event);
	ktrace_out_char(out, '{');
	if (colon)
		*colon = ':';
}

static int take_event(struct job *job, const struct perf_line *line)
{
	int ret = import_writer_has_about(job->f) ? 0 : begin(job);

	if (ret)
		return ret;
	if (!strncmp(line->text, "PERF_RECORD_", 12) || !strncmp(line->event, "PERF_RECORD_", 12))
		return take_record(job, line);
	if (!*line->event) {
		complain_line(job, "the time is not followed by an event name and a colon");
		return 0;
	}
	job->desc.len = job->data.len = job->chain.len = 0;
	keep_text(&job->name, line->event);
	keep_text(&job->text, line->text);
	put_name(&job->desc, (char *)line->event);
	perf_text_parse(line->event, (char *)line->text, &job->desc, &job->data);
	snprintf(job->comm, sizeof(job->comm), "%s", line->comm);
	job->event = (struct import_writer_event){
		.cpu = line->cpu, .ts = line->ns, .tid = line->tid, .pid = line->pid,
		.comm = or_null(job->comm),
	};
	job->has_event = true;
	return 0;
}

/* "\tADDRESS FUNCTION+OFFSET (FILE)" */
static bool take_chain(struct job *job, const char *line)
{
	const char *at = line + strspn(line, " \t"), *end;
	const size_t n = strspn(at, "0123456789abcdef");

	if (!job->has_event || at == line || !n || at[n] != ' ')
		return false;
	at += n + 1;
	end = strstr(at, " (");
	if (job->chain.len)
		ktrace_out_char(&job->chain, ';');
	ktrace_out_bytes(&job->chain, at, end ? (size_t)(end - at) : strlen(at));
	return true;
}

static int take_line(struct job *job, char *line, char *copy)
{
	struct perf_line parsed;
	int ret;

	if (*line == '#') {
		take_header(job, line);
		return 0;
	}
	if (!line[strspn(line, " \t")])
		return 0;
	if (perf_line_parse(copy, &parsed)) {
		ret = put_event(job);
		return ret ? ret : take_event(job, &parsed);
	}
	if (!take_chain(job, line))
		complain_line(job, "not as perf script -F comm,pid,tid,cpu,time,event,trace "
			      "writes it");
	return 0;
}

static int take_lines(struct job *job, FILE *file)
{
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
			complain_line(job, "longer than 1 MiB, or with a NUL");
			continue;
		}
		copy = strdup(line);
		ret = copy ? take_line(job, line, copy) : -ENOMEM;
		free(copy);
	}
	free(line);
	if (!ret && ferror(file))
		complain_line(job, strerror(errno));
	return ret ? ret : put_event(job);
}

/* Starts perf script, with its text readable from @out. Return: its process id, -errno. */
static pid_t start_perf(const char *path, const char *fields, int *out)
{
	char *argv[] = {
		"perf", "script", "--header", "-I", "--ns", "--show-lost-events", "-F",
		(char *)fields, "-i", (char *)path, NULL,
	};
	posix_spawn_file_actions_t actions;
	int fds[2], ret;
	pid_t pid = 0;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	ret = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	*out = fds[0];
	if (ret)
		close(fds[0]);
	return ret ? -ret : pid;
}

static bool is_perf_data(FILE *file)
{
	char magic[8];
	const bool is = fread(magic, 1, sizeof(magic), file) == sizeof(magic) &&
			!memcmp(magic, "PERFILE2", sizeof(magic));

	rewind(file);
	return is;
}

/* @status: exit status of perf */
static int take_perf_script(struct job *job, const char *fields, int *status)
{
	int fd = -1, ret;
	pid_t pid = start_perf(job->path, fields, &fd);
	FILE *file;

	if (pid < 0) {
		complain_about(job->path, "perf script, which makes text of it: %s",
			       strerror(-pid));
		return -ECANCELED;
	}
	job->nr = 0;
	file = fdopen(fd, "r");
	ret = file ? take_lines(job, file) : -ENOMEM;
	if (file)
		fclose(file);
	else
		close(fd);
	waitpid(pid, status, 0);
	return ret;
}

/*
 * perf records no CPU for a single program unless told to; perf script then prints no events if
 * told to show the CPU.
 */
static int read_perf_data(struct job *job)
{
	int status = 0, ret;

	ret = take_perf_script(job, "comm,pid,tid,cpu,time,event,trace", &status);
	if (!ret && status && !import_writer_has_about(job->f))
		ret = take_perf_script(job, "comm,pid,tid,time,event,trace", &status);
	if (!ret && status) {
		complain_about(job->path, "perf script cannot read it, or not all of it");
		job->bad++;
	}
	return ret;
}

static int read_file(struct job *job)
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
	ret = S_ISREG(st.st_mode) && is_perf_data(file) ? read_perf_data(job) :
	      take_lines(job, file);
	progress_end();
	fclose(file);
	return ret;
}

static int convert_file(struct job *job)
{
	int ret = import_open(job->x, &job->f);

	if (ret)
		return ret;
	ret = read_file(job);
	if (!ret && !import_writer_has_about(job->f))
		ret = begin(job);
	if (job->bad > COMPLAINTS)
		complain_about(job->path, "%llu more lines like that", job->bad - COMPLAINTS);
	if (!ret && job->bad)
		ret = STATUS_DAMAGED;
	return import_close(job->x, job->f, ret);
}

static int convert(struct import *x, int nr, char **paths)
{
	struct job job = {
		.x = x, .path = paths[0], .desc.flush = output_grow, .data.flush = output_grow,
		.chain.flush = output_grow, .name.flush = output_grow, .text.flush = output_grow,
	};
	int ret = -ECANCELED;

	if (nr == 1)
		ret = convert_file(&job);
	else
		complain_about(paths[1], "one file at a time, as each has a clock of its own");
	free(job.desc.buf);
	free(job.data.buf);
	free(job.chain.buf);
	free(job.name.buf);
	free(job.text.buf);
	return ret;
}

const struct import_format import_perf = { .name = "perf", .convert = convert };
