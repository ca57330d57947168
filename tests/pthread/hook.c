// SPDX-License-Identifier: GPL-2.0
/* hook.c - what a user preloads himself: counts locks, says how many */
#include <dlfcn.h>

#include "common.h"

static int lock_nr;

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	static int (*next)(pthread_mutex_t *mutex);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "pthread_mutex_lock");
	lock_nr++;
	return next(mutex);
}

static __attribute__((destructor)) void report(void)
{
	printf("hook: %d\n", lock_nr);
	fflush(stdout);
}
