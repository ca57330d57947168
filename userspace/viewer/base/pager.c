// SPDX-License-Identifier: GPL-2.0
/*
 * pager.c - output to a terminal: colours and a pager
 *
 * As in git, this process writes into a pipe to its child, the pager, and waits for it at the end.
 * Standard error goes the same way, so that messages do not disturb the pager's screen. A pager
 * that quits early closes the pipe, which is not an error.
 */
#include "pager.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
#define SIGNAL_NR (sizeof(signals) / sizeof(signals[0]))
static pid_t pager;
static bool is_decided;

static bool has_value(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

bool terminal_has_colours(void)
{
	const char *when = getenv("KTRACE_COLOR"), *term = getenv("TERM");
	static int known = -1;

	if (known >= 0)
		return known;
	if (when && !strcmp(when, "always"))
		known = 1;
	else if (when && !strcmp(when, "never"))
		known = 0;
	else
		known = isatty(STDOUT_FILENO) && !has_value("NO_COLOR") && term &&
			strcmp(term, "dumb");
	return known;
}

const char *colour_bad(void)
{
	return terminal_has_colours() ? "\033[31m" : "";
}

const char *colour_title(void)
{
	return terminal_has_colours() ? "\033[1m" : "";
}

const char *colour_end(void)
{
	return terminal_has_colours() ? "\033[m" : "";
}

int terminal_columns(void)
{
	static int known = -1;
	struct winsize size;

	if (known < 0)
		known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_col;
	return known;
}

void pager_off(void)
{
	is_decided = true;
}

static void close_outputs(void)
{
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
}

static void end(void)
{
	fflush(stdout);
	close_outputs();
	waitpid(pager, NULL, 0);
}

/* Waits for the pager, which owns the terminal until it ends and ignores SIGINT itself. */
static void on_signal(int signal_nr)
{
	close_outputs();
	waitpid(pager, NULL, 0);
	/* SA_RESETHAND: the signal now ends the process, as it would have without us. */
	raise(signal_nr);
}

/* Returns the command line of the pager, NULL = none is wanted. */
static const char *find_pager(void)
{
	const char *command = getenv("KTRACE_PAGER");

	if (!command)
		command = getenv("PAGER");
	if (!command && !access("/usr/bin/less", X_OK))
		command = "less";
	return command && *command && strcmp(command, "cat") ? command : NULL;
}

static void become_pager(const char *command, int in)
{
	dup2(in, STDIN_FILENO);
	signal(SIGPIPE, SIG_DFL);
	/*
	 * less: quit if the text fits the screen, pass colours through, leave the text on the
	 * screen
	 */
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	execl("/bin/sh", "sh", "-c", command, NULL);
	_exit(127);
}

static void use_pipe(int to)
{
	const struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND };

	dup2(to, STDOUT_FILENO);
	if (isatty(STDERR_FILENO))
		dup2(to, STDERR_FILENO);
	for (size_t i = 0; i < SIGNAL_NR; i++)
		sigaction(signals[i], &action, NULL);
	atexit(end);
}

/* Blocks signals until the handler knows which process to wait for. */
static void start_pager(const char *command, const int *fds)
{
	sigset_t ours, before;

	sigemptyset(&ours);
	for (size_t i = 0; i < SIGNAL_NR; i++)
		sigaddset(&ours, signals[i]);
	sigprocmask(SIG_BLOCK, &ours, &before);
	pager = fork();
	if (!pager) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		become_pager(command, fds[0]);
	}
	if (pager > 0)
		use_pipe(fds[1]);
	close(fds[0]);
	close(fds[1]);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void pager_begin(void)
{
	const char *command = is_decided ? NULL : find_pager();
	int fds[2];

	is_decided = true;
	if (!command || !isatty(STDOUT_FILENO) || pipe2(fds, O_CLOEXEC))
		return;
	/* Cache both while standard output is still the terminal. */
	terminal_has_colours();
	terminal_columns();
	start_pager(command, fds);
}
