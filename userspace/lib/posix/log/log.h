/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * log.h - writing the log of a stream: a tracefile, Documentation/posix.md
 *
 * A log is used by one thread. Functions return 0 or an errno. After an error of writing the
 * log can be used on: what could not be written is tried again, or given up and counted.
 * SIGXFSZ must be blocked or ignored.
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
 * struct posix_log_origin - where stamps come from
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
 * struct posix_log_status - what posix_trace_get_status() says of the log
 * @is_full:	it has as many events as it can
 * @is_overrun:	events were overwritten, left out, or could not be written
 * @error:	first errno of writing
 * @overwritten: how many events the log has given up for newer ones
 * @unwritten:	how many it did not take
 */
struct posix_log_status {
	bool is_full;
	bool is_overrun;
	int error;
	__u64 overwritten;
	__u64 unwritten;
};

/*
 * ktrace_posix_log_check - can a log with this policy be written to @fd? (PTRC-23)
 *
 * Return: 0; EBADF not open for writing; EINVAL a pipe, socket or character device takes
 * POSIX_TRACE_APPEND only, and other things than these and regular files take none.
 */
int ktrace_posix_log_check(int fd, int log_policy);

/*
 * ktrace_posix_log_size - the size that a log really has: at least two blocks
 */
size_t ktrace_posix_log_size(const struct posix_attr *a);

/*
 * ktrace_posix_log_open - begin a log
 * @fd:		where it goes; stays the caller's. A regular file is emptied; with
 *		POSIX_TRACE_APPEND, one that has a log is extended (PTRC-46)
 * @attr:	of the stream, with the time of its creation and its policies set
 * @origin:	where stamps come from
 * @out:	the log
 *
 * A log of bounded size takes its room on the disk now.
 *
 * Return: 0; as ktrace_posix_log_check(); EINVAL also for a file that is to be extended and
 * is no log that was closed, or that another stream writes to; ENOSPC, EDQUOT, EFBIG it has no
 * room; ENOMEM; errno of write(2).
 */
int ktrace_posix_log_open(int fd, const struct posix_attr *attr,
			  const struct posix_log_origin *origin, struct posix_log **out);

/* ktrace_posix_log_name - an event type of programs, before the first event of it */
int ktrace_posix_log_name(struct posix_log *log, trace_event_id_t id, const char *name);

/* ktrace_posix_log_has_name - whether it has been told of that type */
bool ktrace_posix_log_has_name(const struct posix_log *log, trace_event_id_t id);

/* ktrace_posix_log_clock - a later reading of the clocks: once a second is enough */
int ktrace_posix_log_clock(struct posix_log *log, const struct ktrace_reading *r);

/*
 * ktrace_posix_log_add - the next event
 * @rec:	as in the ring
 * @payload:	@rec->len bytes: struct ktrace_posix_event, data
 *
 * What it does not take is counted: when it is full, a record that cannot be, or an error.
 *
 * Return: 0, or errno of write(2).
 */
int ktrace_posix_log_add(struct posix_log *log, const struct ktrace_record *rec,
			 const void *payload);

/* ktrace_posix_log_flush - see to it that what was added is in the file (PTRC-43) */
int ktrace_posix_log_flush(struct posix_log *log);

/* ktrace_posix_log_clear - give up what was added; POSIX_TRACE_APPEND: go on (PTRC-26) */
int ktrace_posix_log_clear(struct posix_log *log);

/*
 * ktrace_posix_log_status - see the struct
 * @resets:	overrun and error are taken back, as posix_trace_get_status() does (PTRC-30)
 */
void ktrace_posix_log_status(struct posix_log *log, struct posix_log_status *out, bool resets);

/*
 * ktrace_posix_log_close - complete the log, free everything (PTRC-27, PTRC-48)
 * @log:	the log, or NULL
 * @status:	as posix_trace_get_status() would say now, losses of the log among those of the
 *		stream; what the log loses from now on is added
 * @now:	a reading of the clocks, not before any event
 *
 * Where there is no room for that, the newest events are given up until there is.
 *
 * Return: 0, or the first errno of closing it.
 */
int ktrace_posix_log_close(struct posix_log *log, const struct posix_trace_status_info *status,
			   const struct ktrace_reading *now);

#endif
