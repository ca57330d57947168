/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * channel.h - recording into sessions other than the one the environment names
 *
 * For libraries that learn in their own way where to record, such as libktrace-posix. A thread
 * keeps a separate struct ktrace_thread for each channel it records into. An object initialised
 * with KTRACE_CHANNEL_THREAD works for any channel. The fast path of <ktrace/writer.h> uses it like
 * the process's own.
 *
 * The registry of such a channel is not used as a registry: after its first 64 bytes, the writers
 * note for each ring the first unread record that they overwrote.
 */
#ifndef KTRACE_CHANNEL_H
#define KTRACE_CHANNEL_H

#include <stdbool.h>
#include <ktrace/writer.h>
#include <linux/ktrace_ring.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ktrace_channel;

/**
 * struct ktrace_channel_lost - the first unread record of a ring that was overwritten
 * @tail:	the reader's position at that time; if the reader has moved on, the entry is
 *		obsolete
 * @ts:		the record's stamp
 *
 * Written by the ring's writer.
 */
struct ktrace_channel_lost {
	uint64_t tail;
	uint64_t ts;
};

/* Offset of the first struct ktrace_channel_lost in the registry's area */
#define KTRACE_CHANNEL_LOST_OFF 64

/* Initial state of a thread that has not recorded yet: no CPU, no thread id. */
#define KTRACE_CHANNEL_THREAD(no_rseq) { \
	.rseq = (no_rseq), .cpu = KTRACE_CPU_NONE, .no_cpu = ~0u, \
}

/**
 * ktrace_channel_attach - map the user channel of a session
 * @session:	value in the format of KTRACE_SESSION
 * @out:	the channel
 *
 * Context: any thread, any signal handler.
 * Return: 0; -EINVAL or -EPROTONOSUPPORT if @session or the channel is invalid; -ENOMEM; or -errno
 * of opening it.
 */
KTRACE_API int ktrace_channel_attach(const char *session, struct ktrace_channel **out);

/** ktrace_channel_detach - unmap a channel that no other thread has seen */
KTRACE_API void ktrace_channel_detach(struct ktrace_channel *c);

/**
 * ktrace_channel_retire - stop using a channel that other threads may still be recording into
 *
 * Frees its memory. The addresses stay mapped, to pages that are never read.
 */
KTRACE_API void ktrace_channel_retire(struct ktrace_channel *c);

/**
 * ktrace_channel_is_confined - tell whether a system call may kill this process
 *
 * Context: any; makes no system call itself.
 * Return: true once the process may have installed a system call filter on itself.
 */
KTRACE_API bool ktrace_channel_is_confined(void);

/** ktrace_channel_has_reader - tell whether the session's owner seems to be alive */
KTRACE_API bool ktrace_channel_has_reader(const struct ktrace_channel *c);

/**
 * ktrace_channel_write - record an event by any means, including those the fast path lacks
 * @c:		the channel
 * @t:		the calling thread's state for this channel
 * @id:		event id
 * @flags:	KTRACE_REC_*
 * @pieces:	payload; together no more bytes than fit into a block
 * @nr:		number of pieces
 *
 * Context: any thread, any signal handler. Preserves errno.
 * Return: 0; -ENOBUFS lost, as the channel's policy demands; -EAGAIN lost, no ring for this thread;
 * both are counted in the channel. -EINVAL too long.
 */
KTRACE_API int ktrace_channel_write(const struct ktrace_channel *c, struct ktrace_thread *t,
				    __u16 id, __u32 flags,
				    const struct ktrace_piece *pieces, unsigned int nr);

/** ktrace_channel_lose - count an event that was not recorded; any context */
KTRACE_API void ktrace_channel_lose(const struct ktrace_channel *c, enum ktrace_lost_reason why);

/**
 * ktrace_channel_thread_id - get the id that a thread has in the recording
 * @tid:	its number in the caller's pid namespace
 *
 * Context: any.
 */
KTRACE_API __u32 ktrace_channel_thread_id(__u32 tid);

/** ktrace_channel_thread_number - get the number of the calling thread, which is recorded as @id */
KTRACE_API __u32 ktrace_channel_thread_number(__u32 id);

/** ktrace_channel_after_fork - call in a forked child, before resetting its @t */
KTRACE_API void ktrace_channel_after_fork(const struct ktrace_channel *c,
					  struct ktrace_thread *t);

#ifdef __cplusplus
}
#endif

#endif
