/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * event.h - an event of a POSIX stream as a record, in rings and in logs
 *
 *   struct ktrace_record | struct ktrace_posix_event | data
 *
 * The record's id is POSIX_ID_BASE above the event type's, its tid the thread's,
 * KTRACE_REC_TRUNCATED says that the data was longer than max-data-size. Stamps are those of
 * the session's clock.
 */
#ifndef KTRACE_POSIX_BASE_EVENT_H
#define KTRACE_POSIX_BASE_EVENT_H

#include <linux/ktrace_ring.h>
#include <stddef.h>

/* Ids of records below KTRACE_ID_FIRST are taken. */
#define POSIX_ID_BASE KTRACE_ID_FIRST

/* Ids of event types: below the first of these of the system, then the unnamed one and programs' */
#define POSIX_ID_USER 32u
#define POSIX_ID_NR 4096u

/* The largest max-data-size: an event is one record. */
#define POSIX_DATA_MAX 32768u

/**
 * struct ktrace_posix_event - payload of the record, followed by @size bytes of data
 * @address:	posix_prog_address
 * @thread:	posix_thread_id, 0 = none
 * @pid:	posix_pid, 0 = none
 * @size:	bytes of data
 */
struct ktrace_posix_event {
	__u64 address;
	__u64 thread;
	__u32 pid;
	__u32 size;
};

/* posix_event_size - bytes that an event with @len bytes of data takes of a stream or a log */
static inline size_t posix_event_size(size_t len)
{
	return KTRACE_RECORD_SIZE(sizeof(struct ktrace_posix_event) + len);
}

#endif
