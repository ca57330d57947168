// SPDX-License-Identifier: GPL-2.0
/* calls.c - each function of calls.h at least once, and what it returns */
#include <fcntl.h>
#include <threads.h>
#include <time.h>

#include "common.h"

static const struct timespec past = { 1, 0 }, never = { 1L << 40, 0 }, wrong = { 1, 1L << 40 };
static pthread_mutex_t mutex, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond;
static pthread_barrier_t barrier;
static pthread_rwlock_t rwlock;
static pthread_spinlock_t spin;
static sem_t sem;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static once_flag flag = ONCE_FLAG_INIT;
static mtx_t mtx;
static cnd_t cnd;

static void hello_once(void)
{
	puts("once");
}

static void *thread_body(void *arg)
{
	return arg;
}

static void *exit_body(void *arg)
{
	pthread_exit(arg);
}

static void *sleep_body(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static int thrd_body(void *arg)
{
	return arg ? 7 : 8;
}

static int thrd_exit_body(void *arg)
{
	thrd_exit(arg ? 9 : 10);
}

static void *barrier_body(void *arg)
{
	pthread_barrier_wait(&barrier);
	return arg;
}

static void *signal_body(void *arg)
{
	pthread_mutex_lock(&mutex);
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static int cnd_body(void *arg)
{
	mtx_lock(&mtx);
	if (arg)
		cnd_broadcast(&cnd);
	else
		cnd_signal(&cnd);
	mtx_unlock(&mtx);
	return 0;
}

static void threads(void)
{
	static int own;
	void *value = NULL;
	pthread_t t;

	SAY(pthread_create(&t, NULL, thread_body, &own));
	SAY(pthread_join(t, &value));
	printf("own value: %d\n", value == &own);
	SAY(pthread_create(&t, NULL, exit_body, &own));
	SAY(pthread_timedjoin_np(t, &value, &never));
	printf("own value: %d\n", value == &own);
	SAY(pthread_create(&t, NULL, sleep_body, NULL));
	SAY(pthread_setname_np(t, "sleeper"));
	SAY(pthread_setname_np(t, "a name that is far too long"));
	SAY(pthread_tryjoin_np(t, &value));
	SAY(pthread_timedjoin_np(t, &value, &past));
	SAY(pthread_cancel(t));
	SAY(pthread_clockjoin_np(t, &value, CLOCK_MONOTONIC, &never));
	printf("cancelled: %d\n", value == PTHREAD_CANCELED);
	SAY(pthread_create(&t, NULL, thread_body, NULL));
	SAY(pthread_detach(t));
	SAY(pthread_join(pthread_self(), NULL));
}

static void mutexes(void)
{
	SAY(pthread_mutex_init(&mutex, NULL));
	SAY(pthread_mutex_lock(&mutex));
	SAY(pthread_mutex_trylock(&mutex));
	SAY(pthread_mutex_timedlock(&mutex, &past));
	SAY(pthread_mutex_timedlock(&mutex, &wrong));
	SAY(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &past));
	SAY(pthread_mutex_unlock(&mutex));
	SAY(pthread_mutex_clocklock(&mutex, CLOCK_PROCESS_CPUTIME_ID, &past));
	SAY(pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &past));
	SAY(pthread_mutex_unlock(&mutex));
	SAY(pthread_mutex_timedlock(&mutex, &wrong));
	SAY(pthread_mutex_unlock(&mutex));
	SAY(pthread_mutex_consistent(&mutex));
}

static void conditions(void)
{
	pthread_t t;

	SAY(pthread_cond_init(&cond, NULL));
	pthread_mutex_lock(&mutex);
	SAY(pthread_create(&t, NULL, signal_body, NULL));
	SAY(pthread_cond_wait(&cond, &mutex));
	SAY(pthread_cond_timedwait(&cond, &mutex, &past));
	SAY(pthread_cond_timedwait(&cond, &mutex, &wrong));
	SAY(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &past));
	pthread_mutex_unlock(&mutex);
	SAY(pthread_cond_broadcast(&cond));
	SAY(pthread_join(t, NULL));
	SAY(pthread_cond_destroy(&cond));
	SAY(pthread_mutex_destroy(&mutex));
}

static void barriers(void)
{
	pthread_t t;
	int a;

	SAY(pthread_barrier_init(&barrier, NULL, 0));
	SAY(pthread_barrier_init(&barrier, NULL, 2));
	pthread_create(&t, NULL, barrier_body, NULL);
	a = pthread_barrier_wait(&barrier);
	printf("barrier: %d\n", a == 0 || a == PTHREAD_BARRIER_SERIAL_THREAD);
	pthread_join(t, NULL);
	SAY(pthread_barrier_destroy(&barrier));
}

static void semaphores(void)
{
	char name[64];
	sem_t *named;

	SAY(sem_init(&sem, 0, 1));
	SAY(sem_wait(&sem));
	errno = 0;
	SAY(sem_trywait(&sem));
	SAY(sem_timedwait(&sem, &past));
	SAY(sem_timedwait(&sem, &wrong));
	SAY(sem_clockwait(&sem, CLOCK_MONOTONIC, &past));
	SAY(sem_clockwait(&sem, CLOCK_PROCESS_CPUTIME_ID, &past));
	SAY(sem_post(&sem));
	errno = ENOTTY;
	SAY(sem_clockwait(&sem, CLOCK_REALTIME, &past));
	SAY(errno);
	SAY(sem_post(&sem));
	SAY(sem_timedwait(&sem, &wrong));
	SAY(sem_destroy(&sem));
	snprintf(name, sizeof(name), "/ktrace-test-%d", getpid());
	named = sem_open(name, O_CREAT | O_EXCL, 0600, 3);
	SAY(named == SEM_FAILED);
	SAY(sem_open(name, O_CREAT | O_EXCL, 0600, 3) == SEM_FAILED ? errno : 0);
	SAY(sem_wait(named));
	SAY(sem_close(named));
	SAY(sem_unlink(name));
	SAY(sem_unlink(name));
}

static void rwlocks(void)
{
	SAY(pthread_rwlock_init(&rwlock, NULL));
	SAY(pthread_rwlock_rdlock(&rwlock));
	SAY(pthread_rwlock_tryrdlock(&rwlock));
	SAY(pthread_rwlock_timedrdlock(&rwlock, &past));
	SAY(pthread_rwlock_timedrdlock(&rwlock, &wrong));
	SAY(pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &past));
	SAY(pthread_rwlock_trywrlock(&rwlock));
	SAY(pthread_rwlock_timedwrlock(&rwlock, &past));
	SAY(pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &past));
	SAY(pthread_rwlock_clockwrlock(&rwlock, CLOCK_PROCESS_CPUTIME_ID, &past));
	for (int i = 0; i < 4; i++)
		SAY(pthread_rwlock_unlock(&rwlock));
	SAY(pthread_rwlock_wrlock(&rwlock));
	SAY(pthread_rwlock_wrlock(&rwlock));
	SAY(pthread_rwlock_rdlock(&rwlock));
	SAY(pthread_rwlock_unlock(&rwlock));
	SAY(pthread_rwlock_destroy(&rwlock));
	SAY(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE));
	SAY(pthread_spin_lock(&spin));
	SAY(pthread_spin_trylock(&spin));
	SAY(pthread_spin_unlock(&spin));
	SAY(pthread_spin_destroy(&spin));
}

static void keys(void)
{
	pthread_key_t key;
	tss_t tss;
	int value;

	SAY(pthread_once(&once, hello_once));
	SAY(pthread_once(&once, hello_once));
	SAY(pthread_key_create(&key, NULL));
	SAY(pthread_setspecific(key, &value));
	printf("own value: %d\n", pthread_getspecific(key) == &value);
	SAY(pthread_key_delete(key));
	SAY(pthread_key_delete(key));
	call_once(&flag, hello_once);
	printf("tss_create: %d\n", tss_create(&tss, NULL));
	printf("tss_set: %d\n", tss_set(tss, &value));
	printf("own value: %d\n", tss_get(tss) == &value);
	tss_delete(tss);
}

static void c11(void)
{
	int value = 0;
	thrd_t t;

	printf("thrd_create: %d\n", thrd_create(&t, thrd_body, &value));
	printf("thrd_join: %d", thrd_join(t, &value));
	printf(" %d\n", value);
	thrd_create(&t, thrd_exit_body, &value);
	thrd_join(t, &value);
	printf("thrd_exit: %d\n", value);
	thrd_create(&t, thrd_body, NULL);
	printf("thrd_detach: %d\n", thrd_detach(t));
	printf("mtx_init: %d\n", mtx_init(&mtx, mtx_timed));
	printf("mtx_lock: %d\n", mtx_lock(&mtx));
	printf("mtx_trylock: %d\n", mtx_trylock(&mtx));
	printf("mtx_timedlock: %d\n", mtx_timedlock(&mtx, &past));
	printf("cnd_init: %d\n", cnd_init(&cnd));
	for (long i = 0; i < 2; i++) {
		thrd_create(&t, cnd_body, i ? &value : NULL);
		printf("cnd_wait: %d\n", cnd_wait(&cnd, &mtx));
		mtx_unlock(&mtx);
		thrd_join(t, NULL);
		mtx_lock(&mtx);
	}
	printf("cnd_timedwait: %d\n", cnd_timedwait(&cnd, &mtx, &past));
	printf("mtx_unlock: %d\n", mtx_unlock(&mtx));
	cnd_destroy(&cnd);
	mtx_destroy(&mtx);
}

int main(void)
{
	threads();
	mutexes();
	conditions();
	barriers();
	semaphores();
	rwlocks();
	keys();
	c11();
	SAY(pthread_mutex_trylock(&held));
	return 3;
}
