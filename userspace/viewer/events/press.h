/* SPDX-License-Identifier: GPL-2.0 */
/* press.h - lines of events, put together on two cores if there are many of them */
#ifndef VIEWER_PRESS_H
#define VIEWER_PRESS_H

#include "line.h"

struct press;

/* Prints as @lines says, to standard output. NULL: no memory. */
struct press *press_new(struct lines *lines);
void press_put(struct press *p, const struct ktrace_trace_event *e);
/* Prints what is not out yet; then the press is gone. NULL is allowed. */
void press_end(struct press *p);

#endif
