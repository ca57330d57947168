/* SPDX-License-Identifier: LGPL-2.1 */
/* search.h - binary search */
#ifndef KTRACE_BASE_SEARCH_H
#define KTRACE_BASE_SEARCH_H

/**
 * PARTITION_POINT - find where the first members of a sorted list end
 * @nr:		members of the list
 * @i:		name of the index in @is_before
 * @is_before:	expression of @i: true for the first members, false for all after them
 *
 * Return: how many are before, which is the index of the first that is not, or @nr.
 */
#define PARTITION_POINT(nr, i, is_before) ({		\
	__typeof__((nr) + 0) low_ = 0, high_ = (nr), i;	\
							\
	while (low_ < high_) {				\
		i = low_ + (high_ - low_) / 2;		\
		if (is_before)				\
			low_ = i + 1;			\
		else					\
			high_ = i;			\
	}						\
	low_;						\
})

#endif
