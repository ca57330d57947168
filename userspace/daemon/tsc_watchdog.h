/* SPDX-License-Identifier: GPL-2.0 */
/* tsc_watchdog.h - checks whether the kernel still trusts the cycle counter as a clock */
#ifndef KTRACED_TSC_WATCHDOG_H
#define KTRACED_TSC_WATCHDOG_H

#include <stdbool.h>

struct ktrace_session;

/**
 * struct tsc_watchdog - state of the check
 * @is_at_stake: the session's clock is the cycle counter, and the kernel trusts it
 */
struct tsc_watchdog {
	bool is_at_stake;
};

void tsc_watchdog_begin(struct tsc_watchdog *t, struct ktrace_session *session);
/* Reports once that the kernel has withdrawn its trust. */
void tsc_watchdog_check(struct tsc_watchdog *t);

#endif
