/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * sink.h - streams, as this process records into them
 *
 * A sink is a channel of this process: it is published by compare-and-swap and stays, as other
 * threads may use it, until the stream's place in the registry belongs to another stream.
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
 * struct posix_sink - a stream, as this process records into it
 * @bit:	in the masks of the registry
 * @place:	in the registry
 * @word:	of the place, which was READY then
 * @quick_end:	fewer bytes of data than these by the fast path
 * @stream:	number of the stream
 * @max_data:	bytes of data recorded of an event
 * @channel:	its rings
 * @sole:	of ktrace_posix_single_thread[]
 * @entry:	of each thread, from its thread pointer
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
};

/**
 * struct posix_entry - what a thread keeps for a sink
 * @thread:	for the writer
 * @sink:	whose, NULL = nobody's
 * @is_used:	otherwise than by the restartable sequence
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

/* NULL: none yet. It may be that of a stream that had the place before: its word tells. */
static inline struct posix_sink *posix_find_sink(__u32 nr)
{
	/* ORD(find_sink:A) pairs ORD(publish_sink:A): what is found is whole */
	return __atomic_load_n(&ktrace_posix_sinks[nr], __ATOMIC_ACQUIRE);
}

/**
 * ktrace_posix_sink_attach - map a stream's channel
 * @b:		the registry
 * @nr:		number of the stream
 *
 * Of two threads that do it at once, one's counts.
 *
 * Context: any thread, any signal handler; errno is kept.
 * Return: NULL: the event is lost, which is counted; the next one tries again, unless the session
 * is gone.
 */
struct posix_sink *ktrace_posix_sink_attach(struct posix_registry *b, __u32 nr);

/**
 * ktrace_posix_sinks_sweep - free the places of streams that nobody reads any more
 *
 * Their controllers live, but have executed a program that knows nothing of this (PTRC-28).
 */
void ktrace_posix_sinks_sweep(struct posix_registry *b);

#endif
