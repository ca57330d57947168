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
#include "arch/arch.h"

static inline u32 kt_clock_best(void)
{
	return kt_arch_counter_is_stable() ? KTRACE_CLOCK_COUNTER : KTRACE_CLOCK_MONOTONIC;
}

#endif
