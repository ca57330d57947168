/* SPDX-License-Identifier: GPL-2.0 */
/* rings.h - the rings a trace was recorded with; a merged trace can have several kinds */
#ifndef VIEWER_BASE_RINGS_H
#define VIEWER_BASE_RINGS_H

#include "base/hash_table.h"
#include "viewer.h"

/**
 * struct rings - a group of equal rings
 * @size:	of each ring, bytes
 * @block_size:	of each of its blocks, bytes
 * @policy:	enum ktrace_policy
 * @nr:		number of rings
 */
struct rings {
	__u64 size;
	__u32 block_size;
	__u32 policy;
	__u64 nr;
};

/* Returns a row of struct rings for each kind, to be freed; fewer without memory. */
struct hash_table rings_find(const struct ktrace_trace *trace);
/* Writes "64 KiB, blocks of 4 KiB, drop". */
void rings_put(struct ktrace_out *out, const struct rings *rings);
/* Writes member rings of a JSON object, an array. */
void rings_json(struct ktrace_out *out, const struct ktrace_trace *trace);

#endif
