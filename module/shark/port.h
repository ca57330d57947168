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
 *   kt_shark_relax(tries)	the lock is still somebody else's
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
#include <uapi/linux/ktrace_shark.h>
#else
#include <errno.h>
#include <linux/ktrace_shark.h>
#endif

/* Events that have come while this CPU (this thread) was storing one */
#define KT_SHARK_PENDING_NR 6

/**
 * struct kt_shark_pending - events that wait for what they have interrupted
 * @nr:		entries; written by who interrupts and by who was interrupted, of this CPU
 * @event:	without stamps
 */
struct kt_shark_pending {
	__u64 nr;
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
	/* Only this CPU writes it: what interrupts us. */
	return data_race(me->nr);
}

#define kt_shark_try_lock(p, seen, me) try_cmpxchg_acquire(p, seen, me)

static inline void kt_shark_relax(__u32 tries)
{
	cpu_relax();
}

#else
#include "port_user.h"
#endif

#endif
