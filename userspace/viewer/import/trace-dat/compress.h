/* SPDX-License-Identifier: GPL-2.0 */
/* compress.h - decompresses the sections and chunks of a trace.dat file */
#ifndef VIEWER_IMPORT_TRACE_DAT_COMPRESS_H
#define VIEWER_IMPORT_TRACE_DAT_COMPRESS_H

#include "bytes.h"

/** enum compress_codec - what compressed parts of the file are compressed with */
enum compress_codec { COMPRESS_NONE, COMPRESS_ZLIB, COMPRESS_ZSTD, COMPRESS_UNKNOWN };

/** COMPRESS_MAX - larger parts are taken for damage */
#define COMPRESS_MAX (256u << 20)

/** compress_codec - the codec with this name in the header of a file */
enum compress_codec compress_codec(const char *name);

/**
 * compress_read - decompress the next part: its two sizes, and its data
 * @b:		the file, at the sizes; then after the data
 * @codec:	the codec
 * @out:	the data, to be freed
 * @size:	bytes of @out
 *
 * Return: 0, -EBADMSG if it is damaged, -ENOMEM.
 */
int compress_read(struct bytes *b, enum compress_codec codec, void **out, size_t *size);

#endif
