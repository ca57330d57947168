/* SPDX-License-Identifier: GPL-2.0 */
/* match.h - selects producers by name, from lists and regular expressions */
#ifndef KTRACED_SERVICE_SESSION_MATCH_H
#define KTRACED_SERVICE_SESSION_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#define MATCH_PATTERN_MAX 512		/* bytes */

/* True if the regular expression is accepted; otherwise @why, of @size bytes, says why not. */
bool match_is_pattern(const char *pattern, char *why, size_t size);
/*
 * True if @pattern matches all of @name. False for an invalid pattern, or one that takes too much
 * time or memory, which is logged unless @is_said; sets @is_said then.
 */
bool match_regex(const char *name, const char *pattern, bool *is_said);
bool match_names(const char *name, char *const *names, size_t name_nr);

#endif
