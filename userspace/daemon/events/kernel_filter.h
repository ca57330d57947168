/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kernel_filter.h - which kernel events are recorded: filters that the kernel evaluates
 *
 * An entry of -e may have an expression in braces, "sched:switch{next_prio < 100}"; an event
 * is recorded if any entry that it matches wants it, and --where, too.
 */
#ifndef KTRACED_EVENTS_KERNEL_FILTER_H
#define KTRACED_EVENTS_KERNEL_FILTER_H

#include "dynamic.h"
#include "select.h"

/**
 * struct kernel_filter_error - what is wrong with an expression
 * @option:	"-e", "--where"
 * @text:	what it was given; the fault lies in it
 * @at:		at this byte
 * @column:	which in its line is this one
 * @message:	what is wrong
 */
struct kernel_filter_error {
	const char *option;
	const char *text;
	size_t at;
	__u32 column;
	char message[192];
};

/** kernel_filter_is_used - is there any expression? */
bool kernel_filter_is_used(const struct choice *choice);

/**
 * kernel_filter_set - give kernel events their filters
 * @s:		the session; NULL: only see whether that can be done
 * @d:		its tracepoints and probes; NULL without a session
 * @choice:	what is chosen
 * @error:	filled in with -EINVAL
 *
 * Events that this kernel cannot produce are left out, and all if the session has none.
 *
 * Return: 0; -EINVAL an expression is wrong; what the session says.
 */
int kernel_filter_set(struct ktrace_session *s, const struct dynamic *d,
		      const struct choice *choice,
		      struct kernel_filter_error *error);

/** kernel_filter_reason - what is wrong, in one line of @size bytes */
void kernel_filter_reason(const struct kernel_filter_error *error, char *reason, size_t size);

/** kernel_filter_say - say what is wrong, and show where */
void kernel_filter_say(const struct kernel_filter_error *error);

#endif
