/* SPDX-License-Identifier: GPL-2.0 */
/* baseline.h - runs the command without recording, and reports how long a command took */
#ifndef KTRACED_BASELINE_H
#define KTRACED_BASELINE_H

#include "command.h"
#include "options.h"

/**
 * baseline - run the command in the same way as a recording does, but do not record
 * @o:		the options; only the command counts
 * @before:	signal state at the start of ktraced
 * @signals:	blocked signals, SIGCHLD among them
 *
 * Uses no session, library or file. Reports how long the command took, and ends as it did.
 *
 * Return: the exit status if the command could not be started; otherwise does not return.
 */
int baseline(const struct options *o, const struct command_signals *before,
	     const sigset_t *signals);

/** baseline_say - report the time of a command that started at @start_ns, if it has ended */
void baseline_say(const struct command *c, __u64 start_ns);

#endif
