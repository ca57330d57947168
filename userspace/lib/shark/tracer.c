// SPDX-License-Identifier: LGPL-2.1
/*
 * tracer.c - the program's one tracer: its creation, and fork()
 *
 * The tracer is made when the program makes a chunk or sets a filter; a program that only links the
 * library pays nothing. The core (module/shark) has the rules and does the work.
 *
 * fork() takes the core's lock before and releases it on both sides, so that the child finds
 * chunks between two events. A chunk that another thread was sending is restored in the child,
 * where nobody sends it.
 */
#include "tracer.h"

#include <pthread.h>

#include <ktrace/shark.h>
#include <shark/writer.h>
#include "session/internal.h"

_Thread_local struct kt_shark_pending kt_shark_pendings
	__attribute__((tls_model("initial-exec")));

static struct kt_shark the_tracer;
static struct kt_shark *published;
static __u32 ticks_per_ms;
static pthread_once_t is_made = PTHREAD_ONCE_INIT, is_measured = PTHREAD_ONCE_INIT;

/* State of the forking thread, from before to after fork() */
static struct kt_shark_here fork_here;
static bool is_fork_locked;

static void before_fork(void)
{
	is_fork_locked = !kt_shark_begin(&the_tracer, &fork_here);
}

static void unlock_after_fork(void)
{
	if (is_fork_locked)
		kt_shark_done(&the_tracer, &fork_here);
}

static void after_fork_in_child(void)
{
	FTrace_flags flags;

	unlock_after_fork();
	for (int n = 0; n < KTRACE_SHARK_CHUNK_NR; n++)
		if (!kt_shark_get_flags(&the_tracer, n, &flags) && flags & FTRACE_CHUNK_FLAG_BUSY)
			kt_shark_restore(&the_tracer, n);
}

static void make(void)
{
	kt_shark_init(&the_tracer, clock_choose());
	pthread_atfork(before_fork, unlock_after_fork, after_fork_in_child);
	/* ORD(shark_made:A) pairs ORD(shark_tracer:A): the tracer is complete */
	kt_store_release(&published, &the_tracer);
}

struct kt_shark *shark_tracer(void)
{
	/* ORD(shark_tracer:A) pairs ORD(shark_made:A): the tracer is complete */
	return kt_load_acquire(&published);
}

struct kt_shark *shark_make(void)
{
	pthread_once(&is_made, make);
	return &the_tracer;
}

static void measure(void)
{
	struct ktrace_reading now;
	struct clock_base base;

	clock_init(&base, shark_make()->clock, 0);
	clock_read(&base, &now);
	ticks_per_ms = (__u32)((now.hz + 500) / 1000);
}

__u32 FTrace_clk_per_msec(void)
{
	pthread_once(&is_measured, measure);
	return ticks_per_ms;
}
