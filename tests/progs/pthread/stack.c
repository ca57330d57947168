// SPDX-License-Identifier: GPL-2.0
/*
 * stack.c - how much stack some calls of pthread.h take, on a painted stack: painted.h
 *
 * Prints "name bytes" for the most of 3000 calls: with and without the library the difference is
 * what recording takes.
 */
#include "common.h"

#include "../painted.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t sem;

static void on_once(void)
{
}

static void lock(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

static void read_lock(void)
{
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
}

static void signal_cond(void)
{
	pthread_cond_signal(&cond);
	pthread_once(&once, on_once);
}

static void post(void)
{
	sem_post(&sem);
	sem_wait(&sem);
}

static void set_name(void)
{
	pthread_setname_np(pthread_self(), "painted");
}

static void open_sem(void)
{
	sem_t *s = sem_open("/ktrace-stack-none", 0);

	if (s != SEM_FAILED)
		sem_close(s);
}

static void show(const char *name, void (*f)(void))
{
	size_t used = 0, n;

	f();	/* what the dynamic linker does at the first call is not measured */
	for (int i = 0; i < 3000; i++) {
		n = painted(f);
		used = n > used ? n : used;
	}
	printf("%s %zu\n", name, used);
}

int main(void)
{
	sem_init(&sem, 0, 0);
	show("lock", lock);
	show("read_lock", read_lock);
	show("signal_cond", signal_cond);
	show("post", post);
	show("set_name", set_name);
	show("open_sem", open_sem);
	return 0;
}
