// SPDX-License-Identifier: GPL-2.0
/* abba.c - two threads take two mutexes in different order, one after the other */
#include "common.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}

static void *other_way(void *arg)
{
	both(&b, &a);
	return arg;
}

int main(void)
{
	pthread_t t;

	both(&a, &b);
	pthread_create(&t, NULL, other_way, NULL);
	pthread_join(t, NULL);
	printf("%p %p\n", (void *)&a, (void *)&b);
	return 0;
}
