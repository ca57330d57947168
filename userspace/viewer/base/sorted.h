/* SPDX-License-Identifier: GPL-2.0 */
/* sorted.h - binary search in sorted arrays */
#ifndef VIEWER_BASE_SORTED_H
#define VIEWER_BASE_SORTED_H

#include <linux/types.h>
#include <stddef.h>

/*
 * Returns how many elements have a number of at most @limit: all of them are at the beginning.
 * @offset: of this number, 64 bits, in an element of @size bytes
 */
static inline size_t sorted_up_to(const void *list, size_t nr, size_t size, size_t offset,
				  __u64 limit)
{
	size_t low = 0, middle;

	while (low < nr) {
		middle = low + (nr - low) / 2;
		if (*(const __u64 *)((const char *)list + middle * size + offset) <= limit)
			low = middle + 1;
		else
			nr = middle;
	}
	return low;
}

/* The same for @member of the elements of an array. */
#define SORTED_UP_TO(list, nr, member, limit) \
	sorted_up_to(list, nr, sizeof(*(list)), offsetof(__typeof__(*(list)), member), limit)

#endif
