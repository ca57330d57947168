/* SPDX-License-Identifier: GPL-2.0 */
/* needs.h - whether there is any of the events that a command is about */
#ifndef VIEWER_NEEDS_H
#define VIEWER_NEEDS_H

#include <ktrace/traceset.h>

/**
 * struct needs - a command's
 * @providers:	of its events, separated by commas: any will do. NULL: it needs none
 * @is_met:	there was one
 * @last:	type of an event that was none
 */
struct needs {
	const char *providers;
	bool is_met;
	const struct ktrace_event_type *last;
};

/* Looks at an event of the files. */
void needs_see(struct needs *n, const struct ktrace_trace_event *e);
/* Says on standard error that there was none, and how they are recorded. */
void needs_complain(const struct needs *n);

#endif
