/* SPDX-License-Identifier: GPL-2.0 */
/*
 * split.h - lines that go into files by process or by thread
 *
 * BASE-PID, BASE-PID-TID; BASE-lost for losses, which are nobody's. Of another machine than that
 * of the first file, BASE.N with the number of its first file.
 */
#ifndef VIEWER_PTHREAD_SPLIT_H
#define VIEWER_PTHREAD_SPLIT_H

#include <ktrace/traceset.h>

enum split_by {
	SPLIT_NONE,
	SPLIT_PID,
	SPLIT_PIDX,	/* a child's file begins with what its parent's had when it forked */
	SPLIT_TID,
};

struct split;

/* The word of -s. Returns what is wrong, NULL = nothing. */
const char *split_option(const char *text, enum split_by *by);
/* The @nr @inputs, or the parts they stand for, are not written to. Return: 0, -ENOMEM. */
int split_new(enum split_by by, const char *base, const struct ktrace_traceset *set,
	      int nr, char **inputs, struct split **out);
/* Where the next line goes, with room for it */
struct ktrace_out *split_lines(struct split *s);
/* Each event, in order, before its lines. Return: 0, -ENOMEM. */
int split_see(struct split *s, const struct ktrace_trace_event *e);
/* The lines are those of @e. Return: 0, -errno, which it has complained about. */
int split_take(struct split *s, const struct ktrace_trace_event *e);
/* Writes the rest and frees all. NULL is allowed. Return: as split_take(). */
int split_end(struct split *s);

#endif
