/* SPDX-License-Identifier: GPL-2.0 */
/* posix_log.h - the log of a POSIX stream: whose it is, and how it went */
#ifndef VIEWER_EVENTS_POSIX_LOG_H
#define VIEWER_EVENTS_POSIX_LOG_H

#include "base/viewer.h"

/* Is the trace the log of a POSIX stream? */
bool posix_log_is(const struct ktrace_trace *trace);
/* 'stream "kitchen", full: flush, log full: loop, overrun' */
void posix_log_put(struct ktrace_out *out, const struct ktrace_trace *trace);
/*
 * ' filter=posix:work|posix:odd', what START and FILTER say is left out from then on; for FILTER
 * with ' before=...', what was until then. Types that the log has no name of are not shown.
 */
void posix_log_put_sets(struct ktrace_out *out, const struct ktrace_trace_event *e);
/* How many sets an event has: one of START, two of FILTER, old and new */
__u32 posix_log_set_nr(const struct ktrace_trace_event *e);
/* Names of one of them, an array of JSON */
void posix_log_json_set(struct ktrace_out *out, const struct ktrace_trace_event *e, __u32 set);
/* Member posix of a JSON object, an object; nothing if the trace is no such log */
void posix_log_json(struct ktrace_out *out, const struct ktrace_trace *trace);

#endif
