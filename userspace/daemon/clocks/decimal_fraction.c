// SPDX-License-Identifier: GPL-2.0
/* decimal_fraction.c - decimal fractions in what other programs print */
#include "decimal_fraction.h"

#define LARGEST 1000000000000000000ll

/* Appends a digit to a number; returns false if that gets too large. */
static bool append(__s64 *n, char digit)
{
	if (*n >= LARGEST / 10)
		return false;
	*n = *n * 10 + (digit - '0');
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool decimal_fraction(const char *text, unsigned int digits, __s64 *out)
{
	const bool is_negative = *text == '-';
	__s64 n = 0;

	text += *text == '-' || *text == '+';
	if (!is_digit(*text))
		return false;
	while (is_digit(*text))
		if (!append(&n, *text++))
			return false;
	if (*text == '.' && !is_digit(*++text))
		return false;
	for (; digits; digits--)
		if (!append(&n, is_digit(*text) ? *text++ : '0'))
			return false;
	while (is_digit(*text))
		text++;
	*out = is_negative ? -n : n;
	return !*text;
}
