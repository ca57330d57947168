/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * recorded.h - a pre-recorded stream: a log, or any other tracefile that is closed
 *
 * What ktraced wrote is read as well: its event types are those of programs, named
 * "provider:name", by ids of this file from POSIX_TRACE_UNNAMED_USEREVENT + 1 on; what was lost
 * is POSIX_TRACE_OVERFLOW.
 *
 * Functions return 0 or an errno. Any number of threads may use one.
 */
#ifndef KTRACE_POSIX_LOG_RECORDED_H
#define KTRACE_POSIX_LOG_RECORDED_H

#include "posix/base/attr.h"
#include <trace.h>

struct posix_recorded;

/*
 * ktrace_posix_recorded_open - read a file from its beginning (PTRC-77)
 * @fd:		open for reading; stays the caller's, its offset is not looked at
 * @out:	the stream, at its oldest event
 *
 * Reads all of the file, to see that it is whole.
 *
 * Return: 0; EINVAL it is not open for reading, or no log that is whole, or one of another kind
 * of machine (PTRC-48); ENOMEM.
 */
int ktrace_posix_recorded_open(int fd, struct posix_recorded **out);

/* ktrace_posix_recorded_close - free all; nobody uses it any more */
void ktrace_posix_recorded_close(struct posix_recorded *r);

/* ktrace_posix_recorded_rewind - the next event is the oldest. Return: 0, ENOMEM. */
int ktrace_posix_recorded_rewind(struct posix_recorded *r);

/*
 * ktrace_posix_recorded_next - the next event (PTRC-72, 73)
 *
 * Parameters as posix_trace_getnext_event(), which has looked at them.
 *
 * Return: 0, also at the end, then with @unavailable; ENOMEM.
 */
int ktrace_posix_recorded_next(struct posix_recorded *r, struct posix_trace_event_info *event,
			       void *data, size_t num_bytes, size_t *data_len, int *unavailable);

/* ktrace_posix_recorded_attr - attributes of the stream that was recorded */
void ktrace_posix_recorded_attr(const struct posix_recorded *r, struct posix_attr *out);

/* ktrace_posix_recorded_status - its status when it was shut down (PTRC-30) */
void ktrace_posix_recorded_status(const struct posix_recorded *r,
				  struct posix_trace_status_info *out);

/* ktrace_posix_recorded_name - what an event type is called; NULL = there is none */
const char *ktrace_posix_recorded_name(const struct posix_recorded *r, trace_event_id_t id);

/* ktrace_posix_recorded_next_type - the next event type of the list, by rising ids; 0 = none */
trace_event_id_t ktrace_posix_recorded_next_type(struct posix_recorded *r);

/* ktrace_posix_recorded_rewind_types - the list begins with its first one again */
void ktrace_posix_recorded_rewind_types(struct posix_recorded *r);

#endif
