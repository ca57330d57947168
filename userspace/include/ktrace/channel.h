/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * channel.h - recording into sessions other than the one the environment names
 *
 * For libraries that are told in their own way where to record, such as libktrace-posix.
 * A thread keeps a struct ktrace_thread of its own for each channel it records into; one
 * that is all zero but for what KTRACE_CHANNEL_THREAD says is ready for any channel. The
 * fast path of <ktrace/writer.h> works with it, as with the process's own.
 *
 * Nothing of a channel's registry is used: instead, behind its first 64 bytes, the writers
 * note for each ring which was the first unread record that they overwrote.
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
 * struct ktrace_channel_lost - the first unread record that was given up to overwriting
 * @tail:	where the reader was then: if it has moved on, this is history
 * @ts:		the record's stamp
 *
 * Written by the ring's writer.
 */
struct ktrace_channel_lost {
	uint64_t tail;
	uint64_t ts;
};

/* Where in the registry's area those of the rings begin */
#define KTRACE_CHANNEL_LOST_OFF 64

/* What a thread that has not recorded begins with: no CPU, no thread id. */
#define KTRACE_CHANNEL_THREAD(no_rseq) { \
	.rseq = (no_rseq), .cpu = KTRACE_CPU_NONE, .no_cpu = ~0u, \
}

/**
 * ktrace_channel_attach - map the user channel of a session
 * @session:	as KTRACE_SESSION has it
 * @out:	the channel
 *
 * Context: any thread, any signal handler.
 * Return: 0, -EINVAL or -EPROTONOSUPPORT it makes no sense, -ENOMEM, or -errno of opening it.
 */
KTRACE_API int ktrace_channel_attach(const char *session, struct ktrace_channel **out);

/** ktrace_channel_detach - unmap a channel that no other thread has seen */
KTRACE_API void ktrace_channel_detach(struct ktrace_channel *c);

/**
 * ktrace_channel_retire - let go of a channel that other threads may be recording into
 *
 * Its memory is given back; the addresses stay taken, by pages that nobody reads.
 */
KTRACE_API void ktrace_channel_retire(struct ktrace_channel *c);

/**
 * ktrace_channel_is_confined - whether a system call may kill this process
 *
 * Context: any, without a system call. Return: true once the process may have set itself a filter
 * of system calls.
 */
KTRACE_API bool ktrace_channel_is_confined(void);

/** ktrace_channel_has_reader - whether the session's owner lives, as far as can be seen */
KTRACE_API bool ktrace_channel_has_reader(const struct ktrace_channel *c);

/**
 * ktrace_channel_write - record by all means: whatever the fast path cannot do
 * @c:		the channel
 * @t:		the calling thread's words for it
 * @id:		event id
 * @flags:	KTRACE_REC_*
 * @pieces:	payload, of no more bytes than fit into a block
 * @nr:		number of pieces
 *
 * Context: any thread, any signal handler. errno is kept.
 * Return: 0; -ENOBUFS lost, as the channel's policy says; -EAGAIN lost, no ring for this
 * thread; both are counted in the channel. -EINVAL too long.
 */
KTRACE_API int ktrace_channel_write(const struct ktrace_channel *c, struct ktrace_thread *t,
				    __u16 id, __u32 flags,
				    const struct ktrace_piece *pieces, unsigned int nr);

/** ktrace_channel_lose - count an event that was not recorded; any context */
KTRACE_API void ktrace_channel_lose(const struct ktrace_channel *c, enum ktrace_lost_reason why);

/**
 * ktrace_channel_thread_id - the id that a thread has in what is recorded
 * @tid:	its number in the caller's pid namespace
 *
 * Context: any.
 */
KTRACE_API __u32 ktrace_channel_thread_id(__u32 tid);

/** ktrace_channel_thread_number - the number of the calling thread, which is recorded as @id */
KTRACE_API __u32 ktrace_channel_thread_number(__u32 id);

/** ktrace_channel_after_fork - in the child, before its thread's words are made empty */
KTRACE_API void ktrace_channel_after_fork(const struct ktrace_channel *c,
					  struct ktrace_thread *t);

#ifdef __cplusplus
}
#endif

#endif
