/* SPDX-License-Identifier: GPL-2.0 */
/*
 * block_requests.h - requests of block devices, from issue to completion
 *
 * A request counts if it ends in the window. One whose issue was not recorded counts without a
 * time. A tag that is issued again without an end in between is a new request; the end of the old
 * one was not recorded.
 */
#ifndef VIEWER_ANALYSIS_BLOCK_REQUESTS_H
#define VIEWER_ANALYSIS_BLOCK_REQUESTS_H

#include "analysis.h"
#include "base/histogram.h"

enum { DISK_READ, DISK_WRITE, DISK_OTHER, DISK_KINDS };

/**
 * struct disk_sums - requests of one kind
 * @requests:	number that ended in the window
 * @bytes:	bytes of these, and of completed parts of others
 * @errors:	number of these that failed
 * @times:	times from issue to end, if both are known
 */
struct disk_sums {
	__u64 requests;
	__u64 bytes;
	__u64 errors;
	struct histogram times;
};

/**
 * struct disk - a block device
 * @machine:	number of the first trace of its boot
 * @number:	major << 20 | minor
 * @sums:	by kind
 * @requeues:	requests it requeued in the window
 * @under_way:	requests it has now
 * @most:	most at a time in the window
 * @busy_since:	time up to which @busy_ns is counted
 * @busy_ns:	time in the window with any request under way
 */
struct disk {
	__u32 machine;
	__u32 number;
	struct disk_sums sums[DISK_KINDS];
	__u64 requeues;
	__u64 under_way;
	__u64 most;
	__u64 busy_since;
	__u64 busy_ns;
};

/* struct block_requests - all devices and their requests under way; all zero to begin with */
struct block_requests {
	void *by_number;
	void *requests;
};

/* Handles an event of any type. Return: 0, -ENOMEM. */
int block_requests_event(struct block_requests *d, const struct analysis *a,
			 const struct ktrace_trace_event *e);
/* Ends the window at @until. */
void block_requests_end(struct block_requests *d, const struct analysis *a, __u64 until);
/* Calls @show for each device, in order of machines and numbers. */
void block_requests_each(const struct block_requests *d,
			 void (*show)(const struct disk *disk, void *arg), void *arg);
void block_requests_free(struct block_requests *d);

#endif
