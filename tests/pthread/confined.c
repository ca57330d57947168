// SPDX-License-Identifier: GPL-2.0
/* confined.c - threads that lock, in a program that may make no call but those of its own */
#include "common.h"

#include "../progs/filter.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int number;

static void *work(void *arg)
{
	for (int i = 0; i < 100000; i++) {
		pthread_mutex_lock(&mutex);
		number++;
		pthread_mutex_unlock(&mutex);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread[4];

	(void)argv;
	if (argc == 1 && install_filter())
		return 2;
	mark();
	for (int i = 0; i < 4; i++)
		if (pthread_create(&thread[i], NULL, work, NULL))
			return 2;
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	printf("%d\n", number);
	return 0;
}
