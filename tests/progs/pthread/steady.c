// SPDX-License-Identifier: GPL-2.0
/*
 * steady.c - locks and posts in a steady stream, and says how far it is
 *
 *   steady STEPS [US]	0: until SIGTERM; with a pause of US microseconds after each step
 *
 * Each step locks and unlocks a mutex, posts a semaphore and takes it back. "at N" every 20 ms,
 * "done N" at the end. A signal handler only notes what came.
 */
#include <signal.h>
#include <time.h>

#include "common.h"

#define INTERVAL_NS 20000000ull

static volatile sig_atomic_t has_to_stop;

static void on_term(int sig)
{
	(void)sig;
	has_to_stop = 1;
}

static unsigned long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long long)t.tv_sec * 1000000000 + (unsigned long long)t.tv_nsec;
}

int main(int argc, char **argv)
{
	unsigned long steps = argc > 1 ? strtoul(argv[1], NULL, 10) : 1, n = 0;
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	const unsigned int pause_us = argc > 2 ? (unsigned int)strtoul(argv[2], NULL, 10) : 0;
	unsigned long long next = now_ns();
	sem_t sem;

	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGTERM, on_term);
	sem_init(&sem, 0, 0);
	while (!has_to_stop && (!steps || n < steps)) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
		sem_post(&sem);
		sem_trywait(&sem);
		n++;
		if (pause_us)
			usleep(pause_us);
		if (now_ns() < next)
			continue;
		printf("at %lu\n", n);
		next = now_ns() + INTERVAL_NS;
	}
	printf("done %lu\n", n);
	return 4;
}
