// SPDX-License-Identifier: GPL-2.0
/* match.c - names of producers, as lists and regular expressions choose them */
#include "match.h"

#include <regex.h>
#include <string.h>

bool match_regex(const char *name, const char *pattern)
{
	regmatch_t all;
	regex_t regex;
	bool is_match;

	if (regcomp(&regex, pattern, REG_EXTENDED))
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
