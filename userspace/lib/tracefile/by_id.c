// SPDX-License-Identifier: LGPL-2.1
/* by_id.c - a balanced tree of structs that begin with a number */
#include "by_id.h"

#include <search.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	const __u32 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

void *ktrace_find_id(void *const *tree, __u32 id)
{
	void **found = tfind(&id, tree, compare);

	return found ? *found : NULL;
}

void *ktrace_make_id(void **tree, __u32 id, size_t size)
{
	__u32 *made = calloc(1, size);

	if (!made)
		return NULL;
	*made = id;
	if (tsearch(made, tree, compare))
		return made;
	free(made);
	return NULL;
}

void ktrace_free_ids(void *tree)
{
	tdestroy(tree, free);
}
