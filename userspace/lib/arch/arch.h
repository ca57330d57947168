/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * arch.h - what differs between processors
 *
 *   ARCH_HAS_THREAD_POINTER	1 if arch_thread_pointer() returns what thread-local memory is
 *				relative to
 *   arch_self()		pthread_self(), without a call if possible
 *   ARCH_CLOCKSOURCE		the kernel's name for KTRACE_CLOCK_TSC
 *   arch_counter_is_constant()	true if the processor calls it constant
 *   arch_has_ordered_counter()	true if one instruction reads it after all earlier loads
 *   arch_counter_waits()	lets the next reading wait for all earlier loads
 *   ARCH_HAS_RSEQ		1 if there are restartable sequences: ARCH_RSEQ_H, a part of
 *				writer/cpu_ring.c, ARCH_POSIX_H, a part of posix/stream/emit.c, and
 *				what programs inline, a part of <ktrace/writer.h>
 *   ARCH_CRC32C_H		a part of tracefile/crc32c.c: arch_crc32c(); otherwise by table
 *   arch_checker_request(args, answer)  asks Valgrind; @answer if it does not run
 *   ARCH_X32_BIT		bit of system calls of x32, 0: there are none
 *   ARCH_GLIBC_OLD		defined if condition variables have an older version, its name
 *   ARCH_VFORK(before, front, real)  a vfork(), also named @front, that calls @before and jumps to
 *				@real. Together with ARCH_IS_ADDRESS(kind): true for relocations of
 *				words that hold a function's address
 *   ARCH_CALL_AND_JUMP(function, before)  a function that calls @before and jumps to what that
 *				returns; both may be missing
 *
 * The file of a processor has those that are not generic, and a macro with the name of each. This
 * is the only place that chooses one. ring/arch/ has what the ring needs. Tables of system calls
 * are for any reader of a trace, syscalls.h.
 */
#ifndef KTRACE_ARCH_H
#define KTRACE_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

#if defined(__x86_64__) && defined(__LP64__)
#include "x86_64.h"
#elif defined(__x86_64__) || defined(__i386__)
#include "x86.h"
#elif defined(__aarch64__)
#include "arm64.h"
#endif
#include "generic.h"

#endif
