// SPDX-License-Identifier: GPL-2.0
/*
 * mutexes.c - very many mutexes at a time: pthread_mutexes NUMBER WAITED-FOR
 *
 * Each is initialised, taken and given back; the last ones are then waited for, each by a thread
 * of its own.
 */
#include "common.h"

static struct sleeper sleeper;

static void *waiter(void *mutex)
{
	will_sleep(&sleeper);
	pthread_mutex_lock(mutex);
	pthread_mutex_unlock(mutex);
	return NULL;
}

static void contend(pthread_mutex_t *mutex)
{
	sleeper.tid = 0;
	pthread_mutex_lock(mutex);
	pthread_create(&sleeper.thread, NULL, waiter, mutex);
	until_asleep(&sleeper);
	pthread_mutex_unlock(mutex);
	pthread_join(sleeper.thread, NULL);
}

int main(int argc, char **argv)
{
	const long nr = argc == 3 ? atol(argv[1]) : 0, waited_nr = argc == 3 ? atol(argv[2]) : 0;
	pthread_mutex_t *mutexes = calloc((size_t)nr + 1, sizeof(*mutexes));
	long i;

	if (nr < 1 || waited_nr > nr || !mutexes)
		return 2;
	for (i = 0; i < nr; i++)
		pthread_mutex_init(&mutexes[i], NULL);
	for (i = 0; i < nr; i++) {
		pthread_mutex_lock(&mutexes[i]);
		pthread_mutex_unlock(&mutexes[i]);
	}
	for (i = nr - waited_nr; i < nr; i++)
		contend(&mutexes[i]);
	free(mutexes);
	return 0;
}
