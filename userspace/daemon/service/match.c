// SPDX-License-Identifier: GPL-2.0
/* match.c - names of producers, as lists and regular expressions choose them */
#include "match.h"

#include <string.h>

#include "pattern.h"

bool match_is_pattern(const char *pattern)
{
	struct pattern p;

	return pattern_compile(&p, pattern);
}

bool match_regex(const char *name, const char *pattern)
{
	struct pattern p;

	return pattern_compile(&p, pattern) && pattern_matches(&p, name);
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
