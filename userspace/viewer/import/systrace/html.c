// SPDX-License-Identifier: GPL-2.0
/*
 * html.c - finds the traces in a page of systrace
 *
 * They are in <script class="trace-data"> elements, or, in pages of old versions, in a JavaScript
 * string linuxPerfData, each line of which ends with \n and a backslash.
 */
#include "html.h"

#include <string.h>
#include <strings.h>

#define SCRIPT "class=\"trace-data\""
#define SCRIPT_END "</script"
#define OLD "linuxPerfData = \""
#define OLD_END "\";\n"

static const char *find(const char *at, const char *end, const char *word)
{
	return memmem(at, (size_t)(end - at), word, strlen(word));
}

bool html_is(const char *text, size_t size)
{
	const char *end = text + size;

	if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		text += 3;
	while (text < end && (*text == ' ' || *text == '\n' || *text == '\r' || *text == '\t'))
		text++;
	return (end - text > 14 && !strncasecmp(text, "<!DOCTYPE html", 14)) ||
	       (end - text > 5 && !strncasecmp(text, "<html", 5));
}

bool html_next(const char *text, size_t size, size_t *at, struct html_part *part, bool *is_cut)
{
	const char *from = text + *at, *end = text + size, *script = find(from, end, SCRIPT);
	const char *old = find(from, script ? script : end, OLD), *begin, *close;

	begin = old ? old + strlen(OLD) : NULL;
	if (!begin && script)
		begin = memchr(script, '>', (size_t)(end - script));
	if (!begin)
		return false;
	begin += !old;
	if (old && end - begin > 1 && *begin == '\\')
		begin += 2;
	close = find(begin, end, old ? OLD_END : SCRIPT_END);
	*is_cut = !close;
	close = close ? close : end;
	*part = (struct html_part){ begin, (size_t)(close - begin), old };
	*at = (size_t)(close - text);
	return true;
}
