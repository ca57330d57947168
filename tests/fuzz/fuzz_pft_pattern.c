// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_pft_pattern.c - regular expressions of configurations, and names of producers
 *
 * The input is an expression, a zero, and a name. Whatever they are, both are gone through within
 * their time. An expression in parentheses, or beside another one, matches what it matches.
 */
#include "fuzz.h"

#include <time.h>

#include "service/session/match.h"

/* Some ms, which the sanitizers and other programs make more of */
#define MS_MAX 1000

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* What takes too long is not said here, which would be slower than all the rest. */
static bool matches(const char *pattern, const char *name, bool *is_one)
{
	const long begin = now_ms();
	char why[128];
	bool is_match, is_said = true;

	*is_one = match_is_pattern(pattern, why, sizeof(why));
	REQUIRE(*is_one || *why);
	is_match = match_regex(name, pattern, &is_said);
	REQUIRE(*is_one || !is_match);
	REQUIRE(now_ms() - begin < MS_MAX);
	return is_match;
}

/* Without verbs, options, quotes and so on, whose reach would be another */
static bool is_plain(const char *pattern)
{
	return !strstr(pattern, "(?") && !strstr(pattern, "(*") && !strchr(pattern, '\\') &&
	       !strchr(pattern, '[');
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
	/* Others may meet the limit with the step or two that are more. */
	if (!is_match || !is_plain(pattern) || len > 16 || strlen(name) > 4)
		return 0;
	snprintf(more, sizeof(more), "(%s)", pattern);
	REQUIRE(matches(more, name, &is_other) && is_other);
	snprintf(more, sizeof(more), "%s|(%s)", pattern, name[0] == 'z' ? "z" : "y");
	REQUIRE(matches(more, name, &is_other) && is_other);
	return 0;
}
