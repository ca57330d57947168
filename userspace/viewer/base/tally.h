/* SPDX-License-Identifier: GPL-2.0 */
/* tally.h - counts by name, for two sides that are compared */
#ifndef VIEWER_TALLY_H
#define VIEWER_TALLY_H

#include <stddef.h>
#include <linux/types.h>

struct tally_row {
	char *name;
	__u64 count[2];
};

/* struct tally - hash table; open addressing, a power of two of slots or none */
struct tally {
	struct tally_row *rows;
	size_t cap;
	size_t nr;
};

/* Counts one for @side, 0 or 1. Return: 0, -ENOMEM. */
int tally_add(struct tally *t, const char *name, int side);
/* The rows that are used come first then, most frequent first; nothing can be added. */
void tally_sort(struct tally *t);
void tally_free(struct tally *t);

#endif
