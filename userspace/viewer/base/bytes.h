/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bytes.h - buffers for binary data: LEB128 numbers and raw bytes
 *
 * A buffer begins as all zero and grows. After a failed allocation it takes no more data, and
 * @error tells so.
 */
#ifndef VIEWER_BASE_BYTES_H
#define VIEWER_BASE_BYTES_H

#include <linux/types.h>
#include <stddef.h>

/* struct bytes - @nr bytes at @at, room for @cap; @error is 0 or -ENOMEM */
struct bytes {
	unsigned char *at;
	size_t nr;
	size_t cap;
	int error;
};

#define BYTES_U64_MAX 10u

/* Makes room for @more bytes. Return: 0, -ENOMEM. */
int bytes_reserve(struct bytes *b, size_t more);
void bytes_add(struct bytes *b, const void *data, size_t size);
void bytes_append(struct bytes *b, const struct bytes *other);
void bytes_free(struct bytes *b);

/*
 * Appends as LEB128: seven bits a byte, the lowest first; all but the last byte have their highest
 * bit set.
 */
static inline void bytes_u64(struct bytes *b, __u64 v)
{
	if (b->cap - b->nr < BYTES_U64_MAX && bytes_reserve(b, BYTES_U64_MAX))
		return;
	for (; v >= 0x80; v >>= 7)
		b->at[b->nr++] = (unsigned char)(v | 0x80);
	b->at[b->nr++] = (unsigned char)v;
}

/* Appends in zigzag coding: 0, -1, 1, -2 become 0, 1, 2, 3. */
static inline void bytes_s64(struct bytes *b, __s64 v)
{
	bytes_u64(b, (__u64)v << 1 ^ (__u64)(v >> 63));
}

#endif
