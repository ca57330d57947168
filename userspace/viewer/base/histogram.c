// SPDX-License-Identifier: GPL-2.0
/*
 * histogram.c - distributions of durations
 *
 * Each value below 32 has a bucket of its own; above, each power of two has 32 buckets of equal
 * width. Only powers that occur take memory.
 */
#include "histogram.h"

#include "json.h"
#include "table.h"

#include <errno.h>
#include <stdlib.h>

#define BUCKETS (1u << HISTOGRAM_BITS)
#define BAR 50

static unsigned int octave_of(__u64 ns)
{
	return ns < BUCKETS ? 0 : 64 - HISTOGRAM_BITS - (unsigned int)__builtin_clzll(ns);
}

static unsigned int bucket_of(__u64 ns, unsigned int octave)
{
	return (unsigned int)(octave ? ns >> (octave - 1) : ns) & (BUCKETS - 1);
}

/* Returns the largest value of a bucket. */
static __u64 top_of(unsigned int octave, unsigned int bucket)
{
	return octave ? (((__u64)BUCKETS + bucket + 1) << (octave - 1)) - 1 : bucket;
}

int histogram_add(struct histogram *d, __u64 ns)
{
	unsigned int octave = octave_of(ns);

	if (!d->octaves[octave])
		d->octaves[octave] = calloc(BUCKETS, sizeof(__u32));
	if (!d->octaves[octave])
		return -ENOMEM;
	d->octaves[octave][bucket_of(ns, octave)]++;
	d->min = !d->nr || ns < d->min ? ns : d->min;
	d->max = ns > d->max ? ns : d->max;
	d->sum += ns;
	d->nr++;
	return 0;
}

__u64 histogram_percentile(const struct histogram *d, unsigned int percent)
{
	__u64 rank = (d->nr * percent + 99) / 100, seen = 0;
	unsigned int i, j;

	for (i = 0; i < HISTOGRAM_OCTAVES; i++)
		for (j = 0; d->octaves[i] && j < BUCKETS; j++) {
			seen += d->octaves[i][j];
			if (seen >= rank && seen)
				return top_of(i, j) < d->max ? top_of(i, j) : d->max;
		}
	return d->max;
}

static __u64 octave_sum(const struct histogram *d, unsigned int octave)
{
	__u64 sum = 0;
	unsigned int j;

	for (j = 0; d->octaves[octave] && j < BUCKETS; j++)
		sum += d->octaves[octave][j];
	return sum;
}

void histogram_walk(const struct histogram *d, void (*put)(void *arg, __u64 low, __u64 high,
							   __u64 nr),
		    void *arg)
{
	__u64 nr, low = 0, high;
	unsigned int i, j, k;

	for (i = 0; i < HISTOGRAM_OCTAVES; i++)
		for (j = 0; j < BUCKETS; j += BUCKETS / 4) {
			for (nr = 0, k = j; d->octaves[i] && k < j + BUCKETS / 4; k++)
				nr += d->octaves[i][k];
			high = top_of(i, j + BUCKETS / 4 - 1);
			if (nr)
				put(arg, low, high, nr);
			low = high + 1;
		}
}

void histogram_show(const struct histogram *d, struct ktrace_out *out, int indent)
{
	static const char bar[BAR + 1] = "##################################################";
	unsigned int i, first = HISTOGRAM_OCTAVES, last = 0;
	__u64 n, bound, most = 1;

	for (i = 0; i < HISTOGRAM_OCTAVES; i++) {
		n = octave_sum(d, i);
		most = n > most ? n : most;
		first = n && first == HISTOGRAM_OCTAVES ? i : first;
		last = n ? i : last;
	}
	for (i = first; i <= last; i++) {
		n = octave_sum(d, i);
		out_printf(out, "%*s< ", indent, "");
		bound = top_of(i, BUCKETS - 1);
		out_duration(out, bound < ~0ull ? bound + 1 : bound);
		out_printf(out, " %9llu |%.*s\n", n, (int)((n * BAR + most - 1) / most), bar);
	}
}

void histogram_json(const struct histogram *d, struct ktrace_out *out)
{
	json_u64(out, "nr", d->nr);
	json_u64(out, "total_ns", d->sum);
	json_u64(out, "min_ns", d->min);
	json_u64(out, "max_ns", d->max);
	json_u64(out, "p50_ns", histogram_percentile(d, 50));
	json_u64(out, "p99_ns", histogram_percentile(d, 99));
}

void histogram_free(struct histogram *d)
{
	unsigned int i;

	for (i = 0; i < HISTOGRAM_OCTAVES; i++)
		free(d->octaves[i]);
}
