// SPDX-License-Identifier: GPL-2.0
/*
 * renamed.c - threads that get names in all ways while they record
 *
 * "self" and "by prctl" name themselves, "by main" is named by the first thread, which then becomes
 * "first". A name that is too long changes nothing. Each takes the mutex before and after.
 * "renamed N" has N names first, of which the last is "again".
 */
#include <sys/prctl.h>

#include "common.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;

static void use(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

static void *self(void *arg)
{
	use();
	if (pthread_setname_np(pthread_self(), "self") ||
	    pthread_setname_np(pthread_self(), "much too long for it") != ERANGE)
		abort();
	use();
	return arg;
}

static void *by_prctl(void *arg)
{
	use();
	if (prctl(PR_SET_NAME, "by prctl"))
		abort();
	use();
	return arg;
}

static void *by_main(void *arg)
{
	use();
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	use();
	return arg;
}

static void rename_often(long nr)
{
	char name[16];

	for (; nr > 0; nr--) {
		snprintf(name, sizeof(name), "%d", (int)nr);
		prctl(PR_SET_NAME, nr > 1 ? name : "again");
	}
}

int main(int argc, char **argv)
{
	void *(*const routines[])(void *) = { self, by_prctl, by_main };
	pthread_t threads[3];
	char name[16];
	int i;

	use();
	rename_often(argc > 1 ? atol(argv[1]) : 0);
	pthread_barrier_init(&barrier, NULL, 2);
	for (i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, routines[i], NULL);
	pthread_barrier_wait(&barrier);
	errno = 0;
	if (pthread_setname_np(threads[2], "by main") || errno ||
	    pthread_getname_np(threads[2], name, sizeof(name)) || strcmp(name, "by main"))
		abort();
	pthread_barrier_wait(&barrier);
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	prctl(PR_SET_NAME, "first");
	use();
	return 0;
}
