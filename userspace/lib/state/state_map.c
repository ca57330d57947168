// SPDX-License-Identifier: LGPL-2.1
/* state_map.c - map numbers to array indexes */
#include "state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t slot_of(const struct state_map *m, __u64 key)
{
	size_t i = (size_t)((key ^ key >> 29) * 0x9e3779b97f4a7c15ull >> 20) & (m->slot_nr - 1);

	while (m->slots[i].place && m->slots[i].key != key)
		i = (i + 1) & (m->slot_nr - 1);
	return i;
}

static int grow(struct state_map *m)
{
	struct state_map bigger = { .slot_nr = m->slot_nr ? 2 * m->slot_nr : 8 };
	size_t i;

	bigger.slots = calloc(bigger.slot_nr, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (i = 0; i < m->slot_nr; i++)
		if (m->slots[i].place)
			bigger.slots[slot_of(&bigger, m->slots[i].key)] = m->slots[i];
	bigger.used = m->used;
	free(m->slots);
	*m = bigger;
	return 0;
}

/* Makes room for @nr more keys. Returns 0 or -ENOMEM. */
int ktrace_map_reserve(struct state_map *m, size_t nr)
{
	int ret = 0;

	while (!ret && 2 * (m->used + nr) > m->slot_nr)
		ret = grow(m);
	return ret;
}

/* Sets a key; the caller has reserved room. */
void ktrace_map_set(struct state_map *m, __u64 key, __u32 place)
{
	size_t i = slot_of(m, key);

	m->used += !m->slots[i].place;
	m->slots[i].key = key;
	m->slots[i].place = place + 1;
}

__u32 ktrace_map_get(const struct state_map *m, __u64 key)
{
	return m->slot_nr ? m->slots[slot_of(m, key)].place - 1 : ~0u;
}

void ktrace_map_clear(struct state_map *m)
{
	if (m->slot_nr)
		memset(m->slots, 0, m->slot_nr * sizeof(*m->slots));
	m->used = 0;
}

void ktrace_map_free(struct state_map *m)
{
	free(m->slots);
	*m = (struct state_map){ 0 };
}
