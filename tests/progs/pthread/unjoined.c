// SPDX-License-Identifier: GPL-2.0
/* unjoined.c - threads that are still there when their process ends: they run no destructor */
#include <unistd.h>

#include "common.h"

#define THREADS 3

static pthread_barrier_t barrier;

static void *wait_for_ever(void *arg)
{
	(void)arg;
	pthread_barrier_wait(&barrier);
	for (;;)
		pause();
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread, NULL, wait_for_ever, NULL);
	pthread_barrier_wait(&barrier);
	_exit(0);
}
