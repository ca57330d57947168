// SPDX-License-Identifier: LGPL-2.1
/* pthread_model_map.c - hash tables of the model: from pairs of numbers to pointers */
#include "pthread_model_state.h"

#include <errno.h>
#include <stdlib.h>

#define SLOTS_MIN 64u

static struct model_slot *slot_of(const struct model_map *m, __u64 a, __u64 b)
{
	__u64 h = (a * 0x9e3779b97f4a7c15ull ^ b) * 0xd6e8feb86659fd93ull;
	size_t i = (h ^ h >> 32) & (m->slot_nr - 1);

	while (m->slots[i].at && (m->slots[i].a != a || m->slots[i].b != b))
		i = (i + 1) & (m->slot_nr - 1);
	return &m->slots[i];
}

void *model_map_get(const struct model_map *m, __u64 a, __u64 b)
{
	return m->slot_nr ? slot_of(m, a, b)->at : NULL;
}

static int grow(struct model_map *m)
{
	struct model_map bigger = { .slot_nr = m->slot_nr ? 2 * m->slot_nr : SLOTS_MIN };
	size_t i;

	bigger.slots = calloc(bigger.slot_nr, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (i = 0; i < m->slot_nr; i++)
		if (m->slots[i].at)
			*slot_of(&bigger, m->slots[i].a, m->slots[i].b) = m->slots[i];
	bigger.used = m->used;
	free(m->slots);
	*m = bigger;
	return 0;
}

int model_map_set(struct model_map *m, __u64 a, __u64 b, void *at)
{
	struct model_slot *slot;

	if (2 * m->used >= m->slot_nr && grow(m))
		return -ENOMEM;
	slot = slot_of(m, a, b);
	m->used += !slot->at;
	*slot = (struct model_slot){ a, b, at };
	return 0;
}

void model_map_free(struct model_map *m)
{
	free(m->slots);
}
