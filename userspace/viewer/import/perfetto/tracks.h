/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tracks.h - tracks of a trace, and the threads that their events are shown under
 *
 * A track that says whose thread it is gives its events to that thread; counters are of the thread
 * or the main thread of the process above them. Any other track gets a thread of its own, whose
 * number no thread of Linux has.
 */
#ifndef VIEWER_IMPORT_PERFETTO_TRACKS_H
#define VIEWER_IMPORT_PERFETTO_TRACKS_H

#include "base/hash_table.h"

#include "perfetto.pb-c.h"

#include <linux/ktrace_ring.h>
#include <stdbool.h>

/* Linux has no threads from here on; the first one stands for the service. */
#define TRACK_TID_SERVICE 0x400000u
#define TRACK_TID_MIN (TRACK_TID_SERVICE + 1)
/* Slices are open one in the other, by name, up to this depth, as readers of Perfetto have it */
#define TRACK_DEPTH 512u
/* Bytes of a name that an event's name is made of */
#define TRACK_NAME 96u
#define TRACK_NO_NUMBER (~0u)

/**
 * struct track - a track; uuid is the key
 * @uuid:	its number
 * @parent:	track above it, 0 = none
 * @is_described: there is a description
 * @is_counter:	values, not events
 * @is_sum:	a value is what is added
 * @factor:	a value counts so many units
 * @sum:	of values
 * @pid:	of the process or thread that it is, 0 = it is none
 * @tid:	of the thread
 * @own_tid:	the number that stands for it, 0 = none yet
 * @name:	its own
 * @depth:	how many slices are open, those above TRACK_DEPTH too
 * @open:	what they are, numbers of the caller's
 * @cap:	for how many of these there is room
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
	__u32 cap;
};

/** struct track_thread - thread of events; comm is valid until the next track is made */
struct track_thread {
	__u32 tid;
	__u32 pid;
	const char *comm;
};

/**
 * struct tracks - all of them
 * @tracks:	by number
 * @mains:	names of main threads by process
 * @own_nr:	threads that were made up
 */
struct tracks {
	struct hash_table tracks;
	struct hash_table mains;
	__u32 own_nr;
};

void tracks_init(struct tracks *t);
/* Takes in what is said of a track. Return: 0, -ENOMEM. */
int tracks_describe(struct tracks *t, const Perfetto__Protos__TrackDescriptor *d);
/* The track of this number; NULL: no memory */
struct track *tracks_get(struct tracks *t, __u64 uuid);
/* The thread of its events; @pid is the process that wrote them, 0: nobody knows */
struct track_thread tracks_thread(struct tracks *t, struct track *track, __u32 pid);
/* A slice begins; @number is the caller's. Return: 0, -ENOMEM. */
int track_begin(struct track *track, __u32 number);
/* The innermost one ends. Return: false: none is open; else @number, TRACK_NO_NUMBER: not known */
bool track_end(struct track *track, __u32 *number);
/* The name of a process's main thread, NULL: not known */
const char *tracks_main(const struct tracks *t, __u32 pid);
void tracks_free(struct tracks *t);

#endif
