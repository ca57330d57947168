// SPDX-License-Identifier: GPL-2.0
/*
 * shared.c - a process with one thread waits for a mutex that its child has
 *
 * The child lets go when the kernel says that its parent is asleep.
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include "common.h"

static struct shared {
	pthread_mutex_t mutex;
	int is_taken;
	struct sleeper parent;
} *shared;

static void child(void)
{
	pthread_mutex_lock(&shared->mutex);
	__atomic_store_n(&shared->is_taken, 1, __ATOMIC_RELEASE);
	until_asleep(&shared->parent);
	pthread_mutex_unlock(&shared->mutex);
	_exit(0);
}

int main(void)
{
	pthread_mutexattr_t attr;
	pid_t pid;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		return 1;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->mutex, &attr);
	SAY(pthread_mutex_lock(&shared->mutex));
	SAY(pthread_mutex_unlock(&shared->mutex));
	fflush(stdout);
	pid = fork();
	if (!pid)
		child();
	while (!__atomic_load_n(&shared->is_taken, __ATOMIC_ACQUIRE))
		sched_yield();
	will_sleep(&shared->parent);
	SAY(pthread_mutex_lock(&shared->mutex));
	SAY(pthread_mutex_unlock(&shared->mutex));
	waitpid(pid, NULL, 0);
	return 0;
}
