/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * process_lifetimes.h - starts and ends of processes, and starts of programs in them, between
 * events
 */
#ifndef KTRACE_MODEL_PROCESS_LIFETIMES_H
#define KTRACE_MODEL_PROCESS_LIFETIMES_H

#include <ktrace/traceset.h>

struct lifetimes;

/**
 * struct lifetime - the start of a process or of another program in it, or its end
 * @machine:	number of the first file of the same boot
 * @pid:	the process
 * @ppid:	its parent
 * @is_fork:	it inherits from its parent; otherwise nothing from before remains
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
 * Returns the next one with a stamp before the event's; call it until there is none. Those with the
 * event's stamp come after it. Each part of a trace reports a process once, so one can come again
 * with the same @raw.
 */
bool lifetimes_next(struct lifetimes *b, const struct ktrace_trace_event *e,
		    struct lifetime *birth);
/* Returns the next one of file @i, whatever the last event was. */
bool lifetimes_rest(struct lifetimes *b, size_t i, struct lifetime *birth);
/* Returns the number of the first file of the same boot. */
__u32 lifetimes_machine(const struct lifetimes *b, const struct ktrace_trace *trace);

#endif
