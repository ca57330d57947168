/* SPDX-License-Identifier: GPL-2.0 */
/* process_lifetimes.h - processes that begin or end, and programs in them, between events */
#ifndef VIEWER_EVENTS_PROCESS_LIFETIMES_H
#define VIEWER_EVENTS_PROCESS_LIFETIMES_H

#include <ktrace/traceset.h>

struct lifetimes;

/**
 * struct lifetime - a process begins, or another program in it, or it has ended
 * @machine:	number of the first file of the same boot
 * @pid:	the process
 * @ppid:	its parent
 * @is_fork:	it has what its parent had; otherwise it has nothing of what was before
 * @raw:	stamp
 */
struct lifetime {
	__u32 machine;
	__u32 pid;
	__u32 ppid;
	bool is_fork;
	__u64 raw;
};

/* Return: 0, -ENOMEM. */
int lifetimes_new(const struct ktrace_traceset *set, struct lifetimes **out);
/* NULL is allowed. */
void lifetimes_free(struct lifetimes *b);
/*
 * The next one that came before the event; to be asked until there is none. Those with its stamp
 * come behind it. Parts of a trace tell of a process once each: it may come again, with its @raw.
 */
bool lifetimes_next(struct lifetimes *b, const struct ktrace_trace_event *e,
		    struct lifetime *birth);
/* The next one of file @i, before or behind the last event that was asked about */
bool lifetimes_rest(struct lifetimes *b, size_t i, struct lifetime *birth);
/* Number of the first file of the same boot */
__u32 lifetimes_machine(const struct lifetimes *b, const struct ktrace_trace *trace);

#endif
