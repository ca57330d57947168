/* SPDX-License-Identifier: LGPL-2.1 */
/* when.h - parse times as people write them */
#ifndef KTRACE_WHEN_H
#define KTRACE_WHEN_H

#include <stdbool.h>
#include <linux/types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * struct ktrace_when - a point in time
 * @ns:		since the epoch, or since the start of the trace
 * @is_relative: true if @ns counts from the start of the trace
 */
struct ktrace_when {
	__u64 ns;
	bool is_relative;
};

/**
 * ktrace_when_parse - parse a time
 *
 * Accepts "12.5", "12.5s", "3ms", "200us", "7ns", "5m", "1.5h" since the start;
 * "2026-01-31T12:00[:00[.5]][Z]" in local time or UTC; "@SECONDS" since the epoch. Exact to the ns.
 *
 * Return: true if @text is a valid time.
 */
bool ktrace_when_parse(const char *text, struct ktrace_when *when);

/** ktrace_when_absolute - convert to ns since the epoch; at most ~0 */
__u64 ktrace_when_absolute(const struct ktrace_when *when, __u64 start);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
