// SPDX-License-Identifier: GPL-2.0
/* match.c - names of producers, as lists and regular expressions choose them */
#include "match.h"

#include <regex.h>
#include <string.h>

#define PATTERN_MAX 512

/*
 * The C library compiles recursively, unrolls counts, and tries all ways of a back-reference: the
 * stack, the memory and the time that a long or a nested pattern takes have no bound.
 */
static bool is_bounded(const char *pattern)
{
	if (strlen(pattern) > PATTERN_MAX)
		return false;
	for (const char *p = pattern; *p; p++) {
		if (*p == '{')
			return false;
		if (*p == '\\' && (!*++p || (*p >= '1' && *p <= '9')))
			return false;
	}
	return true;
}

bool match_is_pattern(const char *pattern)
{
	regex_t regex;

	if (!is_bounded(pattern) || regcomp(&regex, pattern, REG_EXTENDED))
		return false;
	regfree(&regex);
	return true;
}

bool match_regex(const char *name, const char *pattern)
{
	regmatch_t all;
	regex_t regex;
	bool is_match;

	if (!is_bounded(pattern) || regcomp(&regex, pattern, REG_EXTENDED))
		return false;
	/* The longest of the leftmost matches: the whole name, if any is. */
	is_match = !regexec(&regex, name, 1, &all, 0) && !all.rm_so && !name[all.rm_eo];
	regfree(&regex);
	return is_match;
}

bool match_names(const char *name, char *const *names, size_t name_nr, char *const *patterns,
		 size_t pattern_nr)
{
	for (size_t i = 0; i < name_nr; i++)
		if (!strcmp(name, names[i]))
			return true;
	for (size_t i = 0; i < pattern_nr; i++)
		if (match_regex(name, patterns[i]))
			return true;
	return false;
}
