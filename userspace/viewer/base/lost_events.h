/* SPDX-License-Identifier: GPL-2.0 */
/* lost_events.h - why events were lost, and how many: reads ktrace:lost events, writes sums */
#ifndef VIEWER_BASE_LOST_EVENTS_H
#define VIEWER_BASE_LOST_EVENTS_H

#include <ktrace/traceset.h>
#include <stdbool.h>

#include "base/lost.h"

/* Returns false if the event lacks these values. */
bool lost_events_read(const struct ktrace_trace_event *e, __u32 *reason, __u64 *count);
/* Adds its count to the sum of its reason; sums saturate. */
void lost_events_add(__u64 *sums, const struct ktrace_trace_event *e);
/* Writes " full 3 overwritten 1". */
void lost_events_text(struct ktrace_out *out, const __u64 *sums);
/* Writes the member "lost":{"full":3,...}. */
void lost_events_json(struct ktrace_out *out, const __u64 *sums);
/* Reports on standard error how many events were lost, if any were. */
void lost_events_warn(const __u64 *sums);
/* The same for slices that are left out, because too many others of their thread were open. */
void deep_slices_warn(__u64 nr);

#endif
