/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* generic.h - arch.h for what a processor has no file or nothing better for */
#ifndef KT_RING_ARCH_GENERIC_H
#define KT_RING_ARCH_GENERIC_H

#ifndef kt_cmpxchg_local
static inline bool kt_cmpxchg_local(__u64 *p, __u64 old, __u64 new_value)
{
	return __atomic_compare_exchange_n(p, &old, new_value, false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
#endif

#ifndef KT_HAS_COUNTER
#define KT_HAS_COUNTER 0

static inline __u64 kt_counter(void)
{
	return 0;
}
#endif

#ifndef kt_pause
static inline void kt_pause(void)
{
}
#endif

#endif
