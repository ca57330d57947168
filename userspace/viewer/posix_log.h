/* SPDX-License-Identifier: GPL-2.0 */
/* posix_log.h - the log of a POSIX stream: whose it is, and how it went */
#ifndef VIEWER_POSIX_LOG_H
#define VIEWER_POSIX_LOG_H

#include "viewer.h"

/* Is the trace the log of a POSIX stream? */
bool posix_log_is(const struct ktrace_trace *trace);
/* 'stream "kitchen", full: flush, log full: loop, overrun' */
void posix_log_put(struct ktrace_out *out, const struct ktrace_trace *trace);
/* Member posix of a JSON object, an object; nothing if the trace is no such log */
void posix_log_json(struct ktrace_out *out, const struct ktrace_trace *trace);

#endif
