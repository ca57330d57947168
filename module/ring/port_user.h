/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* port_user.h - port.h for the library, tests and sanitizers: compiler builtins only */
#ifndef KT_RING_PORT_USER_H
#define KT_RING_PORT_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <linux/ktrace.h>

#include "arch/arch.h"

#define kt_likely(x) __builtin_expect(!!(x), 1)
#define kt_unlikely(x) __builtin_expect(!!(x), 0)
#define kt_noinline __attribute__((noinline))
#define kt_load(p) __atomic_load_n(p, __ATOMIC_RELAXED)
#define kt_store(p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define kt_again(p, v) (v)
#define kt_load_acquire(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define kt_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define kt_fence_load() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define kt_fence_store() __atomic_thread_fence(__ATOMIC_RELEASE)
#define kt_barrier() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#define kt_branch(x) __asm__ __volatile__("" : "+r"(x))
#define kt_memcpy(to, from, n) memcpy(to, from, n)
#define kt_nospec(i, n) (i)
#define kt_assign(to, s) (*(to) = (s))

static inline void kt_inc_local(__u64 *p)
{
	kt_store(p, kt_load(p) + 1);
}

static inline void kt_count(__u64 *p, __u64 n)
{
	__atomic_fetch_add(p, n, __ATOMIC_RELAXED);
}

static inline __u64 kt_clock(__u32 clock)
{
	struct timespec now;

	if (KT_HAS_COUNTER && kt_likely(clock == KTRACE_CLOCK_COUNTER))
		return kt_counter();
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (__u64)now.tv_sec * 1000000000u + (__u64)now.tv_nsec;
}

#define kt_clock_quick(clock) kt_clock(clock)

#ifndef KT_TESTPOINT
#define KT_TESTPOINT(name) do { } while (0)
#endif

#endif
