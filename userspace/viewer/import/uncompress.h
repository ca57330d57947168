/* SPDX-License-Identifier: GPL-2.0 */
/* uncompress.h - contents of files that are compressed by gzip, zlib, zstd or xz */
#ifndef VIEWER_IMPORT_UNCOMPRESS_H
#define VIEWER_IMPORT_UNCOMPRESS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/** enum compression - by what a file is compressed; COMPRESSION_OTHER: something unsupported */
enum compression {
	COMPRESSION_NONE, COMPRESSION_GZIP, COMPRESSION_ATRACE, COMPRESSION_ZSTD, COMPRESSION_XZ,
	COMPRESSION_OTHER,
};

/**
 * struct uncompress - result of uncompress_file()
 * @read:	bytes of the compressed file before the end or the damage
 * @written:	bytes of contents
 * @why:	what is wrong, NULL = nothing
 */
struct uncompress {
	__u64 read;
	__u64 written;
	const char *why;
};

/* Tells the compression of a file by its first bytes; @name: the program's name, for messages. */
enum compression compression_of(const unsigned char *head, size_t nr, const char **name);

/**
* write the contents of a compressed file to another file
 * @by:		its compression
 * @from:	the file, read from its beginning
 * @to:		the other file
 * @limit:	maximum bytes of contents; more counts as damage
 * @out:	the result; what precedes a damage is written
 *
 * Return: 0, -errno.
 */
int uncompress_file(enum compression by, int from, int to, __u64 limit, struct uncompress *out);

#endif
