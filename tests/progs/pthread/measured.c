// SPDX-License-Identifier: GPL-2.0
/*
 * measured.c - waits whose length the program knows, one from below and one from above
 *
 * From below: how long the mutex was kept after the kernel said that the other thread sleeps.
 * From above: how long the other thread's call took.
 */
#include <time.h>

#include "common.h"

#define TIMES 5
#define KEEP_NS 2000000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct sleeper sleeper;
static long long upper;

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void *waiter(void *arg)
{
	long long begin;

	will_sleep(&sleeper);
	begin = now();
	pthread_mutex_lock(&mutex);
	upper += now() - begin;
	pthread_mutex_unlock(&mutex);
	return arg;
}

int main(void)
{
	long long lower = 0, begin;
	int i;

	for (i = 0; i < TIMES; i++) {
		sleeper.tid = 0;
		pthread_mutex_lock(&mutex);
		pthread_create(&sleeper.thread, NULL, waiter, NULL);
		until_asleep(&sleeper);
		begin = now();
		while (now() < begin + KEEP_NS)
			;
		lower += now() - begin;
		pthread_mutex_unlock(&mutex);
		pthread_join(sleeper.thread, NULL);
	}
	printf("%d %lld %lld\n", TIMES, lower, upper);
	return 0;
}
