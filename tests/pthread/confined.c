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

	(void)argv;
	if (argc == 1 && install_filter())
		return 2;
	mark();
	if (in_threads(4, work))
		return 2;
	printf("%d\n", number);
	return 0;
}
