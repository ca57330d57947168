/* SPDX-License-Identifier: GPL-2.0 */
/* attach.h - programs that already run: which ones the recording wants, and what became of them */
#ifndef KTRACED_ATTACH_H
#define KTRACED_ATTACH_H

#include <stdbool.h>
#include <linux/types.h>
#include <ktrace/attacher.h>
#include <ktrace/session.h>

#include "options.h"

enum attach_fate { ATTACH_NOT_CHOSEN, ATTACH_WAITS, ATTACH_JOINED, ATTACH_REFUSED };

/**
 * struct attach - the recorder's side of a board
 * @options:	the command line
 * @board:	the board, NULL = the recording wants no running programs
 * @uid:	its user
 * @session:	what programs join
 * @pidns:	our PID namespace
 * @next_look:	when to look for new programs, CLOCK_MONOTONIC
 * @full:	programs without a slot at the start
 * @is_taken:	as many recordings as there may be have a board already
 * @chosen:	for each slot the program that was chosen, and what became of it
 */
struct attach {
	const struct options *options;
	struct ktrace_attacher *board;
	__u32 uid;
	char session[KTRACE_BOARD_SESSION];
	__u64 pidns;
	__u64 next_look;
	__u32 full;
	bool is_taken;
	struct {
		__u32 pid;
		enum attach_fate fate;
	} chosen[KTRACE_BOARD_SLOTS];
};

/** attach_is_used - true if the command line asks for running programs */
bool attach_is_used(const struct options *o);

/** attach_has_library - true if a process has libktrace, as far as can be known */
bool attach_has_library(__s32 pid);

/**
 * attach_open - find the board and the processes of -p
 * @at:		zeroed
 * @o:		the command line
 *
 * Reports what is wrong. Return: -1 to go on, or the exit status.
 */
int attach_open(struct attach *at, const struct options *o);

/**
 * attach_check - report processes of -p that cannot be attached
 * @has_kernel:	kernel events are recorded: then it is no failure
 *
 * Waits for processes that have just begun. Return: -1 to go on, or the exit status.
 */
int attach_check(const struct attach *at, bool has_kernel);

/** attach_begin - want the programs, now that the session runs */
void attach_begin(struct attach *at, const struct ktrace_session_info *info, __u64 now);

/** attach_look - look for programs that are to be chosen, and at those that were */
void attach_look(struct attach *at, __u64 now);

/** attach_is_over - true if all processes of -p have ended */
bool attach_is_over(const struct attach *at);

/**
 * attach_end - want nothing any more; report programs that never joined
 *
 * Return: true if programs that live may have joined.
 */
bool attach_end(struct attach *at);

/**
 * attach_release_stale - let programs that are asked for leave sessions whose ktraced was killed
 *
 * What those sessions hold can still be recovered.
 */
void attach_release_stale(const struct attach *at);

#endif
