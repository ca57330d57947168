// SPDX-License-Identifier: GPL-2.0
/* question.c - a statement that a page asks, answered by a process of ktrace sql */
#include "question.h"

#include "base/json.h"
#include "base/store_files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIME_LIMIT_MS 60000ull
#define MEMORY (256ull << 20)
/* Bytes of an answer: a page shows some thousand rows. */
#define ROWS_MAX (4u << 20)
#define MESSAGES_MAX (16u << 10)
#define READ_SIZE (64u << 10)
/* Words for the program: those that it always gets, and three options with a value */
#define WORDS_FIXED 5u
#define WORDS_NR (WORDS_FIXED + 2u * 3u)
/* An empty statement and, as a path, no file: so no file before it is taken for a statement. */
#define NO_STATEMENT "/**/ ;"

extern char **environ;

/* Makes a file in memory with a text, to be read from its beginning. Return: descriptor, -errno. */
static int text_file(const char *text)
{
	const size_t size = strlen(text);
	const int fd = memfd_create("statement", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (write(fd, text, size) == (ssize_t)size && !lseek(fd, 0, SEEK_SET))
		return fd;
	close(fd);
	return -EIO;
}

/* Runs the program with these descriptors, and with signals as they are at first. */
static int spawn(struct question *q, char **argv, int in, int out)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	char path[4096];
	sigset_t set;
	int ret = command_sibling(path, sizeof(path), "sql");

	if (ret)
		return ret;
	if (posix_spawn_file_actions_init(&actions))
		return -ENOMEM;
	if (posix_spawnattr_init(&attributes)) {
		posix_spawn_file_actions_destroy(&actions);
		return -ENOMEM;
	}
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, q->messages, STDERR_FILENO);
	sigemptyset(&set);
	posix_spawnattr_setsigmask(&attributes, &set);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	ret = posix_spawn(&q->pid, path, &actions, &attributes, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return -ret;
}

/* Appends an option if it has a value. Returns the new number of words. */
static size_t add_option(const char **words, size_t nr, const char *name, const char *value)
{
	if (!value)
		return nr;
	words[nr] = name;
	words[nr + 1] = value;
	return nr + 2;
}

static int run(struct question *q, const struct question_opts *opts, int in, int out)
{
	const __u64 ms = opts->limits.time_ms, memory = opts->limits.memory;
	const size_t files = (size_t)opts->nr;
	char time_limit[40], memory_limit[40];
	const char *words[WORDS_NR + 1] = {
		"ktrace", "--csv", time_limit, memory_limit, "--file=-",
	};
	size_t nr = WORDS_FIXED;
	char **argv = calloc(WORDS_NR + files + 3, sizeof(*argv));
	int ret;

	if (!argv)
		return -ENOMEM;
	snprintf(time_limit, sizeof(time_limit), "--time-limit=%llums", ms ? ms : TIME_LIMIT_MS);
	snprintf(memory_limit, sizeof(memory_limit), "--memory=%llu", memory ? memory : MEMORY);
	nr = add_option(words, nr, "--clocks", opts->clocks);
	nr = add_option(words, nr, "--store", store_folder());
	nr = add_option(words, nr, "--host", store_host());
	words[nr++] = "--";
	memcpy(argv, words, nr * sizeof(*argv));
	memcpy(argv + nr, opts->paths, files * sizeof(*argv));
	argv[nr + files] = (char *)NO_STATEMENT;
	ret = spawn(q, argv, in, out);
	free(argv);
	return ret;
}

int question_start(struct question *q, const struct question_opts *opts, const char *text)
{
	int fds[2], ret, in = text_file(text);

	*q = (struct question){ .out = -1, .messages = -1 };
	if (in < 0)
		return in;
	q->messages = memfd_create("messages", MFD_CLOEXEC);
	ret = q->messages < 0 || pipe2(fds, O_CLOEXEC | O_NONBLOCK) ? -errno : 0;
	if (!ret) {
		/* Only our end: the process waits until there is room. */
		q->out = fds[0];
		ret = fcntl(fds[1], F_SETFL, 0) ? -errno : run(q, opts, in, fds[1]);
		close(fds[1]);
	}
	close(in);
	if (ret)
		question_free(q);
	return ret;
}

/* Waits for the process, which has closed its output or was killed. */
static void finish(struct question *q)
{
	int status = 0;

	close(q->out);
	q->out = -1;
	while (waitpid(q->pid, &status, 0) < 0 && errno == EINTR)
		;
	q->pid = 0;
	q->status = WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_DAMAGED;
}

bool question_read(struct question *q)
{
	ssize_t n;

	while (q->pid && !q->is_cut) {
		if (bytes_reserve(&q->rows, READ_SIZE)) {
			question_end(q);
			break;
		}
		n = read(q->out, q->rows.at + q->rows.nr, READ_SIZE);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return false;
		q->rows.nr += n > 0 ? (size_t)n : 0;
		q->is_cut = q->rows.nr > ROWS_MAX;
		if (n <= 0)
			finish(q);
	}
	if (q->pid) {
		kill(q->pid, SIGKILL);
		finish(q);
		q->status = STATUS_OK;
	}
	return true;
}

void question_end(struct question *q)
{
	if (!q->pid)
		return;
	kill(q->pid, SIGKILL);
	finish(q);
	q->is_ended = true;
}

static void put_messages(const struct question *q, struct ktrace_out *out)
{
	char *text = malloc(MESSAGES_MAX);
	ssize_t n = text ? pread(q->messages, text, MESSAGES_MAX, 0) : 0;

	json_key(out, "messages");
	if (q->is_ended)
		n = 0;
	ktrace_out_json(out, text ? text : "", n > 0 ? (size_t)n : 0);
	free(text);
}

void question_put(const struct question *q, struct ktrace_out *out)
{
	ktrace_out_char(out, '{');
	json_u64(out, "status", (__u64)q->status);
	json_bool(out, "ended", q->is_ended);
	json_bool(out, "cut", q->is_cut);
	json_key(out, "rows");
	ktrace_out_json(out, q->rows.nr ? (const char *)q->rows.at : "",
			q->rows.nr < ROWS_MAX ? q->rows.nr : ROWS_MAX);
	put_messages(q, out);
	ktrace_out_str(out, "}\n");
}

void question_free(struct question *q)
{
	question_end(q);
	if (q->out >= 0)
		close(q->out);
	if (q->messages >= 0)
		close(q->messages);
	bytes_free(&q->rows);
	q->out = q->messages = -1;
}
