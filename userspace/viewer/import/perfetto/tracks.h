/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tracks.h - tracks of a trace, and the threads that show their events
 *
 * The events of a thread's track belong to that thread; those of a counter to the thread, or the
 * main thread of the process, above it. Any other track gets a thread of its own, with an id that
 * Linux does not use.
 */
#ifndef VIEWER_IMPORT_PERFETTO_TRACKS_H
#define VIEWER_IMPORT_PERFETTO_TRACKS_H

#include "base/hash_table.h"

#include "perfetto.pb-c.h"

#include <linux/ktrace_ring.h>
#include <stdbool.h>

/* Linux has no thread ids from here on; the first one stands for the service. */
#define TRACK_TID_SERVICE 0x400000u
#define TRACK_TID_MIN (TRACK_TID_SERVICE + 1)
/* Deepest nesting of open slices with names, as for readers of Perfetto */
#define TRACK_DEPTH 512u
/* Bytes of a track's name used in names of events */
#define TRACK_NAME 96u
#define TRACK_NO_NUMBER (~0u)

/**
 * struct track - a track; uuid is the key
 * @uuid:	its number
 * @parent:	number of the track above it, 0 = none
 * @is_described: a descriptor was seen
 * @is_counter:	has values instead of slices
 * @is_sum:	each value is added to those before
 * @factor:	units that a value counts
 * @sum:	sum of the values
 * @pid:	id of the process, or of the thread's, 0 = none
 * @tid:	id of the thread
 * @own_tid:	thread id that stands for the track, 0 = none yet
 * @name:	its name
 * @depth:	number of open slices, including those beyond TRACK_DEPTH
 * @open:	these slices, as numbers of the caller's
 * @cap:	capacity of @open
 */
struct track {
	__u64 uuid;
	__u64 parent;
	bool is_described;
	bool is_counter;
	bool is_sum;
	__s64 factor;
	double sum;
	__u32 pid;
	__u32 tid;
	__u32 own_tid;
	char name[TRACK_NAME];
	__u32 depth;
	__u32 *open;
	size_t cap;
};

/** struct track_thread - thread of events; comm is valid until the next track is added */
struct track_thread {
	__u32 tid;
	__u32 pid;
	const char *comm;
};

/**
 * struct tracks - all tracks
 * @tracks:	by number
 * @mains:	names of main threads by process
 * @own_nr:	number of threads made up
 */
struct tracks {
	struct hash_table tracks;
	struct hash_table mains;
	__u32 own_nr;
};

void tracks_init(struct tracks *t);
/* Learns a track's descriptor. Return: 0, -ENOMEM. */
int tracks_describe(struct tracks *t, const Perfetto__Protos__TrackDescriptor *d);
/* Returns the track of this number; NULL: out of memory */
struct track *tracks_get(struct tracks *t, __u64 uuid);
/* Returns the thread of the track's events; @pid: the process that wrote them, 0: unknown */
struct track_thread tracks_thread(struct tracks *t, struct track *track, __u32 pid);
/* Opens a slice; @number is the caller's. Return: 0, -ENOMEM. */
int track_begin(struct track *track, __u32 number);
/*
 * Closes the innermost slice with *@number; if there is none, the innermost of all. Return: false:
 * none is open; @number: TRACK_NO_NUMBER if unknown
 */
bool track_end(struct track *track, __u32 *number);
/* Returns the name of a process's main thread, NULL: unknown */
const char *tracks_main(const struct tracks *t, __u32 pid);
void tracks_free(struct tracks *t);

#endif
