// SPDX-License-Identifier: GPL-2.0
/* locks.c - "locks THREADS TIMES": each thread takes and releases one of 64 mutexes that often */
#include "common.h"

#define MUTEX_NR 64
#define THREAD_MAX 64

static pthread_mutex_t mutex[MUTEX_NR];
static long times;

static void *run(void *arg)
{
	unsigned int x = *(unsigned int *)arg;
	long i;

	for (i = 0; i < times; i++) {
		x = x * 1103515245 + 12345;
		pthread_mutex_lock(&mutex[(x >> 16) % MUTEX_NR]);
		pthread_mutex_unlock(&mutex[(x >> 16) % MUTEX_NR]);
	}
	return arg;
}

int main(int argc, char **argv)
{
	unsigned int seeds[THREAD_MAX];
	pthread_t threads[THREAD_MAX];
	int i, nr;

	if (argc != 3 || atoi(argv[1]) > THREAD_MAX)
		return 2;
	nr = atoi(argv[1]);
	times = atol(argv[2]);
	for (i = 0; i < MUTEX_NR; i++)
		pthread_mutex_init(&mutex[i], NULL);
	for (i = 0; i < nr; i++) {
		seeds[i] = 7919 * (unsigned int)i + 1;
		pthread_create(&threads[i], NULL, run, &seeds[i]);
	}
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
