/* SPDX-License-Identifier: GPL-2.0 */
/* pbtxt_token.h - the words of protobuf's text format, and where they stand */
#ifndef KTRACE_PBTXT_TOKEN_H
#define KTRACE_PBTXT_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

enum token_kind {
	TOKEN_END,
	TOKEN_NAME,
	TOKEN_NUMBER,		/* also -inf */
	TOKEN_STRING,		/* with its quotes */
	TOKEN_MARK,		/* one character that stands for itself */
	TOKEN_BAD,		/* a string without an end */
};

struct token {
	enum token_kind kind;
	const char *text;
	size_t size;
	unsigned int line;	/* from 1 */
	unsigned int column;	/* in bytes, from 1 */
};

struct token_reader {
	const char *at;
	const char *end;
	const char *line_begin;
	unsigned int line;
	struct token token;	/* the one at hand */
};

/* The first word becomes the one at hand. */
void token_begin(struct token_reader *r, const char *text, size_t size);
void token_next(struct token_reader *r);
bool token_is(const struct token *t, char mark);
/*
 * Appends what a string stands for, escapes resolved, at @to; there is room for as many bytes as
 * the token has. Return: what comes behind, NULL if there is no such escape.
 */
char *token_string(const struct token *t, char *to);

#endif
