// SPDX-License-Identifier: GPL-2.0
/*
 * command.c - the traced command
 *
 * The child is forked early, so that its pid can be followed, and held back by a pipe until the
 * session runs: nothing it does can happen before the trace begins. The child gets back the
 * signal mask and dispositions that ktraced was started with. A second pipe, which a successful
 * exec closes, carries the error of a failed one.
 */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

static ssize_t read_retry(int fd, void *buf, size_t size)
{
	ssize_t n;

	do
		n = read(fd, buf, size);
	while (n < 0 && errno == EINTR);
	return n;
}

static _Noreturn void become(char **argv, const struct command_variable *env, const int fds[2],
			     const struct command_signals *signals)
{
	char go;
	int error;

	if (read_retry(fds[0], &go, 1) != 1)
		_exit(EXIT_OWN);
	sigaction(SIGCHLD, &signals->chld, NULL);
	sigaction(SIGPIPE, &signals->pipe, NULL);
	sigaction(SIGXFSZ, &signals->xfsz, NULL);
	sigprocmask(SIG_SETMASK, &signals->mask, NULL);
	while (env->name && !setenv(env->name, env->value, 1))
		env++;
	if (!env->name)
		execvp(argv[0], argv);
	error = errno;
	if (write(fds[1], &error, sizeof(error)) != sizeof(error))
		_exit(EXIT_OWN);
	_exit(error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
}

int command_fork(struct command *c, char **argv, const struct command_variable *env,
		 const struct command_signals *signals)
{
	int gate[2], report[2], error;
	pid_t pid;

	if (pipe2(gate, O_CLOEXEC))
		return -errno;
	if (pipe2(report, O_CLOEXEC)) {
		error = -errno;
		goto err_close_gate;
	}
	pid = fork();
	if (pid < 0) {
		error = -errno;
		goto err_close_report;
	}
	if (!pid) {
		const int fds[2] = { gate[0], report[1] };

		/* If the child kept these ends, both pipes would stay open. */
		close(gate[1]);
		close(report[0]);
		become(argv, env, fds, signals);
	}
	close(gate[0]);
	close(report[1]);
	*c = (struct command) { .pid = pid, .gate_fd = gate[1], .error_fd = report[0] };
	return 0;

err_close_report:
	close(report[0]);
	close(report[1]);
err_close_gate:
	close(gate[0]);
	close(gate[1]);
	return error;
}

int command_release(struct command *c)
{
	int error = 0;

	if (write(c->gate_fd, "", 1) != 1)
		error = errno;
	close(c->gate_fd);
	if (read_retry(c->error_fd, &error, sizeof(error)) < 0)
		error = errno;
	close(c->error_fd);
	return -error;
}

int command_refuse(const char *name, int error)
{
	log_error("%s: %s", name, strerror(-error));
	return error == -ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

void command_abandon(struct command *c)
{
	if (!c->pid)
		return;
	close(c->gate_fd);
	close(c->error_fd);
}

void command_reap(struct command *c)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != c->pid || c->is_gone)
			continue;
		c->is_gone = true;
		c->wait_status = status;
		c->gone_ns = now_ns();
	}
}

void command_kill(const struct command *c, int sig)
{
	if (c->pid && !c->is_gone)
		kill(c->pid, sig);
}

bool command_has_signal(int sig, int code)
{
	return (sig == SIGINT || sig == SIGQUIT) && code == SI_KERNEL;
}

void command_wait(struct command *c, const sigset_t *signals)
{
	command_reap(c);
	while (!c->is_gone) {
		siginfo_t info;
		int sig = sigwaitinfo(signals, &info);

		if (sig > 0 && sig != SIGCHLD && !command_has_signal(sig, info.si_code))
			command_kill(c, sig);
		command_reap(c);
	}
}

void die_by(int sig)
{
	const struct rlimit no_core = { 0, 0 };
	sigset_t set;

	/* The command has dumped its core already; a core of ktraced would replace it. */
	setrlimit(RLIMIT_CORE, &no_core);
	signal(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(sig);
	_exit(128 + sig);
}

void command_exit(const struct command *c)
{
	if (WIFSIGNALED(c->wait_status))
		die_by(WTERMSIG(c->wait_status));
	_exit(WEXITSTATUS(c->wait_status));
}
