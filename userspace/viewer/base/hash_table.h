/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hash_table.h - a table that grows: rows are found, or made, by the key they begin with
 *
 * A key is bytes that are compared, so it has no holes. Rows lie one behind the other in
 * order of their making; pointers to them are valid until the next one is made.
 */
#ifndef VIEWER_BASE_HASH_TABLE_H
#define VIEWER_BASE_HASH_TABLE_H

#include <linux/types.h>
#include <stddef.h>

/**
 * struct hash_table - a table
 * @size:	of a row
 * @key:	of what it begins with
 * @at:		the rows
 * @nr:		how many
 * @cap:	for how many there is room
 * @slots:	places in @at by hash of the key, + 1; 0 = free
 * @last:	row found last
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

/* Of struct @type, whose key ends with @member */
#define HASH_TABLE_INIT(type, member) \
	{ .size = sizeof(type), .key = offsetof(type, member) + sizeof(((type *)0)->member) }

/* The row with this key; a new one is all zero behind it. NULL: no memory */
void *hash_table_get(struct hash_table *r, const void *key);
/* The row with this key; NULL: there is none */
void *hash_table_find(const struct hash_table *r, const void *key);
void *hash_table_at(const struct hash_table *r, size_t i);
/* Only the first @nr rows stay. */
void hash_table_cut(struct hash_table *r, size_t nr);
/* Rows are not found by key any more. */
void hash_table_sort(struct hash_table *r, int (*order)(const void *x, const void *y));
void hash_table_free(struct hash_table *r);

#endif
