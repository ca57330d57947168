// SPDX-License-Identifier: LGPL-2.1
/* hash_table.c - a growing table that finds or makes rows by their leading key */
#include "hash_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fnv.h"

#define ROWS_MIN 16u

void *hash_table_at(const struct hash_table *r, size_t i)
{
	return r->at + i * r->size;
}

static __u64 hash(const struct hash_table *r, const void *key)
{
	const __u64 h = fnv(FNV_BASIS, key, r->key);

	return h ^ h >> 29;
}

/*
 * Returns the slot that has the key or is free for it. There are twice as many slots as rows fit.
 */
static __u32 *slot_of(const struct hash_table *r, const void *key)
{
	size_t mask = 2 * r->cap - 1, i;

	for (i = hash(r, key) & mask; r->slots[i]; i = (i + 1) & mask)
		if (!memcmp(hash_table_at(r, r->slots[i] - 1), key, r->key))
			break;
	return &r->slots[i];
}

static int grow(struct hash_table *r)
{
	size_t cap = r->cap ? 2 * r->cap : ROWS_MIN, i;
	__u32 *slots = calloc(2 * cap, sizeof(*slots));
	char *at = slots ? realloc(r->at, cap * r->size) : NULL;

	if (!at) {
		free(slots);
		return -1;
	}
	free(r->slots);
	r->slots = slots;
	r->at = at;
	r->cap = cap;
	for (i = 0; i < r->nr; i++)
		*slot_of(r, hash_table_at(r, i)) = (__u32)i + 1;
	return 0;
}

void *hash_table_get(struct hash_table *r, const void *key)
{
	__u32 *slot;
	char *row;

	if (r->last < r->nr && !memcmp(hash_table_at(r, r->last), key, r->key))
		return hash_table_at(r, r->last);
	slot = r->cap ? slot_of(r, key) : NULL;
	if (slot && *slot) {
		r->last = *slot - 1;
		return hash_table_at(r, r->last);
	}
	if (r->nr == r->cap && grow(r))
		return NULL;
	*slot_of(r, key) = (__u32)r->nr + 1;
	row = hash_table_at(r, r->nr);
	memcpy(row, key, r->key);
	memset(row + r->key, 0, r->size - r->key);
	r->last = r->nr++;
	return row;
}

void *hash_table_need(struct hash_table *r, const void *key, int *error)
{
	void *row = hash_table_get(r, key);

	if (!row)
		*error = -ENOMEM;
	return row;
}

void *hash_table_find(const struct hash_table *r, const void *key)
{
	const __u32 *slot = r->cap ? slot_of(r, key) : NULL;

	return slot && *slot ? hash_table_at(r, *slot - 1) : NULL;
}

/*
 * Clears slots from the newest row back: no other row's probe sequence passes the slot of the
 * newest.
 */
void hash_table_cut(struct hash_table *r, size_t nr)
{
	while (r->nr > nr) {
		*slot_of(r, hash_table_at(r, r->nr - 1)) = 0;
		r->nr--;
	}
}

void hash_table_sort(struct hash_table *r, int (*order)(const void *x, const void *y))
{
	if (r->nr)
		qsort(r->at, r->nr, r->size, order);
}

void hash_table_free(struct hash_table *r)
{
	free(r->at);
	free(r->slots);
}

void hash_table_free_with(struct hash_table *r, size_t offset)
{
	for (size_t i = 0; i < r->nr; i++)
		free(*(void **)((char *)hash_table_at(r, i) + offset));
	hash_table_free(r);
}
