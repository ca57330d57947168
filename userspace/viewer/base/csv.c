// SPDX-License-Identifier: GPL-2.0
/* csv.c - cells of CSV, RFC 4180 */
#include "csv.h"

#include <string.h>

static bool needs_quotes(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (s[i] == '"' || s[i] == ',' || s[i] == '\r' || s[i] == '\n')
			return true;
	return false;
}

void csv_put(struct ktrace_out *out, const char *s, size_t n)
{
	const char *quote;

	if (!needs_quotes(s, n)) {
		ktrace_out_bytes(out, s, n);
		return;
	}
	ktrace_out_char(out, '"');
	for (; (quote = memchr(s, '"', n)); n -= (size_t)(quote + 1 - s), s = quote + 1) {
		ktrace_out_bytes(out, s, (size_t)(quote + 1 - s));
		ktrace_out_char(out, '"');
	}
	ktrace_out_bytes(out, s, n);
	ktrace_out_char(out, '"');
}
