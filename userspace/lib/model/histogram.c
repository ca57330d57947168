// SPDX-License-Identifier: LGPL-2.1
/* histogram.c - distributions of durations, and their percentiles */
#include "histogram.h"

#include <errno.h>
#include <stdlib.h>

static unsigned int octave_of(__u64 ns)
{
	return ns < HISTOGRAM_BUCKETS ? 0 : 64 - HISTOGRAM_BITS - (unsigned int)__builtin_clzll(ns);
}

static unsigned int bucket_of(__u64 ns, unsigned int octave)
{
	return (unsigned int)(octave ? ns >> (octave - 1) : ns) & (HISTOGRAM_BUCKETS - 1);
}

__u64 histogram_top(unsigned int octave, unsigned int bucket)
{
	return octave ? (((__u64)HISTOGRAM_BUCKETS + bucket + 1) << (octave - 1)) - 1 : bucket;
}

int histogram_add(struct histogram *d, __u64 ns)
{
	unsigned int octave = octave_of(ns);

	if (!d->octaves[octave])
		d->octaves[octave] = calloc(HISTOGRAM_BUCKETS, sizeof(__u32));
	if (!d->octaves[octave])
		return -ENOMEM;
	d->octaves[octave][bucket_of(ns, octave)]++;
	d->min = !d->nr || ns < d->min ? ns : d->min;
	d->max = ns > d->max ? ns : d->max;
	d->sum += ns;
	d->nr++;
	return 0;
}

/* Returns the upper end of the bucket that has duration number @rank of all in order, from 1 on. */
static __u64 value_of(const struct histogram *d, __u64 rank)
{
	__u64 seen = 0;
	unsigned int i, j;

	for (i = 0; i < HISTOGRAM_OCTAVES; i++)
		for (j = 0; d->octaves[i] && j < HISTOGRAM_BUCKETS; j++) {
			seen += d->octaves[i][j];
			if (seen >= rank && seen)
				return histogram_top(i, j) < d->max ? histogram_top(i, j) : d->max;
		}
	return d->max;
}

__u64 histogram_percentile(const struct histogram *d, unsigned int percent)
{
	return value_of(d, (d->nr * percent + 99) / 100);
}

__u64 histogram_percentile_fine(const struct histogram *d, unsigned int percent_1000)
{
	return value_of(d, (d->nr * percent_1000 + 99999) / 100000);
}

void histogram_free(struct histogram *d)
{
	unsigned int i;

	for (i = 0; i < HISTOGRAM_OCTAVES; i++)
		free(d->octaves[i]);
}
