// SPDX-License-Identifier: MIT
/*
 * hello.c - a multi-threaded program that says what it does
 *
 * Four workers take numbered items from a queue and work on them. To see it:
 *
 *   ktraced -o trace.bin -- build/examples/hello
 *   ktrace list trace.bin
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include <ktrace/ktrace.h>

/* Each event type is defined once: who, what, and which values it carries. */
KTRACE_EVENT(hello, start, ktrace_string(greeting), ktrace_u32(workers));
KTRACE_EVENT(hello, item_begin, ktrace_u32(item), ktrace_u32(queue_depth));
KTRACE_EVENT(hello, item_end, ktrace_u32(item),
	     ktrace_enum(u8, result, (DONE, 0), (SKIPPED, 1)), ktrace_f64(average));
KTRACE_EVENT(hello, finish);

#define WORKER_NR 4
#define ITEM_NR 40

enum result { DONE, SKIPPED };

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned int next_item;

/* The next item, or ITEM_NR when the queue is empty. */
static unsigned int take_item(void)
{
	unsigned int item;

	pthread_mutex_lock(&queue_lock);
	item = next_item < ITEM_NR ? next_item++ : ITEM_NR;
	pthread_mutex_unlock(&queue_lock);
	return item;
}

static enum result work_on(unsigned int item, double *average)
{
	if (item % 7 == 3)
		return SKIPPED;
	*average = (*average + item) / 2;
	usleep(1000 + item % 3 * 500);
	return DONE;
}

static void *worker(void *arg)
{
	double average = 0;
	enum result result;
	unsigned int item;

	(void)arg;
	while ((item = take_item()) < ITEM_NR) {
		ktrace(hello, item_begin, item, ITEM_NR - 1 - item);
		result = work_on(item, &average);
		ktrace(hello, item_end, item, result, average);
	}
	return NULL;
}

int main(void)
{
	pthread_t workers[WORKER_NR];
	int i;

	ktrace(hello, start, "hello, world", WORKER_NR);
	for (i = 0; i < WORKER_NR; i++)
		if (pthread_create(&workers[i], NULL, worker, NULL))
			return 1;
	for (i = 0; i < WORKER_NR; i++)
		pthread_join(workers[i], NULL);
	ktrace(hello, finish);
	puts("hello, world");
	return 0;
}
