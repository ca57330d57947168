/* SPDX-License-Identifier: LGPL-2.1 */
/* crc32c.h - checksum of tracefile sections */
#ifndef KTRACE_TRACEFILE_CRC32C_H
#define KTRACE_TRACEFILE_CRC32C_H

#include <stddef.h>
#include <linux/types.h>

/**
 * ktrace_crc32c - CRC-32C (Castagnoli) of a piece of data
 * @crc:	result for the data before, 0 at the start
 * @data:	the bytes
 * @size:	their number
 *
 * Return: the checksum of everything so far.
 */
__u32 ktrace_crc32c(__u32 crc, const void *data, size_t size);

#endif
