/* SPDX-License-Identifier: LGPL-2.1 */
/* lost.h - counts of losses */
#ifndef KTRACE_BASE_LOST_H
#define KTRACE_BASE_LOST_H

#include <linux/ktrace.h>

static inline __u64 lost_sum(__u64 a, __u64 b)
{
	return a + b < a ? ~0ull : a + b;
}

/* Adds the counts of each reason. */
static inline void lost_add(struct ktrace_lost *to, const struct ktrace_lost *more)
{
	for (int i = 0; i < KTRACE_LOST_NR; i++)
		to->count[i] = lost_sum(to->count[i], more->count[i]);
}

/* Returns the total of all reasons. */
static inline __u64 lost_total(const __u64 counts[KTRACE_LOST_NR])
{
	__u64 total = 0;

	for (int i = 0; i < KTRACE_LOST_NR; i++)
		total = lost_sum(total, counts[i]);
	return total;
}

#endif
