/* SPDX-License-Identifier: GPL-2.0 */
/*
 * where.h - which of the chosen kernel events are recorded: filters that the kernel evaluates
 *
 * An entry of -e may have an expression in braces, "sched:switch{next_prio < 100}"; an event
 * is recorded if any entry that it matches wants it, and --where, too.
 */
#ifndef KTRACED_EVENTS_WHERE_H
#define KTRACED_EVENTS_WHERE_H

#include "dynamic.h"
#include "select.h"

/**
 * struct where_error - what is wrong with an expression
 * @option:	"-e", "--where"
 * @text:	what it was given; the fault lies in it
 * @at:		at this byte
 * @column:	which in its line is this one
 * @message:	what is wrong
 */
struct where_error {
	const char *option;
	const char *text;
	size_t at;
	__u32 column;
	char message[192];
};

/** where_is_used - is there any expression? */
bool where_is_used(const struct choice *choice);

/**
 * where_set - give kernel events their filters
 * @s:		the session; NULL: only see whether that can be done
 * @d:		its tracepoints and probes; NULL without a session
 * @choice:	what is chosen
 * @error:	filled in with -EINVAL
 *
 * Events that this kernel cannot produce are left out, and all if the session has none.
 *
 * Return: 0; -EINVAL an expression is wrong; what the session says.
 */
int where_set(struct ktrace_session *s, const struct dynamic *d, const struct choice *choice,
	      struct where_error *error);

/** where_reason - what is wrong, in one line of @size bytes */
void where_reason(const struct where_error *error, char *reason, size_t size);

/** where_say - say what is wrong, and show where */
void where_say(const struct where_error *error);

#endif
