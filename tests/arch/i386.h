/* SPDX-License-Identifier: GPL-2.0 */
/* i386.h - arch.h for 32-bit programs of x86 */
#ifndef KTRACE_TESTS_ARCH_I386_H
#define KTRACE_TESTS_ARCH_I386_H

#define ARCH_HAS_TICKS 1

static inline uint64_t arch_ticks(void)
{
	return __builtin_ia32_rdtsc();
}

#endif
