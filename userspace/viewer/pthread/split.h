/* SPDX-License-Identifier: GPL-2.0 */
/*
 * split.h - distributes lines to files by process or by thread
 *
 * The files are BASE-PID or BASE-PID-TID, and BASE-lost for lost events, which belong to no
 * process. For machines other than that of the first file, BASE becomes BASE.N with the number of
 * the machine's first file.
 */
#ifndef VIEWER_PTHREAD_SPLIT_H
#define VIEWER_PTHREAD_SPLIT_H

#include <ktrace/traceset.h>

enum split_by {
	SPLIT_NONE,
	SPLIT_PID,
	SPLIT_PIDX,	/* a child's file begins with the contents of its parent's at the fork */
	SPLIT_TID,
};

struct split;

/* Parses the value of -s. Returns an error message, NULL = none. */
const char *split_option(const char *text, enum split_by *by);
/* Never writes to the @nr @inputs, or the parts they stand for. Return: 0, -ENOMEM. */
int split_new(enum split_by by, const char *base, const struct ktrace_traceset *set,
	      int nr, char **inputs, struct split **out);
/* Returns the buffer for the next line, with room for it. */
struct ktrace_out *split_lines(struct split *s);
/* Called for each event, in order, before its lines. Return: 0, -ENOMEM. */
int split_see(struct split *s, const struct ktrace_trace_event *e);
/* Assigns the lines to @e. Return: 0, -errno; errors are already reported. */
int split_take(struct split *s, const struct ktrace_trace_event *e);
/* Writes the rest and frees everything. NULL is allowed. Return: as split_take(). */
int split_end(struct split *s);

#endif
