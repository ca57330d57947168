// SPDX-License-Identifier: MIT
/*
 * cache.c - a cache whose users wait for each other, for Documentation/tutorial.md
 *
 *   cache          reads from its slow store while it holds the lock of all entries
 *   cache patient  lets go of the lock meanwhile
 *
 * Readers take `entries`, then `counts`; the thread that prints takes them the other way
 * round, so that one day all of them wait for ever. It knows nothing of ktrace.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define READER_NR 4
#define LOOKUP_NR 200
#define MISS_EVERY 10

static pthread_mutex_t entries = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t counts = PTHREAD_MUTEX_INITIALIZER;
static unsigned int hits, misses;
static int is_patient;

static void read_store(void)
{
	usleep(2000);
}

static void count(unsigned int *what)
{
	pthread_mutex_lock(&counts);
	(*what)++;
	pthread_mutex_unlock(&counts);
}

static void miss(void)
{
	if (is_patient)
		pthread_mutex_unlock(&entries);
	read_store();
	if (is_patient)
		pthread_mutex_lock(&entries);
	count(&misses);
}

static void look_up(int key)
{
	pthread_mutex_lock(&entries);
	if (key % MISS_EVERY)
		count(&hits);
	else
		miss();
	pthread_mutex_unlock(&entries);
}

static void *reader(void *arg)
{
	int key;

	(void)arg;
	for (key = 0; key < LOOKUP_NR; key++)
		look_up(key);
	return NULL;
}

/* Called when nobody reads any more, which is why nothing happens. */
static void print(void)
{
	pthread_mutex_lock(&counts);
	pthread_mutex_lock(&entries);
	printf("%u hits, %u misses\n", hits, misses);
	pthread_mutex_unlock(&entries);
	pthread_mutex_unlock(&counts);
}

int main(int argc, char **argv)
{
	pthread_t readers[READER_NR];
	int i;

	is_patient = argc > 1 && !strcmp(argv[1], "patient");
	for (i = 0; i < READER_NR; i++)
		if (pthread_create(&readers[i], NULL, reader, NULL))
			return 1;
	for (i = 0; i < READER_NR; i++)
		pthread_join(readers[i], NULL);
	print();
	return 0;
}
