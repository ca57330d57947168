/* SPDX-License-Identifier: LGPL-2.1 */
/* shark_sender.h - send chunks of the kernel's S.Ha.R.K. tracer: <linux/ktrace_shark.h> */
#ifndef KTRACE_SHARK_SENDER_H
#define KTRACE_SHARK_SENDER_H

#include <linux/ktrace_shark.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * ktrace_shark_sender_open - become the sender of the kernel's chunks
 * @kinds:	KTRACE_SHARK_TO_*
 *
 * The descriptor becomes readable (POLLIN) when there is a job. Closing it ends the pending jobs.
 *
 * Return: descriptor; -EBUSY if there is another sender; -EPERM without privilege; -ENOTTY if the
 * module has no chunks; or -errno of open(2).
 */
int ktrace_shark_sender_open(__u32 kinds);

/** ktrace_shark_sender_next - get the next job, without waiting; 0, -EAGAIN or another -errno */
int ktrace_shark_sender_next(int fd, struct ktrace_shark_job *job);

/**
 * ktrace_shark_sender_map - map the memory of a job's chunk for reading
 *
 * Return: @job->map_size bytes, NULL if they cannot be mapped.
 */
const void *ktrace_shark_sender_map(int fd, const struct ktrace_shark_job *job);

/** ktrace_shark_sender_unmap - unmap it; NULL is allowed */
void ktrace_shark_sender_unmap(const void *memory, const struct ktrace_shark_job *job);

/**
 * ktrace_shark_sender_end - report the end of a job
 * @fd:		descriptor from ktrace_shark_sender_open()
 * @job:	the job
 * @error:	0 if everything has been sent, or -errno
 *
 * Return: 0; -ENOENT if the requester is gone and the job cancelled; or another -errno.
 */
int ktrace_shark_sender_end(int fd, const struct ktrace_shark_job *job, int error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
