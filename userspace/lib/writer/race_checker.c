// SPDX-License-Identifier: LGPL-2.1
/*
 * race_checker.c - memory in which helgrind and DRD look for no races
 *
 * The two take every access for ordered by the locks of the C library alone. They do not know
 * acquire and release, nor that a restartable sequence is alone on its CPU, so each ring would be
 * a race to them. Valgrind knows a request by instructions that together change nothing: nothing
 * of it is needed to build this, and elsewhere the request costs as much as a few additions.
 *
 * A file of suppressions would need the names of the functions, which an event inlined into a
 * program without debugging information does not have; and it would hide a race about the
 * values that the program records, which are the program's own memory.
 */
#include "race_checker.h"

#include <stdint.h>

/* As in <valgrind/drd.h> and <valgrind/helgrind.h>, where they are part of the binary interface */
#define DRD_THREAD_ID 0x44520000
#define DRD_IGNORE 0x44520002
#define HELGRIND_IGNORE 0x48470127

/*
 * Tools leave the requests of others alone, but for DRD, which takes helgrind's as well and warns
 * of this one. Returns @otherwise where nobody answers.
 */
static uintptr_t request(uintptr_t code, uintptr_t addr, uintptr_t size, uintptr_t otherwise)
{
	volatile uintptr_t args[6] = { code, addr, size };
	uintptr_t answer = otherwise;

#if defined(__x86_64__) && defined(__LP64__)
	__asm__ __volatile__("rolq $3, %%rdi\n\trolq $13, %%rdi\n\t"
			     "rolq $61, %%rdi\n\trolq $51, %%rdi\n\txchgq %%rbx, %%rbx"
			     : "+d" (answer) : "a" (args) : "cc", "memory");
#elif defined(__i386__)
	__asm__ __volatile__("roll $3, %%edi\n\troll $13, %%edi\n\t"
			     "roll $29, %%edi\n\troll $19, %%edi\n\txchgl %%ebx, %%ebx"
			     : "+d" (answer) : "a" (args) : "cc", "memory");
#elif defined(__aarch64__)
	__asm__ __volatile__("mov x3, %0\n\tmov x4, %1\n\t"
			     "ror x12, x12, #3\n\tror x12, x12, #13\n\t"
			     "ror x12, x12, #51\n\tror x12, x12, #61\n\torr x10, x10, x10\n\t"
			     "mov %0, x3"
			     : "+r" (answer) : "r" (args) : "cc", "memory", "x3", "x4");
#else
	(void)args;
#endif
	return answer;
}

/**
 * race_checker_ignore - have no races reported about these bytes
 * @addr:	where they begin; a mapping that is made there later is looked at again
 * @size:	how many
 *
 * Context: any.
 */
void race_checker_ignore(const void *addr, size_t size)
{
	if (request(DRD_THREAD_ID, 0, 0, 0))
		request(DRD_IGNORE, (uintptr_t)addr, size, 0);
	else
		request(HELGRIND_IGNORE, (uintptr_t)addr, size, 0);
}
