/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * option_text.h - arguments that getopt must not print
 *
 * getopt's messages contain arguments as they are, and a name such as "--x<ESC>]0;..." may come
 * from another user's folder by a "*" of the shell.
 */
#ifndef KTRACE_BASE_OPTION_TEXT_H
#define KTRACE_BASE_OPTION_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#define OPTION_FAULT "option '%s' is unknown or ambiguous, or has a missing or unexpected value"

/* True if all arguments are printable ASCII, so that getopt may print them. */
static inline bool option_is_printable(char *const *argv)
{
	for (; *argv; argv++)
		for (const char *s = *argv; *s; s++)
			if ((unsigned char)*s < 0x20 || (unsigned char)*s > 0x7e)
				return false;
	return true;
}

/* Returns the option that getopt has just refused; @letter: optopt, @last: argv[optind - 1]. */
static inline const char *option_at_fault(int letter, char name[3], const char *last)
{
	if (letter <= 0 || letter > 0xff)
		return last;
	snprintf(name, 3, "-%c", letter);
	return name;
}

#endif
