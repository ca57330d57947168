/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * event.h - an event of a POSIX stream as a record, in rings and in logs
 *
 *   struct ktrace_record | struct ktrace_posix_event | data
 *
 * The record's id is POSIX_ID_BASE plus the event type's id, its tid is the thread's, and
 * KTRACE_REC_TRUNCATED means that the data was longer than max-data-size. Stamps are from the
 * session's clock.
 */
#ifndef KTRACE_POSIX_BASE_EVENT_H
#define KTRACE_POSIX_BASE_EVENT_H

#include <linux/ktrace_ring.h>
#include <stddef.h>

/* Record ids below KTRACE_ID_FIRST are reserved. */
#define POSIX_ID_BASE KTRACE_ID_FIRST

/*
 * Ids of event types: system types are below POSIX_ID_USER, which is the unnamed type; user types
 * follow
 */
#define POSIX_ID_USER 32u
#define POSIX_ID_NR 4096u

/* Upper limit of max-data-size: an event is one record. */
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

/* posix_event_size - size of an event with @len bytes of data in a stream or a log */
static inline size_t posix_event_size(size_t len)
{
	return KTRACE_RECORD_SIZE(sizeof(struct ktrace_posix_event) + len);
}

#endif
