// SPDX-License-Identifier: GPL-2.0
/*
 * attached_cost.c - what an event costs in a program that has been running, as often as asked
 *
 *   attached_cost
 *
 * Prints "ready PID". For each line that it reads, measures an event of 16 bytes in batches, with
 * pauses in which recorders empty the rings, and prints the smallest and the median cost, in ns.
 * The line "first": prints how long the next event takes, in us: it may join a recording.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <ktrace/ktrace.h>

#define BATCHES 400
#define BATCH 500u
#define PAUSE_US 2000

KTRACE_EVENT(bench, attached, ktrace_u64(a), ktrace_u64(b));

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(void)
{
	static double cost[BATCHES];
	uint64_t begin;

	for (int i = 0; i < BATCHES; i++) {
		begin = now();
		for (uint64_t n = 0; n < BATCH; n++)
			ktrace(bench, attached, n, begin);
		cost[i] = (double)(now() - begin) / BATCH;
		usleep(PAUSE_US);
	}
	qsort(cost, BATCHES, sizeof(cost[0]), compare);
	printf("%.3f %.3f\n", cost[0], cost[BATCHES / 2]);
}

int main(void)
{
	char line[64];
	uint64_t begin;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("ready %d\n", (int)getpid());
	while (fgets(line, sizeof(line), stdin)) {
		if (strcmp(line, "first\n")) {
			measure();
			continue;
		}
		begin = now();
		ktrace(bench, attached, begin, begin);
		printf("%.3f\n", (double)(now() - begin) / 1000);
	}
	return 0;
}
