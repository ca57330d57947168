/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * port_user.h - port.h for the library and tests
 *
 * The including program defines kt_shark_pendings. A thread that holds the lock may lose its CPU.
 * So a waiting thread yields, and after a while sleeps, because the holder may have a lower
 * priority. If a system call filter confines it, it only spins, and gives the event up in the end.
 */
#ifndef KT_SHARK_PORT_USER_H
#define KT_SHARK_PORT_USER_H

#include <sched.h>
#include <unistd.h>
#include <sys/syscall.h>

extern _Thread_local struct kt_shark_pending kt_shark_pendings
	__attribute__((tls_model("initial-exec")));

/* From libktrace: true if the program may be killed for a system call. Tests may lack it. */
bool ktrace_channel_is_confined(void);
#pragma weak ktrace_channel_is_confined

/* About 0.1 s: longer than a holder of the same priority is without its CPU */
#define KT_SHARK_CONFINED_TRIES (1u << 22)

struct kt_shark_here {
	char unused;
};

static inline void kt_shark_enter(struct kt_shark_here *h)
{
	(void)h;
}

static inline void kt_shark_leave(const struct kt_shark_here *h)
{
	(void)h;
}

static inline struct kt_shark_pending *kt_shark_pending(void)
{
	return &kt_shark_pendings;
}

static inline bool kt_shark_has_pending(const struct kt_shark_pending *me)
{
	return me->nr;
}

static inline bool kt_shark_try_lock(struct kt_shark_pending **p, struct kt_shark_pending **seen,
				     struct kt_shark_pending *me)
{
	/* ORD(kt_shark_acquire:A), ORD(kt_shark_wait:A) */
	return __atomic_compare_exchange_n(p, seen, me, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* Not a cancellation point; preserves errno, so that callers never notice. */
static inline bool kt_shark_relax(__u32 tries)
{
	const long nap[2] = { 0, 50000 };
	const bool is_confined = &ktrace_channel_is_confined && ktrace_channel_is_confined();
	const int saved = errno;

	if (tries < 100 || is_confined)
		kt_pause();
	else if (tries < 200)
		sched_yield();
	else
		syscall(SYS_nanosleep, nap, NULL);
	errno = saved;
	return !is_confined || tries < KT_SHARK_CONFINED_TRIES;
}

static inline bool kt_shark_is_panic(void)
{
	return false;
}

/* There is no line: threads that sleep while they wait have no order. */
struct kt_shark_line {
	char unused;
};

static inline bool kt_shark_line_is_empty(const struct kt_shark_line *l)
{
	(void)l;
	return true;
}

static inline void kt_shark_line_call(struct kt_shark_pending *holder)
{
	(void)holder;
}

static inline bool kt_shark_line_join(struct kt_shark_line *l, struct kt_shark_pending *me)
{
	(void)l;
	(void)me;
	return false;
}

static inline void kt_shark_line_leave(struct kt_shark_line *l, struct kt_shark_pending *me)
{
	(void)l;
	(void)me;
}

#endif
