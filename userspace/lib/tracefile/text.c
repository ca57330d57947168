// SPDX-License-Identifier: LGPL-2.1
/*
 * text.c - builds META lines, <linux/ktrace_file.h> has the grammar
 *
 * A failed allocation is remembered and reported by ktrace_text_flush(), so that callers need not
 * check each call; nothing is written then.
 */
#include <ktrace/tracefile.h>

#include "base/grow.h"
#include "base/percent.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(struct ktrace_text *t, size_t more)
{
	if (!t->error && !LIST_GROW(t->buf, t->len + more, t->cap))
		t->error = -ENOMEM;
	return !t->error;
}

static void append(struct ktrace_text *t, const char *s, size_t n)
{
	if (!reserve(t, n))
		return;
	memcpy(t->buf + t->len, s, n);
	t->len += n;
	t->buf[t->len] = '\0';
}

static bool is_plain(unsigned char c)
{
	return c > 0x20 && c != 0x7f && c != '%';
}

static void append_escape(struct ktrace_text *t, unsigned char c)
{
	static const char hex[] = "0123456789ABCDEF";
	const char escape[3] = { '%', hex[c >> 4], hex[c & 15] };

	append(t, escape, sizeof(escape));
}

static void append_key(struct ktrace_text *t, const char *key)
{
	append(t, " ", 1);
	append(t, key, strlen(key));
	append(t, "=", 1);
}

void ktrace_text_line(struct ktrace_text *t, const char *keyword)
{
	if (t->len)
		append(t, "\n", 1);
	append(t, keyword, strlen(keyword));
}

void ktrace_text_str(struct ktrace_text *t, const char *key, const char *value)
{
	size_t n;

	append_key(t, key);
	for (; *value; value += n) {
		for (n = 0; is_plain((unsigned char)value[n]); n++)
			;
		append(t, value, n);
		if (!n)
			append_escape(t, (unsigned char)value[n++]);
	}
}

void ktrace_text_u64(struct ktrace_text *t, const char *key, __u64 value)
{
	char digits[24];

	append_key(t, key);
	append(t, digits, (size_t)snprintf(digits, sizeof(digits), "%llu",
					   (unsigned long long)value));
}

void ktrace_text_s64(struct ktrace_text *t, const char *key, __s64 value)
{
	char digits[24];

	append_key(t, key);
	append(t, digits, (size_t)snprintf(digits, sizeof(digits), "%lld", (long long)value));
}

bool ktrace_text_decode(char *value)
{
	return percent_decode(value);
}

int ktrace_text_flush(struct ktrace_text *t, struct ktrace_tracefile *tf)
{
	int ret = 0;

	if (t->len)
		append(t, "\n", 1);
	if (t->error)
		ret = t->error;
	else if (t->len)
		ret = ktrace_tracefile_meta(tf, t->buf, t->len);
	t->len = 0;
	t->error = 0;
	return ret;
}

void ktrace_text_free(struct ktrace_text *t)
{
	free(t->buf);
	memset(t, 0, sizeof(*t));
}
