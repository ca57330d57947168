// SPDX-License-Identifier: GPL-2.0
/*
 * tsc_watchdog.c - checks whether the kernel still trusts the cycle counter as a clock
 *
 * The kernel compares the counter with other clocks while the machine runs. A session keeps the
 * clock that it began with: a reader of its trace must know if that became wrong.
 */
#include "tsc_watchdog.h"

#include <stdio.h>
#include <string.h>
#include <ktrace/session.h>

#include "base/log.h"

#define SOURCES "/sys/devices/system/clocksource/clocksource0/available_clocksource"

/*
 * True if the kernel offers the counter as a clock source: it withdraws one that it does not trust.
 * Returns @unknown if the file cannot be read.
 */
static bool is_trusted(bool unknown)
{
	char line[256], *rest = line, *word;
	bool is = false;
	FILE *f = fopen(SOURCES, "re");

	if (!f)
		return unknown;
	if (!fgets(line, sizeof(line), f))
		is = unknown;
	else
		while (!is && (word = strsep(&rest, " \n")))
			is = !strcmp(word, "tsc");
	fclose(f);
	return is;
}

void tsc_watchdog_begin(struct tsc_watchdog *t, struct ktrace_session *session)
{
	struct ktrace_session_info info;

	t->is_at_stake = !ktrace_session_info(session, &info) &&
			 info.clock == KTRACE_CLOCK_TSC && is_trusted(false);
}

void tsc_watchdog_check(struct tsc_watchdog *t)
{
	if (!t->is_at_stake || is_trusted(true))
		return;
	t->is_at_stake = false;
	log_error("the kernel no longer trusts the cycle counter: times, and the order of events "
		  "of different CPUs, may be wrong; later recordings use CLOCK_MONOTONIC, unless "
		  "the module was loaded with clock=tsc");
}
