/* SPDX-License-Identifier: LGPL-2.1 */
/* meta_line.h - the parts of a line of META text */
#ifndef KTRACE_TRACESET_META_LINE_H
#define KTRACE_TRACESET_META_LINE_H

#include <errno.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The reader ignores further pairs: writers stay below this. */
#define PAIRS_MAX 16u

/**
 * struct line - the parts of one line
 * @keyword:	first word
 * @offset:	of its section
 * @nr:		number of pairs
 * @keys:	their keys
 * @values:	their values, decoded
 */
struct line {
	const char *keyword;
	__u64 offset;
	__u32 nr;
	const char *keys[PAIRS_MAX];
	const char *values[PAIRS_MAX];
};

static inline const char *get_str(const struct line *l, const char *key)
{
	__u32 i;

	for (i = 0; i < l->nr; i++)
		if (!strcmp(l->keys[i], key))
			return l->values[i];
	return NULL;
}

static inline bool get_u64(const struct line *l, const char *key, __u64 *out)
{
	const char *s = get_str(l, key);
	char *end;

	if (!s || *s < '0' || *s > '9')
		return false;
	errno = 0;
	*out = strtoull(s, &end, 10);
	return !*end && !errno;
}

/* Returns the number, or 0 if there is none or it is larger than @max. */
static inline __u32 get_u32(const struct line *l, const char *key, __u32 max)
{
	__u64 v;

	return get_u64(l, key, &v) && v <= max ? (__u32)v : 0;
}

#endif
