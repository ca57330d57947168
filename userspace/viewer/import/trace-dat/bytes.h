/* SPDX-License-Identifier: GPL-2.0 */
/* bytes.h - reads numbers and text from bytes in the byte order of the file */
#ifndef VIEWER_IMPORT_TRACE_DAT_BYTES_H
#define VIEWER_IMPORT_TRACE_DAT_BYTES_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * struct bytes - a range that is read from its beginning to its end
 * @data:	its bytes
 * @size:	number of them
 * @at:		position of the next one; at most @size
 * @is_big:	numbers have their most significant byte first
 * @is_short:	more was asked for than there is; everything read since is 0
 */
struct bytes {
	const unsigned char *data;
	size_t size;
	size_t at;
	bool is_big;
	bool is_short;
};

/** bytes_number_at - the number of @size bytes, up to 8, at @p */
__u64 bytes_number_at(const void *p, unsigned int size, bool is_big);
/** bytes_number - read a number of @size bytes */
__u64 bytes_number(struct bytes *b, unsigned int size);
/** bytes_take - the next @size bytes; NULL: there are fewer */
const void *bytes_take(struct bytes *b, __u64 size);
/** bytes_text - read text up to its NUL; NULL: the range ends before */
const char *bytes_text(struct bytes *b);

#endif
