// SPDX-License-Identifier: GPL-2.0
/* tracks.c - what is known about each track, and the thread that shows its events */
#include "tracks.h"

#include "base/grow.h"
#include "import/event_builder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Maximum number of levels above a track */
#define PARENTS_MAX 16

/* struct main - the main thread of a process; pid is the key */
struct main {
	__u32 pid;
	char name[TRACK_NAME];
};

void tracks_init(struct tracks *t)
{
	*t = (struct tracks){
		.tracks = HASH_TABLE_INIT(struct track, uuid), .mains =
			HASH_TABLE_INIT(struct main, pid),
	};
}

void tracks_free(struct tracks *t)
{
	hash_table_free_with(&t->tracks, offsetof(struct track, open));
	hash_table_free(&t->mains);
}

struct track *tracks_get(struct tracks *t, __u64 uuid)
{
	return hash_table_get(&t->tracks, &uuid);
}

static void set_name(struct track *track, const char *name)
{
	if (name && *name)
		snprintf(track->name, sizeof(track->name), "%s", name);
}

static bool learn_main(struct tracks *t, const struct track *track)
{
	struct main *known = hash_table_get(&t->mains, &track->pid);

	if (known)
		memcpy(known->name, track->name, sizeof(known->name));
	return known;
}

const char *tracks_main(const struct tracks *t, __u32 pid)
{
	const struct main *known = hash_table_find(&t->mains, &pid);

	return known && *known->name ? known->name : NULL;
}

/* Facts that a later descriptor does not repeat still hold. */
int tracks_describe(struct tracks *t, const Perfetto__Protos__TrackDescriptor *d)
{
	struct track *track = tracks_get(t, d->uuid);

	if (!track)
		return -ENOMEM;
	track->is_described = true;
	if (d->has_parent_uuid)
		track->parent = d->parent_uuid;
	if (d->process) {
		track->pid = (__u32)d->process->pid;
		set_name(track, d->process->process_name);
	}
	if (d->thread) {
		track->pid = (__u32)d->thread->pid;
		track->tid = (__u32)d->thread->tid & KTRACE_TID_MASK;
		set_name(track, d->thread->thread_name);
		if (track->tid == track->pid && !learn_main(t, track))
			return -ENOMEM;
	}
	set_name(track, d->static_name);
	set_name(track, d->name);
	if (d->counter) {
		track->is_counter = true;
		track->is_sum = d->counter->is_incremental;
		track->factor = d->counter->unit_multiplier;
	}
	return 0;
}

/* Returns the nearest process or thread: the track or one above it; NULL: none */
static const struct track *owner_of(const struct tracks *t, const struct track *track)
{
	for (int i = 0; track && i < PARENTS_MAX; i++) {
		if (track->pid || track->tid)
			return track;
		track = track->parent ? hash_table_find(&t->tracks, &track->parent) : NULL;
	}
	return NULL;
}

struct track_thread tracks_thread(struct tracks *t, struct track *track, __u32 pid)
{
	const struct track *owner = owner_of(t, track);
	struct track_thread thread = { .pid = owner ? owner->pid : pid, .comm = track->name };

	if (owner && (owner == track || track->is_counter)) {
		thread.tid = owner->tid ? owner->tid : owner->pid & KTRACE_TID_MASK;
		thread.comm = owner->tid ? NULL : tracks_main(t, owner->pid);
		if (!thread.comm)
			thread.comm = owner->name;
		return thread;
	}
	if (!track->uuid && pid) {
		thread.tid = pid & KTRACE_TID_MASK;
		thread.comm = tracks_main(t, pid);
		return thread;
	}
	if (!track->own_tid && TRACK_TID_MIN + t->own_nr < KTRACE_TID_MASK - 1)
		track->own_tid = TRACK_TID_MIN + t->own_nr++;
	thread.tid = track->own_tid ? track->own_tid : KTRACE_TID_MASK - 1;
	if (!*track->name)
		snprintf(track->name, sizeof(track->name), "track %llx",
			 (unsigned long long)track->uuid);
	return thread;
}

int track_begin(struct track *track, __u32 number)
{
	if (track->depth < TRACK_DEPTH) {
		if (!LIST_GROW(track->open, track->depth, track->cap))
			return -ENOMEM;
		track->open[track->depth] = number;
	}
	if (track->depth < UINT32_MAX)
		track->depth++;
	return 0;
}

bool track_end(struct track *track, __u32 *number)
{
	__u32 i;

	if (!track->depth)
		return false;
	track->depth--;
	if (track->depth >= TRACK_DEPTH) {
		*number = TRACK_NO_NUMBER;
		return true;
	}
	i = open_find(track->open, track->depth, *number);
	*number = track->open[i];
	memmove(track->open + i, track->open + i + 1, (track->depth - i) * sizeof(*track->open));
	return true;
}
