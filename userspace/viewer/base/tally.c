// SPDX-License-Identifier: GPL-2.0
/* tally.c - counts by name, for two sides that are compared */
#include "tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct tally_row *find(const struct tally *t, const char *name)
{
	__u64 hash = 0xcbf29ce484222325ull;
	const char *c;
	size_t i;

	for (c = name; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3ull;
	for (i = hash & (t->cap - 1);; i = (i + 1) & (t->cap - 1))
		if (!t->rows[i].name || !strcmp(t->rows[i].name, name))
			return &t->rows[i];
}

static int grow(struct tally *t)
{
	struct tally bigger = { .cap = t->cap ? 2 * t->cap : 64, .nr = t->nr };
	size_t i;

	bigger.rows = calloc(bigger.cap, sizeof(*bigger.rows));
	if (!bigger.rows)
		return -ENOMEM;
	for (i = 0; i < t->cap; i++)
		if (t->rows[i].name)
			*find(&bigger, t->rows[i].name) = t->rows[i];
	free(t->rows);
	*t = bigger;
	return 0;
}

int tally_add(struct tally *t, const char *name, int side)
{
	struct tally_row *row;

	if (2 * t->nr >= t->cap && grow(t))
		return -ENOMEM;
	row = find(t, name);
	if (!row->name) {
		row->name = strdup(name);
		if (!row->name)
			return -ENOMEM;
		t->nr++;
	}
	row->count[side]++;
	return 0;
}

static int by_count(const void *a, const void *b)
{
	const struct tally_row *x = a, *y = b;
	__u64 m = x->count[0] + x->count[1], n = y->count[0] + y->count[1];

	if (!x->name || !y->name)
		return !x->name - !y->name;
	return m != n ? (m < n ? 1 : -1) : strcmp(x->name, y->name);
}

void tally_sort(struct tally *t)
{
	if (t->nr)
		qsort(t->rows, t->cap, sizeof(*t->rows), by_count);
}

void tally_free(struct tally *t)
{
	size_t i;

	for (i = 0; i < t->cap; i++)
		free(t->rows[i].name);
	free(t->rows);
}
