/* SPDX-License-Identifier: GPL-2.0 */
/*
 * complete.h - words that a word of a statement may become
 *
 * After FROM and JOIN these are tables; otherwise keywords and columns, those of the tables that
 * the statement names, and tables. In a line of a command with a dot: commands, modes and tables.
 */
#ifndef VIEWER_SQL_COMPLETE_H
#define VIEWER_SQL_COMPLETE_H

#include "ask.h"

/**
 * struct completion - what a word may become
 * @len:	bytes before the cursor that are the word
 * @text:	takes their place: the word, or what all of @names have in common; NULL = no memory
 * @names:	all, in order
 * @nr:		number of these
 * @cap:	room for this many
 */
struct completion {
	size_t len;
	char *text;
	char **names;
	size_t nr;
	size_t cap;
};

/* @text: the statement so far, up to the cursor; @line: offset of the line of the cursor */
void complete(struct ask *a, const char *text, size_t line, struct completion *c);
void completion_free(struct completion *c);

#endif
