/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * port.h - the only interface between the S.Ha.R.K. core and its environment
 *
 * The names that the ring uses (../ring/port.h), and
 *
 *   struct kt_shark_here	what is kept from kt_shark_enter() to kt_shark_leave()
 *   kt_shark_enter(h)		from here on only code that interrupts us runs on this CPU (in
 *				this thread), and it has finished when we go on
 *   kt_shark_leave(h)
 *   kt_shark_pending()		struct kt_shark_pending of this CPU (this thread); between these two
 *   kt_shark_has_pending(me)	true if something has been left there. Called after a compiler
 *				barrier: only code that interrupts us leaves anything
 *   kt_shark_try_lock(p, seen, me)  stores me to *p if that is NULL, as *seen is; then true.
 *				Otherwise *seen becomes *p. Acquire
 *   kt_shark_relax(tries)	pauses while another holds the lock. False: do not wait any longer
 *   kt_shark_is_panic()	true if only this CPU still runs
 *   struct kt_shark_line	those who wait for the lock, in order of arrival
 *   kt_shark_line_join(l, me), kt_shark_line_leave(l, me)
 *   kt_shark_line_is_empty(l)
 *   kt_shark_line_call(p)	asks the holder of the lock to let the first one in the line pass
 *
 * The library has its own in port_user.h.
 */
#ifndef KT_SHARK_PORT_H
#define KT_SHARK_PORT_H

#include "../ring/port.h"

#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/spinlock.h>
#include <uapi/linux/ktrace_shark.h>
#else
#include <errno.h>
#include <linux/ktrace_shark.h>
#endif

/* Most events that can wait while this CPU (this thread) is storing one */
#define KT_SHARK_PENDING_NR 6

/* Bit of @nr: the first one in the line waits for this CPU. If lost, it is set again. */
#define KT_SHARK_WAITED (1ull << 63)

/**
 * struct kt_shark_pending - events that wait for the writer that they interrupted
 * @nr:		number of events; written by the interrupting and the interrupted writer, on this
 *		CPU. Also KT_SHARK_WAITED, which other CPUs set: so the fast path has only one word
 *		to check
 * @is_waiting:	this CPU is in the line for the lock
 * @event:	the events, without stamps
 */
struct kt_shark_pending {
	__u64 nr;
	bool is_waiting;
	struct kt_shark_waiting {
		__u16 code;
		__u16 par1;
		__u32 par2;
		__u32 how;
	} event[KT_SHARK_PENDING_NR];
};

#ifdef __KERNEL__

DECLARE_PER_CPU(struct kt_shark_pending, kt_shark_pendings);

struct kt_shark_here {
	unsigned long flags;
};

static __always_inline void kt_shark_enter(struct kt_shark_here *h)
{
	raw_local_irq_save(h->flags);
}

static __always_inline void kt_shark_leave(const struct kt_shark_here *h)
{
	raw_local_irq_restore(h->flags);
}

static inline struct kt_shark_pending *kt_shark_pending(void)
{
	return raw_cpu_ptr(&kt_shark_pendings);
}

/* True if anything is pending. Not READ_ONCE(), for which the compiler makes a load and a test. */
static inline bool kt_shark_has_pending(const struct kt_shark_pending *me)
{
	/* Code that interrupts us writes it; what other CPUs do with it may be seen later. */
	return data_race(me->nr);
}

/* Kernels have it since 5.12. */
#ifdef try_cmpxchg_acquire
#define kt_shark_try_lock(p, seen, me) try_cmpxchg_acquire(p, seen, me)
#else
#define kt_shark_try_lock(p, seen, me) kt_shark_was_seen(cmpxchg_acquire(p, *(seen), me), seen)
static __always_inline bool kt_shark_was_seen(struct kt_shark_pending *before,
					      struct kt_shark_pending **seen)
{
	const bool is_mine = before == *seen;

	*seen = before;
	return is_mine;
}
#endif

/*
 * Some milliseconds. The lock is held for some hundred instructions, longer only if a host has
 * taken the CPU away, and for ever if the CPU was stopped.
 */
#define KT_SHARK_TRIES (1u << 18)

static inline bool kt_shark_relax(__u32 tries)
{
	cpu_relax();
	return tries < KT_SHARK_TRIES;
}

static inline bool kt_shark_is_panic(void)
{
	return oops_in_progress;
}

/**
 * struct kt_shark_line - those who wait for the lock
 * @nr:		number of CPUs in the line
 * @lock:	held by the first one. The kernel's spinlocks are fair. Waiting for them has no
 *		bound, but each wait of a first one has
 */
struct kt_shark_line {
	atomic_t nr;
	arch_spinlock_t lock;
};

static inline bool kt_shark_line_is_empty(const struct kt_shark_line *l)
{
	return !atomic_read(&l->nr);
}

static inline void kt_shark_line_call(struct kt_shark_pending *holder)
{
	if (!(READ_ONCE(holder->nr) & KT_SHARK_WAITED))
		atomic64_or(KT_SHARK_WAITED, (atomic64_t *)&holder->nr);
}

/*
 * Joins the line. Not tracked by lockdep, because interrupts are off without its knowledge. In a
 * panic the CPUs in the line may have been stopped.
 *
 * Return: false: the caller waits outside the line.
 */
static inline bool kt_shark_line_join(struct kt_shark_line *l, struct kt_shark_pending *me)
{
	if (kt_shark_is_panic())
		return false;
	kt_store(&me->is_waiting, true);
	kt_barrier();
	atomic_inc(&l->nr);
	arch_spin_lock(&l->lock);
	return true;
}

static inline void kt_shark_line_leave(struct kt_shark_line *l, struct kt_shark_pending *me)
{
	arch_spin_unlock(&l->lock);
	atomic_dec(&l->nr);
	kt_barrier();
	kt_store(&me->is_waiting, false);
}

#else
#include "port_user.h"
#endif

#endif
