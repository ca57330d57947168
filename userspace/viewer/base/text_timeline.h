/* SPDX-License-Identifier: GPL-2.0 */
/* text_timeline.h - a row of characters over time: in each column, what there was most of */
#ifndef VIEWER_BASE_TEXT_TIMELINE_H
#define VIEWER_BASE_TEXT_TIMELINE_H

#include <ktrace/decode.h>

#define TIMELINE_WIDTH 60
#define TIMELINE_WIDTH_MIN 10
#define TIMELINE_WIDTH_MAX 1000

/**
 * struct timeline - what all rows have in common
 * @from:	time of the left edge
 * @to:		time of the right edge
 * @width:	columns; 0 = timeline_fit() is to say
 * @letters:	a character for each class; how many there are is their number
 */
struct timeline {
	__u64 from;
	__u64 to;
	int width;
	const char *letters;
};

/* Time of the left edge of a column; of the one behind the last, @to */
__u64 timeline_edge(const struct timeline *s, int column);
/* The column of a time in [from, to) */
int timeline_column(const struct timeline *s, __u64 time);
/* Adds [from, to) of @class to a row, which begins as NULL. Return: 0, -ENOMEM. */
int timeline_add(const struct timeline *s, __u64 **row, int class, __u64 from, __u64 to);
/* The class that there is most of in a column; -1: nothing. A row may be NULL. */
int timeline_most(const struct timeline *s, const __u64 *row, int column);
/* "|UUSS..  |" */
void timeline_show(const struct timeline *s, const __u64 *row, struct ktrace_out *out);
/* The scale above: seconds since @start at both edges */
void timeline_scale(const struct timeline *s, __u64 start, int indent, struct ktrace_out *out);
/* Without --width as wide as fits a terminal beside @beside columns, elsewhere TIMELINE_WIDTH. */
void timeline_fit(struct timeline *s, int beside);
/* Takes the value of --width; returns what is wrong with it, or NULL. */
const char *timeline_take_width(const char *text, int *width);

#endif
