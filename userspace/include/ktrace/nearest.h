/* SPDX-License-Identifier: LGPL-2.1 */
/* nearest.h - the name that a mistyped one was probably meant to be */
#ifndef KTRACE_NEAREST_H
#define KTRACE_NEAREST_H

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define KTRACE_NEAREST_MAX 64u

/**
 * struct ktrace_nearest - the search for a name
 * @wanted:	the mistyped one
 * @distance:	letters by which @name differs; what differs by as many is too far
 * @name:	the nearest so far, empty = none
 * @hint:	what ktrace_nearest_hint() says
 */
struct ktrace_nearest {
	const char *wanted;
	unsigned int distance;
	char name[KTRACE_NEAREST_MAX];
	char hint[KTRACE_NEAREST_MAX + 32];
};

/** ktrace_nearest_init - begin; @wanted stays the caller's */
void ktrace_nearest_init(struct ktrace_nearest *n, const char *wanted);

/**
 * ktrace_nearest_try - a name that there is
 *
 * Counts letters that are missing, too many, others, or in the place of their neighbour. A third
 * of the letters may differ, in a short name one. Of equally near names the first one stays.
 */
void ktrace_nearest_try(struct ktrace_nearest *n, const char *name);

/** ktrace_nearest_hint - " (did you mean 'NAME'?)", printable; "" if nothing is near. Part of @n */
const char *ktrace_nearest_hint(struct ktrace_nearest *n);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
