// SPDX-License-Identifier: GPL-2.0
/*
 * skewed_clock.c - preloaded: a host whose clocks are wrong, by SKEWED_CLOCK="MS PPM SINCE"
 *
 * All clocks are PPM too fast since SINCE, in ns of CLOCK_REALTIME, which is MS ahead, too. Nobody
 * synchronises it. The cycle counter stays as it is: but its rate is measured by these clocks.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000ll

static long long ahead_ns, ppm, since_ns;

static __attribute__((constructor)) void begin(void)
{
	const char *text = getenv("SKEWED_CLOCK");

	if (text && sscanf(text, "%lld %lld %lld", &ahead_ns, &ppm, &since_ns) == 3)
		ahead_ns *= 1000000;
}

static long long to_ns(const struct timespec *t)
{
	return t->tv_sec * NS_PER_S + t->tv_nsec;
}

/* False for clocks of processes and threads */
static int is_of_host(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC ||
	       clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_BOOTTIME;
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	struct timespec now;
	long long ns;

	if (syscall(SYS_clock_gettime, clock, t))
		return -1;
	if (!since_ns || !is_of_host(clock))
		return 0;
	syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
	ns = to_ns(t) + (to_ns(&now) - since_ns) * ppm / 1000000;
	if (clock == CLOCK_REALTIME)
		ns += ahead_ns;
	t->tv_sec = ns / NS_PER_S;
	t->tv_nsec = ns % NS_PER_S;
	return 0;
}

int adjtimex(struct timex *t)
{
	if (t->modes) {
		errno = EPERM;
		return -1;
	}
	if (syscall(SYS_adjtimex, t) < 0)
		return -1;
	t->status |= STA_UNSYNC;
	return TIME_ERROR;
}
