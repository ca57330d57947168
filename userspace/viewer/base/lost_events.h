/* SPDX-License-Identifier: GPL-2.0 */
/* lost_events.h - what events ktrace:lost say: why events were lost, and how many */
#ifndef VIEWER_BASE_LOST_EVENTS_H
#define VIEWER_BASE_LOST_EVENTS_H

#include <ktrace/traceset.h>
#include <stdbool.h>

/* Return: false: the event does not say. */
bool lost_events_read(const struct ktrace_trace_event *e, __u32 *reason, __u64 *count);
/* Adds what it says to sums by reason, which end at the largest number there is. */
void lost_events_add(__u64 *sums, const struct ktrace_trace_event *e);

#endif
