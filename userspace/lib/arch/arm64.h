/* SPDX-License-Identifier: LGPL-2.1 */
/* arm64.h - arch.h for arm64 */
#ifndef KTRACE_ARCH_ARM64_H
#define KTRACE_ARCH_ARM64_H

#define ARCH_HAS_THREAD_POINTER 1

static inline char *arch_thread_pointer(void)
{
	return __builtin_thread_pointer();
}

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

#endif
