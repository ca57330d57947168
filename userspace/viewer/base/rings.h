/* SPDX-License-Identifier: GPL-2.0 */
/* rings.h - which rings a trace was recorded with: those of a merged one can differ */
#ifndef VIEWER_BASE_RINGS_H
#define VIEWER_BASE_RINGS_H

#include "hash_table.h"
#include "viewer.h"

/**
 * struct rings - those that are alike
 * @size:	of each, bytes
 * @block_size:	of each of its blocks, bytes
 * @policy:	enum ktrace_policy
 * @nr:		how many
 */
struct rings {
	__u64 size;
	__u32 block_size;
	__u32 policy;
	__u64 nr;
};

/* A row of struct rings for each kind, to be freed; fewer if there is no memory. */
struct hash_table rings_find(const struct ktrace_trace *trace);
/* "64 KiB, blocks of 4 KiB, drop" */
void rings_put(struct ktrace_out *out, const struct rings *rings);
/* Member rings of a JSON object, an array */
void rings_json(struct ktrace_out *out, const struct ktrace_trace *trace);

#endif
