/* SPDX-License-Identifier: GPL-2.0 */
/* histogram.h - distributions of durations */
#ifndef VIEWER_BASE_HISTOGRAM_H
#define VIEWER_BASE_HISTOGRAM_H

#include <ktrace/decode.h>

#define HISTOGRAM_BITS 5		/* 32 buckets an octave: 3 % from one to the next */
#define HISTOGRAM_OCTAVES (65 - HISTOGRAM_BITS)	/* the first holds values below 32 */

/**
 * struct histogram - counts of durations; all zero to begin with
 * @nr:		number of durations
 * @sum:	sum of all
 * @min:	the shortest
 * @max:	the longest
 * @octaves:	counts, one array for each power of two that occurs
 */
struct histogram {
	__u64 nr;
	__u64 sum;
	__u64 min;
	__u64 max;
	__u32 *octaves[HISTOGRAM_OCTAVES];
};

/* Return: 0, -ENOMEM. */
int histogram_add(struct histogram *d, __u64 ns);
/*
 * Returns a duration that @percent of all do not exceed. It is the upper end of a bucket: too large
 * by at most 3 %, and never above the longest.
 */
__u64 histogram_percentile(const struct histogram *d, unsigned int percent);
/* Draws bars, one line an octave, each indented by @indent blanks. */
void histogram_show(const struct histogram *d, struct ktrace_out *out, int indent);
/* Writes nr, total_ns, min_ns, max_ns, p50_ns, p99_ns as members of a JSON object. */
void histogram_json(const struct histogram *d, struct ktrace_out *out);
/* Calls @put for each quarter of an octave that has any durations. */
void histogram_walk(const struct histogram *d, void (*put)(void *arg, __u64 low, __u64 high,
							   __u64 nr),
		    void *arg);
void histogram_free(struct histogram *d);

#endif
