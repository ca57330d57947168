/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * level.h - levels of libktrace-pthread's events: names for sets of them
 *
 * The levels are those of the POSIX Threads Trace Toolkit, and more of the same kind. Each
 * object has two: all its events, and with "-io" those of calls alone. "all" is each event,
 * "io" each of a call, "none" none. A list of levels means what any of them means.
 */
#ifndef KTRACE_LEVEL_H
#define KTRACE_LEVEL_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/**
 * struct ktrace_level - one level
 * @name:	as users write it: "all", "mutex", "mutex-io"
 * @globs:	its events, as ktrace_control.filter_off has them
 */
struct ktrace_level {
	const char *name;
	const char *globs;
};

/** ktrace_level - row @index of the table, NULL behind the last one */
const struct ktrace_level *ktrace_level(__u32 index);

/**
 * ktrace_level_parse - what a list of levels means
 * @list:	names separated by commas; also as the POSIX Threads Trace Toolkit has them,
 *		LEVEL_MUTEX_ALL, in capitals or not
 * @levels:	out: bit n is row n of the table
 * @bad:	out, when it fails: the word that is no level
 * @size:	bytes of @bad
 *
 * Return: whether all words are levels, and there is one.
 */
bool ktrace_level_parse(const char *list, __u32 *levels, char *bad, size_t size);

/** ktrace_level_names - the names of @levels, separated by commas; 0 or -ENAMETOOLONG */
int ktrace_level_names(__u32 levels, char *names, size_t size);

/** ktrace_level_globs - the events of @levels, separated by commas; 0 or -ENAMETOOLONG */
int ktrace_level_globs(__u32 levels, char *globs, size_t size);

/** ktrace_level_choices - all names, separated by ", ", for messages */
const char *ktrace_level_choices(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
