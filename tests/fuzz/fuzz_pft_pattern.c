// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_pft_pattern.c - regular expressions of configurations, and names of producers
 *
 * The input is an expression, a zero, and a name. Whatever they are, both are gone through within
 * their bounds. An expression in parentheses, or beside another one, matches what it matches.
 */
#include "fuzz.h"

#include "service/pattern.h"

static bool matches(const char *pattern, const char *name, bool *is_one)
{
	static struct pattern p;

	*is_one = pattern_compile(&p, pattern);
	if (!*is_one)
		return false;
	REQUIRE(p.nr <= PATTERN_STEP_MAX && p.set_nr <= PATTERN_SET_MAX);
	return pattern_matches(&p, name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char pattern[600], name[300], more[620];
	const size_t len = strnlen((const char *)data, size < 590 ? size : 590);
	const size_t left = len < size ? size - len - 1 : 0;
	bool is_one, is_match, is_other;

	memcpy(pattern, data, len);
	pattern[len] = '\0';
	snprintf(name, sizeof(name), "%.*s", (int)left, (const char *)data + (left ? len + 1 : 0));
	is_match = matches(pattern, name, &is_one);
	if (!is_one || len > PATTERN_MAX - 4)
		return 0;
	snprintf(more, sizeof(more), "(%s)", pattern);
	REQUIRE(matches(more, name, &is_other) == is_match && is_other);
	snprintf(more, sizeof(more), "%s|(%s)", pattern, name[0] == 'z' ? "z" : "y");
	REQUIRE(!is_match || (matches(more, name, &is_other) && is_other));
	return 0;
}
