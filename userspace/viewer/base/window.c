// SPDX-License-Identifier: GPL-2.0
/* window.c - a window START:END of numbers, as people write it */
#include "window.h"

#include <errno.h>
#include <stdlib.h>

/* A number, or nothing: then @missing. Return: behind it; NULL: it is too large. */
static const char *parse_side(const char *text, __u64 missing, __u64 *value)
{
	char *end;

	*value = missing;
	if (*text < '0' || *text > '9')
		return text;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return errno ? NULL : end;
}

bool window_parse(const char *text, struct window *w)
{
	w->is_set = true;
	text = parse_side(text, 0, &w->start);
	if (!text || *text++ != ':')
		return false;
	text = parse_side(text, ~0ull, &w->end);
	return text && !*text && w->start <= w->end;
}
