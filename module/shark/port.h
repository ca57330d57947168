/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * port.h - the one door between the S.Ha.R.K. core and its surroundings
 *
 * What the ring has (../ring/port.h), and
 *
 *   struct kt_shark_here	what is kept from kt_shark_enter() to kt_shark_leave()
 *   kt_shark_enter(h)		from here on nothing runs on this CPU (in this thread) but what
 *				interrupts it, and is done when it returns
 *   kt_shark_leave(h)
 *   kt_shark_pending()		struct kt_shark_pending of this CPU (this thread); between these two
 *   kt_shark_has_pending(me)	has anybody left something there? Behind a barrier of the
 *				compiler: only who interrupts us has
 *   kt_shark_try_lock(p, seen, me)  stores me to *p if that is NULL, as *seen is; then true.
 *				Otherwise *seen becomes what it is. Acquire
 *   kt_shark_relax(tries)	the lock is still somebody else's. False: do not wait any longer
 *   kt_shark_is_panic()	nobody goes on any more but this CPU
 *   struct kt_shark_line	those who wait for the lock, in the order in which they came
 *   kt_shark_line_join(l, me), kt_shark_line_leave(l, me)
 *   kt_shark_line_is_empty(l)
 *   kt_shark_line_call(p)	have the holder of the lock let the first one in the line pass
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

/* Events that have come while this CPU (this thread) was storing one */
#define KT_SHARK_PENDING_NR 6

/* In @nr: the first one in the line waits for this CPU. It may be lost, and is set again then. */
#define KT_SHARK_WAITED (1ull << 63)

/**
 * struct kt_shark_pending - events that wait for what they have interrupted
 * @nr:		entries; written by who interrupts and by who was interrupted, of this CPU. And
 *		KT_SHARK_WAITED, which other CPUs set: so the quick way has one word to look at
 * @is_waiting:	this CPU is in the line for the lock
 * @event:	without stamps
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

/* Not READ_ONCE(), of which the compiler makes a load and a test. */
static inline bool kt_shark_has_pending(const struct kt_shark_pending *me)
{
	/* What interrupts us writes it; what other CPUs do with it may be seen later. */
	return data_race(me->nr);
}

#define kt_shark_try_lock(p, seen, me) try_cmpxchg_acquire(p, seen, me)

/*
 * Some milliseconds. The lock is held for some hundred instructions, longer only where a host has
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
 * @nr:		how many
 * @lock:	of the first one. The kernel's spinlocks are fair. They have no bound, but each wait
 *		of a first one has
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
 * Not tracked by lockdep, as interrupts are off behind its back. In a panic those in the line may
 * have been stopped.
 *
 * Return: false: this one waits beside the line.
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
