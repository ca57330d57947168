// SPDX-License-Identifier: GPL-2.0
/*
 * leave.c - the first thread ends by pthread_exit() when standard input does; another one, begun
 * before, waits for that, and ends last
 */
#include "common.h"

static pthread_t first;

static void *wait_for_first(void *arg)
{
	void *value = NULL;

	SAY(pthread_join(first, &value));
	return value == arg ? NULL : arg;
}

int main(void)
{
	pthread_t t;

	first = pthread_self();
	pthread_create(&t, NULL, wait_for_first, &first);
	puts("begun");
	fflush(stdout);
	while (getchar() != EOF)
		;
	pthread_exit(&first);
}
