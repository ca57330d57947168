// SPDX-License-Identifier: GPL-2.0
/* clock.c - converts stamps of a trace.dat file to nanoseconds of one clock */
#include "clock.h"

#include <string.h>

/* A clock beyond this is the wall clock. */
#define WALL_CLOCK_NS 1000000000000000000ll

/* The samples between which @ts is, or the nearest two, as trace-cmd chooses them. */
static const struct file_sample *sample_before(const struct file_shift *s, __s64 ts)
{
	__u32 low = 0, high = s->nr - 2;

	while (low < high) {
		const __u32 middle = low + (high - low + 1) / 2;

		if (s->samples[middle].time <= ts)
			low = middle;
		else
			high = middle - 1;
	}
	return &s->samples[low];
}

static __s64 interpolate(const struct file_sample *a, __s64 ts)
{
	const struct file_sample *b = a + 1;
	const __int128 delta = (__int128)b->time - a->time;
	const __int128 part = ((__int128)ts - a->time) * ((__int128)b->offset - a->offset);

	return a->offset + (__s64)((part + delta / 2) / delta);
}

/* One sample is an offset; several also have a factor. */
static __u64 shift(const struct file *f, __u32 cpu, __u64 ts)
{
	const struct file_shift *s = cpu < f->shift_nr ? &f->shifts[cpu] : NULL;
	const struct file_sample *sample;
	unsigned __int128 scaled;

	if (!s || !s->nr)
		return ts;
	if (s->nr == 1)
		return ts + (__u64)s->samples[0].offset;
	sample = sample_before(s, (__s64)ts);
	scaled = (unsigned __int128)ts * sample->scaling;
	scaled >>= sample->fraction < 128 ? sample->fraction : 127;
	return (__u64)scaled +
	       (__u64)(f->is_smooth ? interpolate(sample, (__s64)ts) : sample->offset);
}

__s64 clock_ns(const struct file *f, __u32 cpu, __u64 stamp)
{
	__u64 ts = shift(f, cpu, stamp);

	if (f->tsc_mult)
		ts = (__u64)(((unsigned __int128)ts * f->tsc_mult) >>
			     (f->tsc_shift < 64 ? f->tsc_shift : 63));
	return (__s64)(ts + (__u64)f->offset_ns);
}

bool clock_is_wall(const char *name, __s64 ns)
{
	return (name && !strcmp(name, "tai")) || ns > WALL_CLOCK_NS;
}

const char *clock_note(const struct file *f, const char *name)
{
	if (!name)
		return NULL;
	if (!strcmp(name, "counter"))
		return "counts events instead of time: each is shown as a nanosecond";
	if (!f->tsc_mult && (!strcmp(name, "x86-tsc") || !strcmp(name, "ppc-tb") ||
			     !strcmp(name, "s390-tod")))
		return "counts cycles, and the file does not say how long one takes: each is "
		       "shown as a nanosecond";
	if (!strcmp(name, "tai"))
		return "may be some seconds ahead of the wall clock (leap seconds)";
	return NULL;
}
