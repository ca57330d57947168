/* SPDX-License-Identifier: GPL-2.0 */
/*
 * legacy.h - events of Chrome's macros: what their phase means, and the tracks of asynchronous ones
 *
 * An asynchronous event has an id. Events of one id, category or name are one in the other, so they
 * are on a track of their own, which another id takes over when nothing is open on it any more: for
 * millions of requests there are as many tracks as there were requests at once.
 */
#ifndef VIEWER_IMPORT_PERFETTO_LEGACY_H
#define VIEWER_IMPORT_PERFETTO_LEGACY_H

#include "tracks.h"

/* What an event is, whichever way it says so */
enum event_type { EVENT_INSTANT, EVENT_BEGIN, EVENT_END, EVENT_COMPLETE, EVENT_COUNTER };

/**
 * struct async_id - whose asynchronous event it is
 * @id:		the number
 * @pid:	process whose number it is, 0 = everybody's
 * @scope:	what ids are told apart by besides, a number of the caller's
 */
struct async_id {
	__u64 id;
	__u32 pid;
	__u32 scope;
};

/**
 * struct asyncs - those that have been
 * @ids:	by struct async_id: the track, while something is open on it
 * @lanes:	by process and scope: tracks that are free
 * @made:	tracks so far
 */
struct asyncs {
	struct hash_table ids;
	struct hash_table lanes;
	__u64 made;
};

enum event_type legacy_type(const Perfetto__Protos__TrackEvent *e);
/* The letter that says what a legacy event is, 0: it is none */
char legacy_phase(const Perfetto__Protos__TrackEvent *e);
/* Is the event on a track of its id? */
bool legacy_is_async(const Perfetto__Protos__TrackEvent *e);
/* Are ids of other names others? Else those of other categories are. */
bool legacy_is_by_name(const Perfetto__Protos__TrackEvent *e);
/* Its number; @is_local: it is one of its process. Return: false: it has none */
bool legacy_id(const Perfetto__Protos__TrackEvent *e, __u64 *id, bool *is_local);

void asyncs_init(struct asyncs *a);
/* The track for the event of @id that comes now, called @name if it is new. NULL: no memory */
struct track *asyncs_track(struct asyncs *a, struct tracks *t, const struct async_id *id,
			   const char *name);
/* That event has been taken in; its track may be free now. Return: 0, -ENOMEM. */
int asyncs_done(struct asyncs *a, const struct async_id *id, const struct track *track);
void asyncs_free(struct asyncs *a);

#endif
