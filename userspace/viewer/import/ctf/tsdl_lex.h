/* SPDX-License-Identifier: GPL-2.0 */
/* tsdl_lex.h - splits TSDL, the metadata of CTF 1.8, into tokens */
#ifndef VIEWER_IMPORT_CTF_TSDL_LEX_H
#define VIEWER_IMPORT_CTF_TSDL_LEX_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/** enum tsdl_kind - kind of a token; signs have the number of their character */
enum tsdl_kind {
	TSDL_END = 0,
	TSDL_NAME = 256,
	TSDL_NUMBER,
	TSDL_TEXT,
	TSDL_ASSIGN,		/* := */
	TSDL_DOTS,		/* ... */
	TSDL_BAD,
};

/**
 * struct tsdl_lex - place in the text
 * @at:		next character; the text ends with a 0
 * @line:	its line, from 1
 * @kind:	kind of the current token
 * @number:	its value
 * @text:	a name, or text without its quotes; never NULL behind the first token
 * @room:	bytes that @text has room for
 */
struct tsdl_lex {
	const char *at;
	unsigned int line;
	int kind;
	__u64 number;
	char *text;
	size_t room;
};

/* Goes to the next token. */
void tsdl_next(struct tsdl_lex *lex);
/* Frees the text of the last token. */
void tsdl_lex_free(struct tsdl_lex *lex);
/* True if the current token is this name. */
bool tsdl_is(const struct tsdl_lex *lex, const char *name);

#endif
