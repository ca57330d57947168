/* SPDX-License-Identifier: GPL-2.0 */
/* strip.h - a row of characters over time: in each column, what there was most of */
#ifndef VIEWER_STRIP_H
#define VIEWER_STRIP_H

#include <ktrace/decode.h>

#define STRIP_WIDTH 60
#define STRIP_WIDTH_MIN 10
#define STRIP_WIDTH_MAX 1000

/**
 * struct strip - what all rows have in common
 * @from:	time of the left edge
 * @to:		time of the right edge
 * @width:	columns; 0 = strip_fit() is to say
 * @letters:	a character for each class; how many there are is their number
 */
struct strip {
	__u64 from;
	__u64 to;
	int width;
	const char *letters;
};

/* Time of the left edge of a column; of the one behind the last, @to */
__u64 strip_edge(const struct strip *s, int column);
/* The column of a time in [from, to) */
int strip_column(const struct strip *s, __u64 time);
/* Adds [from, to) of @class to a row, which begins as NULL. Return: 0, -ENOMEM. */
int strip_add(const struct strip *s, __u64 **row, int class, __u64 from, __u64 to);
/* The class that there is most of in a column; -1: nothing. A row may be NULL. */
int strip_most(const struct strip *s, const __u64 *row, int column);
/* "|UUSS..  |" */
void strip_show(const struct strip *s, const __u64 *row, struct ktrace_out *out);
/* The scale above: seconds since @start at both edges */
void strip_scale(const struct strip *s, __u64 start, int indent, struct ktrace_out *out);
/* Without --width as wide as fits a terminal beside @beside columns, elsewhere STRIP_WIDTH. */
void strip_fit(struct strip *s, int beside);
/* Takes the value of --width; returns what is wrong with it, or NULL. */
const char *strip_take_width(const char *text, int *width);

#endif
