/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * histogram.h - distributions of durations, and their percentiles
 *
 * Each value below 32 has a bucket of its own; above, each power of two has 32 buckets of equal
 * width. Only powers that occur take memory.
 */
#ifndef KTRACE_MODEL_HISTOGRAM_H
#define KTRACE_MODEL_HISTOGRAM_H

#include <linux/types.h>

#define HISTOGRAM_BITS 5		/* 32 buckets an octave: 3 % from one to the next */
#define HISTOGRAM_BUCKETS (1u << HISTOGRAM_BITS)
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
/* The same for thousandths of a percent. */
__u64 histogram_percentile_fine(const struct histogram *d, unsigned int percent_1000);
/* Returns the largest value of a bucket. */
__u64 histogram_top(unsigned int octave, unsigned int bucket);
void histogram_free(struct histogram *d);

#endif
