/* SPDX-License-Identifier: LGPL-2.1 */
/* grow.h - lists that grow */
#ifndef KTRACE_BASE_GROW_H
#define KTRACE_BASE_GROW_H

#include <stdbool.h>
#include <stdlib.h>

/**
 * LIST_RESIZE - give a list room for exactly @nr members
 * @list:	lvalue, members in memory of malloc(3), NULL = none yet; may move
 * @nr:		how many, not 0
 *
 * Return: false = no memory, the list is unchanged.
 */
#define LIST_RESIZE(list, nr) ({						\
	void *moved_ = realloc((list), (size_t)(nr) * sizeof(*(list)));		\
										\
	if (moved_)								\
		(list) = moved_;						\
	moved_ != NULL;								\
})

/* Returns the capacity for more than @nr members, at least twice that of @cap. */
static inline size_t list_room(size_t nr, size_t cap)
{
	do
		cap = cap ? 2 * cap : 4;
	while (cap <= nr);
	return cap;
}

/**
 * LIST_GROW - make room for another member in a list
 * @list:	lvalue, members in memory of malloc(3), NULL = none yet; may move
 * @nr:		how many there are, or how many less one there will be
 * @cap:	lvalue, room for this many; at least doubled if it is used up
 *
 * Return: false = no memory, the list is unchanged.
 */
#define LIST_GROW(list, nr, cap) ((nr) < (cap) || ({				\
	const size_t room_ = list_room((nr), (cap));				\
	const bool is_moved_ = LIST_RESIZE((list), room_);			\
										\
	if (is_moved_)								\
		(cap) = (__typeof__(cap))room_;					\
	is_moved_;								\
}))

#endif
