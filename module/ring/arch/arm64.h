/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* arm64.h - arch.h for arm64 */
#ifndef KT_RING_ARCH_ARM64_H
#define KT_RING_ARCH_ARM64_H

#define KT_HAS_COUNTER 1

static inline __u64 kt_counter(void)
{
	__u64 now;

	__asm__ __volatile__("mrs %0, cntvct_el0" : "=r" (now) : : "memory");
	return now;
}

static inline void kt_pause(void)
{
	__asm__ __volatile__("yield");
}

#define kt_pause kt_pause

#endif
