/* SPDX-License-Identifier: GPL-2.0 */
/* dist.h - how durations are distributed */
#ifndef VIEWER_DIST_H
#define VIEWER_DIST_H

#include <ktrace/decode.h>

#define DIST_BITS 5		/* buckets of an octave: 32, so 3 % from one to the next */
#define DIST_OCTAVES (65 - DIST_BITS)	/* the first is of values below 32 */

/**
 * struct dist - counts of durations; all zero to begin with
 * @nr:		how many
 * @sum:	of all
 * @min:	the shortest
 * @max:	the longest
 * @octaves:	counts, one array for each power of two that has any
 */
struct dist {
	__u64 nr;
	__u64 sum;
	__u64 min;
	__u64 max;
	__u32 *octaves[DIST_OCTAVES];
};

/* Return: 0, -ENOMEM. */
int dist_add(struct dist *d, __u64 ns);
/*
 * A duration that @percent of all do not exceed: the largest of its bucket, so too large
 * by 3 % at most, and never above the longest.
 */
__u64 dist_percentile(const struct dist *d, unsigned int percent);
/* Bars, one line an octave; @indent blanks before each */
void dist_show(const struct dist *d, struct ktrace_out *out, int indent);
/* nr, total_ns, min_ns, max_ns, p50_ns, p99_ns as members of a JSON object */
void dist_json(const struct dist *d, struct ktrace_out *out);
/* Calls @put for each quarter of an octave that has any. */
void dist_walk(const struct dist *d, void (*put)(void *arg, __u64 low, __u64 high, __u64 nr),
	       void *arg);
void dist_free(struct dist *d);

#endif
