/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * channel.h - a session that this process records into: a checked, private copy of it
 *
 * Some channels are the process's own, see own.c. For the lifetime of others see
 * <ktrace/channel.h>.
 */
#ifndef KTRACE_WRITER_CHANNEL_H
#define KTRACE_WRITER_CHANNEL_H

#include <stdbool.h>
#include <linux/ktrace.h>

#include "ring/ring.h"

struct ktrace_channel_lost;

#define CHANNEL_IDS_KNOWN 64u

/**
 * struct channel_ids - which ids the threads of this process have in the recording, see ids.c
 * @home:	inode of the owner's pid namespace, 0 = unknown
 * @space:	inode of this process's namespace
 * @made:	if that is unknown: the time of attaching or forking, which tells it from others
 * @is_foreign:	they differ
 * @known:	by number: first of 256 ids in the upper half, their number / 256 + 1 in the lower
 */
struct channel_ids {
	__u64 home;
	__u64 space;
	__u64 made;
	bool is_foreign;
	__u64 known[CHANNEL_IDS_KNOWN];
};

/**
 * struct channel - geometry as in struct ktrace_control, checked against the mapping
 * @control:	the owner's words that may change: state, reader. NULL: not attached
 * @is_shared_memory: the owner's death shows in control->reader
 * @registry:	registry
 * @registry_size: its bytes when this was filled in; control->registry_size may grow
 * @slots:	slots of the registry
 * @slot_nr:	number of them, 0 = none
 * @slot_size:	bytes of each
 * @enable:	one byte for each event id
 * @id_nr:	ids of the lower ranges are below this
 * @id_all:	the same, with those of the upper ranges; @id_nr if there are none
 * @filter:	bytes of the filter, not necessarily ended by a NUL
 * @cpu:	ring of CPU 0, as a pattern
 * @thread:	first thread ring, as a pattern
 * @first_lost:	for each ring the first unread record that was given up to overwriting;
 *		NULL = not wanted
 * @map:	its mapping, or while it is unused, addresses that it may take; NULL = none
 * @map_size:	bytes there
 * @is_own:	it is, or was, the process's own; the members after this are for such a one
 * @is_direct:	its owner cannot reach the process's board
 * @index:	its place among those of the process
 * @session:	identifies it
 * @number:	counts the process's recordings, from 1 on
 * @users:	threads that hold it, and one more while it is the process's own
 * @leaves:	the process has a board to return to
 * @is_left:	the process has left it
 * @is_pinned:	events that the library cannot find any more point into it
 * @ids:	ids of threads
 * @event_off:	where in the registry the event follows that was found last, 0 = unknown
 * @next:	in the list of unused ones
 *
 * Written while attaching, constant afterwards, except for those from @users on.
 */
struct channel {
	const struct ktrace_control *control;
	bool is_shared_memory;
	struct ktrace_registry *registry;
	__u64 registry_size;
	char *slots;
	__u32 slot_nr;
	__u32 slot_size;
	const __u8 *enable;
	__u32 id_nr;
	__u32 id_all;
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
	char *map;
	size_t map_size;
	bool is_own;
	bool is_direct;
	__u32 index;
	__u64 session;
	__u64 number;
	__u32 users;
	bool leaves;
	bool is_left;
	bool is_pinned;
	struct channel_ids ids;
	__u64 event_off;
	struct channel *next;
};

/* struct ktrace_channel - see <ktrace/channel.h>; @seen: its control page */
struct ktrace_channel {
	struct channel ch;
	struct ktrace_control seen;
};

/* True if the recording has the event with this id on. */
static inline bool channel_is_on(const struct channel *ch, __u32 id)
{
	return id >= KTRACE_ID_FIRST && id < ch->id_all && kt_load(&ch->enable[id]);
}

/* True if the recording is over. */
static inline bool channel_is_over(const struct channel *ch)
{
	return kt_load(&ch->is_left) || kt_load(&ch->control->state) == KTRACE_STATE_CLOSED;
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
