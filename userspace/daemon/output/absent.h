/* SPDX-License-Identifier: GPL-2.0 */
/* absent.h - programs of the command that could not take part in --pthread, and why */
#ifndef KTRACED_OUTPUT_ABSENT_H
#define KTRACED_OUTPUT_ABSENT_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/ktrace_exec.h>

struct ktrace_entry_copy;
struct ktrace_session;
struct pids;

/* Why; in the order in which it is asked for. */
enum absent_reason {
	ABSENT_USER,
	ABSENT_SECURE,
	ABSENT_CLEARED,
	ABSENT_ENVIRONMENT,
	ABSENT_PRELOAD,
	ABSENT_ROOT,
	ABSENT_SHM,
	ABSENT_READ_ONLY,
	ABSENT_DEVICE,
	ABSENT_SPACE,
	ABSENT_PROGRAM,
	ABSENT_UNKNOWN,
	ABSENT_NR,
};

/**
 * struct absent_one - a program
 * @pid:	its process
 * @looks:	how often seen with this reason
 * @reason:	ABSENT_NR: no more
 * @comm:	its name
 * @name:	its file, empty: not known
 */
struct absent_one {
	__u32 pid;
	unsigned int looks;
	enum absent_reason reason;
	char comm[16];
	char name[KTRACE_EXEC_NAME_LEN];
};

/**
 * struct absent - those that have been seen
 * @ones:	as they were seen last
 * @nr:		how many
 * @cap:	allocated
 * @session:	whose module tells of each program; NULL: it does not
 * @lost:	programs of which nothing was kept, for want of room
 * @overrun:	programs that the module saw and could not tell of
 * @is_device:	programs need the device, not /dev/shm
 * @for_all:	programs of any user may attach
 * @has_narrow:	the library is there for programs of 32 bits, too
 * @area:	bytes of what they map
 * @attached:	processes that took part at some time; NULL: none
 * @command:	the process of the command, 0 = none
 * @noted:	its name, as it said when it attached, and as it was seen since
 * @last:	the one it ended with, empty: not known
 * @last_ns:	when they were looked at
 * @took_ns:	how long that took
 * @begun_ns:	when this began
 */
struct absent {
	struct absent_one *ones;
	size_t nr, cap;
	struct ktrace_session *session;
	__u64 lost, overrun;
	bool is_device, for_all, has_narrow;
	__u64 area;
	struct pids *attached;
	__u32 command;
	char noted[16];
	char last[16];
	__u64 last_ns;
	__u64 took_ns;
	__u64 begun_ns;
};

/* @s is there, and mapped, and the command is not; @env: value of KTRACE_SESSION. */
void absent_begin(struct absent *a, struct ktrace_session *s, const char *env);
/* A process takes part, or a thread has another name: what its @entry says. */
void absent_noted(struct absent *a, const struct ktrace_entry_copy *entry);
/* Takes what the module tells, and looks at all descendants if it is time; @is_early: sooner. */
void absent_look(struct absent *a, __u64 now, bool is_early);
/* Tells which could not take part, one line for each reason. */
void absent_say(struct absent *a);
void absent_free(struct absent *a);

#endif
