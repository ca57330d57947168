// SPDX-License-Identifier: GPL-2.0
/* query.c - runs a program and takes in what it prints, without waiting for it */
#include "query.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

static void finish(struct query *q, const char *text, const char *why)
{
	query_end(q);
	q->done(q->arg, text, why);
}

static void time_is_up(void *arg)
{
	finish(arg, NULL, "it did not answer in 2 s and was killed");
}

static void on_output(void *arg, uint32_t events)
{
	struct query *q = arg;
	ssize_t n;

	(void)events;
	do {
		n = read(q->out.fd, q->text + q->size, QUERY_TEXT_MAX - q->size);
		q->size += n > 0 ? (size_t)n : 0;
	} while (n > 0 && q->size < QUERY_TEXT_MAX);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n) {
		finish(q, NULL, n < 0 ? strerror(errno) : "it printed more than 16 KiB");
		return;
	}
	q->text[q->size] = '\0';
	if (strlen(q->text) != q->size)
		finish(q, NULL, "it printed a NUL");
	else
		finish(q, q->text, NULL);
}

/* Usual signals, none blocked, in a group that ctrl-C at the terminal does not reach */
static int set_attributes(posix_spawnattr_t *attr)
{
	sigset_t none, all;
	int error;

	sigemptyset(&none);
	sigfillset(&all);
	error = posix_spawnattr_setsigmask(attr, &none);
	if (!error)
		error = posix_spawnattr_setsigdefault(attr, &all);
	if (!error)
		error = posix_spawnattr_setpgroup(attr, 0);
	return error ? error : posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGMASK |
							POSIX_SPAWN_SETSIGDEF |
							POSIX_SPAWN_SETPGROUP);
}

static int set_files(posix_spawn_file_actions_t *files, int out)
{
	int error = posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0);

	if (!error)
		error = posix_spawn_file_actions_adddup2(files, out, 1);
	return error ? error : posix_spawn_file_actions_addopen(files, 2, "/dev/null", O_WRONLY, 0);
}

static int spawn(struct query *q, const char *const *argv, int out)
{
	static const char *const env[] = { "LC_ALL=C", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	int error = posix_spawnattr_init(&attr);

	if (error)
		return -error;
	error = posix_spawn_file_actions_init(&files);
	if (!error) {
		error = set_attributes(&attr);
		if (!error)
			error = set_files(&files, out);
		if (!error)
			error = posix_spawn(&q->pid, argv[0], &files, &attr, (char **)argv,
					    (char **)env);
		posix_spawn_file_actions_destroy(&files);
	}
	posix_spawnattr_destroy(&attr);
	return -error;
}

/* Takes a descriptor of the program, which exists at least as a zombie until it is reaped. */
static int hold(struct query *q)
{
	int error;

	q->pidfd = (int)syscall(SYS_pidfd_open, q->pid, 0);
	if (q->pidfd >= 0)
		return 0;
	error = -errno;
	kill(q->pid, SIGKILL);
	q->pid = 0;
	return error;
}

int query_begin(struct query *q, const char *const *argv)
{
	int ends[2], error;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	q->size = 0;
	q->pid = 0;
	error = spawn(q, argv, ends[1]);
	close(ends[1]);
	if (!error)
		error = hold(q);
	if (error) {
		close(ends[0]);
		return error;
	}
	q->out = (struct loop_source){ ends[0], on_output, q };
	q->limit.fire = time_is_up;
	q->limit.arg = q;
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	error = loop_join(q->loop, &q->out, EPOLLIN);
	if (error) {
		q->out.fd = -1;
		query_end(q);
		return error;
	}
	timer_set(q->timers, &q->limit, QUERY_MS);
	return 0;
}

void query_end(struct query *q)
{
	if (!q->pid)
		return;
	timer_stop(q->timers, &q->limit);
	/* One that has closed its output is about to end; one that is not, must. */
	syscall(SYS_pidfd_send_signal, q->pidfd, SIGKILL, NULL, 0);
	close(q->pidfd);
	if (q->out.fd >= 0) {
		loop_leave(q->loop, &q->out);
		close(q->out.fd);
	}
	q->pid = 0;
}
