/* SPDX-License-Identifier: GPL-2.0 */
/* parallel_format.h - formats lines of events, on two cores if there are many */
#ifndef VIEWER_EVENTS_PARALLEL_FORMAT_H
#define VIEWER_EVENTS_PARALLEL_FORMAT_H

#include "line.h"

struct parallel_format;

/* Makes a formatter that prints to standard output as @lines describes. NULL: no memory. */
struct parallel_format *parallel_format_new(struct lines *lines);
void parallel_format_put(struct parallel_format *p, const struct ktrace_trace_event *e);
/* Prints the remaining lines and frees it. NULL is allowed. */
void parallel_format_end(struct parallel_format *p);

#endif
