// SPDX-License-Identifier: GPL-2.0
/*
 * syscall_cost.c - ticks of the cycle counter that a cheap system call takes
 *
 * Prints the least of many batches: in that one, nothing has interrupted.
 */
#include <stdio.h>
#include "../../tests/arch/arch.h"

enum { BATCHES = 300, CALLS = 20 };

static unsigned long long batch(void)
{
	const unsigned long long begin = arch_ticks();
	int i;

	for (i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	return arch_ticks() - begin;
}

int main(void)
{
	unsigned long long least = ~0ull, ticks;
	int i;

	if (!ARCH_HAS_TICKS)
		return 1;
	for (i = 0; i < BATCHES; i++) {
		ticks = batch();
		if (ticks < least)
			least = ticks;
	}
	printf("%.2f\n", (double)least / CALLS);
	return 0;
}
