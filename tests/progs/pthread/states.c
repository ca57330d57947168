// SPDX-License-Identifier: GPL-2.0
/*
 * states.c - leaves threads and objects in all states, and prints them
 *
 * Lines are those that sync.bats makes of ktrace objects. Whether a thread sleeps or is gone
 * the kernel says, so what is printed is certain.
 */
#include "common.h"

static pthread_mutex_t recursive, plain, gone, stolen = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond;
static pthread_barrier_t barrier;
static pthread_rwlock_t reading, writing;
static pthread_spinlock_t spin;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t sem, empty;
static struct sleeper sleepers[4];

static void nothing(void)
{
}

static void *on_mutex(void *arg)
{
	will_sleep(arg);
	pthread_mutex_lock(&recursive);
	return arg;
}

static void *on_cond(void *arg)
{
	pthread_mutex_lock(&stolen);
	will_sleep(arg);
	pthread_cond_wait(&cond, &stolen);
	return arg;
}

static void *on_barrier(void *arg)
{
	will_sleep(arg);
	pthread_barrier_wait(&barrier);
	return arg;
}

static void *on_sem(void *arg)
{
	will_sleep(arg);
	sem_wait(&empty);
	return arg;
}

static void *end(void *arg)
{
	will_sleep(arg);
	return arg;
}

/* A thread that has ended: the kernel knows it no more. */
static void ended(const char *how)
{
	struct sleeper s = { 0 };

	pthread_create(&s.thread, NULL, end, &s);
	while (!__atomic_load_n(&s.tid, __ATOMIC_ACQUIRE) || state_of(s.tid))
		sched_yield();
	if (!strcmp(how, "joined"))
		pthread_join(s.thread, NULL);
	if (!strcmp(how, "dead"))
		pthread_detach(s.thread);
	printf("thread %d %s\n", s.tid, how);
}

static void asleep(int i, void *(*routine)(void *arg), const void *on)
{
	pthread_create(&sleepers[i].thread, NULL, routine, &sleepers[i]);
	until_asleep(&sleepers[i]);
	printf("thread %d waiting %p\n", sleepers[i].tid, on);
}

static void make(void)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&recursive, &attr);
	pthread_mutex_init(&plain, NULL);
	pthread_mutex_init(&gone, NULL);
	pthread_cond_init(&cond, NULL);
	pthread_barrier_init(&barrier, NULL, 3);
	pthread_rwlock_init(&reading, NULL);
	pthread_rwlock_init(&writing, NULL);
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	sem_init(&sem, 0, 5);
	sem_init(&empty, 0, 0);
}

static void use(void)
{
	int i;

	for (i = 0; i < 4; i++)
		pthread_mutex_lock(&recursive);
	pthread_mutex_unlock(&recursive);
	pthread_mutex_lock(&plain);
	pthread_mutex_unlock(&plain);
	pthread_mutex_destroy(&gone);
	for (i = 0; i < 3; i++)
		sem_wait(&sem);
	sem_post(&sem);
	pthread_rwlock_rdlock(&reading);
	pthread_rwlock_rdlock(&reading);
	pthread_rwlock_wrlock(&writing);
	pthread_spin_lock(&spin);
	pthread_once(&once, nothing);
}

int main(void)
{
	const int tid = getpid();

	make();
	use();
	ended("joined");
	ended("zombie");
	ended("dead");
	asleep(0, on_mutex, &recursive);
	asleep(1, on_cond, &cond);
	asleep(2, on_barrier, &barrier);
	asleep(3, on_sem, &empty);
	printf("thread %d running\n", tid);
	printf("mutex %p taken owner %d count 3 waiters 1\n", (void *)&recursive, tid);
	printf("mutex %p free\nmutex %p gone\n", (void *)&plain, (void *)&gone);
	printf("mutex %p free\n", (void *)&stolen);
	printf("cond %p taken waiters 1\n", (void *)&cond);
	printf("barrier %p taken waiters 1 left 2\n", (void *)&barrier);
	printf("sem %p free value 3\nsem %p taken waiters 1 value 0\n", (void *)&sem,
	       (void *)&empty);
	printf("rwlock %p shared readers 2\n", (void *)&reading);
	printf("rwlock %p taken owner %d\n", (void *)&writing, tid);
	printf("spin %p taken owner %d\nonce %p done\n", (void *)&spin, tid, (void *)&once);
	return 0;
}
