// SPDX-License-Identifier: GPL-2.0
/*
 * ticks.c - the cycle counter's ticks during 10000 instructions, and those of reading it
 *
 * The least of many attempts: nothing has interrupted that one. Prints 0 where the counter
 * is not known.
 */
#include <stdio.h>

static unsigned long long count(void)
{
	unsigned long long ticks = 0;

#if defined(__x86_64__)
	unsigned long long begin = __builtin_ia32_rdtsc();

	__asm__ __volatile__(".rept 9999\n\tnop\n\t.endr" ::: "memory");
	ticks = __builtin_ia32_rdtsc() - begin;
#endif
	return ticks;
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
