// SPDX-License-Identifier: LGPL-2.1
/*
 * clock.c - piecewise linear from stamps to nanoseconds
 *
 * Between two readings of the clocks the rate follows from them; after the last one and before the
 * first one it is hz, or the rate of the neighbour. Rates are rounded so that a stretch never ends
 * above the beginning of the next one: time does not go back as long as stamps do not. Products
 * have 128 bits, results saturate.
 *
 * Sleep. CLOCK_MONOTONIC stops while the machine is suspended, and the counter may run on. It is
 * unknown when in the stretch the machine fell asleep, but known how long it was awake: the stretch
 * gets the earlier rate for that long. So events before the sleep are exact, and events between
 * waking up and the reading are late by at most that time. There time goes on, if slowly: events of
 * several CPUs stay in their order.
 */
#include "clock.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/search.h"

/* Smaller differences between clocks are jitter; no machine sleeps for so short a time. */
#define SLEPT_NS 10000000ull
/* Keeps events after waking up in order; at most an eighth of the stretch. */
#define SOFT_NS 4000000ull
/* Clocks are read one after the other, so they may seem to differ by this much. */
#define SET_NS 1000000ull

/*
 * Sets mult / 2^shift = ns / ticks, as exact as 64 bits allow. Rounds up as long as that adds less
 * than one ns in total: the product, rounded down, is then exact at the end.
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
	if (c->nr > 1 && last[-1].mult && !last[-1].is_asleep) {
		last->mult = last[-1].mult;
		last->shift = last[-1].shift;
	} else {
		set_rate(last, NS_PER_S, c->hz);
	}
}

/*
 * Returns how long the machine slept between two readings. Clocks that agree are read one after the
 * other: either may seem to be ahead.
 */
static __u64 slept_ns(const struct segment *from, const struct segment *to)
{
	__s64 slept = (__s64)((to->boot - to->mono) - (from->boot - from->mono));

	return from->boot && to->boot && slept > 0 ? (__u64)slept : 0;
}

/*
 * Returns the ticks of the last stretch, up to @reading, in which the machine was awake; all, if it
 * did not sleep or the counter slept as well.
 */
static __u64 awake_ticks(const struct clock *c, const struct segment *reading)
{
	const struct segment *last = &c->segments[c->nr - 1];
	__u64 ticks = reading->raw - last->raw, slept = slept_ns(last, reading);
	unsigned __int128 awake, asleep;

	if (slept < SLEPT_NS)
		return ticks;
	awake = (unsigned __int128)(reading->mono - last->mono) * c->hz / NS_PER_S;
	asleep = (unsigned __int128)slept * c->hz / NS_PER_S;
	return awake + asleep / 2 < ticks ? (__u64)awake : ticks;
}

/* Sets the length of the last stretch. */
static void end_last(struct clock *c, __u64 ticks, __u64 ns)
{
	struct segment *last = &c->segments[c->nr - 1];

	last->raw_end = last->raw + ticks;
	last->shift = 1;
	if (ticks)
		set_rate(last, ns, ticks);
}

/* Ends the last stretch, and begins one in which the machine mostly sleeps. */
static void begin_sleep(struct clock *c, __u64 ticks, __u64 ns)
{
	const struct segment *last = &c->segments[c->nr - 1];

	end_last(c, ticks, ns);
	c->segments[c->nr++] = (struct segment) {
		.raw = last->raw_end,
		.mono = last->mono + ns,
		.wall = last->wall + ns,
		.is_asleep = true,
	};
}

/* Adds stretches for a sleep before @reading; the machine was awake for @awake ticks, @ns. */
static void put_sleep(struct clock *c, const struct segment *reading, __u64 awake, __u64 ns)
{
	__u64 soft = ns / 8 < SOFT_NS ? ns / 8 : SOFT_NS, left;

	begin_sleep(c, awake - (__u64)((unsigned __int128)soft * c->hz / NS_PER_S), ns - soft);
	left = reading->raw - c->segments[c->nr - 1].raw;
	if (left > awake)
		begin_sleep(c, left - awake, soft / 2);
}

/* Ends the last stretch at @reading. */
static void reach(struct clock *c, const struct segment *reading)
{
	const struct segment *last = &c->segments[c->nr - 1];
	__u64 ticks = reading->raw - last->raw, ns = reading->mono - last->mono;
	__u64 awake = awake_ticks(c, reading), hz;

	if (awake < ticks) {
		put_sleep(c, reading, awake, ns);
		last = &c->segments[c->nr - 1];
	} else {
		hz = ns ? (__u64)((unsigned __int128)ticks * NS_PER_S / ns) : 0;
		c->hz = hz ? hz : c->hz;
	}
	end_last(c, reading->raw - last->raw, reading->mono - last->mono);
}

/*
 * Adds a reading: raw, mono, wall and boot of @reading, and the estimate @hz (0 = none). Returns 0,
 * -EINVAL if it contradicts the last one, -ENOMEM.
 */
int ktrace_clock_add(struct clock *c, const struct segment *reading, __u64 hz)
{
	const struct segment *last = c->nr ? &c->segments[c->nr - 1] : NULL;

	if (last && (reading->raw <= last->raw || reading->mono < last->mono)) {
		c->rejected++;
		return -EINVAL;
	}
	if (c->cap - c->nr < 3) {
		if (!LIST_RESIZE(c->segments, c->cap + 64))
			return -ENOMEM;
		c->cap += 64;
	}
	if (last)
		reach(c, reading);
	else
		c->hz = hz ? hz : NS_PER_S;
	c->segments[c->nr++] = *reading;
	c->readings++;
	set_last_rate(c);
	return 0;
}

/* Returns by how much the wall clock was set between two readings; sleep does not count. */
static __u64 set_ns(const struct segment *from, const struct segment *to)
{
	__s64 ns = (__s64)((to->wall - to->mono) - (from->wall - from->mono)) -
		   (__s64)slept_ns(from, to);

	return ns < 0 ? -(__u64)ns : (__u64)ns;
}

/* Returns how often the wall clock was set; sets @max_ns to the largest change */
__u64 ktrace_clock_sets(const struct clock *c, __u64 *max_ns)
{
	const struct segment *last = NULL, *s;
	__u64 nr = 0, ns;
	size_t i;

	*max_ns = 0;
	for (i = 0; i < c->nr; i++) {
		s = &c->segments[i];
		if (s->is_asleep)
			continue;
		ns = last ? set_ns(last, s) : 0;
		nr += ns >= SET_NS;
		*max_ns = ns >= SET_NS && ns > *max_ns ? ns : *max_ns;
		last = s;
	}
	return nr;
}

void ktrace_clock_free(struct clock *c)
{
	free(c->segments);
}

/* Returns the stretch that contains @raw; the first one for earlier stamps. NULL: no readings. */
const struct segment *ktrace_clock_segment(const struct clock *c, __u64 raw)
{
	const size_t low = PARTITION_POINT(c->nr, i, c->segments[i].raw <= raw);

	return c->nr ? &c->segments[low ? low - 1 : 0] : NULL;
}

/* True if the clock has exactly this reading. */
bool ktrace_clock_has(const struct clock *c, const struct segment *reading)
{
	const struct segment *s = ktrace_clock_segment(c, reading->raw);

	return s && s->raw == reading->raw && s->mono == reading->mono && s->wall == reading->wall;
}

/* Sets @st to the beginning of @s, as far as neither shifted stamps nor added ns overflow. */
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

/* Returns the ns at @raw, which is before @s, by the rate of @s. */
__u64 ktrace_segment_before(const struct segment *s, __u64 raw)
{
	unsigned __int128 back = (unsigned __int128)(s->raw - raw) * s->mult >> s->shift;

	return back > s->mono ? 0 : s->mono - (__u64)back;
}
