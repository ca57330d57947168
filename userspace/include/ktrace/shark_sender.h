/* SPDX-License-Identifier: LGPL-2.1 */
/* shark_sender.h - takes chunks of the kernel's S.Ha.R.K. tracer: <linux/ktrace_shark.h> */
#ifndef KTRACE_SHARK_SENDER_H
#define KTRACE_SHARK_SENDER_H

#include <linux/ktrace_shark.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * ktrace_shark_sender_open - become the one that sends the kernel's chunks
 * @kinds:	KTRACE_SHARK_TO_*
 *
 * The descriptor becomes readable, POLLIN, when there is a job. Closing it ends the jobs that
 * are under way.
 *
 * Return: descriptor; -EBUSY somebody else does that; -EPERM without privilege; -ENOTTY the
 * module has no chunks; or -errno of open(2).
 */
int ktrace_shark_sender_open(__u32 kinds);

/** ktrace_shark_sender_next - the next job, without waiting; 0, -EAGAIN or another -errno */
int ktrace_shark_sender_next(int fd, struct ktrace_shark_job *job);

/**
 * ktrace_shark_sender_map - the memory of a job's chunk, to read
 *
 * Return: @job->map_size bytes, NULL if it cannot be had.
 */
const void *ktrace_shark_sender_map(int fd, const struct ktrace_shark_job *job);

/** ktrace_shark_sender_unmap - give it back; NULL is allowed */
void ktrace_shark_sender_unmap(const void *memory, const struct ktrace_shark_job *job);

/**
 * ktrace_shark_sender_end - a job has come to its end
 * @fd:		of ktrace_shark_sender_open()
 * @job:	the job
 * @error:	0 all is out, or -errno
 *
 * Return: 0; -ENOENT who wanted it is gone, it is not to be; or another -errno.
 */
int ktrace_shark_sender_end(int fd, const struct ktrace_shark_job *job, int error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
