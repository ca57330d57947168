// SPDX-License-Identifier: GPL-2.0
/* numbers.c - a hash table with open addressing, at most half full */
#include "numbers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 64u
#define FIRST_ID 2u

/* Never 0: producers' ids begin at 1. */
static uint64_t key_of(const struct central_origin *o)
{
	return (uint64_t)o->machine << 32 | (uint64_t)o->producer << 16 | o->writer;
}

static uint32_t place(const struct numbers *s, uint64_t key)
{
	uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 32);

	for (;; i++) {
		i &= s->room - 1;
		if (!s->keys[i] || s->keys[i] == key)
			return i;
	}
}

static int grow(struct numbers *s)
{
	struct numbers to = { .room = s->room ? 2 * s->room : ROOM_FIRST, .nr = s->nr };

	to.keys = calloc(to.room, sizeof(*to.keys));
	to.ids = calloc(to.room, sizeof(*to.ids));
	if (!to.keys || !to.ids) {
		numbers_exit(&to);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < s->room; i++) {
		uint32_t k;

		if (!s->keys[i])
			continue;
		k = place(&to, s->keys[i]);
		to.keys[k] = s->keys[i];
		to.ids[k] = s->ids[i];
	}
	free(s->keys);
	free(s->ids);
	*s = to;
	return 0;
}

uint32_t numbers_get(struct numbers *s, const struct central_origin *origin)
{
	uint64_t key = key_of(origin);
	uint32_t i;

	if (2 * s->nr >= s->room && grow(s))
		return 0;
	i = place(s, key);
	if (!s->keys[i]) {
		s->keys[i] = key;
		s->ids[i] = FIRST_ID + s->nr++;
	}
	return s->ids[i];
}

void numbers_exit(struct numbers *s)
{
	free(s->keys);
	free(s->ids);
	*s = (struct numbers) { 0 };
}

int numbers_copy(struct numbers *to, const struct numbers *from)
{
	*to = *from;
	if (!from->room)
		return 0;
	to->keys = malloc(from->room * sizeof(*to->keys));
	to->ids = malloc(from->room * sizeof(*to->ids));
	if (!to->keys || !to->ids) {
		numbers_exit(to);
		return -ENOMEM;
	}
	memcpy(to->keys, from->keys, from->room * sizeof(*to->keys));
	memcpy(to->ids, from->ids, from->room * sizeof(*to->ids));
	return 0;
}
