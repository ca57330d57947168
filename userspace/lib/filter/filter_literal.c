// SPDX-License-Identifier: LGPL-2.1
/* filter_literal.c - parse the values in an expression */
#include "filter.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* Parses [+-] digits, or 0x and hexadecimal digits, from -2^63 to 2^64 - 1. */
static bool take_integer(const char *s, __int128 *out)
{
	bool is_negative = *s == '-';
	__u64 v = 0;
	int base = 10;

	s += *s == '-' || *s == '+';
	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		s += 2;
	}
	if (!*s)
		return false;
	for (; *s; s++) {
		int digit = digit_of(*s);

		if (digit >= base || __builtin_mul_overflow(v, (__u64)base, &v) ||
		    __builtin_add_overflow(v, (__u64)digit, &v))
			return false;
	}
	*out = is_negative ? -(__int128)v : (__int128)v;
	return !is_negative || v <= 1ull << 63;
}

/* Parses a decimal number as in C, in any locale; refuses infinity. */
static bool take_real(const char *s, double *out)
{
	locale_t locale;
	char *end;

	if (s[strspn(s, "+-.0123456789eE")] || !strpbrk(s, "0123456789"))
		return false;
	locale = newlocale(LC_ALL_MASK, "C", NULL);
	if (!locale)
		return false;
	*out = strtod_l(s, &end, locale);
	freelocale(locale);
	return !*end && *out - *out == 0;
}

/* Sets whether the literal is a number, and its value. */
void ktrace_filter_number(struct literal *l)
{
	l->is_number = take_integer(l->text, &l->number.integer);
	if (l->is_number)
		return;
	l->number.is_real = l->is_number = take_real(l->text, &l->number.real);
	if (l->is_number)
		l->single = (double)(float)l->number.real;
}

static const char escapes[] = "n\nt\tr\ra\ab\bf\fv\v";

/* Decodes the escape after a backslash at @s; returns the bytes taken, 0 = invalid. */
static size_t take_escape(const char *s, char *out)
{
	size_t i;

	if (*s == 'x') {
		if (digit_of(s[1]) == 16 || digit_of(s[2]) == 16)
			return 0;
		*out = (char)(digit_of(s[1]) << 4 | digit_of(s[2]));
		return *out ? 3 : 0;
	}
	for (i = 0; i < sizeof(escapes) - 1; i += 2) {
		if (*s == escapes[i]) {
			*out = escapes[i + 1];
			return 1;
		}
	}
	*out = *s;
	return strchr("\\\"'", *s) && *s;
}

/*
 * Decodes the escapes of a C string literal in place.
 * Return: 0, or -EINVAL with the place of the invalid escape in @len.
 */
int ktrace_filter_unquote(char *text, size_t *len)
{
	char *to = text, *s = text;
	size_t n;

	while (*s) {
		if (*s != '\\') {
			*to++ = *s++;
			continue;
		}
		n = take_escape(s + 1, to);
		if (!n) {
			*len = (size_t)(s - text);
			return -EINVAL;
		}
		to++;
		s += n + 1;
	}
	*to = '\0';
	*len = (size_t)(to - text);
	return 0;
}
