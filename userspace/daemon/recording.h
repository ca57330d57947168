/* SPDX-License-Identifier: GPL-2.0 */
/* recording.h - one recording: from creating the session to the last line of the summary */
#ifndef KTRACED_RECORDING_H
#define KTRACED_RECORDING_H

#include <stdbool.h>
#include <ktrace/session.h>

#include "attach.h"
#include "clocks/host_clocks.h"
#include "command.h"
#include "context/context.h"
#include "events/dynamic.h"
#include "metrics.h"
#include "options.h"
#include "output/capture.h"
#include "output/drainer.h"
#include "output/parts.h"
#include "shark/send.h"
#include "ship.h"

/**
 * struct pace - what was written, and how much of it in the last second
 * @ns:		CLOCK_MONOTONIC when it was last looked at
 * @events:	events then
 * @bytes:	and bytes
 * @events_s:	events a second before that
 * @bytes_s:	bytes a second
 * @fill_max_ppm: the fullest ring of a drain in that second, in millionths
 * @fill_mean_ppm: the mean of the CPUs' rings in these drains
 */
struct pace {
	__u64 ns;
	__u64 events;
	__u64 bytes;
	__u64 events_s;
	__u64 bytes_s;
	__u64 fill_max_ppm;
	__u64 fill_mean_ppm;
};

/**
 * struct disk_seen - what was seen on the disk: while it does not answer, nobody else asks it
 * @has_free:	@free is known
 * @free:	bytes that are free where the file is
 * @file:	the file's path from the root, NULL = not known
 * @part:	which part it is
 * @oldest:	a part, 0 = none
 * @oldest_ns:	when that was completed, CLOCK_REALTIME
 */
struct disk_seen {
	bool has_free;
	__u64 free;
	char *file;
	__u32 part;
	__u32 oldest;
	__u64 oldest_ns;
};

/**
 * struct recording - state of one recording
 * @options:	the command line
 * @session:	the session
 * @name:	name of the file, or from which names of parts are made
 * @parts:	the files, if there are to be several
 * @capture:	writes the session to the file
 * @drainer:	empties the rings
 * @context:	context recorded with kernel events
 * @clocks:	asks programs and other recorders about clocks
 * @ship:	sends files to a store
 * @sender:	sends chunks of S.Ha.R.K. for programs and the kernel
 * @dynamic:	tracepoints and dynamic probes of the kernel
 * @attach:	programs that already run
 * @command:	the traced command, pid 0 = none
 * @signals:	signal state at the start of ktraced
 * @choice:	the events that are recorded now
 * @is_paused:	@choice is nothing, for now
 * @resumed:	the choice when it is no longer paused
 * @events:	memory of @choice.events, NULL = from the command line
 * @where:	memory of @choice.where, NULL = from the command line
 * @pace:	for those who ask how it goes
 * @seen:	what these need of the disk
 * @metrics:	the same for programs that collect metrics
 * @start_ns:	CLOCK_MONOTONIC at the start of tracing
 * @end_ns:	CLOCK_MONOTONIC at its end
 * @is_replacing: an older file of that name still exists
 * @end_reason:	reason of the end, for the file
 * @abort_signal: signal with which the user insisted on the end, 0 = none
 * @is_failure:	ktraced has failed: sets the exit status unless the command failed itself
 */
struct recording {
	const struct options *options;
	struct ktrace_session *session;
	char *name;
	struct parts parts;
	struct capture capture;
	struct drainer drainer;
	struct context context;
	struct host_clocks clocks;
	struct shipper ship;
	struct sender sender;
	struct dynamic dynamic;
	struct attach attach;
	struct command command;
	struct command_signals signals;
	struct choice choice;
	bool is_paused;
	struct choice resumed;
	struct pace pace;
	struct disk_seen seen;
	struct metrics metrics;
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
 * recording_open - session, kernel events, file, META, command held back, start, command released
 * @r:		with options and signals filled in
 * @signals:	blocked signals, SIGCHLD among them
 *
 * Return: -1 to go on, or the exit status after a failure, which has been reported.
 */
int recording_open(struct recording *r, const sigset_t *signals);

/**
 * recording_close - stop, write the remaining data, end the file, print the summary
 *
 * Return: 0, or the exit status to use if the command's is 0.
 */
int recording_close(struct recording *r);

#endif
