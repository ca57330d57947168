/* SPDX-License-Identifier: GPL-2.0 */
/*
 * columns.h - a table of text that is no wider than the terminal
 *
 * Files and pipes have all of it. If the terminal is narrower, columns are narrower, too, as far
 * as they can be; then some are left out, and the line at the end says which.
 */
#ifndef VIEWER_BASE_COLUMNS_H
#define VIEWER_BASE_COLUMNS_H

#include "table.h"

#define COLUMNS_MAX 12

/**
 * struct column - what a column is like; the first one of a table takes what room is left
 * @head:	above it; NULL behind the last one
 * @width:	characters
 * @narrow:	characters, where there is little room
 * @rank:	when it is left out: 0 = never, 1 = first; those of one rank together
 * @text_max:	of text, which stands on the left: characters at most; 0 = numbers
 */
struct column {
	const char *head;
	int width;
	int narrow;
	int rank;
	int text_max;
};

/**
 * struct columns - a table that is being printed
 * @out:	where to
 * @all:	its columns
 * @nr:		how many
 * @spare:	characters of room behind it; texts may have them, too
 * @width:	of the columns; 0 = left out
 * @at:		the next cell's column
 */
struct columns {
	struct ktrace_out *out;
	const struct column *all;
	int nr;
	int spare;
	int width[COLUMNS_MAX];
	int at;
};

/* Fits the columns. */
void columns_begin(struct columns *t, struct ktrace_out *out, const struct column *all);
/* Characters before a column */
int columns_before(const struct columns *t, int column);
void columns_head(struct columns *t);
/* Says what was left out. */
void columns_end(const struct columns *t);

/* The cells of a line, from left to right; one for each column, the last ones may be missing. */
__attribute__((format(printf, 2, 3)))
void cell(struct columns *t, const char *format, ...);
void cell_duration(struct columns *t, __u64 ns);
void cell_bytes(struct columns *t, __u64 bytes);
/* As out_seconds() */
void cell_seconds(struct columns *t, __u64 ns);
void cell_percent(struct columns *t, __u64 part, __u64 whole);
void cells_end(struct columns *t);

/* What commands say about it */
#define COLUMNS_HELP \
"Columns that a narrow terminal has no room for are left out; | less -S has all.\n"

#endif
