/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clock.h - which clock sessions use
 *
 * The cycle counter if the kernel guarantees that it is the same on all CPUs, CLOCK_MONOTONIC
 * otherwise. kt_clock() in ring/port.h reads it.
 */
#ifndef KT_CLOCK_H
#define KT_CLOCK_H

#include <linux/types.h>
#include <uapi/linux/ktrace.h>
#ifdef CONFIG_X86_TSC
#include <asm/cpufeature.h>
#include <asm/tsc.h>

static inline bool kt_clock_has_tsc(void)
{
	return boot_cpu_has(X86_FEATURE_TSC);
}

static inline bool kt_clock_tsc_is_stable(void)
{
	return kt_clock_has_tsc() && !check_tsc_unstable();
}

static inline u32 kt_clock_tsc_khz(void)
{
	return tsc_khz;
}
#else
static inline bool kt_clock_has_tsc(void)
{
	return false;
}

static inline bool kt_clock_tsc_is_stable(void)
{
	return false;
}

static inline u32 kt_clock_tsc_khz(void)
{
	return 0;
}
#endif

static inline u32 kt_clock_best(void)
{
	return kt_clock_tsc_is_stable() ? KTRACE_CLOCK_TSC : KTRACE_CLOCK_MONOTONIC;
}

#endif
