/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rows.h - a table that grows: rows are found, or made, by the key they begin with
 *
 * A key is bytes that are compared, so it has no holes. Rows lie one behind the other in
 * order of their making; pointers to them are valid until the next one is made.
 */
#ifndef VIEWER_ROWS_H
#define VIEWER_ROWS_H

#include <linux/types.h>
#include <stddef.h>

/**
 * struct rows - a table
 * @size:	of a row
 * @key:	of what it begins with
 * @at:		the rows
 * @nr:		how many
 * @cap:	for how many there is room
 * @slots:	places in @at by hash of the key, + 1; 0 = free
 * @last:	row found last
 */
struct rows {
	size_t size;
	size_t key;
	char *at;
	size_t nr;
	size_t cap;
	__u32 *slots;
	size_t last;
};

/* Of struct @type, whose key ends with @member */
#define ROWS_INIT(type, member) \
	{ .size = sizeof(type), .key = offsetof(type, member) + sizeof(((type *)0)->member) }

/* The row with this key; a new one is all zero behind it. NULL: no memory */
void *rows_get(struct rows *r, const void *key);
/* The row with this key; NULL: there is none */
void *rows_find(const struct rows *r, const void *key);
void *rows_at(const struct rows *r, size_t i);
/* Only the first @nr rows stay. */
void rows_cut(struct rows *r, size_t nr);
/* Rows are not found by key any more. */
void rows_sort(struct rows *r, int (*order)(const void *x, const void *y));
void rows_free(struct rows *r);

#endif
