/* SPDX-License-Identifier: LGPL-2.1 */
/* grow.h - lists that grow */
#ifndef KTRACE_BASE_GROW_H
#define KTRACE_BASE_GROW_H

#include <stdlib.h>

/**
 * ktrace_grow - a list with room for one more
 * @list:	members in memory of malloc(3), NULL = none yet
 * @nr:		how many
 * @cap:	room for this many; updated
 * @size:	bytes of a member
 *
 * Return: the list, which may have moved; NULL = no memory, the list is unchanged.
 */
static inline void *ktrace_grow(void *list, size_t nr, size_t *cap, size_t size)
{
	const size_t more = *cap ? 2 * *cap : 16;
	void *bigger;

	if (nr < *cap)
		return list;
	bigger = realloc(list, more * size);
	if (bigger)
		*cap = more;
	return bigger;
}

#endif
