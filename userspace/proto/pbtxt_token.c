// SPDX-License-Identifier: GPL-2.0
/* pbtxt_token.c - splits protobuf's text format into tokens */
#include "pbtxt_token.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '+';
}

static void skip_blanks(struct token_reader *r)
{
	for (; r->at < r->end; r->at++) {
		if (*r->at == '#')
			while (r->at < r->end && *r->at != '\n')
				r->at++;
		if (r->at == r->end)
			return;
		if (*r->at == '\n') {
			r->line++;
			r->line_begin = r->at + 1;
		} else if (!isspace((unsigned char)*r->at)) {
			return;
		}
	}
}

/* Returns true if the string ends on its line. */
static bool take_string(struct token_reader *r)
{
	const char quote = *r->at++;

	for (; r->at < r->end && *r->at != '\n'; r->at++) {
		if (*r->at == quote) {
			r->at++;
			return true;
		}
		if (*r->at == '\\' && r->at + 1 < r->end)
			r->at++;
	}
	return false;
}

/* Takes a word; in a decimal number a '-' may follow an 'e', so that 1e-5 is one number. */
static void take_word(struct token_reader *r, bool is_number)
{
	const bool is_hex = is_number && r->end - r->at > 1 && (r->at[1] == 'x' || r->at[1] == 'X');

	for (r->at++; r->at < r->end; r->at++)
		if (!is_word(*r->at) && !(is_number && !is_hex && *r->at == '-' &&
					  (r->at[-1] == 'e' || r->at[-1] == 'E')))
			return;
}

static enum token_kind take(struct token_reader *r)
{
	const char c = *r->at;

	if (c == '"' || c == '\'')
		return take_string(r) ? TOKEN_STRING : TOKEN_BAD;
	if (isdigit((unsigned char)c) || c == '.' || c == '-' || c == '+') {
		take_word(r, true);
		return TOKEN_NUMBER;
	}
	if (isalpha((unsigned char)c) || c == '_') {
		take_word(r, false);
		return TOKEN_NAME;
	}
	r->at++;
	return TOKEN_MARK;
}

void token_next(struct token_reader *r)
{
	skip_blanks(r);
	r->token = (struct token){
		.text = r->at, .line = r->line, .column = (unsigned int)(r->at - r->line_begin) + 1,
	};
	if (r->at == r->end)
		return;
	r->token.kind = take(r);
	r->token.size = (size_t)(r->at - r->token.text);
}

void token_begin(struct token_reader *r, const char *text, size_t size)
{
	*r = (struct token_reader){ text, text + size, text, 1, { 0 } };
	token_next(r);
}

bool token_is(const struct token *t, char mark)
{
	return t->kind == TOKEN_MARK && *t->text == mark;
}

static int digit(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : 16;
}

/* Reads up to @max digits of a base. Return: the number of digits. */
static size_t take_digits(const char *from, const char *end, int base, size_t max, char *to)
{
	unsigned int value = 0;
	size_t nr = 0;

	for (; nr < max && from + nr < end && digit(from[nr]) < base; nr++)
		value = value * (unsigned int)base + (unsigned int)digit(from[nr]);
	*to = (char)value;
	return nr;
}

/* @from: after the backslash. Return: what follows the escape, NULL if it is invalid. */
static const char *take_escape(const char *from, const char *end, char *to)
{
	static const char letters[] = "abfnrtv\\'\"?", meant[] = "\a\b\f\n\r\t\v\\'\"?";
	const char *letter = from < end && *from ? strchr(letters, *from) : NULL;
	size_t nr;

	if (letter) {
		*to = meant[letter - letters];
		return from + 1;
	}
	if (from < end && (*from == 'x' || *from == 'X')) {
		nr = take_digits(from + 1, end, 16, 2, to);
		return nr ? from + 1 + nr : NULL;
	}
	nr = take_digits(from, end, 8, 3, to);
	return nr ? from + nr : NULL;
}

char *token_string(const struct token *t, char *to)
{
	const char *from = t->text + 1, *end = t->text + t->size - 1;

	while (from < end) {
		if (*from != '\\') {
			*to++ = *from++;
			continue;
		}
		from = take_escape(from + 1, end, to++);
		if (!from)
			return NULL;
	}
	return to;
}
