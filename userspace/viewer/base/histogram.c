// SPDX-License-Identifier: GPL-2.0
/* histogram.c - distributions of durations, as text, JSON and for plots */
#include "histogram.h"

#include "json.h"
#include "table.h"

#define BAR 50

static __u64 octave_sum(const struct histogram *d, unsigned int octave)
{
	__u64 sum = 0;
	unsigned int j;

	for (j = 0; d->octaves[octave] && j < HISTOGRAM_BUCKETS; j++)
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
		for (j = 0; j < HISTOGRAM_BUCKETS; j += HISTOGRAM_BUCKETS / 4) {
			for (nr = 0, k = j; d->octaves[i] && k < j + HISTOGRAM_BUCKETS / 4; k++)
				nr += d->octaves[i][k];
			high = histogram_top(i, j + HISTOGRAM_BUCKETS / 4 - 1);
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
		bound = histogram_top(i, HISTOGRAM_BUCKETS - 1);
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
