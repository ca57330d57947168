// SPDX-License-Identifier: GPL-2.0
/*
 * ticks.c - the cycle counter's ticks during 10000 instructions, and those of reading it
 *
 * The least of many attempts: nothing has interrupted that one. Prints 0 where the counter
 * is not known.
 */
#include <stdio.h>
#include "../arch/arch.h"

static unsigned long long count(void)
{
	const unsigned long long begin = arch_ticks();

	__asm__ __volatile__(".rept 9999\n\t" ARCH_NOP "\n\t.endr" ::: "memory");
	return ARCH_HAS_TICKS ? arch_ticks() - begin : 0;
}

int main(void)
{
	unsigned long long least = ~0ull, ticks;
	int i;

	for (i = 0; i < 100; i++) {
		ticks = count();
		if (ticks < least)
			least = ticks;
	}
	printf("%llu\n", least);
	return 0;
}
