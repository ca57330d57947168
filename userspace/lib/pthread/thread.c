// SPDX-License-Identifier: LGPL-2.1
/*
 * thread.c - the functions whose events have fields of their own: threads, sem_open()
 *
 * A thread starts in run(), which records its start and its end: by returning, by pthread_exit() or
 * by a cancellation, all of which run the clean-up handler. That is one registered with the C
 * library, not one of the compiler's: it runs wherever an asynchronous cancellation comes, even if
 * the program has code whose stack cannot be unwound. If there is no memory for the data that run()
 * needs, the thread starts without it and is not recorded.
 *
 * The first thread ends when it calls one of the two functions that end a thread.
 *
 * Creations are numbered: the new thread may have ended, and the pthread_t be gone with its memory,
 * before pthread_create() returns. So only the new thread itself records its pthread_t.
 */
#include "real.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>

#include "kinds.h"

KTRACE_EVENT(pthread, thread_create_in, ktrace_u32(number), ktrace_ptr(routine), ktrace_ptr(arg),
	     CALLER_FIELD);
KTRACE_EVENT(pthread, thread_create_out, ktrace_u32(number), ERRORS);
KTRACE_EVENT(pthread, thrd_create_in, ktrace_u32(number), ktrace_ptr(routine), ktrace_ptr(arg),
	     CALLER_FIELD);
KTRACE_EVENT(pthread, thrd_create_out, ktrace_u32(number) RESULT_FIELD_thrd);
KTRACE_EVENT(pthread, thread_start, ktrace_x64(thread), ktrace_u32(number));
KTRACE_EVENT(pthread, thread_end, ktrace_x64(thread));
KTRACE_EVENT(pthread, thread_exit, ktrace_ptr(value));
KTRACE_EVENT(pthread, thrd_exit, ktrace_s32(value));
KTRACE_EVENT(pthread, sem_open_in, ktrace_string(name), ktrace_x32(flags), ktrace_u32(value),
	     CALLER_FIELD);
KTRACE_EVENT(pthread, sem_open_out, ktrace_ptr(sem), ERRORS);

/* A thread's work: one of the two functions, with @arg; the number of the thread. */
struct work {
	uint32_t number;
	void *(*routine)(void *arg);
	thrd_start_t thrd_routine;
	void *arg;
};

static uint32_t next_number(void)
{
	static uint32_t last;

	return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

/* True if this thread's end is already taken care of. */
static __thread bool has_end __attribute__((tls_model("initial-exec")));

static bool is_registered(const struct ktrace_event *ev)
{
	return __atomic_load_n(&ev->enabled, __ATOMIC_RELAXED) != &ev->off;
}

/*
 * Returns a copy of @work for the thread; NULL: no memory, or no session. Copies even if the events
 * are off: they may be on when the thread ends.
 */
static struct work *work_copy(const struct work *work)
{
	struct work *w = NULL;

	if (is_registered(&ktrace_event_pthread_thread_start) ||
	    is_registered(&ktrace_event_pthread_thread_end))
		w = malloc(sizeof(*w));
	if (w)
		*w = *work;
	return w;
}

static void at_end(void *self)
{
	ktrace(pthread, thread_end, (pthread_t)self);
}

static void *run(void *arg)
{
	const struct work w = *(struct work *)arg;
	const pthread_t self = pthread_self();
	void *value;

	free(arg);
	has_end = true;
	ktrace(pthread, thread_start, self, w.number);
	pthread_cleanup_push(at_end, (void *)self);
	value = w.routine(w.arg);
	pthread_cleanup_pop(1);
	return value;
}

static int run_thrd(void *arg)
{
	const struct work w = *(struct work *)arg;
	const pthread_t self = pthread_self();
	int value;

	free(arg);
	has_end = true;
	ktrace(pthread, thread_start, self, w.number);
	pthread_cleanup_push(at_end, (void *)self);
	value = w.thrd_routine(w.arg);
	pthread_cleanup_pop(1);
	return value;
}

KTRACE_API int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			      void *(*routine)(void *arg), void *arg)
{
	const struct work work = { next_number(), routine, NULL, arg };
	struct work *w;
	int result;

	if (KTRACE_UNLIKELY(!real.pthread_create))
		real_start();
	w = work_copy(&work);
	ktrace(pthread, thread_create_in, work.number, (void *)(uintptr_t)routine, arg,
	       CALLER_VALUE);
	result = w ? real.pthread_create(thread, attr, run, w)
		   : real.pthread_create(thread, attr, routine, arg);
	if (result)
		free(w);
	ktrace(pthread, thread_create_out, work.number, result);
	return result;
}

KTRACE_API int thrd_create(thrd_t *thread, thrd_start_t routine, void *arg)
{
	const struct work work = { next_number(), NULL, routine, arg };
	struct work *w;
	int result;

	if (KTRACE_UNLIKELY(!real.thrd_create))
		real_start();
	w = work_copy(&work);
	ktrace(pthread, thrd_create_in, work.number, (void *)(uintptr_t)routine, arg,
	       CALLER_VALUE);
	result = w ? real.thrd_create(thread, run_thrd, w) : real.thrd_create(thread, routine, arg);
	if (result != thrd_success)
		free(w);
	ktrace(pthread, thrd_create_out, work.number, result);
	return result;
}

/* Records the end of the first thread, or of another that did not start in run(). */
static void end_other(void)
{
	if (has_end)
		return;
	has_end = true;
	ktrace(pthread, thread_end, pthread_self());
}

KTRACE_API void pthread_exit(void *value)
{
	if (KTRACE_UNLIKELY(!real.pthread_exit))
		real_start();
	ktrace(pthread, thread_exit, value);
	end_other();
	real.pthread_exit(value);
	__builtin_unreachable();
}

KTRACE_API void thrd_exit(int value)
{
	if (KTRACE_UNLIKELY(!real.thrd_exit))
		real_start();
	ktrace(pthread, thrd_exit, value);
	end_other();
	real.thrd_exit(value);
	__builtin_unreachable();
}

KTRACE_API sem_t *sem_open(const char *name, int flags, ...)
{
	unsigned int mode = 0, value = 0;
	sem_t *sem;

	if (flags & O_CREAT) {
		va_list list;

		va_start(list, flags);
		mode = va_arg(list, unsigned int);
		value = va_arg(list, unsigned int);
		va_end(list);
	}
	if (KTRACE_UNLIKELY(!real.sem_open))
		real_start();
	ktrace(pthread, sem_open_in, name, (uint32_t)flags, value, CALLER_VALUE);
	sem = real.sem_open(name, flags, mode, value);
	ktrace(pthread, sem_open_out, sem, sem == SEM_FAILED ? *own_errno() : 0);
	return sem;
}
