// SPDX-License-Identifier: LGPL-2.1
/*
 * clock.c - which clock a session without the module uses, and readings of all clocks
 *
 * The cycle counter is used if processor and kernel call it constant and the kernel itself keeps
 * time with it, or, where a hypervisor offers the kernel another clock, if all CPUs are seen to
 * agree. Otherwise CLOCK_MONOTONIC is used.
 *
 * A reading is the raw clock between two readings of CLOCK_MONOTONIC; the tightest of several is
 * kept. Frequency is the slope since the first reading. It is measured again after the machine has
 * slept, because CLOCK_MONOTONIC stops then, while the counter may continue, stop, or begin again.
 */
#include "internal.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "arch/arch.h"
#include "base/clock.h"

#define TRIES 16
/* Least time between two readings that give a frequency. */
#define BASE_NS 5000000ull
/* Smaller differences between clocks are jitter; no machine sleeps for so short a time. */
#define SLEPT_NS 10000000ull

/* Takes one bracketed reading; returns the width of the bracket. */
static __u64 read_once(__u32 clock, struct ktrace_reading *r)
{
	__u64 before = clock_ns(CLOCK_MONOTONIC);
	__u64 raw = kt_clock(clock);
	__u64 real = clock_ns(CLOCK_REALTIME);
	__u64 boot = clock_ns(CLOCK_BOOTTIME);
	__u64 after = clock_ns(CLOCK_MONOTONIC);

	r->raw = raw;
	r->real_ns = real;
	r->boot_ns = boot;
	r->mono_ns = clock == KTRACE_CLOCK_MONOTONIC ? raw : before + (after - before) / 2;
	return after - before;
}

/* Keeps the tightest of several readings; returns its width. */
static __u64 read_best(__u32 clock, struct ktrace_reading *best)
{
	__u64 width = read_once(clock, best);

	for (int i = 1; i < TRIES; i++) {
		struct ktrace_reading r = { 0 };
		__u64 w = read_once(clock, &r);

		if (w < width) {
			width = w;
			*best = r;
		}
	}
	return width;
}

static __u64 slope_hz(const struct ktrace_reading *from, const struct ktrace_reading *to)
{
	unsigned __int128 ticks = to->raw - from->raw;
	__u64 ns = to->mono_ns - from->mono_ns;

	return ns ? (__u64)((ticks * NS_PER_S + ns / 2) / ns) : 0;
}

static bool is_new_base(const struct ktrace_reading *from, const struct ktrace_reading *to)
{
	__u64 slept = (to->boot_ns - to->mono_ns) - (from->boot_ns - from->mono_ns);

	return (slept > SLEPT_NS && -slept > SLEPT_NS) || to->raw < from->raw;
}

/* Waits until a first slope can be measured, if the frequency is unknown. */
void clock_init(struct clock_base *base, __u32 clock, __u64 hz)
{
	struct timespec nap = { .tv_nsec = (long)BASE_NS };

	*base = (struct clock_base) { .clock = clock, .hz = hz };
	if (clock == KTRACE_CLOCK_MONOTONIC)
		base->hz = NS_PER_S;
	read_best(clock, &base->first);
	if (!base->hz)
		nanosleep(&nap, NULL);
}

void clock_read(struct clock_base *base, struct ktrace_reading *r)
{
	read_best(base->clock, r);
	if (is_new_base(&base->first, r))
		base->first = *r;
	if (base->clock != KTRACE_CLOCK_MONOTONIC && r->mono_ns - base->first.mono_ns >= BASE_NS)
		base->hz = slope_hz(&base->first, r);
	r->hz = base->hz;
}

static bool file_has_word(const char *path, const char *word)
{
	char line[256] = "";
	FILE *f = fopen(path, "re");
	bool found = false;

	if (!f)
		return false;
	if (fgets(line, sizeof(line), f))
		for (char *rest = line, *t; !found && (t = strsep(&rest, " \n"));)
			found = !strcmp(t, word);
	fclose(f);
	return found;
}

/* Takes a reading on each CPU that this process may use. */
static bool visit(const cpu_set_t *allowed, struct ktrace_reading *seen, __u64 *width, int *nr)
{
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		cpu_set_t one;

		if (!CPU_ISSET(cpu, allowed))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (sched_setaffinity(0, sizeof(one), &one))
			return false;
		width[*nr] = read_best(KTRACE_CLOCK_TSC, &seen[*nr]);
		(*nr)++;
	}
	return true;
}

/*
 * True if the counter of each CPU is as CLOCK_MONOTONIC and the rate between the first and the last
 * reading predict. Offsets between CPUs show as more than the width of the readings explains.
 */
static bool cpus_agree(void)
{
	static const struct timespec nap = { .tv_nsec = 2000000 };
	struct ktrace_reading seen[CPU_SETSIZE], first, last;
	__u64 width[CPU_SETSIZE];
	cpu_set_t allowed;
	__u64 hz;
	bool agrees;
	int nr = 0;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return false;
	read_best(KTRACE_CLOCK_TSC, &first);
	nanosleep(&nap, NULL);
	agrees = visit(&allowed, seen, width, &nr);
	sched_setaffinity(0, sizeof(allowed), &allowed);
	nanosleep(&nap, NULL);
	read_best(KTRACE_CLOCK_TSC, &last);
	hz = slope_hz(&first, &last);
	for (int i = 0; i < nr && agrees; i++) {
		__u64 ns = seen[i].mono_ns - first.mono_ns;
		__s64 should = (__s64)((unsigned __int128)ns * hz / NS_PER_S);
		__s64 off = (__s64)(seen[i].raw - first.raw) - should;
		__s64 slack = (__s64)((unsigned __int128)(width[i] + 1000) * hz / NS_PER_S);

		agrees = off < slack && -off < slack;
	}
	return agrees && hz;
}

__u32 clock_choose(void)
{
	static const char dir[] = "/sys/devices/system/clocksource/clocksource0/";
	char path[128];

	if (!arch_counter_is_constant())
		return KTRACE_CLOCK_MONOTONIC;
	snprintf(path, sizeof(path), "%scurrent_clocksource", dir);
	if (file_has_word(path, ARCH_CLOCKSOURCE))
		return KTRACE_CLOCK_TSC;
	/* A kernel that found the counter unstable no longer offers it. */
	snprintf(path, sizeof(path), "%savailable_clocksource", dir);
	if (!file_has_word(path, ARCH_CLOCKSOURCE))
		return KTRACE_CLOCK_MONOTONIC;
	return cpus_agree() ? KTRACE_CLOCK_TSC : KTRACE_CLOCK_MONOTONIC;
}
