// SPDX-License-Identifier: GPL-2.0
/* paje_links.c - numbers and counts the links between threads */
#include "paje_links.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void paje_links_init(struct paje_links *l)
{
	*l = (struct paje_links){ .places = HASH_TABLE_INIT(struct paje_sources, place) };
}

void paje_links_free(struct paje_links *l)
{
	hash_table_free(&l->places);
	free(l->ends);
}

void paje_links_again(struct paje_links *l)
{
	hash_table_free(&l->places);
	l->places = (struct hash_table)HASH_TABLE_INIT(struct paje_sources, place);
	l->nr = 0;
	l->is_second = true;
}

static bool has_room(struct paje_links *l)
{
	__u64 cap = l->cap ? 2 * l->cap : 1024;
	__u32 *ends;

	if (l->nr < l->cap)
		return true;
	ends = realloc(l->ends, cap * sizeof(*ends));
	if (!ends)
		return false;
	memset(ends + l->cap, 0, (cap - l->cap) * sizeof(*ends));
	l->ends = ends;
	l->cap = cap;
	return true;
}

static void remove_source(struct paje_sources *s, __u32 i)
{
	s->nr--;
	memmove(&s->at[i], &s->at[i + 1], (s->nr - i) * sizeof(s->at[0]));
}

__s64 paje_links_begin(struct paje_links *l, __u64 place, struct paje_source *source)
{
	struct paje_sources *s = hash_table_get(&l->places, &place);

	if (!s || !has_room(l))
		return -ENOMEM;
	if (source->is_only)
		s->nr = 0;
	if (s->nr == PAJE_SOURCES)
		remove_source(s, 0);
	source->number = l->nr++;
	source->used = 0;
	s->at[s->nr++] = *source;
	return l->is_second && source->is_shown ? l->ends[source->number] : 0;
}

bool paje_links_end(struct paje_links *l, __u64 place, __u32 thread, __u64 since, bool is_wanted,
		    struct paje_source *source)
{
	struct paje_sources *s = hash_table_get(&l->places, &place);
	__u32 i = 0;

	while (s && i < s->nr && (s->at[i].time < since || s->at[i].thread == thread))
		i++;
	if (!s || i == s->nr)
		return false;
	*source = s->at[i];
	is_wanted &= source->is_shown;
	s->at[i].used += is_wanted;
	if (is_wanted && !l->is_second)
		l->ends[source->number]++;
	if (!source->is_many)
		remove_source(s, i);
	return is_wanted;
}

void paje_links_use(struct paje_links *l, __u64 place)
{
	struct paje_sources *s = hash_table_get(&l->places, &place);

	if (s && s->nr)
		remove_source(s, 0);
}
