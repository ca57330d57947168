/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * port.h - the only interface between the ring and its environment
 *
 * The ring uses only the fixed-width types of the ABI and these names:
 *
 *   kt_load kt_store		single access, never torn, never invented
 *   kt_again(p, v)		v, which *p still holds: loaded once more where it cannot be
 *				forged, because that is cheaper than keeping it
 *   kt_load_acquire kt_store_release
 *   kt_fence_load		loads before it are done before loads after it
 *   kt_fence_store		stores before it are seen before stores after it
 *   kt_cmpxchg_local		atomic against nested writers on this CPU or thread
 *   kt_inc_local		adds 1 to a word that no other code stores to meanwhile
 *   kt_count			adds to a loss counter, atomic against all CPUs and threads
 *   kt_barrier			for the compiler only
 *   kt_branch(x)		keeps the branch that set @x from becoming a conditional move
 *   kt_assign(to, struct)	stores a struct that may be mostly constant
 *   kt_likely kt_unlikely kt_noinline kt_memcpy bool NULL
 *   kt_clock(clock)		reads enum ktrace_clock; any context
 *   kt_clock_quick(clock)	the same for a ring that is quick: without a call
 *   KT_TESTPOINT(name)		a side effect has just become observable; tests run a
 *				nested writer or a reader exactly there
 *
 * For user space and tests they are in port_user.h and arch/arch.h.
 */
#ifndef KT_RING_PORT_H
#define KT_RING_PORT_H

#ifdef __KERNEL__

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/ktime.h>
#include <linux/nospec.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/ktrace.h>
#include "../arch/arch.h"

#define kt_likely(x) likely(x)
#define kt_unlikely(x) unlikely(x)
#define kt_noinline noinline
#define kt_load(p) READ_ONCE(*(p))
#define kt_store(p, v) WRITE_ONCE(*(p), v)
#define kt_again(p, v) kt_load(p)
#define kt_load_acquire(p) smp_load_acquire(p)
#define kt_store_release(p, v) smp_store_release(p, v)
#define kt_fence_load() smp_rmb()
#define kt_fence_store() smp_wmb()
#define kt_barrier() barrier()
#define kt_branch(x) OPTIMIZER_HIDE_VAR(x)
#define kt_memcpy(to, from, n) memcpy(to, from, n)
/* @i, which is below @n, also while the CPU guesses that it is */
#define kt_nospec(i, n) array_index_nospec(i, n)
#define kt_assign(to, s) (*(to) = (s))

static inline bool kt_cmpxchg_local(__u64 *p, __u64 old, __u64 new_value)
{
#ifdef try_cmpxchg64_local
	return try_cmpxchg64_local(p, &old, new_value);
#else
	return cmpxchg64_local(p, old, new_value) == old;
#endif
}

static inline void kt_inc_local(__u64 *p)
{
	kt_arch_inc_local(p);
}

static inline void kt_count(__u64 *p, __u64 n)
{
	atomic64_add(n, (atomic64_t *)p);
}

static inline __u64 kt_clock(__u32 clock)
{
	return clock == KTRACE_CLOCK_COUNTER ? kt_arch_counter() : ktime_get_mono_fast_ns();
}

/* Reads the counter: the module makes no ring quick that has another clock. */
static inline __u64 kt_clock_quick(__u32 clock)
{
	return kt_arch_counter();
}

#ifndef KT_TESTPOINT
#define KT_TESTPOINT(name) do { } while (0)
#endif

#else
#include "port_user.h"
#endif

#endif
