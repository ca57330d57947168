// SPDX-License-Identifier: GPL-2.0
/*
 * contended.c - one thread waits for another, once for each thing that can be waited for
 *
 * The holder lets go when the kernel says that the other is asleep: so that it has waited is
 * certain, and does not depend on time. What is free comes first: nobody waits for that.
 */
#include <threads.h>

#include "common.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, robust;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static mtx_t mtx;
static sem_t sem;
static struct sleeper sleeper;

static void lock_mutex(void) { pthread_mutex_lock(&mutex); }
static void unlock_mutex(void) { pthread_mutex_unlock(&mutex); }
static void lock_robust(void) { pthread_mutex_lock(&robust); }
static void unlock_robust(void) { pthread_mutex_unlock(&robust); }
static void lock_mtx(void) { mtx_lock(&mtx); }
static void unlock_mtx(void) { mtx_unlock(&mtx); }
static void lock_read(void) { pthread_rwlock_rdlock(&rwlock); }
static void lock_write(void) { pthread_rwlock_wrlock(&rwlock); }
static void unlock_rw(void) { pthread_rwlock_unlock(&rwlock); }
static void lock_sem(void) { sem_wait(&sem); }
static void unlock_sem(void) { sem_post(&sem); }

static const struct pair {
	const char *name;
	void (*lock)(void);
	void (*wait)(void);
	void (*unlock)(void);
} pairs[] = {
	{ "mutex", lock_mutex, lock_mutex, unlock_mutex },
	{ "robust", lock_robust, lock_robust, unlock_robust },
	{ "mtx", lock_mtx, lock_mtx, unlock_mtx },
	{ "read", lock_write, lock_read, unlock_rw },
	{ "write", lock_read, lock_write, unlock_rw },
	{ "sem", lock_sem, lock_sem, unlock_sem },
};

static void *waiter(void *arg)
{
	const struct pair *p = arg;

	will_sleep(&sleeper);
	p->wait();
	p->unlock();
	return NULL;
}

static void contend(const struct pair *p)
{
	sleeper.tid = 0;
	p->lock();
	p->unlock();
	p->lock();
	pthread_create(&sleeper.thread, NULL, waiter, (void *)p);
	until_asleep(&sleeper);
	p->unlock();
	pthread_join(sleeper.thread, NULL);
	printf("%s\n", p->name);
}

/* With a number: it stays so many seconds longer, to be looked at. */
int main(int argc, char **argv)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attr);
	mtx_init(&mtx, mtx_plain);
	sem_init(&sem, 0, 1);
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		contend(&pairs[i]);
	if (argc > 1)
		sleep((unsigned int)atoi(argv[1]));
	return 0;
}
