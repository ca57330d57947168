/* SPDX-License-Identifier: LGPL-2.1 */
/* thread.h - what each thread keeps for recording, from its first event on */
#ifndef KTRACE_WRITER_THREAD_H
#define KTRACE_WRITER_THREAD_H

#include <stdbool.h>
#define KTRACE_LIBRARY
#include <ktrace/writer.h>
#include <linux/ktrace.h>
#include <linux/types.h>

#include "ring/ring.h"

struct channel;

static inline __u32 thread_id(const struct ktrace_thread *t)
{
	return (__u32)(t->tid_flags >> 32);
}

/* True if the thread has to ask the kernel for its tid, see thread.c. */
static inline bool thread_asks_kernel(const struct ktrace_thread *t)
{
	return t->cpu == KTRACE_CPU_ASK || t->cpu == KTRACE_THREAD_LENT;
}

/*
 * True if a thread that opens the block at @pos should ask thread_is_guest(): in one of 16, since a
 * system call may take as long as 50 events.
 */
static inline bool thread_asks(const struct kt_ring *r, __u64 pos)
{
	return !(pos & 15ull * r->block_size);
}

__s32 thread_word(void);
void thread_init_process(void);
void thread_init_channel(const struct channel *ch);
__u32 thread_pid(void);
__u32 thread_enter(const struct channel *ch, struct ktrace_thread *t);
void thread_set_up(const struct channel *ch, struct ktrace_thread *t);
void thread_notice_fork(void);
__u32 thread_in(const struct channel *ch, struct ktrace_thread *t);
void thread_before_vfork(void);
void thread_before_clone(int flags);
bool thread_is_guest(const struct channel *ch, struct ktrace_thread *t);
void thread_mute(bool is_mute);

#endif
