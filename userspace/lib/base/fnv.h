/* SPDX-License-Identifier: LGPL-2.1 */
/* fnv.h - the hash function FNV-1a, 64 bits */
#ifndef KTRACE_BASE_FNV_H
#define KTRACE_BASE_FNV_H

#include <linux/types.h>
#include <stddef.h>

#define FNV_BASIS 0xcbf29ce484222325ull

/* Adds bytes to @hash, at first FNV_BASIS. */
static inline __u64 fnv(__u64 hash, const void *data, size_t size)
{
	const unsigned char *at = data;

	while (size--)
		hash = (hash ^ *at++) * 0x100000001b3ull;
	return hash;
}

#endif
