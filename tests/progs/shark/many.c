// SPDX-License-Identifier: GPL-2.0
/* many.c - as many threads as there may be chunks send one each, at once */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <ktrace/shark.h>

static pthread_barrier_t all_there;

static void *send_one(void *arg)
{
	pthread_barrier_wait(&all_there);
	if (FTrace_send_chunk((int)(intptr_t)arg, 0, 0))
		exit(1);
	return NULL;
}

int main(void)
{
	pthread_t threads[KTRACE_SHARK_CHUNK_NR];

	if (FTrace_init_disk_writer("trace", 0, NULL, NULL) ||
	    pthread_barrier_init(&all_there, NULL, KTRACE_SHARK_CHUNK_NR))
		return 2;
	for (int n = 0; n < KTRACE_SHARK_CHUNK_NR; n++)
		if (FTrace_chunk_create(16, 0, FTRACE_CHUNK_FLAG_FREE) != n ||
		    pthread_create(&threads[n], NULL, send_one, (void *)(intptr_t)n))
			return 2;
	for (int n = 0; n < KTRACE_SHARK_CHUNK_NR; n++)
		pthread_join(threads[n], NULL);
	return 0;
}
