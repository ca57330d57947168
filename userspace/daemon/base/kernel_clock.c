// SPDX-License-Identifier: GPL-2.0
/* kernel_clock.c - what the kernel says about the error of its clocks: adjtimex(2) */
#include "kernel_clock.h"

#include <sys/timex.h>

#include "base/clock.h"

/* Microseconds between ticks of 100 Hz, which the kernel's clock has if it is not corrected */
#define TICK_US 10000
#define PPB_PER_TICK_US (1000000000 / TICK_US)
#define TRIES 8

bool kernel_clock_take(struct kernel_clock *k, int state, const struct timex *t)
{
	if (state < 0 || t->maxerror < 0 || t->esterror < 0)
		return false;
	k->max_error_ns = (__u64)t->maxerror * 1000;
	k->est_error_ns = (__u64)t->esterror * 1000;
	/* Its unit is 2^-16 of 10^-6. */
	k->freq_ppb = (__s64)t->freq * 1000 / 65536 + (__s64)(t->tick - TICK_US) * PPB_PER_TICK_US;
	k->is_synced = state != TIME_ERROR && !(t->status & STA_UNSYNC);
	return true;
}

bool kernel_clock_read(struct kernel_clock *k)
{
	struct timex t = { .modes = 0 };
	int state = adjtimex(&t);

	return kernel_clock_take(k, state, &t);
}

__u64 kernel_clock_raw_mono_ns(__u64 mono_ns)
{
	__u64 width = ~0ull, raw_mono = 0, middle = 0;

	for (int i = 0; i < TRIES; i++) {
		const __u64 before = clock_ns(CLOCK_MONOTONIC);
		const __u64 raw = clock_ns(CLOCK_MONOTONIC_RAW);
		const __u64 after = clock_ns(CLOCK_MONOTONIC);

		if (after - before < width) {
			width = after - before;
			raw_mono = raw;
			middle = before + width / 2;
		}
	}
	return raw_mono - (middle - mono_ns);
}
