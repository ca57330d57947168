/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * sink.h - streams that this process records into
 *
 * A sink is a channel of this process. It is published by compare-and-swap, and stays until the
 * stream's slot in the registry belongs to another stream, because other threads may use it.
 */
#ifndef KTRACE_POSIX_STREAM_SINK_H
#define KTRACE_POSIX_STREAM_SINK_H

#define KTRACE_LIBRARY
#define KTRACE_REGISTER_LATER
#include <ktrace/channel.h>
#include "posix/registry/registry_shm.h"
#include "ring/port.h"

#define POSIX_ENTRY_NR 8

/**
 * struct posix_sink - a stream that this process records into
 * @bit:	its bit in the registry's masks
 * @place:	its slot in the registry
 * @word:	word of the slot, which was READY
 * @quick_end:	the fast path takes data of fewer bytes than this
 * @stream:	number of the stream
 * @max_data:	maximum bytes of data recorded per event
 * @channel:	its rings
 * @sole:	its element of ktrace_posix_single_thread[]
 * @entry:	offset of a thread's entry from its thread pointer
 * @self:	that of what pthread_self() returns
 */
struct posix_sink {
	__u64 bit;
	struct posix_registry_stream *place;
	__u64 word;
	__u64 quick_end;
	__u32 stream;
	__u32 max_data;
	struct ktrace_channel *channel;
	const __u64 *sole;
	__u64 entry;
	__u64 self;
};

/**
 * struct posix_entry - a thread's state for a sink
 * @thread:	state of the writer
 * @sink:	sink that the entry belongs to, NULL = none
 * @is_used:	true while used other than by the restartable sequence
 */
struct posix_entry {
	struct ktrace_thread thread;
	const struct posix_sink *sink;
	__u32 is_used;
} __attribute__((aligned(64)));

extern struct ktrace_no_rseq ktrace_posix_no_rseq;
extern __thread struct posix_entry ktrace_posix_entries[POSIX_ENTRY_NR]
	__attribute__((tls_model("initial-exec")));

extern struct posix_sink *ktrace_posix_sinks[POSIX_STREAM_NR];

/* Returns the sink or NULL. It may be of the slot's previous stream: compare its word. */
static inline struct posix_sink *posix_find_sink(__u32 nr)
{
	/* ORD(find_sink:A) pairs ORD(publish_sink:A): a sink that is found is complete */
	return __atomic_load_n(&ktrace_posix_sinks[nr], __ATOMIC_ACQUIRE);
}

/**
 * ktrace_posix_sink_attach - map a stream's channel
 * @b:		the registry
 * @nr:		number of the stream
 *
 * If two threads attach at the same time, one sink wins.
 *
 * Context: any thread, any signal handler; preserves errno.
 * Return: NULL if the event is lost, which is counted; the next event tries again, unless the
 * session is gone.
 */
struct posix_sink *ktrace_posix_sink_attach(struct posix_registry *b, __u32 nr);

/**
 * ktrace_posix_sinks_sweep - free the slots of streams without a reader
 *
 * Their controllers live, but have executed a program that does not use the stream (PTRC-28).
 */
void ktrace_posix_sinks_sweep(struct posix_registry *b);

#endif
