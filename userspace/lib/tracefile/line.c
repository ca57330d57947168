// SPDX-License-Identifier: LGPL-2.1
/* line.c - numbers of a META line, for callers that need nothing else from it */
#include "line.h"

#include <stdlib.h>
#include <string.h>

__u64 ktrace_line_number(const char *line, const char *key)
{
	const char *at = strstr(line, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

void ktrace_line_counts(const char *text, __u64 count[KTRACE_LOST_NR])
{
	char *end;
	int i;

	for (i = 0; i < KTRACE_LOST_NR && *text >= '0' && *text <= '9'; i++) {
		count[i] = strtoull(text, &end, 10);
		text = end + (*end == ',');
	}
}

bool ktrace_line_lost(const char *line, __u64 count[KTRACE_LOST_NR])
{
	const char *text = strstr(line, " lost=");

	if (text)
		ktrace_line_counts(text + strlen(" lost="), count);
	return text;
}
