/* SPDX-License-Identifier: GPL-2.0 */
/* now.h - time that only passes */
#ifndef VIEWER_BASE_NOW_H
#define VIEWER_BASE_NOW_H

#include <linux/types.h>
#include <time.h>

static inline __s64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (__s64)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

#endif
