/* SPDX-License-Identifier: GPL-2.0 */
/* text_timeline.h - a row of characters over time: each column shows its dominant class */
#ifndef VIEWER_BASE_TEXT_TIMELINE_H
#define VIEWER_BASE_TEXT_TIMELINE_H

#include <ktrace/decode.h>

#include "base/option_table.h"

#define TIMELINE_WIDTH 60
#define TIMELINE_WIDTH_MIN 10
#define TIMELINE_WIDTH_MAX 1000

/**
 * struct timeline - what all rows have in common
 * @from:	time of the left edge
 * @to:		time of the right edge
 * @width:	columns; 0 = timeline_fit() chooses
 * @letters:	one character for each class; its length is the number of classes
 */
struct timeline {
	__u64 from;
	__u64 to;
	int width;
	const char *letters;
};

/* Returns the time of a column's left edge; for the column after the last, @to. */
__u64 timeline_edge(const struct timeline *s, int column);
/* Returns the column of a time in [from, to). */
int timeline_column(const struct timeline *s, __u64 time);
/* Adds [from, to) of @class to a row, which begins as NULL. Return: 0, -ENOMEM. */
int timeline_add(const struct timeline *s, __u64 **row, int class, __u64 from, __u64 to);
/* Returns the class with the most time in a column, -1 = none. A row may be NULL. */
int timeline_most(const struct timeline *s, const __u64 *row, int column);
/* Prints "|UUSS..  |". */
void timeline_show(const struct timeline *s, const __u64 *row, struct ktrace_out *out);
/* Prints the scale above: seconds since @start at both edges. */
void timeline_scale(const struct timeline *s, __u64 start, int indent, struct ktrace_out *out);
/*
 * Without --width, chooses the width that fits a terminal next to @beside columns; elsewhere
 * TIMELINE_WIDTH.
 */
void timeline_fit(struct timeline *s, int beside);
/* The option --width; refers to an int, the columns */
extern const struct option_row width_options[];

#endif
