/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * mutex.h - the state of a mutex; which calls can be tried first
 *
 * To tell a lock that was free from one that was waited for, the lock is tried first. For mutexes
 * of the four plain types, trying does only what pthread_mutex_lock() begins with. Robust mutexes,
 * and those with priority inheritance or a ceiling, involve the kernel and its lists: they are only
 * inspected.
 *
 * The words of a mutex are part of the C library's ABI: static initialisers contain them. Other
 * threads write them meanwhile; but only the calling thread can make it true or false that the
 * mutex is its own.
 */
#ifndef KTRACE_PTHREAD_MUTEX_H
#define KTRACE_PTHREAD_MUTEX_H

#include <linux/futex.h>
#include <linux/ktrace.h>

#define KTRACE_REGISTER_LATER
#include <ktrace/channel.h>

#include "real.h"

/* Bits of __kind: the type; robust or priority inheritance; ceiling; shared between processes. */
#define KIND_TYPE 3
#define KIND_KERNEL (16 | 32)
#define KIND_CEILING 64
#define KIND_SPECIAL (KIND_KERNEL | KIND_CEILING)
#define KIND_SHARED 128

/* Bits of __lock that are not 0 while a thread has the mutex; the bits above may hold a ceiling. */
#define LOCK_TAKEN 0x7ffff

static inline int kind_of(const pthread_mutex_t *mutex)
{
	return __atomic_load_n(&mutex->__data.__kind, __ATOMIC_RELAXED);
}

static inline uint32_t own_tid(void)
{
	uint32_t tid = (uint32_t)(ktrace_thread.tid_flags >> 32) & KTRACE_TID_MASK;

	if (KTRACE_UNLIKELY(tid >= KTRACE_IDS_FIRST))
		return ktrace_channel_thread_number(tid);
	return tid ? tid : real_gettid();
}

/* How to make a call that acquires something. */
enum lock_how {
	LOCK_ALONE,	/* at once: it is free, and there is no other thread */
	LOCK_TRY,	/* first by the function that does not wait */
	LOCK_STRAIGHT,	/* at once: it will not wait */
	LOCK_WAIT,	/* at once: it may wait */
};

/** mutex_owner - return the thread that holds it, if the mutex records that; 0 = none */
static inline uint32_t mutex_owner(const void *mutex)
{
	const pthread_mutex_t *m = mutex;

	if (kind_of(m) & KIND_KERNEL)
		return (uint32_t)__atomic_load_n(&m->__data.__lock, __ATOMIC_RELAXED) &
		       FUTEX_TID_MASK;
	return (uint32_t)__atomic_load_n(&m->__data.__owner, __ATOMIC_RELAXED);
}

static inline bool is_taken(const pthread_mutex_t *mutex)
{
	const int mask = kind_of(mutex) & KIND_CEILING ? LOCK_TAKEN : FUTEX_TID_MASK;

	return __atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED) & mask;
}

/*
 * True while the process has one thread. The C library then needs no atomic operation to lock, but
 * still uses one to try to lock.
 */
static inline bool is_alone(void)
{
	extern char __libc_single_threaded __attribute__((weak));

	return &__libc_single_threaded && __libc_single_threaded;
}

static __attribute__((noinline)) enum lock_how mutex_how_special(const pthread_mutex_t *mutex)
{
	const int kind = kind_of(mutex);

	if (!(kind & KIND_SPECIAL) && (kind & KIND_TYPE) == PTHREAD_MUTEX_ERRORCHECK &&
	    mutex_owner(mutex) == own_tid())
		return LOCK_STRAIGHT;
	if (real.is_libc && !(kind & KIND_SPECIAL))
		return LOCK_TRY;
	if ((kind & KIND_TYPE) != PTHREAD_MUTEX_NORMAL && mutex_owner(mutex) == own_tid())
		return LOCK_STRAIGHT;
	return is_taken(mutex) ? LOCK_WAIT : LOCK_STRAIGHT;
}

/** mutex_how - return how to lock it */
static inline enum lock_how mutex_how(const pthread_mutex_t *mutex)
{
	const int kind = kind_of(mutex);

	if (KTRACE_UNLIKELY(!real.is_libc || (kind & KIND_SPECIAL) ||
			    (kind & KIND_TYPE) == PTHREAD_MUTEX_ERRORCHECK))
		return mutex_how_special(mutex);
	if (!(kind & KIND_SHARED) && is_alone() && !is_taken(mutex))
		return LOCK_ALONE;
	return LOCK_TRY;
}

/**
 * mutex_count - return how often the calling thread has it
 * @mutex:	a pthread_mutex_t or mtx_t
 * @result:	of the call that took it, or will release it
 * @change:	what the call has still to add
 *
 * Return: the number; 0 if the call has not succeeded.
 */
static inline uint32_t mutex_count(const void *mutex, int result, int change)
{
	const pthread_mutex_t *m = mutex;
	uint32_t count = 1;

	if (result && result != OWN_EOWNERDEAD)
		return 0;
	if ((kind_of(m) & KIND_TYPE) == PTHREAD_MUTEX_RECURSIVE)
		count = __atomic_load_n(&m->__data.__count, __ATOMIC_RELAXED);
	return count + (uint32_t)change;
}

/** mutex_will_unlock - true if unlocking will succeed */
static inline bool mutex_will_unlock(const void *mutex)
{
	const int kind = kind_of(mutex);

	if (!(kind & KIND_SPECIAL) && ((kind & KIND_TYPE) == PTHREAD_MUTEX_NORMAL ||
				       (kind & KIND_TYPE) == PTHREAD_MUTEX_ADAPTIVE_NP))
		return true;
	return mutex_owner(mutex) == own_tid();
}

/** clock_is_usual - true if a call takes a free object before it checks the clock */
static inline bool clock_is_usual(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

/** time_is_usual - the same for a time, which the call checks as well */
static inline bool time_is_usual(const struct timespec *until)
{
	return until->tv_nsec >= 0 && until->tv_nsec < 1000000000;
}

#endif
