// SPDX-License-Identifier: GPL-2.0
/* paired_counts.c - counts by name, for comparing two sides */
#include "paired_counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fnv.h"

static struct paired_counts_row *find(const struct paired_counts *t, const char *name)
{
	const __u64 hash = fnv(FNV_BASIS, name, strlen(name));
	size_t i;

	for (i = hash & (t->cap - 1);; i = (i + 1) & (t->cap - 1))
		if (!t->rows[i].name || !strcmp(t->rows[i].name, name))
			return &t->rows[i];
}

static int grow(struct paired_counts *t)
{
	struct paired_counts bigger = { .cap = t->cap ? 2 * t->cap : 64, .nr = t->nr };
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

int paired_counts_add(struct paired_counts *t, const char *name, int side)
{
	struct paired_counts_row *row;

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
	const struct paired_counts_row *x = a, *y = b;
	__u64 m = x->count[0] + x->count[1], n = y->count[0] + y->count[1];

	if (!x->name || !y->name)
		return !x->name - !y->name;
	return m != n ? (m < n ? 1 : -1) : strcmp(x->name, y->name);
}

void paired_counts_sort(struct paired_counts *t)
{
	if (t->nr)
		qsort(t->rows, t->cap, sizeof(*t->rows), by_count);
}

void paired_counts_free(struct paired_counts *t)
{
	size_t i;

	for (i = 0; i < t->cap; i++)
		free(t->rows[i].name);
	free(t->rows);
}
