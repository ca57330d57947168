/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kernel_filter.h - filters that the kernel evaluates to select its events
 *
 * An entry of -e may have an expression in braces, "sched:switch{next_prio < 100}"; an event
 * is recorded if any entry that matches it selects it, and --filter does, too.
 */
#ifndef KTRACED_EVENTS_KERNEL_FILTER_H
#define KTRACED_EVENTS_KERNEL_FILTER_H

#include "dynamic.h"
#include "select.h"

/**
 * struct kernel_filter_error - an invalid expression
 * @option:	"-e", "--filter"
 * @text:	the option's argument, which contains the error
 * @at:		offset of the error in @text
 * @column:	column of the error in its line
 * @message:	description of the error
 */
struct kernel_filter_error {
	const char *option;
	const char *text;
	size_t at;
	__u32 column;
	char message[192];
};

/** kernel_filter_is_used - true if there is any expression */
bool kernel_filter_is_used(const struct choice *choice);

/**
 * kernel_filter_set - give kernel events their filters
 * @s:		the session; NULL: only check whether this is possible
 * @d:		its tracepoints and probes; NULL without a session
 * @choice:	the chosen events
 * @error:	filled in with -EINVAL
 *
 * Skips events that this kernel cannot produce, and all if the session has no kernel events.
 *
 * Return: 0; -EINVAL an expression is invalid; an error of the session.
 */
int kernel_filter_set(struct ktrace_session *s, const struct dynamic *d,
		      const struct choice *choice,
		      struct kernel_filter_error *error);

/** kernel_filter_reason - describe the error in one line of @size bytes */
void kernel_filter_reason(const struct kernel_filter_error *error, char *reason, size_t size);

/** kernel_filter_say - report the error, and show its place */
void kernel_filter_say(const struct kernel_filter_error *error);

#endif
