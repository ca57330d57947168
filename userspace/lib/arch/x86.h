/* SPDX-License-Identifier: LGPL-2.1 */
/* x86.h - arch.h for x86, 64 and 32 bits */
#ifndef KTRACE_ARCH_X86_H
#define KTRACE_ARCH_X86_H

#include <cpuid.h>

#define ARCH_CLOCKSOURCE "tsc"

static inline bool arch_counter_is_constant(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
}

static inline void arch_counter_waits(void)
{
	/*
	 * ORD(arch_counter_waits:A) pairs ORD(let_go:A): an object's taking is stamped after its
	 * release. An atomic operation that took it is not enough: only loads wait for it, and
	 * reading the clock is no load. rdtscp in the event instead would cost more than both.
	 */
	__asm__ volatile("lfence" ::: "memory");
}

#define arch_counter_waits arch_counter_waits

#ifdef __x86_64__
#define ARCH_X32_BIT 0x40000000
#define ARCH_CRC32C_H "arch/x86_64_crc32c.h"
#endif

#ifdef __i386__
/* A request to Valgrind: instructions that together change nothing */
static inline uintptr_t arch_checker_request(volatile uintptr_t *args, uintptr_t answer)
{
	__asm__ __volatile__("roll $3, %%edi\n\troll $13, %%edi\n\t"
			     "roll $29, %%edi\n\troll $19, %%edi\n\txchgl %%ebx, %%ebx"
			     : "+d" (answer) : "a" (args) : "cc", "memory");
	return answer;
}

#define arch_checker_request arch_checker_request
#endif

#endif
