/* SPDX-License-Identifier: LGPL-2.1 */
/* nearest.h - find the name that a mistyped name was probably meant to be */
#ifndef KTRACE_NEAREST_H
#define KTRACE_NEAREST_H

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define KTRACE_NEAREST_MAX 64u

/**
 * struct ktrace_nearest - the search for a similar name
 * @wanted:	the mistyped name
 * @distance:	number of letters by which @name differs; other names must be nearer
 * @name:	the nearest name so far, empty = none
 * @hint:	the result of ktrace_nearest_hint()
 */
struct ktrace_nearest {
	const char *wanted;
	unsigned int distance;
	char name[KTRACE_NEAREST_MAX];
	char hint[KTRACE_NEAREST_MAX + 32];
};

/** ktrace_nearest_init - start a search; @wanted stays the caller's */
void ktrace_nearest_init(struct ktrace_nearest *n, const char *wanted);

/**
 * ktrace_nearest_try - compare with an existing name
 *
 * Counts missing, extra and different letters, and swapped neighbours. At most a third of the
 * letters may differ, in a short name one. The first of several equally near names wins.
 */
void ktrace_nearest_try(struct ktrace_nearest *n, const char *name);

/** ktrace_nearest_hint - " (did you mean 'NAME'?)", printable; "" if none is near. Part of @n */
const char *ktrace_nearest_hint(struct ktrace_nearest *n);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
