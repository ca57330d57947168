/* SPDX-License-Identifier: GPL-2.0 */
/* command.h - the traced command: start it held back, release it, pass on how it ended */
#ifndef KTRACED_COMMAND_H
#define KTRACED_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include <linux/types.h>

/**
 * struct command - the traced command
 * @pid:	0 = there is none
 * @gate_fd:	a byte lets it go; closing the end makes it give up
 * @error_fd:	tells why exec failed
 * @is_gone:	it has been waited for
 * @wait_status: as wait(2) gives it
 * @gone_ns:	CLOCK_MONOTONIC then
 */
struct command {
	pid_t pid;
	int gate_fd;
	int error_fd;
	bool is_gone;
	int wait_status;
	__u64 gone_ns;
};

/* How signals were when ktraced began: the command gets them like this. */
struct command_signals {
	sigset_t mask;
	struct sigaction chld;
	struct sigaction pipe;
	struct sigaction xfsz;
};

/* A variable that it finds in its environment besides ours; a list ends with a NULL name. */
struct command_variable {
	const char *name;
	const char *value;
};

/** command_fork - a child that waits to become the command; 0 or -errno */
int command_fork(struct command *c, char **argv, const struct command_variable *env,
		 const struct command_signals *signals);

/**
 * command_release - let it run
 *
 * Return: 0 once exec has succeeded, or its -errno.
 */
int command_release(struct command *c);

/** command_refuse - say why it cannot be executed, and return the exit status for that */
int command_refuse(const char *name, int error);

/** command_abandon - it will not be released: it gives up */
void command_abandon(struct command *c);

/** command_reap - wait for whatever children have ended, the command or orphans */
void command_reap(struct command *c);

/** command_has_signal - does it come from the terminal, which has sent it to the command, too? */
bool command_has_signal(int sig, int code);

/** command_wait - wait until it is gone; passes on the signals that end ktraced */
void command_wait(struct command *c, const sigset_t *signals);

/** command_kill - send it a signal if it is still there */
void command_kill(const struct command *c, int sig);

/** command_exit - end ktraced like the command ended; does not return */
_Noreturn void command_exit(const struct command *c);

/** die_by - end by a signal, or, if that does not work, with status 128 + sig */
_Noreturn void die_by(int sig);

#endif
