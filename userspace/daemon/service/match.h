/* SPDX-License-Identifier: GPL-2.0 */
/* match.h - names of producers, as lists and regular expressions choose them */
#ifndef KTRACED_SERVICE_MATCH_H
#define KTRACED_SERVICE_MATCH_H

#include <stdbool.h>
#include <stddef.h>

/* Whether it is one whose time and memory are bounded: short, without counts, back-references. */
bool match_is_pattern(const char *pattern);
/* Whether @pattern, an extended regular expression, matches all of @name; a bad one does not. */
bool match_regex(const char *name, const char *pattern);
bool match_names(const char *name, char *const *names, size_t name_nr, char *const *patterns,
		 size_t pattern_nr);

#endif
