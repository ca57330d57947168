// SPDX-License-Identifier: GPL-2.0
/* kinds.c - mutexes of all kinds, where they differ: own ones, others', dead owners' */
#include "common.h"

static pthread_mutex_t mutex;

static void *die_with_it(void *arg)
{
	SAY(pthread_mutex_lock(&mutex));
	return arg;
}

static void *not_owner(void *arg)
{
	SAY(pthread_mutex_unlock(&mutex));
	SAY(pthread_mutex_trylock(&mutex));
	return arg;
}

static void elsewhere(void *(*routine)(void *arg))
{
	pthread_t t;

	pthread_create(&t, NULL, routine, NULL);
	pthread_join(t, NULL);
}

static void make(int type, int robust, int protocol)
{
	pthread_mutexattr_t attr;

	printf("type %d robust %d protocol %d\n", type, robust, protocol);
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, type);
	pthread_mutexattr_setrobust(&attr, robust);
	pthread_mutexattr_setprotocol(&attr, protocol);
	SAY(pthread_mutex_init(&mutex, &attr));
}

/* Not with what would wait for itself. */
static void twice(int type)
{
	SAY(pthread_mutex_lock(&mutex));
	SAY(pthread_mutex_trylock(&mutex));
	if (type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK)
		SAY(pthread_mutex_lock(&mutex));
	if (type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK)
		elsewhere(not_owner);
	if (type == PTHREAD_MUTEX_RECURSIVE) {
		SAY(pthread_mutex_unlock(&mutex));
		SAY(pthread_mutex_unlock(&mutex));
	}
	SAY(pthread_mutex_unlock(&mutex));
	if (type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK)
		SAY(pthread_mutex_unlock(&mutex));
}

static void dead_owner(void)
{
	elsewhere(die_with_it);
	if (SAY(pthread_mutex_lock(&mutex)) != EOWNERDEAD)
		return;
	SAY(pthread_mutex_consistent(&mutex));
	SAY(pthread_mutex_unlock(&mutex));
	elsewhere(die_with_it);
	SAY(pthread_mutex_trylock(&mutex));
	SAY(pthread_mutex_unlock(&mutex));
	SAY(pthread_mutex_lock(&mutex));
}

int main(void)
{
	static const int types[] = { PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
				     PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP };

	for (size_t i = 0; i < 4; i++) {
		for (int protocol = PTHREAD_PRIO_NONE; protocol <= PTHREAD_PRIO_INHERIT;
		     protocol++) {
			make(types[i], PTHREAD_MUTEX_STALLED, protocol);
			twice(types[i]);
			SAY(pthread_mutex_destroy(&mutex));
			make(types[i], PTHREAD_MUTEX_ROBUST, protocol);
			twice(types[i]);
			dead_owner();
			SAY(pthread_mutex_destroy(&mutex));
		}
	}
	return 0;
}
