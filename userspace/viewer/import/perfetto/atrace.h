/* SPDX-License-Identifier: GPL-2.0 */
/*
 * atrace.h - marks of Android in text that programs print into the kernel's trace
 *
 * A mark is a letter and fields between '|': B, E: a span of the thread; S, F and G, H: one of a
 * process, with a number; I, N: an instant; C: a value of a counter. Threads move between CPUs,
 * whose bundles are in any order: so a mark waits in the spool and is converted in order of time.
 */
#ifndef VIEWER_IMPORT_PERFETTO_ATRACE_H
#define VIEWER_IMPORT_PERFETTO_ATRACE_H

#include <stdbool.h>

struct conversion;
struct spooled;

/*
 * Puts printed text into the spool if it is a mark; @e has its time, thread and CPU. Return: 0, 1:
 * it is none, -errno.
 */
int atrace_take(struct conversion *c, const struct spooled *e, const char *text);
/* Converts a mark from the spool. Return: 0, -errno. */
int atrace_put(struct conversion *c, const struct spooled *e, const char *data);

#endif
