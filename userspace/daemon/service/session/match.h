/* SPDX-License-Identifier: GPL-2.0 */
/* match.h - names of producers, as lists and regular expressions choose them */
#ifndef KTRACED_SERVICE_SESSION_MATCH_H
#define KTRACED_SERVICE_SESSION_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#define MATCH_PATTERN_MAX 512		/* bytes */

/* Whether it is a regular expression that is taken; otherwise @why, of @size bytes, says why. */
bool match_is_pattern(const char *pattern, char *why, size_t size);
/*
 * Whether @pattern matches all of @name. One that is none, or takes too long or too much memory,
 * does not; that is logged unless @is_said, which is true then.
 */
bool match_regex(const char *name, const char *pattern, bool *is_said);
bool match_names(const char *name, char *const *names, size_t name_nr);

#endif
