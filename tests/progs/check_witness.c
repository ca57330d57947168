// SPDX-License-Identifier: GPL-2.0
/*
 * check_witness.c - is the time line of a trace that of CLOCK_MONOTONIC?
 *
 *   check_witness FILE
 *
 * Events of witness.c carry the clock as it was just before they were recorded. So each
 * event's time lies between its own clock and that of the next one; the constant between
 * time line and clock is the least distance in the first quarter, in which nothing was
 * disturbed. SLACK_NS is what the straight line between two readings may be off; events
 * recorded less than AWAKE_NS after waking up may be late by so much. Times of all events
 * never decrease, nor do stamps of a ring.
 *
 * Prints "events N sleeps N". Exit status 1 if something is wrong.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <ktrace/traceset.h>

#define NS_PER_S 1000000000ll
#define SLACK_NS 10000000ll
#define AWAKE_NS 500000000ll
#define TICKS_MAX 100000

struct tick {
	uint64_t time, mono, boot;
};

static struct tick ticks[TICKS_MAX];
static unsigned long nr, wrong;

static void complain(unsigned long event, const char *what, int64_t ns)
{
	if (++wrong <= 10)
		printf("event %lu is %s by %" PRId64 " ns\n", event, what, ns);
}

static void see_tick(const struct ktrace_trace_event *e)
{
	if (nr == TICKS_MAX || e->len != sizeof(ticks[0].mono) + sizeof(ticks[0].boot)) {
		complain(nr, "too long", e->len);
		return;
	}
	ticks[nr].time = e->time;
	memcpy(&ticks[nr].mono, e->payload, e->len);
	nr++;
}

/* What to add to the clock to get the time line. */
static uint64_t offset(void)
{
	uint64_t least = UINT64_MAX;

	for (unsigned long i = 0; i < nr / 4; i++)
		if (ticks[i].time - ticks[i].mono < least)
			least = ticks[i].time - ticks[i].mono;
	return least;
}

static bool slept_before(unsigned long i)
{
	return (int64_t)((ticks[i].boot - ticks[i].mono) -
			 (ticks[i - 1].boot - ticks[i - 1].mono)) > NS_PER_S;
}

/* Returns how often the machine slept. */
static unsigned int check_ticks(void)
{
	const uint64_t off = offset();
	uint64_t woke_up = 0;
	unsigned int sleeps = 0;

	for (unsigned long i = 0; i < nr; i++) {
		int64_t slack = SLACK_NS, clock_time = (int64_t)(ticks[i].mono + off);

		if (i && slept_before(i)) {
			sleeps++;
			woke_up = ticks[i].mono;
		}
		if (sleeps && (int64_t)(ticks[i].mono - woke_up) < AWAKE_NS)
			slack = AWAKE_NS;
		if (clock_time - (int64_t)ticks[i].time > SLACK_NS)
			complain(i, "early", clock_time - (int64_t)ticks[i].time);
		clock_time = (int64_t)(i + 1 < nr ? ticks[i + 1].mono + off : ticks[i].time);
		if ((int64_t)ticks[i].time - clock_time > slack)
			complain(i, "late", (int64_t)ticks[i].time - clock_time);
	}
	return sleeps;
}

int main(int argc, char **argv)
{
	const struct ktrace_traceset_options opts = { .size = sizeof(opts) };
	struct ktrace_traceset_stats stats;
	struct ktrace_trace_event e;
	struct ktrace_traceset *set;
	uint64_t time = 0;

	if (argc != 2 || ktrace_traceset_open(&opts, &set) || ktrace_traceset_add(set, argv[1]))
		return 2;
	while (ktrace_traceset_next(set, &e) > 0) {
		if (e.time < time)
			complain(nr, "before its predecessor", (int64_t)(time - e.time));
		time = e.time;
		if (e.type && !strcmp(e.type->provider, "witness"))
			see_tick(&e);
	}
	printf("events %lu sleeps %u\n", nr, check_ticks());
	ktrace_traceset_stats(set, &stats);
	ktrace_traceset_close(set);
	return wrong || stats.backwards || !nr;
}
