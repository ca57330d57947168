// SPDX-License-Identifier: LGPL-2.1
/* percent.c - values with some bytes written as %XX */
#include "percent.h"

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

bool percent_decode(char *value)
{
	char *to = value, *at;

	for (at = value; *at; at++) {
		if (*at != '%' || hex_digit(at[1]) < 0 || hex_digit(at[2]) < 0) {
			*to++ = *at;
			continue;
		}
		*to = (char)(hex_digit(at[1]) << 4 | hex_digit(at[2]));
		at += 2;
		if (!*to++)
			return false;
	}
	*to = '\0';
	return true;
}
