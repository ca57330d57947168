// SPDX-License-Identifier: GPL-2.0
/* enabled.c - prints "on" or "off" each time the state of its event changes, for 5 s */
#include <stdio.h>
#include <unistd.h>
#include <ktrace/ktrace.h>

KTRACE_EVENT(enabled, tick, ktrace_u32(n));

int main(void)
{
	int was = -1, is;
	unsigned int n;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (n = 0; n < 500; n++) {
		is = ktrace_enabled(enabled, tick);
		if (is != was)
			puts(is ? "on" : "off");
		was = is;
		ktrace(enabled, tick, n);
		usleep(10000);
	}
	return 0;
}
