/* SPDX-License-Identifier: GPL-2.0 */
/* random.h - random numbers that are the same on every machine for the same seed */
#ifndef TESTS_HOSTS_RANDOM_H
#define TESTS_HOSTS_RANDOM_H

#include <linux/types.h>
#include <math.h>

/* struct random - a sequence of numbers (splitmix64) */
struct random {
	__u64 state;
};

static inline __u64 random_next(struct random *r)
{
	__u64 z = r->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* Above 0, at most 1 */
static inline double random_unit(struct random *r)
{
	return ((double)(random_next(r) >> 11) + 1) / 9007199254740992.0;
}

static inline __u64 random_below(struct random *r, __u64 n)
{
	return n ? random_next(r) % n : 0;
}

static inline double random_exponential(struct random *r, double mean)
{
	return -log(random_unit(r)) * mean;
}

#endif
