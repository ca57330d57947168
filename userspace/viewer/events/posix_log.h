/* SPDX-License-Identifier: GPL-2.0 */
/* posix_log.h - the log of a POSIX trace stream: its stream, policies and status */
#ifndef VIEWER_EVENTS_POSIX_LOG_H
#define VIEWER_EVENTS_POSIX_LOG_H

#include "base/viewer.h"

/* True if the trace is the log of a POSIX stream. */
bool posix_log_is(const struct ktrace_trace *trace);
/* Writes 'stream "kitchen", full: flush, log full: loop, overrun'. */
void posix_log_put(struct ktrace_out *out, const struct ktrace_trace *trace);
/*
 * Writes ' filter=posix:work|posix:odd', the types that START and FILTER exclude from then on; for
 * FILTER also ' before=...', those excluded until then. Omits types without a name in the log.
 */
void posix_log_put_sets(struct ktrace_out *out, const struct ktrace_trace_event *e);
/* Returns the number of sets in an event: one in START, two in FILTER, old and new. */
__u32 posix_log_set_nr(const struct ktrace_trace_event *e);
/* Writes the names of a set as a JSON array. */
void posix_log_json_set(struct ktrace_out *out, const struct ktrace_trace_event *e, __u32 set);
/* Writes member posix of a JSON object, an object; nothing if the trace is not such a log. */
void posix_log_json(struct ktrace_out *out, const struct ktrace_trace *trace);

#endif
