// SPDX-License-Identifier: LGPL-2.1
/*
 * clock.c - piecewise linear from stamps to nanoseconds
 *
 * Between two readings of the clocks the rate is what they say, behind the last one
 * and before the first one it is hz, or the rate of the neighbour. Rates are rounded so
 * that a stretch never ends above the beginning of the next one: time does not go back
 * as long as stamps do not. Products have 128 bits, results stop at the ends.
 */
#include "clock.h"

#include <errno.h>
#include <stdlib.h>

#define NS_PER_S 1000000000ull

/*
 * mult / 2^shift = ns / ticks, as exact as 64 bits allow. Rounded up as long as that
 * adds less than one ns in all: the product, rounded down, then is exact at the end.
 */
static void set_rate(struct segment *s, __u64 ns, __u64 ticks)
{
	unsigned __int128 mult;

	for (s->shift = 63;; s->shift--) {
		mult = ((unsigned __int128)ns << s->shift) / ticks;
		if (!(__u64)((mult + 1) >> 64) || !s->shift)
			break;
	}
	mult += ns && ticks >> s->shift == 0;
	s->mult = (__u64)(mult >> 64) ? ~0ull : (__u64)mult;
}

static void set_last_rate(struct clock *c)
{
	struct segment *last = &c->segments[c->nr - 1];

	last->raw_end = ~0ull;
	if (c->nr > 1) {
		last->mult = last[-1].mult;
		last->shift = last[-1].shift;
	} else {
		set_rate(last, NS_PER_S, c->hz);
	}
}

/*
 * Adds a reading: raw, mono and wall of @reading, and the estimate @hz (0 = none).
 * Return: 0, -EINVAL if it contradicts the last one, -ENOMEM.
 */
int ktrace_clock_add(struct clock *c, const struct segment *reading, __u64 hz)
{
	struct segment *last = c->nr ? &c->segments[c->nr - 1] : NULL;
	struct segment *segments = c->segments;
	__u64 ticks, ns;

	if (last && (reading->raw <= last->raw || reading->mono < last->mono)) {
		c->rejected++;
		return -EINVAL;
	}
	if (c->nr == c->cap) {
		segments = realloc(segments, (c->cap + 64) * sizeof(*segments));
		if (!segments)
			return -ENOMEM;
		c->segments = segments;
		c->cap += 64;
	}
	if (c->nr == 0) {
		c->hz = hz ? hz : NS_PER_S;
	} else {
		last = &segments[c->nr - 1];
		ticks = reading->raw - last->raw;
		ns = reading->mono - last->mono;
		set_rate(last, ns, ticks);
		last->raw_end = reading->raw;
		if (ns)
			c->hz = (__u64)((unsigned __int128)ticks * NS_PER_S / ns);
	}
	segments[c->nr++] = *reading;
	set_last_rate(c);
	return 0;
}

void ktrace_clock_free(struct clock *c)
{
	free(c->segments);
}

/* The stretch that @raw lies in; the first one for what is before. NULL: no readings. */
const struct segment *ktrace_clock_segment(const struct clock *c, __u64 raw)
{
	size_t low = 0, high = c->nr, middle;

	if (!c->nr)
		return NULL;
	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (c->segments[middle].raw <= raw)
			low = middle;
		else
			high = middle;
	}
	return &c->segments[low];
}

/* The beginning of @s where stamps do not overflow when shifted, nor ns when added. */
void ktrace_stretch_set(struct stretch *st, const struct segment *s, __u64 offset)
{
	__u64 limit = s->shift ? (1ull << s->shift) - 1 : 0;
	__u64 span = s->raw_end - s->raw, base;

	st->raw = s->raw;
	st->span = span < limit ? span : limit;
	st->mult = s->mult;
	st->up = s->shift ? 64 - s->shift : 0;
	if (__builtin_add_overflow(s->mono, offset, &base) ||
	    ktrace_segment_ns(s, s->raw + st->span) > ~0ull - offset)
		st->span = 0;
	st->base = base;
}

/* ns at @raw, which is before @s, by the rate of @s. */
__u64 ktrace_segment_before(const struct segment *s, __u64 raw)
{
	unsigned __int128 back = (unsigned __int128)(s->raw - raw) * s->mult >> s->shift;

	return back > s->mono ? 0 : s->mono - (__u64)back;
}
