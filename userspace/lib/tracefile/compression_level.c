// SPDX-License-Identifier: LGPL-2.1
/* compression_level.c - names of the levels of compression */
#include <ktrace/tracefile.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool ktrace_compress_level(const char *text, int *level)
{
	char *end;
	long n;

	*level = KTRACE_COMPRESS_DEFAULT;
	if (!text)
		return true;
	*level = 0;
	if (!strcmp(text, "none"))
		return true;
	if (!strchr("-0123456789", *text))
		return false;
	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || end == text || *end || n < KTRACE_COMPRESS_MIN || n > KTRACE_COMPRESS_MAX)
		return false;
	*level = (int)n;
	return true;
}
