/* SPDX-License-Identifier: GPL-2.0 */
/* absent.h - programs of the command that could not take part in --pthread, and why */
#ifndef KTRACED_ABSENT_H
#define KTRACED_ABSENT_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

struct pids;

/* Why; in the order in which it is asked for. */
enum absent_reason {
	ABSENT_USER,
	ABSENT_CLEARED,
	ABSENT_ENVIRONMENT,
	ABSENT_PRELOAD,
	ABSENT_ROOT,
	ABSENT_SHM,
	ABSENT_READ_ONLY,
	ABSENT_DEVICE,
	ABSENT_SPACE,
	ABSENT_PROGRAM,
	ABSENT_NR,
};

/* struct absent_one - a process; @looks: how often seen with this reason; ABSENT_NR: no more */
struct absent_one {
	__u32 pid;
	unsigned int looks;
	enum absent_reason reason;
	char comm[16];
};

/**
 * struct absent - those that have been seen
 * @ones:	as they were seen last
 * @nr:		how many
 * @cap:	allocated
 * @is_device:	programs need the device, not /dev/shm
 * @area:	bytes of what they map
 * @attached:	processes that took part at some time; NULL: none
 * @last_ns:	when they were looked at
 * @took_ns:	how long that took
 * @begun_ns:	when this began
 */
struct absent {
	struct absent_one *ones;
	size_t nr, cap;
	bool is_device;
	__u64 area;
	struct pids *attached;
	__u64 last_ns;
	__u64 took_ns;
	__u64 begun_ns;
};

/* The session is there, and mapped; @env: value of KTRACE_SESSION. */
void absent_begin(struct absent *a, const char *env);
/* A process takes part. */
void absent_attached(struct absent *a, __u32 pid);
/* Looks at all descendants of this process, if it is time to; @is_early: that is sooner. */
void absent_look(struct absent *a, __u64 now, bool is_early);
/* Tells which could not take part, one line for each reason. */
void absent_say(const struct absent *a);
void absent_free(struct absent *a);

#endif
