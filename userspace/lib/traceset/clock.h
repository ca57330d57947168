/* SPDX-License-Identifier: LGPL-2.1 */
/* clock.h - converts stamps to nanoseconds */
#ifndef KTRACE_TRACESET_CLOCK_H
#define KTRACE_TRACESET_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/**
 * struct segment - a stretch of stamps with one rate
 * @raw:	first stamp
 * @raw_end:	first stamp that belongs to the next one, or ~0
 * @mono:	CLOCK_MONOTONIC at @raw, ns
 * @wall:	CLOCK_REALTIME at @raw, ns
 * @boot:	CLOCK_BOOTTIME at @raw, ns; 0 = unknown
 * @mult:	ns for a tick = @mult / 2^@shift
 * @shift:	see @mult
 * @is_asleep:	the machine slept: not a rate to extrapolate
 */
struct segment {
	__u64 raw;
	__u64 raw_end;
	__u64 mono;
	__u64 wall;
	__u64 boot;
	__u64 mult;
	__u32 shift;
	bool is_asleep;
};

/**
 * struct clock - the clock readings of a trace
 * @segments:	one for each reading, and one or two for each time the machine slept, in
 *		order of stamps; the last one extrapolates
 * @nr:		their number
 * @cap:	room in @segments
 * @readings:	number of readings
 * @rejected:	readings that contradict an earlier one
 * @hz:		frequency as stated or measured
 */
struct clock {
	struct segment *segments;
	size_t nr;
	size_t cap;
	size_t readings;
	size_t rejected;
	__u64 hz;
};

/**
 * struct stretch - the part of a segment where one multiplication is enough
 * @raw:	first stamp
 * @span:	stamps from there on; 0 = none
 * @base:	ns at @raw
 * @mult:	ns for a tick = @mult / 2^(64 - @up)
 * @up:		see @mult
 */
struct stretch {
	__u64 raw;
	__u64 span;
	__u64 base;
	__u64 mult;
	__u32 up;
};

void ktrace_stretch_set(struct stretch *st, const struct segment *s, __u64 offset);
int ktrace_clock_add(struct clock *c, const struct segment *reading, __u64 hz);
__u64 ktrace_clock_sets(const struct clock *c, __u64 *max_ns);
void ktrace_clock_free(struct clock *c);
bool ktrace_clock_has(const struct clock *c, const struct segment *reading);
const struct segment *ktrace_clock_segment(const struct clock *c, __u64 raw);
__u64 ktrace_segment_before(const struct segment *s, __u64 raw);

/* Returns ns of CLOCK_MONOTONIC at @raw, which is not before @s; saturates instead of wrapping. */
static inline __u64 ktrace_segment_ns(const struct segment *s, __u64 raw)
{
	unsigned __int128 ns = ((unsigned __int128)(raw - s->raw) * s->mult >> s->shift) + s->mono;

	return (__u64)(ns >> 64) ? ~0ull : (__u64)ns;
}

static inline bool stretch_has(const struct stretch *st, __u64 raw)
{
	return raw - st->raw < st->span;
}

/* Like ktrace_segment_ns(), the offset included, for a stamp within @st. */
static inline __u64 stretch_ns(const struct stretch *st, __u64 raw)
{
	unsigned __int128 product = (unsigned __int128)((raw - st->raw) << st->up) * st->mult;

	return st->base + (__u64)(product >> 64);
}

#endif
