/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * level.h - levels of libktrace-pthread's events: names for sets of them
 *
 * The levels are those of the POSIX Threads Trace Toolkit, plus similar ones. Each object has two:
 * all its events, and with "-io" only those of calls. "all" means all events, "io" all events of
 * calls, "none" no event. A list of levels means the union of their events.
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
 * @globs:	its events, in the format of ktrace_control.filter_off
 */
struct ktrace_level {
	const char *name;
	const char *globs;
};

/** ktrace_level - get row @index of the table, NULL after the last one */
const struct ktrace_level *ktrace_level(__u32 index);

/**
 * ktrace_level_parse - parse a list of levels
 * @list:	names separated by commas; the names of the POSIX Threads Trace Toolkit work too:
 *		LEVEL_MUTEX_ALL, in upper or lower case
 * @levels:	out: bit n is row n of the table
 * @bad:	out, on failure: the word that is not a level
 * @size:	size of @bad in bytes
 *
 * Return: true if there is at least one word and all words are levels.
 */
bool ktrace_level_parse(const char *list, __u32 *levels, char *bad, size_t size);

/** ktrace_level_names - list the names of @levels, separated by commas; 0 or -ENAMETOOLONG */
int ktrace_level_names(__u32 levels, char *names, size_t size);

/** ktrace_level_globs - list the events of @levels, separated by commas; 0 or -ENAMETOOLONG */
int ktrace_level_globs(__u32 levels, char *globs, size_t size);

/** ktrace_level_choices - get all level names, separated by ", ", for messages */
const char *ktrace_level_choices(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
