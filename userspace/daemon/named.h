/* SPDX-License-Identifier: GPL-2.0 */
/* named.h - kernel events that -e names, and why they cannot be recorded */
#ifndef KTRACED_NAMED_H
#define KTRACED_NAMED_H

#include "events/dynamic.h"
#include "options.h"

/**
 * named_check - look for names of kernel events that no kernel has
 *
 * For before the session is made.
 *
 * Return: -1 to go on, or the exit status after a failure, which has been said.
 */
int named_check(const struct options *o);

/**
 * named_without_kernel - the session has no kernel events: say so if -e names any
 * @why:	there are none
 * @is_said:	out: it names some
 *
 * Return: as named_check().
 */
int named_without_kernel(const struct options *o, const char *why, bool *is_said);

/**
 * named_rows - look for entries of -e of whose events this kernel can produce none
 * @missing:	what select_enable() has found
 *
 * Return: as named_check().
 */
int named_rows(const struct options *o, const struct select_missing *missing);

/**
 * named_say - say that events cannot be recorded
 * @reason:	lines, the first ones of entries begin without a blank; changed
 *
 * Return: as named_check().
 */
int named_say(const struct options *o, char *reason);

/**
 * named_is_wrong - does a list name an event of a kernel family that the family does not have?
 * @events:	list of -e, or NULL
 * @reason:	out, @size bytes: which one
 */
bool named_is_wrong(const char *events, char *reason, size_t size);

/**
 * named_is_near - does an entry that nothing has matched look like one of the kernel's?
 * @glob:	the entry
 */
bool named_is_near(const char *glob);

/**
 * named_end - look for entries of -e that have met no tracepoint until the end
 * @d:		those that were met
 *
 * Return: as named_check().
 */
int named_end(const struct options *o, const struct dynamic *d);

#endif
