// SPDX-License-Identifier: GPL-2.0
/* confined.c - threads that lock, in a program that may make no call but those of its own */
#include "common.h"

#include <linux/futex.h>

#include "../filter.h"

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

/* Whether a thread waits is up to the machine; so that one does each time, alone and recorded */
static void wait_once(void)
{
	int word = 0;

	syscall(SYS_futex, &word, FUTEX_WAIT, 1, NULL, NULL, 0);
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc == 1 && install_filter())
		return 2;
	mark();
	wait_once();
	if (in_threads(4, work))
		return 2;
	printf("%d\n", number);
	return 0;
}
