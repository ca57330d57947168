// SPDX-License-Identifier: GPL-2.0
/* test_import_stamps.c - stamps of another tracer's clock, also before its zero, in a tracefile */
#include "check.h"

#include <stdint.h>

#include "../../userspace/viewer/import/import_stamps.c"

#define REAL 1700000000000000000ull
#define SECOND 1000000000ull

static struct import_stamps begin(__u64 raw, __u64 real_ns, __u64 first)
{
	struct import_stamps s = { .raw = raw, .real_ns = real_ns };

	import_stamps_begin(&s, first);
	return s;
}

/* Returns the time that a reader gives to a stamp: the file's only clock reading is at @shift. */
static __u64 time_of(struct import_stamps *s, __u64 ts)
{
	const __u64 zero = import_stamps_zero(s);

	return import_stamps_place(s, ts) + (zero > s->shift ? zero - s->shift : 0);
}

static void test_ordinary(void)
{
	struct import_stamps s = begin(0, REAL, 5);

	CHECK_EQ(s.shift, 0);
	CHECK_EQ(import_stamps_place(&s, 5), 5);
	CHECK_EQ(import_stamps_place(&s, 3), 3);
	CHECK_EQ(time_of(&s, 7), REAL + 7);
	CHECK_EQ(s.early + s.late, 0);
}

static void test_before_zero(void)
{
	struct import_stamps s = begin(10 * SECOND, REAL, -80 * SECOND);

	CHECK_EQ(import_stamps_place(&s, -80 * SECOND), 0);
	CHECK_EQ(import_stamps_place(&s, 10 * SECOND), 90 * SECOND);
	CHECK_EQ(time_of(&s, -80 * SECOND), REAL - 90 * SECOND);
	CHECK_EQ(time_of(&s, 0), REAL - 10 * SECOND);
	CHECK_EQ(import_stamps_place(&s, -81 * SECOND), 0);
	CHECK_EQ(s.early, 1);
}

static void test_keeps_zero(void)
{
	struct import_stamps s = { .real_ns = REAL, .keeps_zero = true };

	import_stamps_begin(&s, -SECOND);
	CHECK_EQ(s.shift, 0);
	CHECK_EQ(import_stamps_place(&s, -SECOND), 0);
	CHECK_EQ(import_stamps_place(&s, SECOND), SECOND);
	CHECK_EQ(s.early, 1);
}

static void test_1970(void)
{
	struct import_stamps s = begin(0, -SECOND, 5);
	struct ktrace_out out = { 0 };

	CHECK_EQ(time_of(&s, 5), 5);
	CHECK_EQ(s.early, 0);
	CHECK(import_stamps_say(&s, &out));
	/* 60 years before 2023 there is no time. */
	s = begin(0, REAL, -2 * REAL);
	CHECK_EQ(time_of(&s, -2 * REAL), 0);
	CHECK_EQ(time_of(&s, 1), REAL + 1);
	CHECK_EQ(s.early, 1);
}

/* Stamps of a clock that passes 2^63 and ends at 2^64, as a counter may */
static void test_large(void)
{
	struct import_stamps s = begin(0, 0, INT64_MAX);

	CHECK_EQ(import_stamps_place(&s, INT64_MAX), INT64_MAX);
	CHECK(import_stamps_place(&s, 1ull << 63) == 1ull << 63);
	CHECK_EQ(s.early + s.late, 0);
	CHECK(import_stamps_place(&s, UINT64_MAX - 1) == LAST_NS);
	CHECK_EQ(s.late, 1);
	s = begin(0, 0, UINT64_MAX - 10);
	CHECK_EQ(import_stamps_place(&s, UINT64_MAX - 10), 0);
	CHECK_EQ(import_stamps_place(&s, UINT64_MAX), 10);
	CHECK_EQ(s.early + s.late, 0);
}

static __u64 random_of(__u64 *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x >> (*x & 31) << (*x >> 5 & 31);
}

/* Whatever the clock, what is later is never placed earlier, and no time overflows. */
static void test_any(void)
{
	__u64 x = 88172645463325252ull, at, before, later;
	struct import_stamps s;

	for (int i = 0; i < 1000000; i++) {
		at = random_of(&x);
		s = begin(random_of(&x), i % 3 ? random_of(&x) >> 3 : random_of(&x), at);
		before = import_stamps_place(&s, at);
		later = at + (random_of(&x) >> 1);
		if ((__s64)later < (__s64)at)
			later = at;
		CHECK(import_stamps_place(&s, later) >= before);
		CHECK(time_of(&s, later) <= LAST_NS);
		CHECK(time_of(&s, later) >= time_of(&s, at));
	}
}

int main(void)
{
	test_ordinary();
	test_before_zero();
	test_keeps_zero();
	test_1970();
	test_large();
	test_any();
	puts("ok");
	return 0;
}
