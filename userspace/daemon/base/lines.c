// SPDX-License-Identifier: GPL-2.0
/* lines.c - lines of META text */
#include "lines.h"

#include <string.h>

bool line_is(const char *line, const char *keyword)
{
	size_t n = strlen(keyword);

	return !strncmp(line, keyword, n) && line[n] == ' ';
}

void lines_keep(struct ktrace_text *t, bool (*stays)(const char *line, const void *arg),
		 const void *arg)
{
	const char *from = t->buf, *end = from + t->len;
	char *to = t->buf;

	while (from < end) {
		const size_t n = strcspn(from, "\n");

		if (stays(from, arg)) {
			if (to > t->buf)
				*to++ = '\n';
			memmove(to, from, n);
			to += n;
		}
		from += n + 1;
	}
	t->len = (size_t)(to - t->buf);
	if (t->buf)
		*to = '\0';
}
