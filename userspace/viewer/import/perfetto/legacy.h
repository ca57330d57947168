/* SPDX-License-Identifier: GPL-2.0 */
/*
 * legacy.h - events of Chrome's macros: their phases, and the tracks of asynchronous ones
 *
 * Asynchronous events have ids. Events with the same id, and category or name, are nested, so they
 * get a track of their own. Once nothing is open on it, another id reuses it: for millions of
 * requests there are only as many tracks as requests at a time.
 */
#ifndef VIEWER_IMPORT_PERFETTO_LEGACY_H
#define VIEWER_IMPORT_PERFETTO_LEGACY_H

#include "tracks.h"

/* Type of an event, in either encoding */
enum event_type { EVENT_INSTANT, EVENT_BEGIN, EVENT_END, EVENT_COMPLETE, EVENT_COUNTER };

/**
 * struct async_id - identifies asynchronous events that belong together
 * @id:		the number
 * @pid:	process that the id belongs to, 0 = global
 * @scope:	what else distinguishes ids, a number of the caller's
 */
struct async_id {
	__u64 id;
	__u32 pid;
	__u32 scope;
};

/**
 * struct asyncs - ids of asynchronous events and their tracks
 * @ids:	by struct async_id: its track, while something is open
 * @lanes:	by process and scope: free tracks
 * @made:	number of tracks so far
 */
struct asyncs {
	struct hash_table ids;
	struct hash_table lanes;
	__u64 made;
};

enum event_type legacy_type(const Perfetto__Protos__TrackEvent *e);
/* Returns the letter for the type of a legacy event, 0: the event is none */
char legacy_phase(const Perfetto__Protos__TrackEvent *e);
/* True if the event is on the track of its id. */
bool legacy_is_async(const Perfetto__Protos__TrackEvent *e);
/* True if ids are distinguished by the event's name, false: by its category. */
bool legacy_is_by_name(const Perfetto__Protos__TrackEvent *e);
/* Reads the id; @is_local: it belongs to its process. Return: false: the event has none */
bool legacy_id(const Perfetto__Protos__TrackEvent *e, __u64 *id, bool *is_local);

void asyncs_init(struct asyncs *a);
/* Returns the track for the next event of @id, named @name if new; NULL: out of memory */
struct track *asyncs_track(struct asyncs *a, struct tracks *t, const struct async_id *id,
			   const char *name);
/* Called after that event; frees the track if nothing is open on it. Return: 0, -ENOMEM. */
int asyncs_done(struct asyncs *a, const struct async_id *id, const struct track *track);
void asyncs_free(struct asyncs *a);

#endif
