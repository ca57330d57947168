// SPDX-License-Identifier: GPL-2.0
/* tsdl_lex.c - splits TSDL into tokens */
#include "tsdl_lex.h"

#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Skips blanks and comments. */
static void skip(struct tsdl_lex *lex)
{
	const char *end;

	for (;;) {
		while (*lex->at && strchr(" \t\r\n\f\v", *lex->at))
			lex->line += *lex->at++ == '\n';
		if (!strncmp(lex->at, "//", 2)) {
			lex->at += strcspn(lex->at, "\n");
		} else if (!strncmp(lex->at, "/*", 2)) {
			end = strstr(lex->at + 2, "*/");
			end = end ? end + 2 : lex->at + strlen(lex->at);
			while (lex->at < end)
				lex->line += *lex->at++ == '\n';
		} else {
			return;
		}
	}
}

/* Makes room for a text of @n bytes and a 0. */
static bool make_room(struct tsdl_lex *lex, size_t n)
{
	char *text;

	if (n < lex->room)
		return true;
	text = realloc(lex->text, 2 * n + 64);
	if (!text) {
		lex->kind = TSDL_BAD;
		return false;
	}
	lex->text = text;
	lex->room = 2 * n + 64;
	return true;
}

static void take_name(struct tsdl_lex *lex)
{
	size_t n = 0;

	lex->kind = TSDL_NAME;
	while (is_letter(lex->at[n]) || is_digit(lex->at[n]))
		n++;
	if (!make_room(lex, n))
		return;
	memcpy(lex->text, lex->at, n);
	lex->text[n] = 0;
	lex->at += n;
}

static void take_number(struct tsdl_lex *lex)
{
	char *end;

	lex->kind = TSDL_NUMBER;
	lex->number = strtoull(lex->at, &end, 0);
	if (end == lex->at)
		lex->kind = TSDL_BAD;
	while (*end && strchr("uUlL", *end))
		end++;
	lex->at = end;
}

/* Returns the character behind a backslash, which is skipped. */
static char take_escape(struct tsdl_lex *lex)
{
	static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
	const char *found = *lex->at ? strchr(from, *lex->at) : NULL;
	unsigned int v = 0;

	if (*lex->at >= '0' && *lex->at < '8') {
		for (int i = 0; i < 3 && *lex->at >= '0' && *lex->at < '8'; i++)
			v = v * 8 + (unsigned int)(*lex->at++ - '0');
		return (char)v;
	}
	if (*lex->at == 'x') {
		char *end;

		v = (unsigned int)strtoul(lex->at + 1, &end, 16);
		lex->at = end;
		return (char)v;
	}
	if (!*lex->at)
		return 0;
	lex->at++;
	return found ? to[found - from] : lex->at[-1];
}

static void take_text(struct tsdl_lex *lex)
{
	const char quote = *lex->at++;
	size_t n = 0;
	char c;

	lex->kind = TSDL_TEXT;
	while (*lex->at && *lex->at != quote && make_room(lex, n + 1)) {
		lex->line += *lex->at == '\n';
		c = *lex->at++;
		lex->text[n++] = c == '\\' ? take_escape(lex) : c;
	}
	if (*lex->at != quote || !make_room(lex, n)) {
		lex->kind = TSDL_BAD;
		return;
	}
	lex->text[n] = 0;
	lex->at++;
	if (quote == '\'') {
		lex->kind = TSDL_NUMBER;
		lex->number = (unsigned char)lex->text[0];
	}
}

void tsdl_next(struct tsdl_lex *lex)
{
	skip(lex);
	if (lex->at[0] == 'L' && (lex->at[1] == '"' || lex->at[1] == '\''))
		lex->at++;
	if (!*lex->at) {
		lex->kind = TSDL_END;
	} else if (is_letter(*lex->at)) {
		take_name(lex);
	} else if (is_digit(*lex->at)) {
		take_number(lex);
	} else if (*lex->at == '"' || *lex->at == '\'') {
		take_text(lex);
	} else if (!strncmp(lex->at, ":=", 2)) {
		lex->kind = TSDL_ASSIGN;
		lex->at += 2;
	} else if (!strncmp(lex->at, "...", 3)) {
		lex->kind = TSDL_DOTS;
		lex->at += 3;
	} else {
		lex->kind = (unsigned char)*lex->at++;
	}
}

void tsdl_lex_free(struct tsdl_lex *lex)
{
	free(lex->text);
}

bool tsdl_is(const struct tsdl_lex *lex, const char *name)
{
	return lex->kind == TSDL_NAME && !strcmp(lex->text, name);
}
