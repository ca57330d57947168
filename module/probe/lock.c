// SPDX-License-Identifier: GPL-2.0
/* lock.c - family "lock": waits for contended locks of the kernel */
#include "probe.h"
#include <trace/events/lock.h>
#include "emit.h"

/* The kernel has such tracepoints since 5.19. */
#ifdef LCB_F_SPIN
static_assert(KTRACE_LOCK_SPIN == LCB_F_SPIN && KTRACE_LOCK_READ == LCB_F_READ &&
	      KTRACE_LOCK_WRITE == LCB_F_WRITE && KTRACE_LOCK_RT == LCB_F_RT &&
	      KTRACE_LOCK_PERCPU == LCB_F_PERCPU && KTRACE_LOCK_MUTEX == LCB_F_MUTEX);
static_assert(sizeof(struct ktrace_ev_lock_contended) <= KT_HIDE_MAX);
static_assert(offsetof(struct ktrace_ev_lock_contended, lock) ==
	      offsetof(struct ktrace_ev_lock_acquired, lock));

/* Hides the lock's address: kernel addresses are for privileged users only. */
static void hide_lock(void *payload, bool who, bool other)
{
	((struct ktrace_ev_lock_contended *)payload)->lock = 0;
}

static void on_lock_begin(void *data, void *lock, unsigned int flags)
{
	const struct ktrace_ev_lock_contended payload = {
		.lock = (unsigned long)lock,
		.flags = flags,
	};

	kt_emit_current(KTRACE_EV_LOCK_CONTENDED, &payload, sizeof(payload), hide_lock);
}

static void on_lock_end(void *data, void *lock, int result)
{
	const struct ktrace_ev_lock_acquired payload = {
		.lock = (unsigned long)lock,
		.result = result,
	};

	kt_emit_current(KTRACE_EV_LOCK_ACQUIRED, &payload, sizeof(payload), hide_lock);
}

struct kt_probe kt_probe_lock[] = {
	{ KT_TRACEPOINT(KTRACE_EV_LOCK_CONTENDED, contention_begin, on_lock_begin) },
	{ KT_TRACEPOINT(KTRACE_EV_LOCK_ACQUIRED, contention_end, on_lock_end) },
	{ }
};
#else
struct kt_probe kt_probe_lock[] = {
	{ KT_TRACEPOINT_ABSENT(KTRACE_EV_LOCK_CONTENDED, contention_begin) },
	{ KT_TRACEPOINT_ABSENT(KTRACE_EV_LOCK_ACQUIRED, contention_end) },
	{ }
};
#endif
