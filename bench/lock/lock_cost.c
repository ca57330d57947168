// SPDX-License-Identifier: GPL-2.0
/*
 * lock_cost.c - what locks, and waiting for them, take: for bench/pthread
 *
 * usage: lock_cost WHAT TURNS REPETITIONS
 *   pair          lock and unlock a mutex that is free
 *   pair-events   the same, with two events of its own, as --pthread would record them
 *   pingpong      two threads: each waits for the other to have had the mutex
 *   barrier-N     N threads meet
 *   -threads      behind pair or pair-events: beside a thread that sleeps
 *   -one          behind pingpong or barrier-N: all on one CPU, else on the CPUs in turn
 *
 * Prints the least (pair) or the median (the others) ns of a turn: by the clock, with -one of
 * processor time, which is the same where others leave the CPU to it. Between two
 * repetitions it sleeps a little, so that who reads the events can come after.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <ktrace/ktrace.h>

#define REPETITIONS_MAX 1000
#define PAUSE_NS 20000000
#define THREADS_MAX 64

KTRACE_EVENT(lock, lock, ktrace_ptr(mutex), ktrace_u32(count), ktrace_s32(result));
KTRACE_EVENT(lock, unlock, ktrace_ptr(mutex), ktrace_u32(count), ktrace_s32(result));

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static unsigned int whose, thread_nr, cpu_nr;
static unsigned long turns;

static void pair(void)
{
	for (unsigned long i = 0; i < turns; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
}

static void pair_events(void)
{
	for (unsigned long i = 0; i < turns; i++) {
		pthread_mutex_lock(&mutex);
		ktrace(lock, lock, &mutex, 1, 0);
		ktrace(lock, unlock, &mutex, 0, 0);
		pthread_mutex_unlock(&mutex);
	}
}

static void pingpong(unsigned int who)
{
	for (unsigned long i = 0; i < turns; i++) {
		pthread_mutex_lock(&mutex);
		while (whose != who)
			pthread_cond_wait(&cond, &mutex);
		whose = !who;
		pthread_cond_signal(&cond);
		pthread_mutex_unlock(&mutex);
	}
}

static void meet(unsigned int who)
{
	(void)who;
	for (unsigned long i = 0; i < turns; i++)
		pthread_barrier_wait(&barrier);
}

/* Threads come here each time anew: none is left over when the time is taken. */
struct part {
	pthread_t thread;
	unsigned int who;
	void (*work)(unsigned int who);
};

static void *run_part(void *arg)
{
	struct part *p = arg;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(p->who % cpu_nr, &cpus);
	pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus);
	p->work(p->who);
	return NULL;
}

static void together(void (*work)(unsigned int who))
{
	struct part part[THREADS_MAX];

	for (unsigned int i = 0; i < thread_nr; i++) {
		part[i] = (struct part){ .who = i, .work = work };
		if (pthread_create(&part[i].thread, NULL, run_part, &part[i]))
			abort();
	}
	for (unsigned int i = 0; i < thread_nr; i++)
		pthread_join(part[i].thread, NULL);
}

static void *sleep_on(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(cpu_nr == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void run_once(const char *what)
{
	if (!strncmp(what, "pair-events", 11))
		pair_events();
	else if (!strncmp(what, "pair", 4))
		pair();
	else if (!strncmp(what, "pingpong", 8))
		together(pingpong);
	else
		together(meet);
}

static double measure(const char *what, unsigned int repetitions)
{
	static double ns[REPETITIONS_MAX];
	const struct timespec rest = { 0, PAUSE_NS };
	double begin;

	for (unsigned int i = 0; i < repetitions; i++) {
		begin = now_ns();
		run_once(what);
		ns[i] = (now_ns() - begin) / (double)turns;
		nanosleep(&rest, NULL);
	}
	qsort(ns, repetitions, sizeof(*ns), by_size);
	return ns[strncmp(what, "pair", 4) ? repetitions / 2 : 0];
}

int main(int argc, char **argv)
{
	unsigned int repetitions = argc == 4 ? (unsigned int)strtoul(argv[3], NULL, 0) : 0;
	pthread_t sleeper;

	turns = argc == 4 ? strtoul(argv[2], NULL, 0) : 0;
	if (!turns || !repetitions || repetitions > REPETITIONS_MAX) {
		fputs("usage: lock_cost WHAT TURNS REPETITIONS\n", stderr);
		return 2;
	}
	cpu_nr = strstr(argv[1], "-one") ? 1 : (unsigned int)sysconf(_SC_NPROCESSORS_ONLN);
	thread_nr = 2;
	if (sscanf(argv[1], "barrier-%u", &thread_nr) == 1 && thread_nr > THREADS_MAX)
		return 2;
	if (pthread_barrier_init(&barrier, NULL, thread_nr))
		return 2;
	if (strstr(argv[1], "-threads") && pthread_create(&sleeper, NULL, sleep_on, NULL))
		return 1;
	printf("%.2f\n", measure(argv[1], repetitions));
	fflush(stdout);
	_exit(0);
}
