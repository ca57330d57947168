/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * channel.h - a session that this process records into: a checked, private copy of it
 *
 * One channel is the process's own. It is never detached: the library attaches it when it is
 * loaded, fork inherits it, and it ends with the process image. For the lifetime of other channels
 * see <ktrace/channel.h>.
 */
#ifndef KTRACE_WRITER_CHANNEL_H
#define KTRACE_WRITER_CHANNEL_H

#include "ring/ring.h"

struct ktrace_channel_lost;

/**
 * struct channel - geometry as in struct ktrace_control, checked against the mapping
 * @control:	the owner's words that may change: state, reader. NULL: not attached
 * @is_shared_memory: the owner's death shows in control->reader
 * @registry:	registry
 * @registry_size: its bytes when this was filled in; control->registry_size may grow
 * @enable:	one byte for each event id
 * @filter:	bytes of the filter, not necessarily ended by a NUL
 * @cpu:	ring of CPU 0, as a pattern
 * @thread:	first thread ring, as a pattern
 * @first_lost:	for each ring the first unread record that was given up to overwriting;
 *		NULL = not wanted
 *
 * Written while attaching, constant afterwards.
 */
struct channel {
	const struct ktrace_control *control;
	bool is_shared_memory;
	struct ktrace_registry *registry;
	__u64 registry_size;
	const __u8 *enable;
	__u32 id_nr;
	const char *filter;
	__u32 filter_size;
	__u32 cpu_nr;
	__u32 thread_nr;
	__u32 data_off;
	__u32 timeout_ms;
	__u64 cpu_stride;
	__u64 thread_stride;
	struct kt_ring cpu;
	struct kt_ring thread;
	struct ktrace_channel_lost *first_lost;
};

/* The process's own */
extern struct channel channel;

/* struct ktrace_channel - see <ktrace/channel.h>; @size: of its mapping; @seen: its control page */
struct ktrace_channel {
	struct channel ch;
	size_t size;
	struct ktrace_control seen;
};

/* True if events can be recorded at all. */
static inline bool channel_is_attached(void)
{
	return channel.control;
}

int channel_check(const struct ktrace_control *c, __u64 map_size);
void channel_init(struct channel *ch, char *map, const struct ktrace_control *c,
		  bool is_shared_memory);
void channel_cpu_ring(const struct channel *ch, __u32 cpu, struct kt_ring *r);
void channel_thread_ring(const struct channel *ch, __u32 nr, struct kt_ring *r);
bool channel_has_reader(const struct channel *ch);
void channel_lose(const struct channel *ch, enum ktrace_lost_reason why);
void channel_note_lost(const struct channel *ch, const struct kt_ring *r, __u64 head);

#endif
