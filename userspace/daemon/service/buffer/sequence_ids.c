// SPDX-License-Identifier: GPL-2.0
/* sequence_ids.c - a hash table with open addressing, at most half full */
#include "sequence_ids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 64u
#define FIRST_ID 2u

/* Never 0: producers' ids begin at 1. */
static uint64_t key_of(const struct trace_buffer_origin *o)
{
	return (uint64_t)o->machine << 32 | (uint64_t)o->producer << 16 | o->writer;
}

static uint64_t producer_of(uint64_t key)
{
	return key >> 16;
}

static uint32_t place(const struct sequence_ids *s, uint64_t key)
{
	uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 32);

	for (;; i++) {
		i &= s->room - 1;
		if (!s->keys[i] || s->keys[i] == key)
			return i;
	}
}

/* Moves to a table with @room slots, without the writers of one producer; 0: with all. */
static int move(struct sequence_ids *s, uint32_t room, uint64_t without)
{
	struct sequence_ids to = { .room = room, .last = s->last };

	to.keys = calloc(to.room, sizeof(*to.keys));
	to.ids = calloc(to.room, sizeof(*to.ids));
	if (!to.keys || !to.ids) {
		sequence_ids_exit(&to);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < s->room; i++) {
		uint32_t k;

		if (!s->keys[i] || producer_of(s->keys[i]) == without)
			continue;
		k = place(&to, s->keys[i]);
		to.keys[k] = s->keys[i];
		to.ids[k] = s->ids[i];
		to.nr++;
	}
	free(s->keys);
	free(s->ids);
	*s = to;
	return 0;
}

/*
 * A producer that makes writers without end loses the ids of its own writers; if many do, all are
 * lost. No packet gets a wrong writer by that, as an id is never given twice.
 */
static int forget(struct sequence_ids *s, uint64_t producer)
{
	const int error = move(s, s->room, producer);

	if (!error && s->nr > SEQUENCE_IDS_MAX - SEQUENCE_IDS_MAX / 16) {
		memset(s->keys, 0, s->room * sizeof(*s->keys));
		s->nr = 0;
	}
	return error;
}

static int make_room(struct sequence_ids *s, uint64_t producer)
{
	if (s->nr == SEQUENCE_IDS_MAX)
		return forget(s, producer);
	if (2 * s->nr < s->room)
		return 0;
	return move(s, s->room ? 2 * s->room : ROOM_FIRST, 0);
}

uint32_t sequence_ids_get(struct sequence_ids *s, const struct trace_buffer_origin *origin)
{
	uint64_t key = key_of(origin);
	uint32_t i;

	if (s->room) {
		i = place(s, key);
		if (s->keys[i])
			return s->ids[i];
	}
	if (make_room(s, producer_of(key)))
		return 0;
	i = place(s, key);
	s->nr++;
	s->keys[i] = key;
	s->ids[i] = FIRST_ID + s->last++;
	return s->ids[i];
}

void sequence_ids_exit(struct sequence_ids *s)
{
	free(s->keys);
	free(s->ids);
	*s = (struct sequence_ids) { 0 };
}

int sequence_ids_copy(struct sequence_ids *to, const struct sequence_ids *from)
{
	*to = *from;
	if (!from->room)
		return 0;
	to->keys = malloc(from->room * sizeof(*to->keys));
	to->ids = malloc(from->room * sizeof(*to->ids));
	if (!to->keys || !to->ids) {
		sequence_ids_exit(to);
		return -ENOMEM;
	}
	memcpy(to->keys, from->keys, from->room * sizeof(*to->keys));
	memcpy(to->ids, from->ids, from->room * sizeof(*to->ids));
	return 0;
}
