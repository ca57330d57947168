/* SPDX-License-Identifier: GPL-2.0 */
/* recording.h - one recording: from opening the file to the last line of summary */
#ifndef KTRACED_RECORDING_H
#define KTRACED_RECORDING_H

#include <stdbool.h>
#include <ktrace/session.h>

#include "command.h"
#include "context/context.h"
#include "events/dynamic.h"
#include "options.h"
#include "output/capture.h"
#include "output/parts.h"
#include "shark/send.h"

/**
 * struct recording - what belongs together
 * @options:	as asked for
 * @session:	the session
 * @name:	of the file, or what its parts are named after
 * @parts:	the files, if there are to be several
 * @capture:	session to file
 * @context:	what is recorded beside payloads of kernel events
 * @sender:	chunks of S.Ha.R.K. that programs and the kernel want to be sent
 * @dynamic:	events of the kernel's own
 * @command:	the traced command, pid 0 = none
 * @signals:	how signals were at the start
 * @choice:	which events are recorded now
 * @events:	memory of @choice.events, NULL = the command line's
 * @where:	the same of @choice.where
 * @start_ns:	CLOCK_MONOTONIC when tracing began
 * @end_ns:	and when it ended
 * @is_replacing: what had the file's name is there still
 * @end_reason:	for the file: why it ended
 * @abort_signal: the user insisted with this signal, 0 = no
 * @is_failure:	the exit status is ours, unless the command failed itself
 */
struct recording {
	const struct options *options;
	struct ktrace_session *session;
	char *name;
	struct parts parts;
	struct capture capture;
	struct context context;
	struct sender sender;
	struct dynamic dynamic;
	struct command command;
	struct command_signals signals;
	struct choice choice;
	char *events;
	char *where;
	__u64 start_ns;
	__u64 end_ns;
	bool is_replacing;
	const char *end_reason;
	int abort_signal;
	bool is_failure;
};

/**
 * recording_open - file, session, META, command held back, start, command released
 * @r:		options and signals are given
 * @signals:	blocked signals, SIGCHLD among them
 *
 * Return: -1 to go on, or the exit status after a failure, which has been said.
 */
int recording_open(struct recording *r, const sigset_t *signals);

/**
 * recording_close - stop, write what is left, end the file, print the summary
 *
 * Return: 0, or the exit status that this calls for where the command's is 0.
 */
int recording_close(struct recording *r);

#endif
