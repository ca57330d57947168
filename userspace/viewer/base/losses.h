/* SPDX-License-Identifier: GPL-2.0 */
/* losses.h - what events ktrace:lost say: why events were lost, and how many */
#ifndef VIEWER_LOSSES_H
#define VIEWER_LOSSES_H

#include <ktrace/traceset.h>
#include <stdbool.h>

/* Return: false: the event does not say. */
bool loss_read(const struct ktrace_trace_event *e, __u32 *reason, __u64 *count);
/* Adds what it says to sums by reason, which end at the largest number there is. */
void losses_add(__u64 *sums, const struct ktrace_trace_event *e);

#endif
