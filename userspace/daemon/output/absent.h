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

/* Reasons, in the order in which they are checked */
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
 * @looks:	number of looks that found this reason
 * @reason:	ABSENT_NR: not absent any more
 * @is_unsure:	it was only seen ending: a report that it attached may still come
 * @comm:	its name
 * @name:	path of its file, empty: unknown
 */
struct absent_one {
	__u32 pid;
	unsigned int looks;
	enum absent_reason reason;
	bool is_unsure;
	char comm[16];
	char name[KTRACE_EXEC_NAME_LEN];
};

/**
 * struct absent - programs that were seen
 * @ones:	absent programs, as last seen
 * @nr:		number of @ones
 * @cap:	capacity of @ones
 * @session:	session whose module reports programs; NULL: no module does
 * @lost:	programs that were not kept for lack of room
 * @overrun:	programs that the module saw but could not report
 * @is_device:	programs need the device, not /dev/shm
 * @for_all:	programs of any user may attach
 * @has_narrow:	the library is also installed for 32-bit programs
 * @area:	bytes that each program maps
 * @attached:	processes that have ever taken part; NULL: none
 * @command:	process of the command, 0 = none
 * @own:	programs that ktraced runs itself, 0 = none: of TIME_SOURCES, and ktrace ship
 * @noted:	name of the command when it attached, or as seen taking part since
 * @last:	last name of the command, empty: unknown
 * @unfit:	name of the command if its file cannot load the library, otherwise empty
 * @last_ns:	time of the last look
 * @took_ns:	duration of the last look
 * @begun_ns:	time of the first look
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
	__u32 own[3];
	char noted[16];
	char last[16];
	char unfit[16];
	__u64 last_ns;
	__u64 took_ns;
	__u64 begun_ns;
};

/* Called when @s is mapped, and before the command exists; @env: value of KTRACE_SESSION. */
void absent_begin(struct absent *a, struct ktrace_session *s, const char *env);
/* Notes that the file of the command cannot load the library. */
void absent_unfit(struct absent *a, const char *command);
/* Takes an @entry of the registry: a process takes part, or a thread has another name. */
void absent_noted(struct absent *a, const struct ktrace_entry_copy *entry);
/* Takes the module's reports, and looks at all descendants if it is time; @is_early: sooner. */
void absent_look(struct absent *a, __u64 now, bool is_early);
/* Reports the programs that could not take part, one line for each reason. */
void absent_say(struct absent *a);
void absent_free(struct absent *a);

#endif
