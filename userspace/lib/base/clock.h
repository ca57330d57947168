/* SPDX-License-Identifier: LGPL-2.1 */
/* clock.h - clocks in nanoseconds */
#ifndef KTRACE_BASE_CLOCK_H
#define KTRACE_BASE_CLOCK_H

#include <linux/types.h>
#include <time.h>

#define NS_PER_S 1000000000ull
#define NS_PER_MS 1000000ull

static inline __u64 timespec_ns(const struct timespec *t)
{
	return (__u64)t->tv_sec * NS_PER_S + (__u64)t->tv_nsec;
}

static inline __u64 clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return timespec_ns(&t);
}

/* The clock for our own timing */
static inline __u64 now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline __s64 now_ms(void)
{
	return (__s64)(now_ns() / NS_PER_MS);
}

#endif
