// SPDX-License-Identifier: GPL-2.0
/*
 * noloss.c - events whose sizes sum up to no more than stream-min-size are all recorded
 *
 * XSH posix_trace_attr_getlogsize, of the sizes that posix_trace_attr_getmaxusereventsize() and
 * posix_trace_attr_getmaxsystemeventsize() say. Whichever CPUs they are told on.
 */
#include "suite.h"

#include <sched.h>

#define SIZES "XSH posix_trace_attr_getlogsize, DESCRIPTION"

static trace_event_id_t id;
static unsigned char bytes[SEEN_DATA];
static int cpus[64], ncpus;

static void go_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* fits - tells events until no other fits the guarantee. Return: how many */
static uint64_t fits(const trace_attr_t *attr, size_t size, unsigned int seed, bool moves)
{
	size_t used, one, len;
	uint64_t n = 0;

	need(posix_trace_attr_getmaxsystemeventsize(attr, &used));	/* START */
	for (;;) {
		len = sizeof(n) + (seed ? rand_r(&seed) % 200 : 0);
		need(posix_trace_attr_getmaxusereventsize(attr, len, &one));
		if (used + one > size)
			return n;
		used += one;
		memcpy(bytes, &n, sizeof(n));
		if (moves)
			go_to(cpus[n % ncpus]);
		posix_trace_event(id, bytes, len);
		n++;
	}
}

static void filled(int policy, size_t size, unsigned int seed, bool moves)
{
	trace_attr_t attr;
	trace_id_t t;
	struct seen e;
	uint64_t told, n = 0, wrong = 0, number;

	need(posix_trace_attr_init(&attr));
	need(posix_trace_attr_setmaxdatasize(&attr, 256));
	need(posix_trace_attr_setstreamsize(&attr, size));
	need(posix_trace_attr_setstreamfullpolicy(&attr, policy));
	need(posix_trace_create(0, &attr, &t));
	go_to(cpus[0]);
	need(posix_trace_start(t));
	told = fits(&attr, size, seed, moves);
	same(SIZES, status(t).posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN,
	     "%zu bytes, policy %d, %s sizes, %s: nothing is lost", size, policy,
	     seed ? "mixed" : "equal", moves ? "all CPUs" : "one CPU");
	while (try_next(t, &e)) {
		if (!posix_trace_eventid_equal(t, e.info.posix_event_id, id))
			continue;
		memcpy(&number, e.data, sizeof(number));
		wrong += number != n++;
	}
	same(SIZES, n, told, "all events are read");
	same(SIZES, wrong, 0, "in order");
	need(posix_trace_shutdown(t));
	need(posix_trace_attr_destroy(&attr));
}

int main(void)
{
	static const size_t sizes[] = { 4096, 10000, 65536 };
	static const int policies[] = { POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL };
	cpu_set_t set;

	id = event("fits");
	need(sched_getaffinity(0, sizeof(set), &set) ? errno : 0);
	for (int cpu = 0; cpu < CPU_SETSIZE && ncpus < 64; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[ncpus++] = cpu;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (int p = 0; p < 2; p++) {
			filled(policies[p], sizes[i], 0, false);
			filled(policies[p], sizes[i], 7 + i, false);
			filled(policies[p], sizes[i], 0, true);
			filled(policies[p], sizes[i], 17 + i, true);
		}
	}
	return done();
}
