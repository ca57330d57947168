/* SPDX-License-Identifier: LGPL-2.1 */
/* arm64.h - arch.h for arm64 */
#ifndef KTRACE_ARCH_ARM64_H
#define KTRACE_ARCH_ARM64_H

#define ARCH_HAS_THREAD_POINTER 1

static inline char *arch_thread_pointer(void)
{
	return __builtin_thread_pointer();
}

#define ARCH_CLOCKSOURCE "arch_sys_counter"

/* The architecture demands one rate and one value on all CPUs. */
static inline bool arch_counter_is_constant(void)
{
	return true;
}

/* A barrier orders it, see arch_counter_waits(). */
static inline bool arch_has_ordered_counter(void)
{
	return true;
}

#define arch_has_ordered_counter arch_has_ordered_counter

static inline void arch_counter_waits(void)
{
	__u64 word;

	/*
	 * As ORD(arch_counter_waits:A). An isb alone does not wait for loads, but nothing passes it
	 * before branches are decided: so this branch depends on a load, which the lock's acquire
	 * keeps after what it read.
	 */
	__asm__ volatile("ldr %0, [sp]\n\tcbz %0, 1f\n1:\tisb" : "=r" (word) : : "memory");
}

#define arch_counter_waits arch_counter_waits

#if defined(__AARCH64EL__) && defined(__LP64__)
#define ARCH_HAS_RSEQ 1
#define ARCH_RSEQ_H "arch/arm64_rseq.h"
#define ARCH_POSIX_H "arch/arm64_posix.h"
#endif

#define ARCH_CRC32C_H "arch/arm64_crc32c.h"

/* A request to Valgrind: instructions that together change nothing */
static inline uintptr_t arch_checker_request(volatile uintptr_t *args, uintptr_t answer)
{
	__asm__ __volatile__("mov x3, %0\n\tmov x4, %1\n\t"
			     "ror x12, x12, #3\n\tror x12, x12, #13\n\t"
			     "ror x12, x12, #51\n\tror x12, x12, #61\n\torr x10, x10, x10\n\t"
			     "mov %0, x3"
			     : "+r" (answer) : "r" (args) : "cc", "memory", "x3", "x4");
	return answer;
}
#define arch_checker_request arch_checker_request

/* Relocations: words that hold a function's address */
#define ARCH_IS_ADDRESS(kind) ((kind) == R_AARCH64_JUMP_SLOT || (kind) == R_AARCH64_GLOB_DAT)

/* hint 34 is bti c. */
#define ARCH_VFORK(before, front, real) \
	__asm__(".pushsection .text, \"ax\"\n\t" \
		".globl vfork\n\t" \
		".type vfork, %function\n" \
		"vfork:\n\t" \
		".cfi_startproc\n\t" \
		"hint 34\n\t" \
		"stp x29, x30, [sp, -16]!\n\t" \
		".cfi_def_cfa_offset 16\n\t" \
		".cfi_offset 29, -16\n\t" \
		".cfi_offset 30, -8\n\t" \
		"mov x29, sp\n\t" \
		"bl " #before "\n\t" \
		"ldp x29, x30, [sp], 16\n\t" \
		".cfi_restore 30\n\t" \
		".cfi_restore 29\n\t" \
		".cfi_def_cfa_offset 0\n\t" \
		"b " #real "\n\t" \
		".cfi_endproc\n\t" \
		".size vfork, . - vfork\n\t" \
		".globl " #front "\n\t" \
		".hidden " #front "\n\t" \
		".set " #front ", vfork\n\t" \
		".popsection")

#define ARCH_CALL_AND_JUMP(function, before) \
	__asm__(".pushsection .text, \"ax\"\n\t" \
		".globl " #function "\n\t" \
		".type " #function ", %function\n" \
		#function ":\n\t" \
		".cfi_startproc\n\t" \
		"hint 34\n\t" \
		"stp x29, x30, [sp, -32]!\n\t" \
		".cfi_def_cfa_offset 32\n\t" \
		".cfi_offset 29, -32\n\t" \
		".cfi_offset 30, -24\n\t" \
		"mov x29, sp\n\t" \
		"stp x0, x1, [sp, 16]\n\t" \
		"bl " #before "\n\t" \
		"mov x16, x0\n\t" \
		"ldp x0, x1, [sp, 16]\n\t" \
		"ldp x29, x30, [sp], 32\n\t" \
		".cfi_restore 30\n\t" \
		".cfi_restore 29\n\t" \
		".cfi_def_cfa_offset 0\n\t" \
		"br x16\n\t" \
		".cfi_endproc\n\t" \
		".size " #function ", . - " #function "\n\t" \
		".popsection")

#endif
