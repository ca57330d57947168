// SPDX-License-Identifier: LGPL-2.1
/*
 * vfork.c - a vfork() after which parent and child are told apart
 *
 * The child runs in its parent's memory, thread-local storage included, but the kernel
 * no longer knows its restartable sequences: the CPU number it sees stands still. So
 * before the C library's own function is entered, the thread is sent through the
 * library at its next event (thread_enter()). A jump, not a call: the C library's
 * function returns twice to our caller.
 */
#include <ktrace/writer.h>

#if defined(__x86_64__) && defined(__LP64__) && defined(__GLIBC__)

_Static_assert(offsetof(struct ktrace_thread, cpu) == 44 && KTRACE_CPU_ASK == 0x7ffffffe,
	       "used below");

__asm__(".pushsection .text, \"ax\"\n\t"
	".globl vfork\n\t"
	".type vfork, @function\n"
	"vfork:\n\t"
	"endbr64\n\t"
	"movq ktrace_thread@gottpoff(%rip), %rax\n\t"
	"movl $0x7ffffffe, %fs:44(%rax)\n\t"
	"jmp __vfork@PLT\n\t"
	".size vfork, . - vfork\n\t"
	".popsection");

#endif
