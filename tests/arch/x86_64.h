/* SPDX-License-Identifier: GPL-2.0 */
/* x86_64.h - arch.h for x86-64 */
#ifndef KTRACE_TESTS_ARCH_X86_64_H
#define KTRACE_TESTS_ARCH_X86_64_H

#include <sys/mman.h>

#define ARCH_HAS_TICKS 1
#define ARCH_DETECTOR_H "../arch/x86_64_detector.h"
#define ARCH_MAP_LOW MAP_32BIT
#define ARCH_OLD_COND "GLIBC_2.2.5"

static inline uint64_t arch_ticks(void)
{
	return __builtin_ia32_rdtsc();
}

static inline __attribute__((always_inline)) long
arch_syscall(long nr, long a, const void *b, long c)
{
	__asm__ __volatile__("syscall" : "+a" (nr) : "D" (a), "S" (b), "d" (c) :
			     "rcx", "r11", "memory");
	return nr;
}

#define arch_syscall arch_syscall

static inline long arch_ioctl32(int fd, unsigned long request, const void *arg)
{
	const long ioctl_nr = 54;
	long ret;

	__asm__ __volatile__("int $0x80" : "=a" (ret)
			     : "a" (ioctl_nr), "b" ((long)fd), "c" ((long)request),
			       "d" ((long)(uint32_t)(uintptr_t)arg)
			     : "memory", "r8", "r9", "r10", "r11");
	return ret;
}

#define arch_ioctl32 arch_ioctl32

static inline void arch_reset_control(void)
{
	__builtin_ia32_ldmxcsr(0x1f80);
}

#define arch_reset_control arch_reset_control

#define ARCH_ADD_HERE(rseq_words, table, rounds, aborted) \
	__asm__ goto volatile( \
		".pushsection __rseq_cs, \"aw\"\n\t.balign 32\n9:\t.long 0, 0\n\t" \
		".quad 2f, 3f - 2f, 4f\n\t.popsection\n\t" \
		"leaq 9b(%%rip), %%rax\n\tmovq %%rax, 8(%[rseq])\n" \
		"2:\tmovl 4(%[rseq]), %%ecx\n\tshlq $6, %%rcx\n\taddq %[counters], %%rcx\n\t" \
		"movq (%%rcx), %%rdx\n\tincq %%rdx\n\tmovq %[spins], %%rax\n" \
		"1:\tdecq %%rax\n\tjnz 1b\n\t" \
		"movq %%rdx, (%%rcx)\n" \
		"3:\tmovq $0, 8(%[rseq])\n\tjmp 5f\n\t" \
		".byte 0x0f, 0x1f, 0x80\n\t.long 0x53053053\n" \
		"4:\tjmp %l[" #aborted "]\n5:\n\t" \
		: \
		: [rseq] "r" (rseq_words), [counters] "r" (table), [spins] "r" (rounds) \
		: "memory", "cc", "rax", "rcx", "rdx" \
		: aborted)

#endif
