/* SPDX-License-Identifier: GPL-2.0 */
/* baseline.h - the command as it is without recording, and what time a command took */
#ifndef KTRACED_BASELINE_H
#define KTRACED_BASELINE_H

#include "command.h"
#include "options.h"

/**
 * baseline - run the command in the same way as a recording does, but do not record
 * @o:		what was asked for; of it only the command counts
 * @before:	how signals were at the start
 * @signals:	blocked signals, SIGCHLD among them
 *
 * No session, no library, no file. Says what time the command took, and ends as it did.
 *
 * Return: the exit status, if the command could not be started.
 */
int baseline(const struct options *o, const struct command_signals *before,
	     const sigset_t *signals);

/** baseline_say - what time a command took that began at @start_ns, if it has ended */
void baseline_say(const struct command *c, __u64 start_ns);

#endif
