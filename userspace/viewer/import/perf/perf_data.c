// SPDX-License-Identifier: GPL-2.0
/*
 * perf_data.c - has perf print what perf record has written
 *
 * No library reads perf.data, whose layout is internal to perf; its text is the stable interface.
 * perf prints no events if it is told to print what some of them lack, and says what: it is asked
 * again without that. Some losses are only in its dump: it is asked for one if the file has records
 * of such a loss. What perf says on its standard error is told.
 */
#include "perf_data.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/viewer.h"

#define FIELDS "comm,pid,tid,cpu,time,period,event,trace,addr,weight,ip,sym,symoff,dso,phys_addr"
#define FIELDS_MAX 256
#define TRIES 16
#define LOSSES_MAX (1u << 20)
#define WORDS 10u		/* lines of perf's that are told */

extern char **environ;

/* Types of records: <linux/perf_event.h>, and perf's own */
enum { REC_LOST = 2, REC_THROTTLE = 5, REC_LOST_SAMPLES = 13, REC_COMPRESSED = 81 };

/**
 * struct run - a perf that runs
 * @pid:	its process
 * @out:	its standard output
 * @words:	its standard error
 */
struct run {
	pid_t pid;
	FILE *out;
	FILE *words;
};

bool perf_data_is(FILE *file)
{
	char magic[8];
	const bool has = fread(magic, 1, sizeof(magic), file) == sizeof(magic);

	rewind(file);
	return has && (!memcmp(magic, "PERFILE2", 8) || !memcmp(magic, "2ELIFREP", 8) ||
		       !memcmp(magic, "PERFFILE", 8));
}

static int spawn(struct run *run, char *const argv[], int out, int words)
{
	posix_spawn_file_actions_t actions;
	int ret = posix_spawn_file_actions_init(&actions);

	if (ret)
		return -ret;
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, words, STDERR_FILENO);
	ret = posix_spawnp(&run->pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -ret;
}

/* Starts perf. Return: 0, -errno. */
static int start(struct run *run, char *const argv[])
{
	int fds[2], words = memfd_create("perf", MFD_CLOEXEC), ret;

	*run = (struct run){ 0 };
	if (words < 0)
		return -errno;
	if (pipe2(fds, O_CLOEXEC)) {
		ret = -errno;
		close(words);
		return ret;
	}
	ret = spawn(run, argv, fds[1], words);
	close(fds[1]);
	if (ret) {
		close(fds[0]);
		close(words);
		return ret;
	}
	run->out = fdopen(fds[0], "r");
	run->words = fdopen(words, "r");
	if (run->out && run->words)
		return 0;
	if (!run->out)
		close(fds[0]);
	if (!run->words)
		close(words);
	return -ENOMEM;
}

/* Waits for perf. Return: its status as of waitpid(). */
static int finish(struct run *run)
{
	int status = 0;

	if (run->out)
		fclose(run->out);
	if (run->pid)
		waitpid(run->pid, &status, 0);
	if (run->words)
		rewind(run->words);
	return status;
}

static void report_start(const struct perf_job *job, int error)
{
	if (error == -ENOENT)
		complain_about(job->path, "only perf can read it, which is not installed: "
			       "package linux-perf of Debian, linux-tools-generic of Ubuntu, "
			       "perf of others");
	else
		complain_about(job->path, "perf script, which makes text of it: %s",
			       strerror(-error));
}

/* Removes the field that perf cannot print from the list. */
static bool drop_field(char *fields, const char *words)
{
	const char *at = strstr(words, "Cannot print '"), *end;
	char name[32], *found;
	size_t n;

	if (!at)
		return false;
	at += strlen("Cannot print '");
	end = strchr(at, '\'');
	n = end ? (size_t)(end - at) : 0;
	if (!n || n >= sizeof(name) - 2)
		return false;
	snprintf(name, sizeof(name), ",%.*s,", (int)n, at);
	found = strstr(fields, name);
	if (!found)
		return false;
	memmove(found, found + n + 1, strlen(found + n + 1) + 1);
	return true;
}

/* What perf says about fields that an event cannot have, and about symbols that it lacks */
static bool is_usual(const char *words)
{
	return strstr(words, "not valid for") || strstr(words, "No kallsyms or vmlinux with") ||
	       strstr(words, "build id event received for") || !strcmp(words, "Warning:") ||
	       strlen(words) < 2;
}

/*
 * Reads what perf has said: removes the field that it complains about from @fields, or else tells
 * it, as @is_error or not. Return: true if a field was removed.
 */
static bool take_words(const struct perf_job *job, struct run *run, char *fields, bool is_error)
{
	char *line = NULL;
	bool is_dropped = false;
	unsigned int nr = 0;
	size_t size = 0;

	while (run->words && getline(&line, &size, run->words) > 0) {
		line[strcspn(line, "\n")] = 0;
		if (is_error && drop_field(fields, line))
			is_dropped = true;
		else if (!is_dropped && !is_usual(line) && nr++ < WORDS)
			complain_about(job->path, "perf script: %s", line);
	}
	free(line);
	if (run->words)
		fclose(run->words);
	return is_dropped;
}

static bool has_field(const char *fields, const char *name)
{
	return strstr(fields, name);
}

/*
 * struct head - the header of the file, and that of a record: in the byte order of the machine
 * that wrote it
 */
struct head {
	__u64 magic;
	__u64 size;
	__u64 attr_size;
	__u64 attrs[2];
	__u64 data[2];
};

struct record {
	__u32 type;
	__u16 misc;
	__u16 size;
};

/* Returns whether the file has records of losses that perf script does not print. */
static bool has_losses(FILE *file)
{
	struct head head;
	struct record r;
	bool is_swapped, has = false;
	__u64 at, end = ~0ull;

	if (fread(&head, 1, 16, file) != 16)
		return false;
	is_swapped = memcmp(&head.magic, "PERFILE2", 8);
	at = is_swapped ? __builtin_bswap64(head.size) : head.size;
	if (at > 16) {
		if (fread((char *)&head + 16, 1, sizeof(head) - 16, file) != sizeof(head) - 16)
			return false;
		at = is_swapped ? __builtin_bswap64(head.data[0]) : head.data[0];
		end = is_swapped ? __builtin_bswap64(head.data[1]) : head.data[1];
		end = end > ~0ull - at ? ~0ull : at + end;
	}
	while (!has && at < end && at < 1ull << 62 && !fseeko(file, (off_t)at, SEEK_SET) &&
	       fread(&r, sizeof(r), 1, file)) {
		r.type = is_swapped ? __builtin_bswap32(r.type) : r.type;
		r.size = is_swapped ? __builtin_bswap16(r.size) : r.size;
		has = r.type == REC_THROTTLE || r.type == REC_LOST_SAMPLES ||
		      r.type == REC_COMPRESSED;
		if (r.size < sizeof(r))
			break;
		at += r.size;
	}
	return has;
}

/* "[CPU] TIME OFFSET [SIZE]: PERF_RECORD_LOST_SAMPLES: id:1: lost samples :3" */
static bool parse_loss(const char *line, struct perf_loss *loss)
{
	const char *record = strstr(line, "]: PERF_RECORD_"), *count;
	unsigned long long a, b, c;
	int nr;

	if (!record)
		return false;
	nr = sscanf(line, "%llu %llu 0x%llx [", &a, &b, &c);
	if (nr != 3 && sscanf(line, "%llu 0x%llx [", &a, &c) != 2)
		return false;
	*loss = (struct perf_loss){
		.cpu = nr == 3 && a < IMPORT_WRITER_CPUS ? (int)a : -1, .ns = nr == 3 ? b : a,
		.reason = KTRACE_LOST_STOPPED, .count = 1,
	};
	record += strlen("]: PERF_RECORD_");
	if (!strncmp(record, "THROTTLE", 8))
		return true;
	count = strstr(record, "lost samples :");
	if (strncmp(record, "LOST_SAMPLES", 12) || !count)
		return false;
	loss->reason = KTRACE_LOST_FULL;
	loss->count = strtoull(count + strlen("lost samples :"), NULL, 10);
	return true;
}

static int add_loss(struct perf_job *job, const struct perf_loss *loss)
{
	struct perf_loss *list = job->losses;

	if (job->loss_nr == LOSSES_MAX) {
		list[job->loss_nr - 1].count += loss->count;
		return 0;
	}
	if (!(job->loss_nr & (job->loss_nr - 1))) {
		list = realloc(list, (job->loss_nr ? 2 * job->loss_nr : 1) * sizeof(*list));
		if (!list)
			return -ENOMEM;
		job->losses = list;
	}
	list[job->loss_nr++] = *loss;
	return 0;
}

static int by_time(const void *x, const void *y)
{
	const struct perf_loss *a = x, *b = y;

	return (a->ns > b->ns) - (a->ns < b->ns);
}

/* Reads the losses from perf's dump. */
static int read_losses(struct perf_job *job)
{
	char *argv[] = { "perf", "script", "-f", "-D", "-i", (char *)job->path, NULL };
	struct perf_loss loss;
	struct run run;
	char *line = NULL;
	size_t size = 0;
	int ret = start(&run, argv);

	while (!ret && getline(&line, &size, run.out) > 0)
		if (parse_loss(line, &loss))
			ret = add_loss(job, &loss);
	free(line);
	finish(&run);
	if (run.words)
		fclose(run.words);
	if (job->loss_nr)
		qsort(job->losses, job->loss_nr, sizeof(*job->losses), by_time);
	return ret == -ENOENT ? 0 : ret;
}

/* Runs perf script once. Return: 1: again with the fields that are left, 0, -errno. */
static int try_fields(struct perf_job *job, char *fields,
		      int (*take)(struct perf_job *job, FILE *lines))
{
	char list[FIELDS_MAX];
	char *argv[] = {
		"perf", "script", "-f", "--header", "-I", "--ns", "--show-lost-events", "-F", list,
		"-i", (char *)job->path, NULL,
	};
	struct run run;
	int ret, status;

	/* Without the commas at both ends */
	snprintf(list, sizeof(list), "%.*s", (int)strlen(fields) - 2, fields + 1);
	job->layout = (struct perf_layout){
		.is_known = true, .has_addr = has_field(fields, ",addr,"),
		.has_weight = has_field(fields, ",weight,"),
		.has_phys = has_field(fields, ",phys_addr,"),
	};
	ret = start(&run, argv);
	if (ret) {
		report_start(job, ret);
		finish(&run);
		return -ECANCELED;
	}
	job->nr = 0;
	ret = take(job, run.out);
	status = finish(&run);
	if (take_words(job, &run, fields, status && !import_writer_has_about(job->f)))
		return ret ? ret : 1;
	if (!ret && status) {
		if (WIFSIGNALED(status))
			complain_about(job->path, "perf script crashed: %s",
				       strsignal(WTERMSIG(status)));
		complain_about(job->path, "perf script cannot read it, or not all of it");
		job->bad++;
	}
	return ret;
}

int perf_data_read(struct perf_job *job, FILE *file,
		   int (*take)(struct perf_job *job, FILE *lines))
{
	char fields[FIELDS_MAX] = "," FIELDS ",";
	int ret = has_losses(file) ? read_losses(job) : 0;

	for (int i = 0; !ret && i < TRIES; i++) {
		ret = try_fields(job, fields, take);
		if (ret != 1)
			return ret;
		ret = 0;
	}
	return ret;
}
