/* SPDX-License-Identifier: LGPL-2.1 */
/* real.h - the functions that ours replace */
#ifndef KTRACE_PTHREAD_REAL_H
#define KTRACE_PTHREAD_REAL_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <threads.h>

#include "arch/arch.h"

/* Only where glibc has two versions of condition variables. */
#ifdef ARCH_GLIBC_OLD
#define REAL_OLD(function) __typeof__(function) *function##_old;
#else
#define REAL_OLD(function)
#endif

/**
 * struct real - the replaced functions, and whether they are the C library's
 * @is_libc:	all are: then trying first does what the call itself would do first
 *
 * The rest has the names of pthread_calls.h, with _old for the first version of a condition
 * variable. All are NULL, or none is: then real_start() has also tried to register the events.
 */
struct real {
	bool is_libc;
#define REAL_PAIR(function)
#define REAL_AFTER(function)
#define REAL_TRY(function)
#define REAL_HAND(function)
#define REAL_LOCK(way) REAL_PAIR
#define REAL_UNLOCK(way) REAL_PAIR
#define REAL_BOTH(function) REAL_OLD(function)
#define CALL(how, type, function, ...) __typeof__(function) *function; REAL_##how(function)
#include "base/pthread_calls.h"
};

extern struct real real;

/* The range of libktrace's own code. */
extern uintptr_t real_ktrace_begin, real_ktrace_end;

void real_start(void);

/* True if a call comes from libktrace: as part of recording it must not be recorded. */
static inline bool real_is_ours(const void *caller)
{
	return (uintptr_t)caller - real_ktrace_begin < real_ktrace_end - real_ktrace_begin;
}

/* <errno.h> cannot be used with kinds.h: errno, and the errors for an object that is not free. */
static inline int *own_errno(void)
{
	extern int *__errno_location(void) __attribute__((nothrow, leaf, const));

	return __errno_location();
}

#define OWN_EAGAIN 11
#define OWN_EBUSY 16
#define OWN_EOWNERDEAD 130

uint32_t real_gettid(void);

#endif
