// SPDX-License-Identifier: GPL-2.0
/*
 * orderly.c - threads and processes that use each kind of mutex and other locks, without a race
 *
 * For valgrind's checkers of races: what they report of it is not the program's fault. One thread
 * is cancelled, since the C library notes then that there may be others.
 */
#include "common.h"
#include <sys/wait.h>

#define TURNS 40
#define KINDS 6

static pthread_mutex_t mutex[KINDS];
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static unsigned int counters[KINDS], written, spun, arrived;

static void init(void)
{
	pthread_mutexattr_t attr;

	for (int i = 0; i < KINDS; i++) {
		pthread_mutexattr_init(&attr);
		if (i == 1)
			pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
		else if (i == 2)
			pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
		else if (i == 3)
			pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
		else if (i == 4)
			pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
		else if (i == 5)
			pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
		pthread_mutex_init(&mutex[i], &attr);
	}
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	pthread_barrier_init(&barrier, NULL, 2);
	sem_init(&sem, 0, 1);
}

static void *work(void *arg)
{
	for (int turn = 0; turn < TURNS; turn++) {
		for (int i = 0; i < KINDS; i++) {
			pthread_mutex_lock(&mutex[i]);
			counters[i]++;
			sched_yield();
			pthread_mutex_unlock(&mutex[i]);
		}
		pthread_rwlock_wrlock(&rwlock);
		written++;
		pthread_rwlock_unlock(&rwlock);
		pthread_spin_lock(&spin);
		spun++;
		pthread_spin_unlock(&spin);
		sem_wait(&sem);
		sem_post(&sem);
	}
	pthread_barrier_wait(&barrier);
	pthread_mutex_lock(&mutex[0]);
	arrived++;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex[0]);
	return arg;
}

static void *wait_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void turns(void)
{
	pthread_t threads[2], cancelled;

	pthread_create(&threads[0], NULL, work, NULL);
	pthread_create(&threads[1], NULL, work, NULL);
	pthread_create(&cancelled, NULL, wait_for_ever, NULL);
	pthread_cancel(cancelled);
	pthread_mutex_lock(&mutex[0]);
	while (arrived < 2)
		pthread_cond_wait(&cond, &mutex[0]);
	pthread_mutex_unlock(&mutex[0]);
	pthread_join(cancelled, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	printf("%u %u %u\n", counters[2], written, spun);
}

int main(void)
{
	int status;
	pid_t child;

	init();
	fflush(stdout);
	child = fork();
	if (!child) {
		turns();
		exit(0);
	}
	turns();
	return waitpid(child, &status, 0) != child || status;
}
