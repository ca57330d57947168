// SPDX-License-Identifier: GPL-2.0
/* hook.c - what a user preloads himself: counts locks and signals, says how many */
#include <dlfcn.h>

#include "common.h"

static int lock_nr, signal_nr;

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	static int (*next)(pthread_mutex_t *mutex);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "pthread_mutex_lock");
	lock_nr++;
	return next(mutex);
}

/* Without a version, as most have it: the program's call comes here for either. */
int pthread_cond_signal(pthread_cond_t *cond)
{
	static int (*next)(pthread_cond_t *cond);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "pthread_cond_signal");
	signal_nr++;
	return next(cond);
}

static __attribute__((destructor)) void report(void)
{
	printf("hook: %d %d\n", lock_nr, signal_nr);
	fflush(stdout);
}
