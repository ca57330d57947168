/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * recorded.h - a pre-recorded stream: a log, or any other closed tracefile
 *
 * Files of ktraced can be read too: their event types appear as user types named "provider:name",
 * with ids of this file from POSIX_TRACE_UNNAMED_USEREVENT + 1; losses appear as
 * POSIX_TRACE_OVERFLOW.
 *
 * Functions return 0 or an errno. Any number of threads may use one stream.
 */
#ifndef KTRACE_POSIX_LOG_RECORDED_H
#define KTRACE_POSIX_LOG_RECORDED_H

#include "posix/base/attr.h"
#include <trace.h>

struct posix_recorded;

/*
 * ktrace_posix_recorded_open - open a file at its beginning (PTRC-77)
 * @fd:		open for reading; stays the caller's, its offset is ignored
 * @out:	the stream, at its oldest event
 *
 * Reads the whole file to check that it is complete.
 *
 * Return: 0; EINVAL if it is not open for reading, not a complete log, or from another kind of
 * machine (PTRC-48); ENOMEM.
 */
int ktrace_posix_recorded_open(int fd, struct posix_recorded **out);

/* ktrace_posix_recorded_close - free everything; no thread may use it any more */
void ktrace_posix_recorded_close(struct posix_recorded *r);

/* ktrace_posix_recorded_rewind - return to the oldest event. Return: 0, ENOMEM. */
int ktrace_posix_recorded_rewind(struct posix_recorded *r);

/*
 * ktrace_posix_recorded_next - get the next event (PTRC-72, 73)
 *
 * Parameters as for posix_trace_getnext_event(), which has checked them.
 *
 * Return: 0, also at the end, which sets @unavailable; ENOMEM.
 */
int ktrace_posix_recorded_next(struct posix_recorded *r, struct posix_trace_event_info *event,
			       void *data, size_t num_bytes, size_t *data_len, int *unavailable);

/* ktrace_posix_recorded_attr - get the attributes of the recorded stream */
void ktrace_posix_recorded_attr(const struct posix_recorded *r, struct posix_attr *out);

/* ktrace_posix_recorded_status - get its status at its shutdown (PTRC-30) */
void ktrace_posix_recorded_status(const struct posix_recorded *r,
				  struct posix_trace_status_info *out);

/* ktrace_posix_recorded_name - get the name of an event type; NULL = none */
const char *ktrace_posix_recorded_name(const struct posix_recorded *r, trace_event_id_t id);

/* ktrace_posix_recorded_next_type - get the next event type, by ascending ids; 0 = none */
trace_event_id_t ktrace_posix_recorded_next_type(struct posix_recorded *r);

/* ktrace_posix_recorded_rewind_types - restart the list of types */
void ktrace_posix_recorded_rewind_types(struct posix_recorded *r);

#endif
