// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * glob.c - matches a text against a pattern with * ? [a-z] [!a-z] \
 *
 * It compares bytes, not characters, without a locale. Text and pattern are read only within the
 * given bounds, so neither needs a NUL at its end, and both may change during the call. Only the
 * last star is tried again, because another length for an earlier one cannot help.
 */
#include "glob.h"
#include <linux/ktrace_match.h>

#define WORK_WITHOUT_END ((__s64)(~0ull >> 1))

/*
 * Matches @c against "[" ... "]" of a pattern. Returns the place after it; NULL: it has no end, so
 * "[" is only itself, or @work is used up.
 */
static const char *match_set(const char *p, const char *end, char c, bool *is_in, __s64 *work)
{
	bool is_inverse = p < end && (*p == '!' || *p == '^'), is_found = false;
	const char *begin;

	p += is_inverse;
	for (begin = p; p < end && *work >= 0 && (*p != ']' || p == begin); p++) {
		unsigned char low = (unsigned char)*p, high = low;

		*work -= KTRACE_MATCH_WORK_SET;
		if (p + 2 < end && p[1] == '-' && p[2] != ']') {
			high = (unsigned char)p[2];
			p += 2;
		}
		is_found |= (unsigned char)c >= low && (unsigned char)c <= high;
	}
	if (p >= end || *work < 0)
		return NULL;
	*is_in = is_found != is_inverse;
	return p + 1;
}

/* Matches one character against the next piece of the pattern; moves @p past that piece. */
static bool match_one(const char **p, const char *end, char c, __s64 *work)
{
	const char *behind;
	bool is_in;

	if (**p == '?') {
		++*p;
		return true;
	}
	if (**p == '[') {
		behind = match_set(*p + 1, end, c, &is_in, work);
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
 * kt_glob_try - match a text against a pattern, with limited work
 * @s:		the text
 * @len:	its bytes
 * @pattern:	the pattern, as Documentation/filter.md describes it
 * @pattern_len: its bytes
 * @work:	work it may do, in units of KTRACE_MATCH_WORK_GLOB; reduced by what it did
 *
 * Stops when @work is below 0.
 *
 * Context: any.
 * Return: true if the text matches; without meaning if @work is below 0.
 */
bool kt_glob_try(const char *s, __u32 len, const char *pattern, __u32 pattern_len, __s64 *work)
{
	const char *s_end = s + len, *end = pattern + pattern_len, *star = NULL, *tried = NULL;
	const char *p = pattern;

	while (s < s_end && *work >= 0) {
		*work -= KTRACE_MATCH_WORK_GLOB;
		if (p < end && *p == '*') {
			if (++p == end)
				return true;
			star = p;
			tried = s;
		} else if (p < end && match_one(&p, end, *s, work)) {
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

/**
 * kt_glob_matches - true if a text matches a pattern
 * @s:		the text
 * @len:	its bytes
 * @pattern:	the pattern, as Documentation/filter.md describes it
 * @pattern_len: its bytes
 *
 * Context: any.
 */
bool kt_glob_matches(const char *s, __u32 len, const char *pattern, __u32 pattern_len)
{
	__s64 work = WORK_WITHOUT_END;

	return kt_glob_try(s, len, pattern, pattern_len, &work);
}
