// SPDX-License-Identifier: LGPL-2.1
/*
 * vfork.c - a vfork() after which parent and child are told apart
 *
 * The child runs in its parent's memory, thread-local storage included, but the kernel no longer
 * knows its restartable sequences: the CPU number it sees is frozen. So before the C library's own
 * function is entered, thread_before_vfork() sends the thread through the library at its next
 * event. A jump enters that function, not a call: it returns twice to our caller.
 */
#include "thread.h"

#if defined(__x86_64__) && defined(__LP64__) && defined(__GLIBC__)

__asm__(".pushsection .text, \"ax\"\n\t"
	".globl vfork\n\t"
	".type vfork, @function\n"
	"vfork:\n\t"
	".cfi_startproc\n\t"
	"endbr64\n\t"
	"subq $8, %rsp\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"call thread_before_vfork@PLT\n\t"
	"addq $8, %rsp\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"jmp __vfork@PLT\n\t"
	".cfi_endproc\n\t"
	".size vfork, . - vfork\n\t"
	".globl front_vfork\n\t"
	".hidden front_vfork\n\t"
	".set front_vfork, vfork\n\t"
	".popsection");

#endif
