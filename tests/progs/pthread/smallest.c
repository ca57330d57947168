// SPDX-License-Identifier: GPL-2.0
/* smallest.c - BYTES: threads with stacks of PTHREAD_STACK_MIN that use so many bytes themselves */
#include <alloca.h>
#include <limits.h>

#include "common.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static size_t used;
static int number;

static void on_once(void)
{
	number++;
}

static void *work(void *arg)
{
	char *own = alloca(used);

	memset(own, 1, used);
	for (int i = 0; i < 50; i++) {
		pthread_mutex_lock(&mutex);
		number += own[i];
		usleep(10);
		pthread_cond_signal(&cond);
		pthread_mutex_unlock(&mutex);
		pthread_once(&once, on_once);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread[8];
	pthread_attr_t attr;

	used = argc > 1 ? (size_t)atoi(argv[1]) : 1;
	pthread_attr_init(&attr);
	if (pthread_attr_setstacksize(&attr, (size_t)PTHREAD_STACK_MIN))
		return 2;
	for (int i = 0; i < 8; i++)
		if (pthread_create(&thread[i], &attr, work, NULL))
			return 2;
	for (int i = 0; i < 8; i++)
		pthread_join(thread[i], NULL);
	printf("%d\n", number);
	return 0;
}
