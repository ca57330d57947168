/* SPDX-License-Identifier: GPL-2.0 */
/* paired_counts.h - counts by name, for comparing two sides */
#ifndef VIEWER_BASE_PAIRED_COUNTS_H
#define VIEWER_BASE_PAIRED_COUNTS_H

#include <stddef.h>
#include <linux/types.h>

struct paired_counts_row {
	char *name;
	__u64 count[2];
};

/*
 * struct paired_counts - hash table with open addressing; the number of slots is a power of two, or
 * 0
 */
struct paired_counts {
	struct paired_counts_row *rows;
	size_t cap;
	size_t nr;
};

/* Counts one for @side, 0 or 1. Return: 0, -ENOMEM. */
int paired_counts_add(struct paired_counts *t, const char *name, int side);
/* Sorts used rows to the front, most frequent first; nothing can be added afterwards. */
void paired_counts_sort(struct paired_counts *t);
void paired_counts_free(struct paired_counts *t);

#endif
