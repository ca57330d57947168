/* SPDX-License-Identifier: GPL-2.0 */
/* required_events.h - whether there is any of the events that a command is about */
#ifndef VIEWER_BASE_REQUIRED_EVENTS_H
#define VIEWER_BASE_REQUIRED_EVENTS_H

#include <ktrace/traceset.h>

/**
 * struct required_events - a command's
 * @providers:	of its events, separated by commas: any will do. NULL: it needs none
 * @is_met:	there was one
 * @last:	type of an event that was none
 */
struct required_events {
	const char *providers;
	bool is_met;
	const struct ktrace_event_type *last;
};

/* Looks at an event of the files. */
void required_events_see(struct required_events *n, const struct ktrace_trace_event *e);
/* Says on standard error that there was none, and how they are recorded. */
void required_events_complain(const struct required_events *n);

#endif
