/* SPDX-License-Identifier: LGPL-2.1 */
/* x86_64.h - arch.h for x86-64 */
#ifndef KTRACE_ARCH_X86_64_H
#define KTRACE_ARCH_X86_64_H

#include "x86.h"

#define ARCH_HAS_THREAD_POINTER 1

static inline char *arch_thread_pointer(void)
{
	char *tp;

	__asm__("movq %%fs:0, %0" : "=r" (tp));
	return tp;
}

static inline __u64 arch_self(void)
{
	__u64 self;

	__asm__("movq %%fs:0, %0" : "=r" (self));
	return self;
}

#define arch_self arch_self

/* Tests for rdtscp. Processors with a constant counter have it, but a hypervisor may hide it. */
static inline bool arch_has_ordered_counter(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(0x80000001, &a, &b, &c, &d) && d & 1u << 27;
}

#define arch_has_ordered_counter arch_has_ordered_counter

#define ARCH_HAS_RSEQ 1
#define ARCH_RSEQ_H "arch/x86_64_rseq.h"
#define ARCH_POSIX_H "arch/x86_64_posix.h"

/* A request to Valgrind: instructions that together change nothing */
static inline uintptr_t arch_checker_request(volatile uintptr_t *args, uintptr_t answer)
{
	__asm__ __volatile__("rolq $3, %%rdi\n\trolq $13, %%rdi\n\t"
			     "rolq $61, %%rdi\n\trolq $51, %%rdi\n\txchgq %%rbx, %%rbx"
			     : "+d" (answer) : "a" (args) : "cc", "memory");
	return answer;
}

#define arch_checker_request arch_checker_request

/* The first version of glibc's condition variables */
#define ARCH_GLIBC_OLD "GLIBC_2.2.5"

/* Relocations: words that hold a function's address */
#define ARCH_IS_ADDRESS(kind) ((kind) == R_X86_64_JUMP_SLOT || (kind) == R_X86_64_GLOB_DAT)

#define ARCH_VFORK(before, front, real) \
	__asm__(".pushsection .text, \"ax\"\n\t" \
		".globl vfork\n\t" \
		".type vfork, @function\n" \
		"vfork:\n\t" \
		".cfi_startproc\n\t" \
		"endbr64\n\t" \
		"subq $8, %rsp\n\t" \
		".cfi_adjust_cfa_offset 8\n\t" \
		"call " #before "@PLT\n\t" \
		"addq $8, %rsp\n\t" \
		".cfi_adjust_cfa_offset -8\n\t" \
		"jmp " #real "@PLT\n\t" \
		".cfi_endproc\n\t" \
		".size vfork, . - vfork\n\t" \
		".globl " #front "\n\t" \
		".hidden " #front "\n\t" \
		".set " #front ", vfork\n\t" \
		".popsection")

#define ARCH_CALL_AND_JUMP(function, before) \
	__asm__(".pushsection .text, \"ax\"\n\t" \
		".globl " #function "\n\t" \
		".type " #function ", @function\n" \
		#function ":\n\t" \
		".cfi_startproc\n\t" \
		"endbr64\n\t" \
		"pushq %rdi\n\t" \
		".cfi_adjust_cfa_offset 8\n\t" \
		"pushq %rsi\n\t" \
		".cfi_adjust_cfa_offset 8\n\t" \
		"subq $8, %rsp\n\t" \
		".cfi_adjust_cfa_offset 8\n\t" \
		"call " #before "\n\t" \
		"addq $8, %rsp\n\t" \
		".cfi_adjust_cfa_offset -8\n\t" \
		"popq %rsi\n\t" \
		".cfi_adjust_cfa_offset -8\n\t" \
		"popq %rdi\n\t" \
		".cfi_adjust_cfa_offset -8\n\t" \
		"jmp *%rax\n\t" \
		".cfi_endproc\n\t" \
		".size " #function ", . - " #function "\n\t" \
		".popsection")

#endif
