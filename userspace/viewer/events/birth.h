/* SPDX-License-Identifier: GPL-2.0 */
/* birth.h - between the events of files: processes that begin, programs in them, and their ends */
#ifndef VIEWER_BIRTH_H
#define VIEWER_BIRTH_H

#include <ktrace/traceset.h>

struct births;

/**
 * struct birth - a process begins, or another program in it, or it has ended
 * @machine:	number of the first file of the same boot
 * @pid:	the process
 * @ppid:	its parent
 * @is_fork:	it has what its parent had; otherwise it has nothing of what was before
 * @raw:	stamp
 */
struct birth {
	__u32 machine;
	__u32 pid;
	__u32 ppid;
	bool is_fork;
	__u64 raw;
};

/* Return: 0, -ENOMEM. */
int births_new(const struct ktrace_traceset *set, struct births **out);
/* NULL is allowed. */
void births_free(struct births *b);
/*
 * The next one that came before the event; to be asked until there is none. Those with its stamp
 * come behind it. Parts of a trace tell of a process once each: it may come again, with its @raw.
 */
bool births_next(struct births *b, const struct ktrace_trace_event *e, struct birth *birth);
/* The next one of file @i, before or behind the last event that was asked about */
bool births_rest(struct births *b, size_t i, struct birth *birth);
/* Number of the first file of the same boot */
__u32 births_machine(const struct births *b, const struct ktrace_trace *trace);

#endif
