// SPDX-License-Identifier: LGPL-2.1
/*
 * symbol_tables.c - what META says about stacks, control groups and functions of the kernel
 *
 * Usually it comes in order, and then nothing is sorted. Parts of a recording repeat what earlier
 * parts said.
 */
#include "symbol_tables.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/search.h"

static void free_one(const struct symbol *k)
{
	free(k->text);
	free((void *)k->stack.address);
	free(k->frames);
	free((char *)k->code.function);
	free((char *)k->code.module);
	free((char *)k->code.file);
}

int ktrace_symbol_table_add(struct symbol_table *t, const struct symbol *k)
{
	if (!LIST_GROW(t->list, t->nr, t->cap)) {
		free_one(k);
		return -ENOMEM;
	}
	t->is_unordered |= t->nr && t->list[t->nr - 1].key >= k->key;
	t->list[t->nr] = *k;
	t->list[t->nr].order = t->nr;
	t->nr++;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void ktrace_symbol_table_sort(struct symbol_table *t)
{
	size_t i, nr = 0;

	if (!t->is_unordered)
		return;
	qsort(t->list, t->nr, sizeof(*t->list), compare);
	for (i = 0; i < t->nr; i++) {
		if (nr && t->list[nr - 1].key == t->list[i].key)
			free_one(&t->list[i]);
		else
			t->list[nr++] = t->list[i];
	}
	for (i = 0; i < nr; i++)
		t->list[i].order = i;
	t->nr = nr;
	t->is_unordered = false;
}

const struct symbol *ktrace_symbol_table_find(const struct symbol_table *t,
						      __u64 key)
{
	const size_t low = PARTITION_POINT(t->nr, i, t->list[i].key <= key);

	return low ? &t->list[low - 1] : NULL;
}

void ktrace_symbol_table_free(struct symbol_table *t)
{
	size_t i;

	for (i = 0; i < t->nr; i++)
		free_one(&t->list[i]);
	free(t->list);
}
