/* SPDX-License-Identifier: GPL-2.0 */
/* parallel_format.h - lines of events, put together on two cores if there are many of them */
#ifndef VIEWER_EVENTS_PARALLEL_FORMAT_H
#define VIEWER_EVENTS_PARALLEL_FORMAT_H

#include "line.h"

struct parallel_format;

/* Prints as @lines says, to standard output. NULL: no memory. */
struct parallel_format *parallel_format_new(struct lines *lines);
void parallel_format_put(struct parallel_format *p, const struct ktrace_trace_event *e);
/* Prints what is not out yet; then the press is gone. NULL is allowed. */
void parallel_format_end(struct parallel_format *p);

#endif
