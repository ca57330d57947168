/* SPDX-License-Identifier: GPL-2.0 */
/* required_events.h - checks that the trace has any of the events a command needs */
#ifndef VIEWER_BASE_REQUIRED_EVENTS_H
#define VIEWER_BASE_REQUIRED_EVENTS_H

#include <ktrace/traceset.h>

/**
 * struct required_events - the events a command needs
 * @providers:	their providers, separated by commas; any one is enough. NULL: it needs none
 * @is_met:	one was found
 * @last:	type of the last event that was not one of them
 */
struct required_events {
	const char *providers;
	bool is_met;
	const struct ktrace_event_type *last;
};

/* Checks an event of the files. */
void required_events_see(struct required_events *n, const struct ktrace_trace_event *e);
/* Reports on standard error that there were none, and how to record them. */
void required_events_complain(const struct required_events *n);

#endif
