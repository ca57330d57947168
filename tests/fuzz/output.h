/* SPDX-License-Identifier: GPL-2.0 */
/* output.h - what is printed must be JSON, or text that a terminal can be trusted with */
#ifndef TESTS_FUZZ_OUTPUT_H
#define TESTS_FUZZ_OUTPUT_H

#include "fuzz.h"

/* Length of the UTF-8 sequence at @s; 0 = there is none, or it is a control character. */
static inline size_t utf8_char(const unsigned char *s, size_t n)
{
	size_t len = *s < 0x80 ? 1 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : 4, i;
	__u32 code = len == 1 ? *s : *s & (0x7fu >> len);
	static const __u32 least[] = { 0, 0, 0x80, 0x800, 0x10000 };

	if (n < len || (*s >= 0x80 && *s < 0xc0) || *s > 0xf7)
		return 0;
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < least[len] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	return code < 0x20 || (code >= 0x7f && code < 0xa0) ? 0 : len;
}

/* Lines of text: nothing that a terminal would act on. */
static inline bool is_clean_text(const char *text, size_t n)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t len;

	for (; n; s += len, n -= len) {
		len = *s == '\n' ? 1 : utf8_char(s, n);
		if (!len)
			return false;
	}
	return true;
}

/* struct json - what is left to check */
struct json {
	const char *at;
	const char *end;
};

static inline bool json_take(struct json *j, char c)
{
	if (j->at == j->end || *j->at != c)
		return false;
	j->at++;
	return true;
}

static inline bool json_string(struct json *j)
{
	size_t len;
	int i;

	if (!json_take(j, '"'))
		return false;
	while (j->at < j->end && *j->at != '"') {
		if (json_take(j, '\\')) {
			if (j->at == j->end || !strchr("\"\\/bfnrtu", *j->at))
				return false;
			if (*j->at++ == 'u')
				for (i = 0; i < 4; i++, j->at++)
					if (j->at == j->end ||
					    !strchr("0123456789abcdefABCDEF", *j->at) || !*j->at)
						return false;
			continue;
		}
		len = utf8_char((const unsigned char *)j->at, (size_t)(j->end - j->at));
		/* JSON itself allows DEL and the second set of control characters. */
		if (!len && (unsigned char)*j->at < 0x20)
			return false;
		j->at += len ? len : 1;
	}
	return json_take(j, '"');
}

static inline size_t json_digits(struct json *j)
{
	size_t n = 0;

	while (j->at < j->end && *j->at >= '0' && *j->at <= '9') {
		j->at++;
		n++;
	}
	return n;
}

static inline bool json_number(struct json *j)
{
	const char *begin;

	json_take(j, '-');
	begin = j->at;
	if (!json_digits(j) || (*begin == '0' && j->at - begin > 1))
		return false;
	if (json_take(j, '.') && !json_digits(j))
		return false;
	if (!json_take(j, 'e') && !json_take(j, 'E'))
		return true;
	if (!json_take(j, '+'))
		json_take(j, '-');
	return json_digits(j);
}

static inline bool json_word(struct json *j, const char *word)
{
	while (*word)
		if (!json_take(j, *word++))
			return false;
	return true;
}

static inline bool json_value(struct json *j, int depth)
{
	char close = 0;

	if (j->at == j->end || depth > 24)
		return false;
	switch (*j->at) {
	case '"':
		return json_string(j);
	case 't':
		return json_word(j, "true");
	case 'f':
		return json_word(j, "false");
	case 'n':
		return json_word(j, "null");
	case '{':
		close = '}';
		break;
	case '[':
		close = ']';
		break;
	default:
		return json_number(j);
	}
	j->at++;
	if (json_take(j, close))
		return true;
	do {
		if (close == '}' && (!json_string(j) || !json_take(j, ':')))
			return false;
		if (!json_value(j, depth + 1))
			return false;
	} while (json_take(j, ','));
	return json_take(j, close);
}

static inline bool is_json(const char *text, size_t n)
{
	struct json j = { text, text + n };

	return json_value(&j, 0) && j.at == j.end;
}

/* One value a line; their number, or -1. */
static inline long json_lines(const char *text, size_t n)
{
	const char *end;
	long nr = 0;

	for (; n; n -= (size_t)(end + 1 - text), text = end + 1, nr++) {
		end = memchr(text, '\n', n);
		if (!end || !is_json(text, (size_t)(end - text)))
			return -1;
	}
	return nr;
}

#endif
