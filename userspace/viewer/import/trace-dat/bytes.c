// SPDX-License-Identifier: GPL-2.0
/* bytes.c - reads numbers and text from bytes in the byte order of the file */
#include "bytes.h"

#include <string.h>

__u64 bytes_number_at(const void *p, unsigned int size, bool is_big)
{
	const unsigned char *at = p;
	__u64 v = 0;

	for (unsigned int i = 0; i < size && i < 8; i++)
		v = v << 8 | at[is_big ? i : size - 1 - i];
	return v;
}

const void *bytes_take(struct bytes *b, __u64 size)
{
	const void *p = b->data + b->at;

	if (b->is_short || size > b->size - b->at) {
		b->is_short = true;
		return NULL;
	}
	b->at += (size_t)size;
	return p;
}

__u64 bytes_number(struct bytes *b, unsigned int size)
{
	const void *p = bytes_take(b, size);

	return p ? bytes_number_at(p, size, b->is_big) : 0;
}

const char *bytes_text(struct bytes *b)
{
	const size_t left = b->size - b->at;
	const char *text = (const char *)b->data + b->at;
	const char *end = left && !b->is_short ? memchr(text, 0, left) : NULL;

	if (!end) {
		b->is_short = true;
		return NULL;
	}
	b->at += (size_t)(end - text) + 1;
	return text;
}
