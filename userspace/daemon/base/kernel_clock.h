/* SPDX-License-Identifier: GPL-2.0 */
/* kernel_clock.h - what the kernel says about the error of its clocks */
#ifndef KTRACED_BASE_KERNEL_CLOCK_H
#define KTRACED_BASE_KERNEL_CLOCK_H

#include <linux/types.h>
#include <stdbool.h>

struct timex;

/**
 * struct kernel_clock - the kernel's estimate
 * @max_error_ns: limit of the error of CLOCK_REALTIME
 * @est_error_ns: its estimate
 * @freq_ppb:	present correction of the frequency, 10^-9
 * @is_synced:	CLOCK_REALTIME is synchronised
 */
struct kernel_clock {
	__u64 max_error_ns;
	__u64 est_error_ns;
	__s64 freq_ppb;
	bool is_synced;
};

/* Takes the result @state of adjtimex(2), and what it filled in. Returns false for an error. */
bool kernel_clock_take(struct kernel_clock *k, int state, const struct timex *t);
/* Asks the kernel; changes nothing. Returns false if it does not answer. */
bool kernel_clock_read(struct kernel_clock *k);
/*
 * Returns CLOCK_MONOTONIC_RAW at the time when CLOCK_MONOTONIC was @mono_ns, a moment ago. The
 * clocks differ by less than 0.1 %.
 */
__u64 kernel_clock_raw_mono_ns(__u64 mono_ns);

#endif
