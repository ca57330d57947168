// SPDX-License-Identifier: GPL-2.0
/* legacy.c - phases and ids of Chrome's events */
#include "legacy.h"

#include "base/grow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef Perfetto__Protos__TrackEvent TrackEvent;

/* Numbers of generated tracks begin with this. */
#define ASYNC_UUID 0x6173796e63000000ull

/* struct async_row - an id and its track; track 0: nothing is open */
struct async_row {
	struct async_id id;
	__u64 track;
};

/* struct lane_row - tracks on which nothing is open */
struct lane_row {
	__u32 pid;
	__u32 scope;
	__u64 *free;
	size_t nr;
	size_t cap;
};

char legacy_phase(const TrackEvent *e)
{
	return e->legacy_event && e->legacy_event->has_phase ? (char)e->legacy_event->phase : 0;
}

enum event_type legacy_type(const TrackEvent *e)
{
	switch (legacy_phase(e)) {
	case 'B':
	case 'b':
	case 'S':
		return EVENT_BEGIN;
	case 'E':
	case 'e':
	case 'F':
		return EVENT_END;
	case 'X':
		return e->legacy_event->duration_us < 0 ? EVENT_INSTANT : EVENT_COMPLETE;
	case 0:
		break;
	default:
		return EVENT_INSTANT;
	}
	switch ((int)e->type) {
	case PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN:
		return EVENT_BEGIN;
	case PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_SLICE_END:
		return EVENT_END;
	case PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_COUNTER:
		return EVENT_COUNTER;
	default:
		return EVENT_INSTANT;
	}
}

bool legacy_id(const TrackEvent *e, __u64 *id, bool *is_local)
{
	const Perfetto__Protos__TrackEvent__LegacyEvent *l = e->legacy_event;

	*is_local = l && !l->has_unscoped_id && !l->has_global_id && l->has_local_id;
	if (!l || !(l->has_unscoped_id || l->has_global_id || l->has_local_id))
		return false;
	*id = l->has_unscoped_id ? l->unscoped_id : l->has_global_id ? l->global_id : l->local_id;
	return true;
}

bool legacy_is_async(const TrackEvent *e)
{
	const char phase = legacy_phase(e);
	bool is_local;
	__u64 id;

	return phase && strchr("benSTpF", phase) && legacy_id(e, &id, &is_local);
}

bool legacy_is_by_name(const TrackEvent *e)
{
	return strchr("STpF", legacy_phase(e));
}

void asyncs_init(struct asyncs *a)
{
	*a = (struct asyncs){
		.ids = HASH_TABLE_INIT(struct async_row, id), .lanes =
			HASH_TABLE_INIT(struct lane_row, scope),
	};
}

void asyncs_free(struct asyncs *a)
{
	hash_table_free(&a->ids);
	hash_table_free_with(&a->lanes, offsetof(struct lane_row, free));
}

static struct lane_row *lane_of(struct asyncs *a, const struct async_id *id)
{
	const struct lane_row key = { .pid = id->pid, .scope = id->scope };

	return hash_table_get(&a->lanes, &key);
}

static struct track *new_track(struct asyncs *a, struct tracks *t, const char *name)
{
	struct track *track = tracks_get(t, ASYNC_UUID + ++a->made);

	if (track)
		snprintf(track->name, sizeof(track->name), "%s", name);
	return track;
}

struct track *asyncs_track(struct asyncs *a, struct tracks *t, const struct async_id *id,
			   const char *name)
{
	struct async_row *row = hash_table_get(&a->ids, id);
	struct lane_row *lane;
	struct track *track;

	if (!row)
		return NULL;
	if (row->track)
		return tracks_get(t, row->track);
	lane = lane_of(a, id);
	if (!lane)
		return NULL;
	track = lane->nr ? tracks_get(t, lane->free[--lane->nr]) : new_track(a, t, name);
	if (track)
		row->track = track->uuid;
	return track;
}

int asyncs_done(struct asyncs *a, const struct async_id *id, const struct track *track)
{
	struct async_row *row = hash_table_find(&a->ids, id);
	struct lane_row *lane = lane_of(a, id);

	if (!row || !lane)
		return -ENOMEM;
	if (track->depth)
		return 0;
	if (!LIST_GROW(lane->free, lane->nr, lane->cap))
		return -ENOMEM;
	lane->free[lane->nr++] = row->track;
	row->track = 0;
	return 0;
}
