/* SPDX-License-Identifier: GPL-2.0 */
/* pbtxt_token.h - the tokens of protobuf's text format, with their positions */
#ifndef KTRACE_PBTXT_TOKEN_H
#define KTRACE_PBTXT_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

enum token_kind {
	TOKEN_END,
	TOKEN_NAME,
	TOKEN_NUMBER,		/* also -inf */
	TOKEN_STRING,		/* with its quotes */
	TOKEN_MARK,		/* a single character */
	TOKEN_BAD,		/* a string without an end on its line */
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
	struct token token;	/* the current one */
};

/* Reads the first token. */
void token_begin(struct token_reader *r, const char *text, size_t size);
void token_next(struct token_reader *r);
bool token_is(const struct token *t, char mark);
/*
 * Writes the value of a string token to @to, which has room for as many bytes as the token;
 * resolves escapes. Return: the end of the value, NULL if an escape is invalid.
 */
char *token_string(const struct token *t, char *to);

#endif
