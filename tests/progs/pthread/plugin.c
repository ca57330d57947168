// SPDX-License-Identifier: GPL-2.0
/* plugin.c - an object that makes a thread while it is being loaded */
#include "common.h"

int plugin_is_done;

static void *work(void *arg)
{
	plugin_is_done = 1;
	return arg;
}

static __attribute__((constructor)) void construct(void)
{
	pthread_t t;

	if (!pthread_create(&t, NULL, work, NULL))
		pthread_join(t, NULL);
}
