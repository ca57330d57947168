/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * log.h - write the log of a stream: a tracefile, Documentation/posix.md
 *
 * A log is used by one thread. Functions return 0 or an errno. After a write error the log stays
 * usable: unwritten data is written again later, or dropped and counted. SIGXFSZ must be blocked or
 * ignored.
 */
#ifndef KTRACE_POSIX_LOG_LOG_H
#define KTRACE_POSIX_LOG_LOG_H

#include <stdbool.h>
#include <linux/ktrace_ring.h>
#include <ktrace/session.h>

#include "posix/base/attr.h"
#include <trace.h>

struct posix_log;

/**
 * struct posix_log_origin - the source of stamps
 * @backend:	"shm" or "dev"
 * @clock:	"tsc" or "monotonic"
 * @now:	a reading of the clocks, not later than any event
 */
struct posix_log_origin {
	const char *backend;
	const char *clock;
	struct ktrace_reading now;
};

/**
 * struct posix_log_status - the log's part of posix_trace_get_status()
 * @is_full:	the log is full
 * @is_overrun:	events were overwritten, dropped, or could not be written
 * @error:	first errno of a write
 * @overwritten: number of events overwritten by newer ones
 * @unwritten:	number of events not written
 */
struct posix_log_status {
	bool is_full;
	bool is_overrun;
	int error;
	__u64 overwritten;
	__u64 unwritten;
};

/*
 * ktrace_posix_log_check - check that a log with this policy can be written to @fd (PTRC-23)
 *
 * Return: 0; EBADF if it is not open for writing; EINVAL if it is a pipe, socket or character
 * device, except with POSIX_TRACE_APPEND, or another file that is not regular.
 */
int ktrace_posix_log_check(int fd, int log_policy);

/*
 * ktrace_posix_log_size - get the real size of a log: at least two blocks
 */
size_t ktrace_posix_log_size(const struct posix_attr *a);

/*
 * ktrace_posix_log_open - begin a log
 * @fd:		file to write to; stays the caller's. A regular file is emptied; with
 *		POSIX_TRACE_APPEND, an existing log is extended (PTRC-46)
 * @attr:	attributes of the stream, with its creation time and its policies set
 * @origin:	source of the stamps
 * @out:	the log
 *
 * A log of bounded size reserves its disk space now.
 *
 * Return: 0; as ktrace_posix_log_check(); EINVAL also if the file to extend is not a closed log, or
 * another stream writes to it; ENOSPC, EDQUOT, EFBIG without enough room; ENOMEM; errno of
 * write(2).
 */
int ktrace_posix_log_open(int fd, const struct posix_attr *attr,
			  const struct posix_log_origin *origin, struct posix_log **out);

/* ktrace_posix_log_name - announce a user event type, before the first event of this type */
int ktrace_posix_log_name(struct posix_log *log, trace_event_id_t id, const char *name);

/* ktrace_posix_log_has_name - true if the type has been announced */
bool ktrace_posix_log_has_name(const struct posix_log *log, trace_event_id_t id);

/* ktrace_posix_log_clock - add a later reading of the clocks: once a second is enough */
int ktrace_posix_log_clock(struct posix_log *log, const struct ktrace_reading *r);

/*
 * ktrace_posix_log_add - add the next event
 * @rec:	record as in the ring
 * @payload:	@rec->len bytes: struct ktrace_posix_event, data
 *
 * Events not written are counted: if the log is full, the record is invalid, or on an error.
 *
 * Return: 0, or errno of write(2).
 */
int ktrace_posix_log_add(struct posix_log *log, const struct ktrace_record *rec,
			 const void *payload);

/* ktrace_posix_log_flush - write all added events to the file (PTRC-43) */
int ktrace_posix_log_flush(struct posix_log *log);

/* ktrace_posix_log_clear - remove all events; POSIX_TRACE_APPEND keeps them (PTRC-26) */
int ktrace_posix_log_clear(struct posix_log *log);

/*
 * ktrace_posix_log_status - get the status
 * @resets:	reset overrun and error, as posix_trace_get_status() does (PTRC-30)
 */
void ktrace_posix_log_status(struct posix_log *log, struct posix_log_status *out, bool resets);

/*
 * ktrace_posix_log_close - complete the log, free everything (PTRC-27, PTRC-48)
 * @log:	the log, or NULL
 * @status:	current result of posix_trace_get_status(), with the log's losses included in the
 *		stream's; the log adds its losses from now on
 * @now:	a reading of the clocks, not before any event
 *
 * Without enough room for the end, removes the newest events until there is.
 *
 * Return: 0, or the first errno of closing.
 */
int ktrace_posix_log_close(struct posix_log *log, const struct posix_trace_status_info *status,
			   const struct ktrace_reading *now);

#endif
