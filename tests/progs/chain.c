// SPDX-License-Identifier: GPL-2.0
/*
 * chain.c - a known chain of calls: main, chain_outer, chain_middle, chain_inner, system call
 *
 * usage: chain N
 *
 * Calls getppid(2) N times from chain_inner(), writes a line, and waits until its input ends:
 * so there is somebody to be looked at. Compiled with frame pointers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "../arch/arch.h"

/* The instruction itself: a function of the C library would have no frame. */
static __attribute__((noinline)) long chain_inner(void)
{
	/* Who calls nobody would have no frame. */
	__asm__ __volatile__("" : : "r" (__builtin_frame_address(0)));
	return arch_syscall(SYS_getppid, 0, NULL, 0);
}

static __attribute__((noinline)) long chain_middle(void)
{
	long ret = chain_inner();

	__asm__ __volatile__("" : "+r" (ret));	/* it comes back here */
	return ret;
}

static __attribute__((noinline)) long chain_outer(void)
{
	long ret = chain_middle();

	__asm__ __volatile__("" : "+r" (ret));
	return ret;
}

int main(int argc, char **argv)
{
	int n = argc == 2 ? atoi(argv[1]) : 1;
	long sum = 0;

	while (n-- > 0)
		sum += chain_outer();
	puts(sum < 0 ? "failed" : "done");
	fflush(stdout);
	return getchar() != EOF;
}
