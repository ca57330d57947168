/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * single_thread.h - streams that a single thread creates, controls, reads and records into
 *
 * Such a thread can only see the order of its own actions, so its clock need not wait for what
 * others have told it. Any other thread clears the word before it does anything, so a thread that
 * learns of its actions loads the word later. Other threads arrive through a function of the
 * controller, or with their first event, which always takes the slow path. A stream that other
 * processes record into or control never has a sole thread.
 */
#ifndef KTRACE_POSIX_REGISTRY_SINGLE_THREAD_H
#define KTRACE_POSIX_REGISTRY_SINGLE_THREAD_H

#include <stdint.h>
#include "arch/arch.h"
#include "registry_shm.h"
#include "ring/port.h"

/**
 * ktrace_posix_single_thread - by slot: pthread_self() of the sole thread, or 0
 */
extern __u64 ktrace_posix_single_thread[POSIX_STREAM_NR];

static inline bool posix_is_single_thread(__u32 stream)
{
	return kt_load(&ktrace_posix_single_thread[stream]) == arch_self();
}

/* Called by the thread that has created a stream. */
static inline void posix_single_thread_begin(__u32 stream)
{
	kt_store(&ktrace_posix_single_thread[stream], arch_self());
}

/* Called at the end of a stream: its slot may be reused for another process's stream. */
static inline void posix_single_thread_end(__u32 stream)
{
	kt_store(&ktrace_posix_single_thread[stream], 0);
}

/* Called by a thread that uses a stream. */
static inline void posix_single_thread_check(__u32 stream)
{
	if (!posix_is_single_thread(stream))
		posix_single_thread_end(stream);
}

#endif
