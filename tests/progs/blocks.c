// SPDX-License-Identifier: GPL-2.0
/*
 * blocks.c - waits in a known function: main, blocks_outer, blocks_inner, system call
 *
 * usage: blocks N
 *
 * Reads N bytes from its input, one by one, in blocks_inner(), and waits there for each that is
 * not there yet. Compiled with frame pointers.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "../arch/arch.h"

/* The instruction itself: a function of the C library would have no frame. */
static __attribute__((noinline)) long blocks_inner(char *to)
{
	/* Who calls nobody would have no frame. */
	__asm__ __volatile__("" : : "r" (__builtin_frame_address(0)));
	return arch_syscall(SYS_read, STDIN_FILENO, to, 1);
}

static __attribute__((noinline)) long blocks_outer(char *to)
{
	long ret = blocks_inner(to);

	__asm__ __volatile__("" : "+r" (ret));	/* it comes back here */
	return ret;
}

int main(int argc, char **argv)
{
	int n = argc == 2 ? atoi(argv[1]) : 1;
	char byte;

	while (n-- > 0)
		if (blocks_outer(&byte) != 1)
			return 1;
	return 0;
}
