/* SPDX-License-Identifier: LGPL-2.1 */
/* line.h - numbers of a META line, for callers that need nothing else of it */
#ifndef KTRACE_TRACEFILE_LINE_H
#define KTRACE_TRACEFILE_LINE_H

#include <stdbool.h>
#include <linux/ktrace_ring.h>

/* The value of @key, which is " key=" and stands for a number; 0 = there is none. */
__u64 ktrace_line_number(const char *line, const char *key);
/* The value of lost= goes to @count. Return: whether there is one. */
bool ktrace_line_lost(const char *line, __u64 count[KTRACE_LOST_NR]);
/* Counts of struct ktrace_lost, separated by commas; a later version may have more. */
void ktrace_line_counts(const char *text, __u64 count[KTRACE_LOST_NR]);

#endif
