/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * single_thread.h - streams that one thread alone makes, steers, reads and records into
 *
 * Such a thread can only see the order of its own actions, so its clock need not wait for what
 * others have told it. Another thread clears the word before it does anything, so a thread that
 * learns of its actions loads the word later. It comes by a function of the controller, or by its
 * first event, which always takes the slow path. A stream that other processes are in, or control,
 * never has a sole thread.
 */
#ifndef KTRACE_POSIX_REGISTRY_SINGLE_THREAD_H
#define KTRACE_POSIX_REGISTRY_SINGLE_THREAD_H

#include <stdint.h>
#include "registry_shm.h"
#include "ring/port.h"

/**
 * ktrace_posix_single_thread - by place in the registry: pthread_self() of its sole thread
 * of the stream, or 0
 */
extern __u64 ktrace_posix_single_thread[POSIX_STREAM_NR];

/* pthread_self(), where it is known without a call */
static inline __u64 posix_self(void)
{
#if defined(__x86_64__) && defined(__LP64__)
	__u64 self;

	__asm__("movq %%fs:0, %0" : "=r" (self));
	return self;
#else
	return (__u64)(uintptr_t)pthread_self();
#endif
}

static inline bool posix_is_single_thread(__u32 stream)
{
	return kt_load(&ktrace_posix_single_thread[stream]) == posix_self();
}

/* This thread has made a stream. */
static inline void posix_single_thread_begin(__u32 stream)
{
	kt_store(&ktrace_posix_single_thread[stream], posix_self());
}

/* The stream ends: its place may become that of another process's. */
static inline void posix_single_thread_end(__u32 stream)
{
	kt_store(&ktrace_posix_single_thread[stream], 0);
}

/* This thread does something with a stream. */
static inline void posix_single_thread_check(__u32 stream)
{
	if (!posix_is_single_thread(stream))
		posix_single_thread_end(stream);
}

#endif
