/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * arch.h - what port_user.h has from the processor; the kernel has its own
 *
 *   kt_cmpxchg_local		as in port.h
 *   KT_HAS_COUNTER		1 if programs can read a counter that is the same on all CPUs
 *   kt_counter()		reads it, KTRACE_CLOCK_TSC
 *   kt_pause()			called while another thread is waited for
 *
 * A file for a processor has those that are not generic, and a macro with the name of each. This is
 * the only place that chooses one. Orderings are compiler builtins everywhere.
 */
#ifndef KT_RING_ARCH_H
#define KT_RING_ARCH_H

#if defined(__x86_64__) || defined(__i386__)
#include "x86.h"
#elif defined(__aarch64__)
#include "arm64.h"
#endif
#include "generic.h"

#endif
