// SPDX-License-Identifier: LGPL-2.1
/*
 * tracer.c - the program's one tracer: how it comes to be, what it has on, and fork()
 *
 * There is none until somebody makes a chunk or sets a filter; a program that only links the
 * library pays nothing. The core (module/shark) has the rules and does the work.
 *
 * fork() takes the core's lock before and gives it back on both sides, so that the child finds
 * chunks between two events. A chunk that another thread was sending is BUSY for nobody there.
 */
#include "tracer.h"

#include <pthread.h>

#include <ktrace/shark.h>
#include <shark/store.h>
#include "session/internal.h"

#define ALL_OFF 0x1ffffu	/* 16 families, and what no filter holds back */

/* Zero once there is a session: then each event asks it. */
__u32 ktrace_shark_off = ALL_OFF;

_Thread_local struct kt_shark_pending kt_shark_pendings
	__attribute__((tls_model("initial-exec")));

static struct kt_shark the_tracer;
static struct kt_shark *published;
static __u32 ticks_per_ms;
static pthread_once_t is_made = PTHREAD_ONCE_INIT, is_measured = PTHREAD_ONCE_INIT;

/* Of the thread that forks, from before to after. */
static struct kt_shark_here fork_here;
static bool is_fork_locked;

static void before_fork(void)
{
	shark_send_before_fork();
	is_fork_locked = !kt_shark_begin(&the_tracer, &fork_here);
}

static void unlock_after_fork(void)
{
	if (is_fork_locked)
		kt_shark_done(&the_tracer, &fork_here);
}

static void after_fork_in_parent(void)
{
	unlock_after_fork();
	shark_send_after_fork(false);
}

static void after_fork_in_child(void)
{
	FTrace_flags flags;

	unlock_after_fork();
	for (int n = 0; n < KTRACE_SHARK_CHUNK_NR; n++)
		if (!kt_shark_get_flags(&the_tracer, n, &flags) && flags & FTRACE_CHUNK_FLAG_BUSY)
			kt_shark_restore(&the_tracer, n);
	shark_send_after_fork(true);
}

static void make(void)
{
	kt_shark_init(&the_tracer, clock_choose());
	pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
	/* ORD(shark_made:A) pairs ORD(shark_tracer:A): it is whole */
	kt_store_release(&published, &the_tracer);
}

struct kt_shark *shark_tracer(void)
{
	/* ORD(shark_tracer:A) pairs ORD(shark_made:A): it is whole */
	return kt_load_acquire(&published);
}

struct kt_shark *shark_make(void)
{
	pthread_once(&is_made, make);
	return &the_tracer;
}

/* What is enabled or filtered has changed: makes ktrace_shark_off say so. */
static void refresh(struct kt_shark *t)
{
	struct kt_shark_here here;
	__u32 off;

	if (kt_shark_begin(t, &here))
		return;
	off = t->is_enabled ? t->off : ALL_OFF;
	kt_store(&ktrace_shark_off, shark_is_recorded() ? 0 : off);
	kt_shark_done(t, &here);
}

static __attribute__((constructor)) void begin(void)
{
	if (shark_is_recorded())
		kt_store(&ktrace_shark_off, 0);
}

int FTrace_enable(void)
{
	struct kt_shark *t = shark_tracer();

	if (!t || kt_shark_enable(t))
		return -1;
	refresh(t);
	return 0;
}

int FTrace_disable(void)
{
	struct kt_shark *t = shark_tracer();

	if (!t || kt_shark_disable(t))
		return -1;
	refresh(t);
	return 0;
}

void FTrace_set_filter(__u8 family, int status)
{
	struct kt_shark *t = shark_make();

	if (kt_shark_set_filter(t, family, status))
		return;
	refresh(t);
	shark_record_filter(family, status);
}

__u64 FTrace_lost(enum ktrace_shark_lost reason)
{
	struct kt_shark *t = shark_tracer();
	__u64 count = 0;

	return t && !kt_shark_lost(t, reason, &count) ? count : 0;
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
