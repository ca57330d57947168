/* SPDX-License-Identifier: GPL-2.0 */
/* command.h - the traced command: start it held back, release it, pass on its exit status */
#ifndef KTRACED_COMMAND_H
#define KTRACED_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include <linux/types.h>

/**
 * struct command - the traced command
 * @pid:	0 = there is none
 * @gate_fd:	a byte releases the child; closing this end makes it give up
 * @error_fd:	delivers the errno of a failed exec
 * @is_gone:	it has ended and been reaped
 * @wait_status: status from wait(2)
 * @gone_ns:	CLOCK_MONOTONIC at that time
 */
struct command {
	pid_t pid;
	int gate_fd;
	int error_fd;
	bool is_gone;
	int wait_status;
	__u64 gone_ns;
};

/* Signal state at the start of ktraced, which the command gets back */
struct command_signals {
	sigset_t mask;
	struct sigaction chld;
	struct sigaction pipe;
	struct sigaction xfsz;
};

/* A variable added to the command's environment; a list ends with a NULL name. */
struct command_variable {
	const char *name;
	const char *value;
};

/** command_fork - create a child that waits to become the command; 0 or -errno */
int command_fork(struct command *c, char **argv, const struct command_variable *env,
		 const struct command_signals *signals);

/**
 * command_release - let the command run
 *
 * Return: 0 once exec has succeeded, or its -errno.
 */
int command_release(struct command *c);

/** command_refuse - report why it cannot be executed, and return the exit status for that */
int command_refuse(const char *name, int error);

/** command_abandon - make a child that will not be released give up */
void command_abandon(struct command *c);

/** command_reap - reap all children that have ended, the command or orphans */
void command_reap(struct command *c);

/** command_has_signal - true if the terminal sent it, and so sent it to the command, too */
bool command_has_signal(int sig, int code);

/** command_wait - wait until the command has ended; pass on the signals that end ktraced */
void command_wait(struct command *c, const sigset_t *signals);

/** command_kill - send the command a signal if it is still running */
void command_kill(const struct command *c, int sig);

/** command_exit - end ktraced as the command ended; does not return */
_Noreturn void command_exit(const struct command *c);

/** die_by - end by a signal, or with status 128 + @sig if that fails */
_Noreturn void die_by(int sig);

#endif
