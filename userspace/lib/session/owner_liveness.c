// SPDX-License-Identifier: LGPL-2.1
/*
 * owner_liveness.c - a thread whose death the kernel shows in a word of shared memory
 *
 * While a session lives, control.reader holds the id of its keeper. When that thread ends, which it
 * only does with its process, the kernel finds the word through the thread's list of robust futexes
 * and sets FUTEX_OWNER_DIED in it.
 *
 * Not a pthread_mutex_t: traced programs can write to the word and the memory next to it, and the C
 * library would follow the pointers it keeps there. Here the list is in private memory and only the
 * word is shared: nothing is ever read back from it.
 *
 * It needs a thread of its own, because a thread has only one such list and the caller's is in use
 * by the C library.
 */
#include "internal.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/**
 * struct keeper - one thread, one word
 * @list:	the list that the kernel walks: @node alone, or empty
 * @node:	stands for the word, by the list's offset
 * @word:	in shared memory
 * @thread:	the thread
 * @ready:	posted by the thread when the word is its own, or @error is set
 * @end:	posted to end it
 * @error:	why the thread could not take the word
 */
struct keeper {
	struct robust_list_head list;
	struct robust_list node;
	__u32 *word;
	pthread_t thread;
	sem_t ready;
	sem_t end;
	int error;
};

static void wait_for(sem_t *sem)
{
	while (sem_wait(sem) && errno == EINTR)
		;
}

static void *keep(void *arg)
{
	struct keeper *k = arg;

	k->list.list.next = &k->node;
	k->list.futex_offset = (long)((char *)k->word - (char *)&k->node);
	k->node.next = &k->list.list;
	if (syscall(SYS_set_robust_list, &k->list, sizeof(k->list)))
		k->error = -errno;
	else
		kt_store(k->word, (__u32)syscall(SYS_gettid));
	sem_post(&k->ready);
	wait_for(&k->end);
	k->list.list.next = &k->list.list;
	kt_store(k->word, 0);
	return NULL;
}

static int create_thread(struct keeper *k)
{
	sigset_t all, saved;
	int error;

	/*
	 * Signals are for the caller's threads. Except SIGBUS, which reports that the word's page
	 * was lost: the kernel kills a thread that blocks it.
	 */
	sigfillset(&all);
	sigdelset(&all, SIGBUS);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	error = pthread_create(&k->thread, NULL, keep, k);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	return -error;
}

int owner_liveness_start(struct keeper **out, __u32 *word)
{
	struct keeper *k = calloc(1, sizeof(*k));
	int error;

	if (!k)
		return -ENOMEM;
	k->word = word;
	sem_init(&k->ready, 0, 0);
	sem_init(&k->end, 0, 0);
	error = create_thread(k);
	if (error) {
		free(k);
		return error;
	}
	wait_for(&k->ready);
	error = k->error;
	if (error)
		owner_liveness_stop(k);
	else
		*out = k;
	return error;
}

void owner_liveness_stop(struct keeper *k)
{
	if (!k)
		return;
	sem_post(&k->end);
	pthread_join(k->thread, NULL);
	free(k);
}
