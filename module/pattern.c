// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * pattern.c - a text against a pattern with * ? [a-z] [!a-z] \
 *
 * It compares bytes, not characters, without a locale. Both are read within the given bounds, so
 * neither needs a NUL at its end, and both may change during the call. Only the last star is tried
 * again, because another length for an earlier one cannot help.
 */
#include "pattern.h"

/*
 * "[" ... "]" of a pattern against @c. Returns behind it, NULL: it has no end, so "[" is
 * only itself.
 */
static const char *match_set(const char *p, const char *end, char c, bool *is_in)
{
	bool is_inverse = p < end && (*p == '!' || *p == '^'), is_found = false;
	const char *begin;

	p += is_inverse;
	for (begin = p; p < end && (*p != ']' || p == begin); p++) {
		unsigned char low = (unsigned char)*p, high = low;

		if (p + 2 < end && p[1] == '-' && p[2] != ']') {
			high = (unsigned char)p[2];
			p += 2;
		}
		is_found |= (unsigned char)c >= low && (unsigned char)c <= high;
	}
	if (p >= end)
		return NULL;
	*is_in = is_found != is_inverse;
	return p + 1;
}

/* One character against what stands in the pattern; moves @p behind it. */
static bool match_one(const char **p, const char *end, char c)
{
	const char *behind;
	bool is_in;

	if (**p == '?') {
		++*p;
		return true;
	}
	if (**p == '[') {
		behind = match_set(*p + 1, end, c, &is_in);
		if (behind) {
			*p = behind;
			return is_in;
		}
	}
	if (**p == '\\' && *p + 1 < end)
		++*p;
	return *(*p)++ == c;
}

/**
 * kt_pattern_matches - does a text look like a pattern?
 * @s:		the text
 * @len:	its bytes
 * @pattern:	the pattern, as Documentation/filter.md has it
 * @pattern_len: its bytes
 *
 * Context: any.
 */
bool kt_pattern_matches(const char *s, __u32 len, const char *pattern, __u32 pattern_len)
{
	const char *s_end = s + len, *end = pattern + pattern_len, *star = NULL, *tried = NULL;
	const char *p = pattern;

	while (s < s_end) {
		if (p < end && *p == '*') {
			star = ++p;
			tried = s;
		} else if (p < end && match_one(&p, end, *s)) {
			s++;
		} else if (star) {
			p = star;
			s = ++tried;
		} else {
			return false;
		}
	}
	while (p < end && *p == '*')
		p++;
	return p == end;
}
