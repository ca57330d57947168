// SPDX-License-Identifier: GPL-2.0
/*
 * signals.c - a handler posts a semaphore, at whatever place the thread is
 *
 * One thread takes a lock again and again and is sent signals by the other, each of which
 * its handler answers by a post.
 */
#include <signal.h>

#include "common.h"

#define SIGNAL_NR 300
#define LOCK_NR 10000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t sem;
static int is_over, is_ready;

static void on_signal(int sig)
{
	int saved = errno;

	(void)sig;
	sem_post(&sem);
	errno = saved;
}

static void *target(void *arg)
{
	__atomic_store_n(&is_ready, 1, __ATOMIC_RELEASE);
	for (int i = 0; !__atomic_load_n(&is_over, __ATOMIC_ACQUIRE); i++) {
		if (i >= LOCK_NR)
			continue;
		errno = ENOTTY;
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
		if (errno != ENOTTY)
			puts("errno has changed");
	}
	return arg;
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	pthread_t t;
	int i, n;

	sigaction(SIGUSR1, &action, NULL);
	sem_init(&sem, 0, 0);
	pthread_create(&t, NULL, target, NULL);
	while (!__atomic_load_n(&is_ready, __ATOMIC_ACQUIRE))
		sched_yield();
	for (i = 0; i < SIGNAL_NR; i++) {
		pthread_kill(t, SIGUSR1);
		sem_wait(&sem);
	}
	__atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
	pthread_join(t, NULL);
	sem_getvalue(&sem, &n);
	printf("%d answers, %d left\n", i, n);
	return 0;
}
