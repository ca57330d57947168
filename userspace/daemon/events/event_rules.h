/* SPDX-License-Identifier: GPL-2.0 */
/* event_rules.h - the entries of a list of -e, which may have expressions in braces */
#ifndef KTRACED_EVENTS_EVENT_RULES_H
#define KTRACED_EVENTS_EVENT_RULES_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct wanted_entry - one entry of a list of -e
 * @glob:	glob of its events
 * @glob_len:	bytes
 * @expr:	the expression, NULL = none
 * @expr_len:	bytes
 * @is_closed:	it has its closing brace, and nothing after it
 */
struct wanted_entry {
	const char *glob;
	size_t glob_len;
	const char *expr;
	size_t expr_len;
	bool is_closed;
};

/** event_rules_next - take the next entry from the list; false if there is none */
bool event_rules_next(const char **list, struct wanted_entry *e);

/**
 * event_rules_strip - a list without its expressions
 * @events:	the list
 * @plain:	out, @size bytes; truncated if it does not fit
 */
void event_rules_strip(const char *events, char *plain, size_t size);

/**
 * event_rules_filters - the entries that have expressions
 * @events:	the list, or NULL
 *
 * Return: the entries, separated by commas, to be freed; NULL if there are none.
 */
char *event_rules_filters(const char *events);

#endif
