/* SPDX-License-Identifier: GPL-2.0 */
/* now.h - the clock for ktraced's own timing */
#ifndef KTRACED_BASE_NOW_H
#define KTRACED_BASE_NOW_H

#include <time.h>
#include <linux/types.h>

static inline __u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (__u64)t.tv_sec * 1000000000u + (__u64)t.tv_nsec;
}

#endif
