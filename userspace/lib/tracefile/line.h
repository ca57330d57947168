/* SPDX-License-Identifier: LGPL-2.1 */
/* line.h - numbers of a META line, for callers that need nothing else from it */
#ifndef KTRACE_TRACEFILE_LINE_H
#define KTRACE_TRACEFILE_LINE_H

#include <stdbool.h>
#include <linux/ktrace_ring.h>

/* Returns the number that follows @key, which is " key="; 0 = none. */
__u64 ktrace_line_number(const char *line, const char *key);
/* Stores the value of lost= in @count; returns whether there is one. */
bool ktrace_line_lost(const char *line, __u64 count[KTRACE_LOST_NR]);
/* Reads the counts of struct ktrace_lost, separated by commas; a later version may have more. */
void ktrace_line_counts(const char *text, __u64 count[KTRACE_LOST_NR]);

#endif
