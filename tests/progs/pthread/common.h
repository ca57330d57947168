/* SPDX-License-Identifier: GPL-2.0 */
/* common.h - programs that know nothing of ktrace: what they share */
#ifndef KTRACE_TESTS_PTHREAD_COMMON_H
#define KTRACE_TESTS_PTHREAD_COMMON_H

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>

/* Prints what a call returned: the output is compared with and without the library. */
static inline int said(const char *what, int result)
{
	printf("%s: %s\n", what, result < 0 ? strerrorname_np(errno) : strerrorname_np(result));
	return result;
}
#define SAY(call) said(#call, call)

/* A thread that says where it is: others can wait until it sleeps without guessing how long. */
struct sleeper {
	pthread_t thread;
	int tid;
};

/* In the thread, right before the call in which it will sleep. */
static inline void will_sleep(struct sleeper *s)
{
	__atomic_store_n(&s->tid, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
}

static inline char state_of(int tid)
{
	char path[64], stat[256], *end;
	size_t len;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	/* The name is in parentheses and may contain anything, lines too. */
	len = fread(stat, 1, sizeof(stat) - 1, f);
	fclose(f);
	stat[len] = '\0';
	end = strrchr(stat, ')');
	return end ? end[2] : 0;
}

static inline void until_asleep(struct sleeper *s)
{
	int tid;

	while (!(tid = __atomic_load_n(&s->tid, __ATOMIC_ACQUIRE)) || state_of(tid) != 'S')
		sched_yield();
}

#endif
