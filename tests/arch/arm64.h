/* SPDX-License-Identifier: GPL-2.0 */
/* arm64.h - arch.h for arm64 */
#ifndef KTRACE_TESTS_ARCH_ARM64_H
#define KTRACE_TESTS_ARCH_ARM64_H

#define ARCH_HAS_TICKS 1
#define ARCH_STACK_MORE 64	/* each frame has a frame pointer, and is a multiple of 16 */
#define ARCH_DETECTOR_H "../arch/arm64_detector.h"

static inline uint64_t arch_ticks(void)
{
	uint64_t now;

	__asm__ __volatile__("mrs %0, cntvct_el0" : "=r" (now) : : "memory");
	return now;
}

static inline __attribute__((always_inline)) long
arch_syscall(long nr, long a, const void *b, long c)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register const void *x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;

	__asm__ __volatile__("svc 0" : "+r" (x0) : "r" (x8), "r" (x1), "r" (x2) : "memory");
	return x0;
}

#define arch_syscall arch_syscall

static inline void arch_reset_control(void)
{
	__asm__ __volatile__("msr fpcr, xzr");
}

#define arch_reset_control arch_reset_control

#define ARCH_ADD_HERE(rseq_words, table, rounds, aborted) \
	__asm__ goto volatile( \
		".pushsection __rseq_cs, \"aw\"\n\t.balign 32\n9:\t.long 0, 0\n\t" \
		".quad 2f, 3f - 2f, 4f\n\t.popsection\n\t" \
		"adrp x9, 9b\n\tadd x9, x9, :lo12:9b\n\tstr x9, [%[rseq], 8]\n" \
		"2:\tldr w10, [%[rseq], 4]\n\tadd x10, %[counters], x10, lsl 6\n\t" \
		"ldr x11, [x10]\n\tadd x11, x11, 1\n\tmov x9, %[spins]\n" \
		"1:\tsubs x9, x9, 1\n\tb.ne 1b\n\t" \
		"str x11, [x10]\n" \
		"3:\tstr xzr, [%[rseq], 8]\n\tb 5f\n\t" \
		".inst 0xd428bc00\n" \
		"4:\tb %l[" #aborted "]\n5:\n\t" \
		: \
		: [rseq] "r" (rseq_words), [counters] "r" (table), [spins] "r" (rounds) \
		: "memory", "cc", "x9", "x10", "x11" \
		: aborted)

#endif
