// SPDX-License-Identifier: LGPL-2.1
/*
 * wrap.c - the functions that programs call instead of the C library's
 *
 * All but a few are generated here from the rows of pthread_calls.h: the event types, and functions
 * that record and pass the call on. They keep no state: a signal handler, a cancellation or an
 * exception can come at any place, and then an "in" event has no "out". errno is the C library's.
 * Cancellation points stay what they are: no function here adds one.
 *
 * Order. A call that lets other threads go on (unlock, post, signal, destroy) is recorded before it
 * is made, a call that waits is recorded when the wait is over: so a trace never shows an object
 * taken that is not free. The stamp after a wait must not be read before the wait is over:
 * is_over().
 *
 * A lock that is free costs one event, and so does its release. To learn whether it is free it is
 * tried: see mutex.h. A thread that waits has "in" and "out".
 */
#include "arch/arch.h"
#include "kinds.h"
#include "mutex.h"

typedef void (*init_routine)(void);
typedef void (*destroy_value)(void *value);

/* Event types: which of the three events a row has. */
#define EVENT_IN(stem, result, ...) \
	KTRACE_EVENT(pthread, stem##_in ALL(IN_FIELDS, __VA_ARGS__), CALLER_FIELD);
#define EVENT_OUT(stem, result, ...) \
	KTRACE_EVENT(pthread, stem##_out ALL(OUT_FIELDS, __VA_ARGS__) RESULT_FIELD_##result);
#define EVENT_ONE(stem, result, ...) \
	KTRACE_EVENT(pthread, stem ALL(ONE_FIELDS, __VA_ARGS__) RESULT_FIELD_##result);
#define EVENT_TAKE(stem, result, ...) \
	KTRACE_EVENT(pthread, stem ALL(ONE_FIELDS, __VA_ARGS__) RESULT_FIELD_##result, \
		     CALLER_FIELD);
#define EVENTS_PAIR(...) EVENT_IN(__VA_ARGS__) EVENT_OUT(__VA_ARGS__)
#define EVENTS_BOTH EVENTS_PAIR
#define EVENTS_AFTER EVENT_ONE
#define EVENTS_TRY EVENT_TAKE
#define EVENTS_TAKE(...) EVENT_TAKE(__VA_ARGS__) EVENTS_PAIR(__VA_ARGS__)
#define EVENTS_GIVE(...) EVENT_ONE(__VA_ARGS__) EVENTS_PAIR(__VA_ARGS__)
#define EVENTS_LOCK(way) EVENTS_TAKE
#define EVENTS_UNLOCK(way) EVENTS_GIVE
#define EVENTS_HAND(...)

#define CALL(how, type, function, stem, result, ...) EVENTS_##how(stem, result, __VA_ARGS__)
#include "base/pthread_calls.h"

#define RECORD_IN(stem, ...) \
	ktrace(pthread, stem##_in ALL(IN_VALUES, __VA_ARGS__), CALLER_VALUE)
#define RECORD_OUT(stem, result, ...) \
	ktrace(pthread, stem##_out ALL(OUT_VALUES, __VA_ARGS__) RESULT_VALUE_##result)
#define RECORD_ONE(stem, result, ...) \
	ktrace(pthread, stem ALL(ONE_VALUES, __VA_ARGS__) RESULT_VALUE_##result)
#define RECORD_TAKE(stem, result, ...) \
	ktrace(pthread, stem ALL(ONE_VALUES, __VA_ARGS__) RESULT_VALUE_##result, CALLER_VALUE)
#define IS_ANY_ON(stem) \
	(ktrace_enabled(pthread, stem) || ktrace_enabled(pthread, stem##_in) || \
	 ktrace_enabled(pthread, stem##_out))

#define BEGIN(function) \
	do { \
		if (KTRACE_UNLIKELY(!real.function)) \
			real_start(); \
	} while (0)

/*
 * Orders the clock of an event after its call: processors read the clock early unless told not to.
 */
static inline void is_over(void)
{
	arch_counter_waits();
}

/*
 * @change: what mutex_count() has to add; it is called before an unlock, otherwise after the call.
 */
#define WRAPPER(type, name, ...) KTRACE_API type name(LIST(PARAMETER, __VA_ARGS__))
#define CHANGE(number) enum { change = (number) }

/*
 * PAIR, and each half of BOTH: @name is the function's name here, @function its name in struct
 * real.
 */
#define WRAP_AS(type, name, function, stem, result, ...) \
WRAPPER(type, name, __VA_ARGS__) \
{ \
	CHANGE(0); \
	RESULT_VARIABLE_##result(type) \
\
	BEGIN(function); \
	RECORD_IN(stem, __VA_ARGS__); \
	RESULT_KEEP_##result real.function(LIST(ARGUMENT, __VA_ARGS__)); \
	is_over(); \
	RECORD_OUT(stem, result, __VA_ARGS__); \
	RESULT_RETURN_##result \
}
#define WRAP_PAIR(none, type, function, ...) WRAP_AS(type, function, function, __VA_ARGS__)

#ifdef ARCH_GLIBC_OLD
#define WRAP_BOTH(none, type, function, ...) \
	extern __typeof__(function) function##_2_3_2, function##_2_2_5; \
	__asm__(".symver " #function "_2_3_2, " #function "@@@GLIBC_2.3.2"); \
	__asm__(".symver " #function "_2_2_5, " #function "@" ARCH_GLIBC_OLD ", remove"); \
	WRAP_AS(type, function##_2_3_2, function, __VA_ARGS__) \
	WRAP_AS(type, function##_2_2_5, function##_old, __VA_ARGS__)
#else
#define WRAP_BOTH WRAP_PAIR
#endif

/* Calls that libktrace makes while it records are passed on unrecorded. */
#define WRAP_ONE(record, type, function, stem, result, ...) \
WRAPPER(type, function, __VA_ARGS__) \
{ \
	CHANGE(0); \
	RESULT_VARIABLE_##result(type) \
\
	BEGIN(function); \
	RESULT_KEEP_##result real.function(LIST(ARGUMENT, __VA_ARGS__)); \
	is_over(); \
	if (!real_is_ours(__builtin_return_address(0))) \
		record(stem, result, __VA_ARGS__); \
	RESULT_RETURN_##result \
}

/* How to try to take an object; a time that the call would refuse at once is left to the call. */
#define HOW_PLAIN (real.is_libc ? LOCK_TRY : LOCK_WAIT)
#define HOW_TIMED (time_is_usual(until) ? HOW_PLAIN : LOCK_WAIT)
#define HOW_CLOCK (clock_is_usual(clock) ? HOW_TIMED : LOCK_WAIT)
#define HOW_mutex_lock mutex_how(mutex)
#define TRY_mutex_lock real.pthread_mutex_trylock(mutex)
#define HOW_mutex_clock (clock_is_usual(clock) ? mutex_how(mutex) : LOCK_WAIT)
#define TRY_mutex_clock TRY_mutex_lock
#define HOW_mtx mutex_how((const pthread_mutex_t *)mutex)
#define TRY_mtx real.mtx_trylock(mutex)
/* These are cancellation points even when they need not wait. */
#define HOW_sem HOW_PLAIN
#define TRY_sem (pthread_testcancel(), real.sem_trywait(sem))
#define HOW_sem_timed HOW_TIMED
#define TRY_sem_timed TRY_sem
#define HOW_sem_clock HOW_CLOCK
#define TRY_sem_clock TRY_sem
#define HOW_read HOW_PLAIN
#define TRY_read real.pthread_rwlock_tryrdlock(rwlock)
#define HOW_read_timed HOW_TIMED
#define TRY_read_timed TRY_read
#define HOW_read_clock HOW_CLOCK
#define TRY_read_clock TRY_read
#define HOW_write HOW_PLAIN
#define TRY_write real.pthread_rwlock_trywrlock(rwlock)
#define HOW_write_timed HOW_TIMED
#define TRY_write_timed TRY_write
#define HOW_write_clock HOW_CLOCK
#define TRY_write_clock TRY_write
#define HOW_spin HOW_PLAIN
#define TRY_spin real.pthread_spin_trylock(spin)

#define IS_BUSY_err(result, saved) ((void)(saved), (result) == OWN_EBUSY)
#define IS_BUSY_thrd(result, saved) ((void)(saved), (result) == thrd_busy)
#define IS_BUSY_errno sem_is_busy

static bool sem_is_busy(int result, int saved)
{
	if (!result || *own_errno() != OWN_EAGAIN)
		return false;
	*own_errno() = saved;
	return true;
}

/* The unusual cases, kept out of the wrapper so that it is short and needs few registers. */
#define APART(type, name, ...) \
static __attribute__((noinline)) type name(LIST(PARAMETER, __VA_ARGS__))

#define WRAP_LOCK(way, type, function, stem, kind, ...) \
APART(type, function##_may_wait, __VA_ARGS__) \
{ \
	CHANGE(0); \
	type result; \
\
	RECORD_IN(stem, __VA_ARGS__); \
	result = real.function(LIST(ARGUMENT, __VA_ARGS__)); \
	is_over(); \
	RECORD_OUT(stem, kind, __VA_ARGS__); \
	return result; \
} \
WRAPPER(type, function, __VA_ARGS__) \
{ \
	CHANGE(0); \
	const int saved = *own_errno(); \
	enum lock_how how; \
	type result; \
\
	BEGIN(function); \
	if (!IS_ANY_ON(stem)) \
		return real.function(LIST(ARGUMENT, __VA_ARGS__)); \
	how = HOW_##way; \
	if (how == LOCK_WAIT) \
		return function##_may_wait(LIST(ARGUMENT, __VA_ARGS__)); \
	result = how == LOCK_TRY ? TRY_##way : real.function(LIST(ARGUMENT, __VA_ARGS__)); \
	if (how == LOCK_TRY && IS_BUSY_##kind(result, saved)) \
		return function##_may_wait(LIST(ARGUMENT, __VA_ARGS__)); \
	if (how != LOCK_ALONE) \
		is_over(); \
	RECORD_TAKE(stem, kind, __VA_ARGS__); \
	return result; \
}

#define WILL_SUCCEED_mutex mutex_will_unlock(mutex)
#define WILL_SUCCEED_any true

#define WRAP_UNLOCK(way, type, function, stem, kind, ...) \
APART(type, function##_may_fail, __VA_ARGS__) \
{ \
	CHANGE(-1); \
	type result = 0; \
\
	RECORD_IN(stem, __VA_ARGS__); \
	result = real.function(LIST(ARGUMENT, __VA_ARGS__)); \
	RECORD_OUT(stem, kind, __VA_ARGS__); \
	return result; \
} \
WRAPPER(type, function, __VA_ARGS__) \
{ \
	CHANGE(-1); \
	type result = 0; \
\
	BEGIN(function); \
	if (KTRACE_UNLIKELY(!WILL_SUCCEED_##way)) \
		return function##_may_fail(LIST(ARGUMENT, __VA_ARGS__)); \
	/* \
	 * ORD(let_go:A) pairs ORD(arch_counter_waits:A): the record, with its stamp, before the \
	 * release \
	 */ \
	RECORD_ONE(stem, kind, __VA_ARGS__); \
	result = real.function(LIST(ARGUMENT, __VA_ARGS__)); \
	if (KTRACE_UNLIKELY(result)) \
		RECORD_OUT(stem, kind, __VA_ARGS__); \
	return result; \
}

#define WRAP_HAND(...)

/* LOCK(x) and the like: the way precedes the other arguments. */
#define WAY_PAIR WRAP_PAIR, none
#define WAY_BOTH WRAP_BOTH, none
#define WAY_AFTER WRAP_ONE, RECORD_ONE
#define WAY_TRY WRAP_ONE, RECORD_TAKE
#define WAY_HAND WRAP_HAND, none
#define WAY_LOCK(way) WRAP_LOCK, way
#define WAY_UNLOCK(way) WRAP_UNLOCK, way
#define WRAP(...) WRAP_(__VA_ARGS__)
#define WRAP_(macro, ...) macro(__VA_ARGS__)

#define CALL(how, ...) WRAP(WAY_##how, __VA_ARGS__)
#include "base/pthread_calls.h"
