// SPDX-License-Identifier: GPL-2.0
/* bytes.c - buffers for binary data */
#include "bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MIN 64u

int bytes_reserve(struct bytes *b, size_t more)
{
	size_t cap = b->cap ? b->cap : BYTES_MIN;
	unsigned char *at;

	if (b->error || b->cap - b->nr >= more)
		return b->error;
	while (cap - b->nr < more)
		cap *= 2;
	at = realloc(b->at, cap);
	if (!at) {
		b->error = -ENOMEM;
		return b->error;
	}
	b->at = at;
	b->cap = cap;
	return 0;
}

void bytes_add(struct bytes *b, const void *data, size_t size)
{
	if (!size || bytes_reserve(b, size))
		return;
	memcpy(b->at + b->nr, data, size);
	b->nr += size;
}

void bytes_append(struct bytes *b, const struct bytes *other)
{
	bytes_add(b, other->at, other->nr);
	if (other->error)
		b->error = other->error;
}

void bytes_free(struct bytes *b)
{
	free(b->at);
	*b = (struct bytes){ 0 };
}
