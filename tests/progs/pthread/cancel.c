// SPDX-License-Identifier: GPL-2.0
/*
 * cancel.c - threads are cancelled where they wait, and where they would not have to
 *
 * The clean-up finds the mutex of a condition its own, as it must.
 */
#include "common.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static struct sleeper sleeper;
static sem_t sem;

static void clean_up(void *arg)
{
	printf("clean-up of %s\n", (const char *)arg);
	if (pthread_mutex_trylock(&mutex) == EBUSY)
		puts("the mutex is taken");
	pthread_mutex_unlock(&mutex);
}

static void *in_condition(void *arg)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(clean_up, "pthread_cond_wait");
	will_sleep(&sleeper);
	for (;;)
		pthread_cond_wait(&cond, &mutex);
	pthread_cleanup_pop(0);
	return arg;
}

static void *in_semaphore(void *arg)
{
	pthread_cleanup_push(clean_up, "sem_wait");
	will_sleep(&sleeper);
	sem_wait(&sem);
	pthread_cleanup_pop(0);
	return arg;
}

static void *in_join(void *arg)
{
	pthread_cleanup_push(clean_up, "pthread_join");
	will_sleep(&sleeper);
	pthread_join(*(pthread_t *)arg, NULL);
	pthread_cleanup_pop(0);
	return arg;
}

/* The semaphore is free, yet sem_wait() is where a cancellation that waits is acted upon. */
static void *at_free_semaphore(void *arg)
{
	sem_t free;

	sem_init(&free, 0, 1);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	will_sleep(&sleeper);
	while (!__atomic_load_n((int *)arg, __ATOMIC_ACQUIRE))
		sched_yield();
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	puts("not at a mutex");
	pthread_cleanup_push(clean_up, "sem_wait, free");
	sem_wait(&free);
	pthread_cleanup_pop(0);
	puts("not at all");
	return arg;
}

static void join(void)
{
	void *value;

	pthread_join(sleeper.thread, &value);
	printf("cancelled: %d\n", value == PTHREAD_CANCELED);
	sleeper.tid = 0;
}

static void cancel_asleep(void *(*routine)(void *arg), void *arg)
{
	pthread_create(&sleeper.thread, NULL, routine, arg);
	until_asleep(&sleeper);
	pthread_cancel(sleeper.thread);
	join();
}

int main(void)
{
	pthread_t self = pthread_self();
	int is_cancelled = 0;

	sem_init(&sem, 0, 0);
	cancel_asleep(in_condition, NULL);
	cancel_asleep(in_semaphore, NULL);
	cancel_asleep(in_join, &self);
	pthread_create(&sleeper.thread, NULL, at_free_semaphore, &is_cancelled);
	while (!__atomic_load_n(&sleeper.tid, __ATOMIC_ACQUIRE))
		sched_yield();
	pthread_cancel(sleeper.thread);
	__atomic_store_n(&is_cancelled, 1, __ATOMIC_RELEASE);
	join();
	return 0;
}
