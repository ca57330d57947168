// SPDX-License-Identifier: LGPL-2.1
/*
 * clone.c - a clone() that can tell a child sharing its parent's memory from the parent
 *
 * The child starts in a function of its own, so the C library's function returns to us only once.
 */
#define KTRACE_LIBRARY
#define KTRACE_REGISTER_LATER
#include "thread.h"

#if defined(__GLIBC__)

#include <sched.h>
#include <stdarg.h>

extern __typeof__(clone) __clone;

/**
 * clone - replaces the C library's function, to notice the call
 * @function:	function that the child runs
 * @stack:	the end of its stack
 * @flags:	of clone(2)
 * @arg:	for @function
 * @...:	arguments that some flags need
 *
 * Context: any.
 * Return: as the C library's.
 */
KTRACE_API int clone(int (*function)(void *arg), void *stack, int flags, void *arg, ...)
{
	void *more[3];
	va_list list;

	va_start(list, arg);
	for (int i = 0; i < 3; i++)
		more[i] = va_arg(list, void *);
	va_end(list);
	thread_before_clone(flags);
	return __clone(function, stack, flags, arg, more[0], more[1], more[2]);
}

extern __typeof__(clone) front_clone
	__attribute__((alias("clone"), visibility("hidden"), nothrow, leaf));

#endif
