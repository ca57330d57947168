/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * hash_table.h - a growing table that finds or makes rows by their leading key
 *
 * Keys are compared as bytes, so they must have no padding. Rows are contiguous in order of
 * creation; pointers to them are valid until the next row is made.
 */
#ifndef KTRACE_BASE_HASH_TABLE_H
#define KTRACE_BASE_HASH_TABLE_H

#include <linux/types.h>
#include <stddef.h>

/**
 * struct hash_table - table of rows
 * @size:	bytes of a row
 * @key:	bytes of the key at the beginning of a row
 * @at:		the rows
 * @nr:		number of rows
 * @cap:	number of rows that fit
 * @slots:	index in @at + 1, by hash of the key; 0 = free
 * @last:	row that was found last
 */
struct hash_table {
	size_t size;
	size_t key;
	char *at;
	size_t nr;
	size_t cap;
	__u32 *slots;
	size_t last;
};

/* Initialises a table of struct @type, whose key ends with @member. */
#define HASH_TABLE_INIT(type, member) \
	{ .size = sizeof(type), .key = offsetof(type, member) + sizeof(((type *)0)->member) }

/*
 * Returns the row with this key; makes one that is zero after the key if there is none. NULL
 * without memory.
 */
void *hash_table_get(struct hash_table *r, const void *key);
/* The same; without memory, @error becomes -ENOMEM. */
void *hash_table_need(struct hash_table *r, const void *key, int *error);
/* Returns the row with this key, NULL if there is none. */
void *hash_table_find(const struct hash_table *r, const void *key);
void *hash_table_at(const struct hash_table *r, size_t i);
/* Goes through the rows that exist when a step begins; rows may move if some are made meanwhile. */
#define hash_table_for_each(row, table) \
	for (size_t row##_nr = 0; row##_nr < (table)->nr && \
	     ((row) = hash_table_at(table, row##_nr)); row##_nr++)
/* Keeps only the first @nr rows. */
void hash_table_cut(struct hash_table *r, size_t nr);
/* For functions that compare: -1, 0 or 1. If several numbers count, put ?: between them. */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))
/* Sorts the rows; they cannot be found by key afterwards. */
void hash_table_sort(struct hash_table *r, int (*order)(const void *x, const void *y));
void hash_table_free(struct hash_table *r);
/* Frees the table and, for each row, the memory to which the pointer at @offset refers. */
void hash_table_free_with(struct hash_table *r, size_t offset);

#endif
