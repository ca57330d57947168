// SPDX-License-Identifier: GPL-2.0
/* compress.c - decompresses the sections and chunks of a trace.dat file */
#include "compress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum compress_codec compress_codec(const char *name)
{
	if (!strcmp(name, "none"))
		return COMPRESS_NONE;
	if (!strcmp(name, "zlib"))
		return COMPRESS_ZLIB;
	return strcmp(name, "zstd") ? COMPRESS_UNKNOWN : COMPRESS_ZSTD;
}

static bool decompress(enum compress_codec codec, void *to, size_t size, const void *from,
		       size_t from_size)
{
	uLongf n = size;

	if (codec == COMPRESS_ZSTD)
		return ZSTD_decompress(to, size, from, from_size) == size;
	return codec == COMPRESS_ZLIB && uncompress(to, &n, from, from_size) == Z_OK && n == size;
}

int compress_read(struct bytes *b, enum compress_codec codec, void **out, size_t *size)
{
	const __u64 packed = bytes_number(b, 4), whole = bytes_number(b, 4);
	const void *from = bytes_take(b, packed);

	if (!from || !whole || whole > COMPRESS_MAX)
		return -EBADMSG;
	*out = malloc((size_t)whole);
	if (!*out)
		return -ENOMEM;
	if (decompress(codec, *out, (size_t)whole, from, (size_t)packed)) {
		*size = (size_t)whole;
		return 0;
	}
	free(*out);
	*out = NULL;
	return -EBADMSG;
}
