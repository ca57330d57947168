// SPDX-License-Identifier: GPL-2.0
/* test_clock.c - from raw stamps to ns: stretches between readings, hostile readings */
#include "check.h"

#include "../../userspace/lib/traceset/clock.h"

#include <errno.h>

/* The short way gives the same as the long one, or does not apply. */
static void check_stretch(const struct segment *s, __u64 raw, __u64 offset)
{
	struct stretch st;

	ktrace_stretch_set(&st, s, offset);
	if (stretch_has(&st, raw))
		CHECK(stretch_ns(&st, raw) == ktrace_segment_ns(s, raw) + offset &&
		      stretch_ns(&st, raw) >= offset);
}

static void test_clock(void)
{
	static const struct segment readings[] = {
		{ .raw = 1000, .mono = 5000, .wall = 100000 },
		{ .raw = 4000, .mono = 6000, .wall = 101000 },
		{ .raw = 4000 + 7000000000ull, .mono = 6000 + 3000000001ull, .wall = 50000 },
	};
	struct clock c = { 0 };
	const struct segment *s;
	__u64 raw, ns, before = 0;
	size_t i;

	CHECK(!ktrace_clock_segment(&c, 5));
	for (i = 0; i < 3; i++)
		CHECK_EQ(ktrace_clock_add(&c, &readings[i], 3000000000u), 0);
	CHECK_EQ(ktrace_clock_add(&c, &readings[1], 0), -EINVAL);
	CHECK_EQ(c.rejected, 1);
	for (i = 0; i < 3; i++) {
		s = ktrace_clock_segment(&c, readings[i].raw);
		CHECK_EQ(ktrace_segment_ns(s, readings[i].raw), readings[i].mono);
	}
	CHECK_EQ(ktrace_segment_ns(ktrace_clock_segment(&c, 2500), 2500), 5500);
	CHECK_EQ(ktrace_segment_before(ktrace_clock_segment(&c, 700), 700), 4900);
	for (raw = 1000; raw < 1ull << 63; raw += raw / 1000 + 1) {
		s = ktrace_clock_segment(&c, raw);
		ns = ktrace_segment_ns(s, raw);
		CHECK(ns >= before);
		before = ns;
		check_stretch(s, raw, 1ull << 60);
		check_stretch(s, raw, 0);
	}
	CHECK(ktrace_segment_ns(ktrace_clock_segment(&c, ~0ull), ~0ull) >= before);
	ktrace_clock_free(&c);
}

/* Readings as hostile as can be: no overflow, time does not go back. */
static void test_hostile_clock(void)
{
	static const __u64 values[] = { 0, 1, 2, 1000, 1ull << 32, 1ull << 63, ~0ull - 1, ~0ull };
	const size_t n = sizeof(values) / sizeof(values[0]);
	size_t a, b, h, i;

	for (a = 0; a < n; a++)
		for (b = 0; b < n; b++)
			for (h = 0; h < n; h++) {
				struct segment one = { .raw = values[a], .mono = values[b],
						       .boot = values[h] };
				struct segment two = { .raw = values[b], .mono = values[a],
						       .boot = values[n - 1 - h] };
				struct clock c = { 0 };
				__u64 before = 0;

				ktrace_clock_add(&c, &one, values[h]);
				ktrace_clock_add(&c, &two, values[h]);
				for (i = 0; i < n; i++) {
					const struct segment *s =
						ktrace_clock_segment(&c, values[i]);
					__u64 ns = values[i] < s->raw ?
						ktrace_segment_before(s, values[i]) :
						ktrace_segment_ns(s, values[i]);

					CHECK(ns >= before);
					before = ns;
					check_stretch(s, values[i], values[n - 1 - i]);
				}
				ktrace_clock_free(&c);
			}
}

/* A rate of 0 Hz, then one that cannot be told: was a division by zero. */
static void test_no_rate(void)
{
	const struct segment readings[] = {
		{ .raw = 0, .mono = 0 }, { .raw = 1, .mono = 1ull << 63 },
		{ .raw = 2, .mono = 1ull << 63 }, { .raw = 3, .mono = ~0ull },
	};
	struct clock c = { 0 };

	for (size_t i = 0; i < 4; i++)
		CHECK_EQ(ktrace_clock_add(&c, &readings[i], 1), 0);
	ktrace_clock_free(&c);
}

static __u64 ns_at(const struct clock *c, __u64 raw)
{
	return ktrace_segment_ns(ktrace_clock_segment(c, raw), raw);
}

/*
 * A machine that slept 10 s while its counter, of 1 GHz, ran on: times before are right,
 * time hardly moves while it sleeps, and goes on at the same rate.
 */
static void test_sleep(void)
{
	static const __u64 s = 1000000000;
	const struct segment before = { .raw = 5 * s, .mono = 5 * s, .wall = 105 * s,
					.boot = 5 * s };
	const struct segment after = { .raw = 15 * s + s / 2, .mono = 5 * s + s / 2,
				       .wall = 115 * s + s / 2, .boot = 15 * s + s / 2 };
	const struct segment *seg;
	struct clock c = { 0 };

	CHECK_EQ(ktrace_clock_add(&c, &before, s), 0);
	CHECK_EQ(ktrace_clock_add(&c, &after, s), 0);
	CHECK_EQ(c.readings, 2);
	CHECK_EQ(c.hz, s);
	CHECK_EQ(ns_at(&c, 5 * s + s / 4), 5 * s + s / 4);
	CHECK_EQ(ns_at(&c, 5 * s + s / 2 - 4000000), after.mono - 4000000);
	CHECK(ns_at(&c, 12 * s) > after.mono - 4000000 && ns_at(&c, 12 * s) < after.mono);
	CHECK_EQ(ns_at(&c, 15 * s), after.mono - 2000000);
	CHECK_EQ(ns_at(&c, after.raw), after.mono);
	CHECK_EQ(ns_at(&c, 16 * s), 6 * s);
	seg = ktrace_clock_segment(&c, 5 * s + s / 4);
	CHECK_EQ(ns_at(&c, 5 * s + s / 4) - seg->mono + seg->wall, 105 * s + s / 4);
	seg = ktrace_clock_segment(&c, 16 * s);
	CHECK_EQ(ns_at(&c, 16 * s) - seg->mono + seg->wall, 116 * s);
	ktrace_clock_free(&c);
}

/* The reading comes some time after waking up: events until then stay in their order. */
static void test_order_after_sleep(void)
{
	const __u64 s = 1000000000, hour = 3600 * s;
	const struct segment before = { .raw = s, .mono = s, .boot = s };
	const struct segment after = { .raw = s + hour + s / 2, .mono = s + s / 2,
				       .boot = s + hour + s / 2 };
	struct clock c = { 0 };
	__u64 raw, prev = 0;

	CHECK_EQ(ktrace_clock_add(&c, &before, s), 0);
	CHECK_EQ(ktrace_clock_add(&c, &after, s), 0);
	for (raw = after.raw - s / 2; raw <= after.raw + s / 100; raw += 1000) {
		CHECK(ns_at(&c, raw) > prev);
		prev = ns_at(&c, raw);
	}
	ktrace_clock_free(&c);
}

/* A nap shorter than the time awake: there is no stretch that is sleep for sure. */
static void test_nap(void)
{
	const __u64 s = 1000000000;
	const struct segment before = { .raw = s, .mono = s, .boot = s };
	const struct segment after = { .raw = s + s / 2, .mono = s + s / 4, .boot = s + s / 2 };
	const __u64 asleep = s + s / 4 - 4000000;
	struct clock c = { 0 };

	CHECK_EQ(ktrace_clock_add(&c, &before, s), 0);
	CHECK_EQ(ktrace_clock_add(&c, &after, s), 0);
	CHECK_EQ(ns_at(&c, asleep), asleep);
	CHECK(ns_at(&c, after.raw - 1000) < after.mono);
	CHECK_EQ(ns_at(&c, after.raw), after.mono);
	ktrace_clock_free(&c);
}

/* BOOTTIME a little ahead of MONOTONIC, then a little behind: nobody slept. */
static void test_jitter(void)
{
	const struct segment before = { .raw = 1000, .mono = 1000, .boot = 1050 };
	const struct segment after = { .raw = 2000, .mono = 2000, .boot = 1900 };
	struct clock c = { 0 };

	CHECK_EQ(ktrace_clock_add(&c, &before, 1000000000u), 0);
	CHECK_EQ(ktrace_clock_add(&c, &after, 1000000000u), 0);
	CHECK_EQ(c.nr, 2);
	CHECK_EQ(ns_at(&c, 1500), 1500);
	ktrace_clock_free(&c);
}

/* The counter slept as well, or is CLOCK_MONOTONIC itself: the clocks run evenly. */
static void test_counter_sleeps(void)
{
	const struct segment before = { .raw = 3000, .mono = 1000, .boot = 1000 };
	const struct segment after = { .raw = 3000 + 3000000000ull, .mono = 1000 + 1000000000ull,
				       .boot = 1000 + 61000000000ull };
	struct clock c = { 0 };

	CHECK_EQ(ktrace_clock_add(&c, &before, 3000000000u), 0);
	CHECK_EQ(ktrace_clock_add(&c, &after, 3000000000u), 0);
	CHECK_EQ(c.nr, 2);
	CHECK_EQ(ns_at(&c, 3000 + 1500000000ull), 1000 + 500000000ull);
	ktrace_clock_free(&c);
}

int main(void)
{
	test_clock();
	test_hostile_clock();
	test_no_rate();
	test_sleep();
	test_order_after_sleep();
	test_nap();
	test_jitter();
	test_counter_sleeps();
	return 0;
}
