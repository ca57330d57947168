/* SPDX-License-Identifier: GPL-2.0 */
/* named.h - kernel events that -e names, and why they cannot be recorded */
#ifndef KTRACED_NAMED_H
#define KTRACED_NAMED_H

#include "events/dynamic.h"
#include "options.h"

/**
 * named_check - look for names of kernel events that no kernel has
 *
 * Called before the session is created.
 *
 * Return: -1 to go on, or the exit status after a failure, which has been reported.
 */
int named_check(const struct options *o);

/**
 * named_without_kernel - report the events that -e names if the session has no kernel events
 * @why:	reason that there are none
 * @is_said:	out: -e names some
 *
 * Return: same as named_check().
 */
int named_without_kernel(const struct options *o, const char *why, bool *is_said);

/**
 * named_rows - look for entries of -e with no event that this kernel can produce
 * @missing:	result of select_enable()
 *
 * Return: same as named_check().
 */
int named_rows(const struct options *o, const struct select_missing *missing);

/**
 * named_say - report that events cannot be recorded
 * @reason:	lines; the first line of each entry begins without a blank; modified
 *
 * Return: same as named_check().
 */
int named_say(const struct options *o, char *reason);

/**
 * named_is_wrong - true if a list names an event of a kernel family that this family lacks
 * @events:	list of -e, or NULL
 * @reason:	out, @size bytes: the event and a hint
 */
bool named_is_wrong(const char *events, char *reason, size_t size);

/**
 * named_is_near - true if an entry without a match looks like a kernel event
 * @glob:	the entry
 */
bool named_is_near(const char *glob);

/**
 * named_end - look for entries of -e that have matched no tracepoint until the end
 * @d:		the events of the recording
 *
 * Return: same as named_check().
 */
int named_end(const struct options *o, const struct dynamic *d);

#endif
