/* SPDX-License-Identifier: GPL-2.0 */
/*
 * columns.h - a text table that fits the width of the terminal
 *
 * Files and pipes get all columns at full width. On a narrower terminal, columns shrink to their
 * minimum first; then some are left out, and the last line names them.
 */
#ifndef VIEWER_BASE_COLUMNS_H
#define VIEWER_BASE_COLUMNS_H

#include "table.h"

#define COLUMNS_MAX 12

/**
 * struct column - one column; the first one of a table takes the spare room
 * @head:	its heading; NULL after the last column
 * @width:	characters
 * @narrow:	characters if there is little room
 * @rank:	when it is left out: 0 = never, 1 = first; columns of equal rank go together
 * @text_max:	for left-aligned text: its maximum number of characters; 0 = numbers
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
 * @out:	where the table goes
 * @all:	its columns
 * @nr:		number of columns
 * @spare:	characters left on the right; text cells may extend into them
 * @width:	width of each column; 0 = left out
 * @at:		column of the next cell
 */
struct columns {
	struct ktrace_out *out;
	const struct column *all;
	int nr;
	int spare;
	int width[COLUMNS_MAX];
	int at;
};

/* Fits the columns to the width of the terminal. */
void columns_begin(struct columns *t, struct ktrace_out *out, const struct column *all);
/* Returns the number of characters before a column. */
int columns_before(const struct columns *t, int column);
void columns_head(struct columns *t);
/* Prints which columns were left out. */
void columns_end(const struct columns *t);

/*
 * Print the cells of a line from left to right, one for each column; the last ones may be missing.
 */
__attribute__((format(printf, 2, 3)))
void cell(struct columns *t, const char *format, ...);
void cell_duration(struct columns *t, __u64 ns);
void cell_bytes(struct columns *t, __u64 bytes);
/* Prints seconds as out_seconds() does. */
void cell_seconds(struct columns *t, __u64 ns);
void cell_percent(struct columns *t, __u64 part, __u64 whole);
void cells_end(struct columns *t);

/* Help text of commands that print such tables */
#define COLUMNS_HELP \
"Columns that a narrow terminal has no room for are left out; | less -S has all.\n"

#endif
