// SPDX-License-Identifier: GPL-2.0
/*
 * pace.c - writes events at a given rate, or as fast as it can, and says what they cost
 *
 *   pace [-p PROCESSES] [-t THREADS] [-n EVENTS] [-r RATE] [-s | -w BYTES [-x]]
 *
 * PROCESSES programs with THREADS threads each write EVENTS events of 16 bytes each, at
 * RATE events a second, 0 = as fast as they can. All of them are there, attached and past
 * their first event, before any goes on. The last line says
 *
 *   events N wall NS cost NS start NS least NS
 *
 * N events in all; wall: from the first to the last; cost: of one event; start: of one
 * process from its birth to its first event. These two are the processor's time, so
 * that they do not depend on how many others want to run, and medians: of batches, then
 * of threads. least: the cost in the cheapest batch of all, for virtual machines, which do
 * not know when they do not run.
 *
 * -s: instead of an event of its own each is a system call, getppid(2). -w: before each
 * event it works, on BYTES bytes. -x: it works only, without an event.
 *
 * A thread that is late by more than a millisecond does not hurry: it has lost its turn.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <ktrace/ktrace.h>

KTRACE_EVENT(pace, item, ktrace_u64(thread), ktrace_u64(seq));

#define THREAD_MAX 1024
#define BATCH 2000ul
#define BATCH_MAX 256
#define LATE_NS 1000000

struct pace {
	unsigned long processes, threads, events, rate, work;
	int is_syscall, is_silent;
};

/* What a process tells the first one, by a pipe: after its first event, and at the end. */
struct told {
	uint64_t start_ns, begin_ns, end_ns;
	uint64_t cost_ps, least_ps;
};

struct worker {
	const struct pace *p;
	pthread_t id;
	uint64_t number, begin_ns, end_ns;
	uint64_t cost_ps, least_ps;
	uint64_t batch_ps[BATCH_MAX];
};

static struct worker workers[THREAD_MAX];
static pthread_barrier_t ready, go;

static uint64_t read_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t median(uint64_t *values, size_t nr)
{
	qsort(values, nr, sizeof(*values), compare);
	return nr ? values[nr / 2] : 0;
}

/* Something that takes as long as it has bytes, and uses cache and registers. */
static uint64_t hash(uint64_t seed, unsigned long bytes)
{
	static const unsigned char data[4096];

	for (unsigned long i = 0; i < bytes; i++)
		seed = (seed ^ data[i % sizeof(data)]) * 0x100000001b3;
	return seed;
}

/* A loop for each, so that none pays for the choice. */
static void write_batch(const struct worker *w, unsigned long seq, unsigned long end)
{
	uint64_t sum = seq;

	if (w->p->is_syscall)
		for (; seq < end; seq++)
			syscall(SYS_getppid);
	else if (w->p->is_silent)
		for (; seq < end; seq++) {
			sum = hash(sum, w->p->work);
			__asm__ __volatile__("" : "+r" (sum));
		}
	else if (w->p->work)
		for (; seq < end; seq++) {
			sum = hash(sum, w->p->work);
			ktrace(pace, item, w->number, sum);
		}
	else
		for (; seq < end; seq++)
			ktrace(pace, item, w->number, seq);
}

/* Events one after the other; the cost is that of the batches that fit the table. */
static void write_fast(struct worker *w)
{
	unsigned long seq = 0, batches = 0;

	while (seq < w->p->events) {
		const unsigned long left = w->p->events - seq, nr = left < BATCH ? left : BATCH;
		const uint64_t begin = read_ns(CLOCK_THREAD_CPUTIME_ID);

		write_batch(w, seq, seq + nr);
		w->batch_ps[batches++ % BATCH_MAX] = 1000 *
			(read_ns(CLOCK_THREAD_CPUTIME_ID) - begin) / nr;
		seq += nr;
	}
	w->cost_ps = median(w->batch_ps, batches < BATCH_MAX ? batches : BATCH_MAX);
	w->least_ps = w->batch_ps[0];	/* sorted now */
}

static void write_at_rate(struct worker *w)
{
	const double period = 1e9 / (double)w->p->rate;
	double due = (double)read_ns(CLOCK_MONOTONIC);

	for (unsigned long seq = 0; seq < w->p->events; seq++, due += period) {
		double now;

		do
			now = (double)read_ns(CLOCK_MONOTONIC);
		while (now < due);
		if (now > due + LATE_NS)
			due = now;
		ktrace(pace, item, w->number, seq);
	}
}

static void *work(void *arg)
{
	struct worker *w = arg;

	ktrace(pace, item, w->number, ~0ull);
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&go);
	w->begin_ns = read_ns(CLOCK_MONOTONIC);
	if (w->p->rate)
		write_at_rate(w);
	else
		write_fast(w);
	w->end_ns = read_ns(CLOCK_MONOTONIC);
	return NULL;
}

static void check(int is_good, const char *what)
{
	if (is_good)
		return;
	perror(what);
	exit(1);
}

/* A program of its own: @tell is where results go, @wait ends when all may begin. */
static void run_process(const struct pace *p, int tell, int wait)
{
	static uint64_t costs[THREAD_MAX];
	struct told told = { .begin_ns = UINT64_MAX, .least_ps = UINT64_MAX };
	char nothing;

	pthread_barrier_init(&ready, NULL, (unsigned int)p->threads + 1);
	pthread_barrier_init(&go, NULL, (unsigned int)p->threads + 1);
	for (unsigned long t = 0; t < p->threads; t++) {
		workers[t] = (struct worker) { .p = p, .number = t };
		check(!pthread_create(&workers[t].id, NULL, work, &workers[t]), "pace: thread");
	}
	pthread_barrier_wait(&ready);
	told.start_ns = read_ns(CLOCK_PROCESS_CPUTIME_ID);
	check(write(tell, &told, sizeof(told)) == sizeof(told), "pace: pipe");
	check(read(wait, &nothing, 1) == 0, "pace: pipe");
	pthread_barrier_wait(&go);
	for (unsigned long t = 0; t < p->threads; t++) {
		pthread_join(workers[t].id, NULL);
		costs[t] = workers[t].cost_ps;
		if (workers[t].least_ps < told.least_ps)
			told.least_ps = workers[t].least_ps;
		if (workers[t].begin_ns < told.begin_ns)
			told.begin_ns = workers[t].begin_ns;
		if (workers[t].end_ns > told.end_ns)
			told.end_ns = workers[t].end_ns;
	}
	told.cost_ps = median(costs, p->threads);
	check(write(tell, &told, sizeof(told)) == sizeof(told), "pace: pipe");
}

static struct told hear(int from)
{
	struct told told;

	check(read(from, &told, sizeof(told)) == sizeof(told), "pace: a process is gone");
	return told;
}

/* The first process only starts the others, this program again with the ends of two pipes. */
static void start_all(const struct pace *p, char **argv, int tell, int wait)
{
	char fds[32];

	snprintf(fds, sizeof(fds), "%d:%d", tell, wait);
	setenv("PACE_PIPES", fds, 1);
	for (unsigned long i = 0; i < p->processes; i++) {
		const pid_t pid = vfork();

		check(pid >= 0, "pace: fork");
		if (!pid) {
			execv("/proc/self/exe", argv);
			_exit(127);
		}
	}
}

static void run_all(const struct pace *p, char **argv)
{
	uint64_t *starts = calloc(p->processes, sizeof(*starts)), *costs = calloc(
		p->processes, sizeof(*costs)), begin = UINT64_MAX, end = 0, least = UINT64_MAX;
	int results[2], gate[2];

	check(starts && costs && !pipe(results) && !pipe(gate), "pace");
	fcntl(gate[1], F_SETFD, FD_CLOEXEC);
	fcntl(results[0], F_SETFD, FD_CLOEXEC);
	start_all(p, argv, results[1], gate[0]);
	close(results[1]);
	for (unsigned long i = 0; i < p->processes; i++)
		starts[i] = hear(results[0]).start_ns;
	close(gate[1]);
	for (unsigned long i = 0; i < p->processes; i++) {
		const struct told told = hear(results[0]);

		costs[i] = told.cost_ps;
		least = told.least_ps < least ? told.least_ps : least;
		begin = told.begin_ns < begin ? told.begin_ns : begin;
		end = told.end_ns > end ? told.end_ns : end;
	}
	while (wait(NULL) > 0)
		;
	printf("events %lu wall %llu cost %.3f start %llu least %.3f\n",
	       p->processes * p->threads * p->events, (unsigned long long)(end - begin),
	       (double)median(costs, p->processes) / 1000,
	       (unsigned long long)median(starts, p->processes), (double)least / 1000);
}

int main(int argc, char **argv)
{
	struct pace p = { .processes = 1, .threads = 1, .events = 100000 };
	const char *pipes = getenv("PACE_PIPES");
	int opt, tell, wait_fd;

	while ((opt = getopt(argc, argv, "p:t:n:r:sw:x")) != -1) {
		const unsigned long n = strtoul(optarg ? optarg : "", NULL, 10);

		switch (opt) {
		case 'p': p.processes = n; break;
		case 't': p.threads = n; break;
		case 'n': p.events = n; break;
		case 'r': p.rate = n; break;
		case 's': p.is_syscall = 1; break;
		case 'w': p.work = n; break;
		case 'x': p.is_silent = 1; break;
		default: return 2;
		}
	}
	if (!p.processes || !p.threads || p.threads > THREAD_MAX)
		return 2;
	if (pipes && sscanf(pipes, "%d:%d", &tell, &wait_fd) == 2)
		run_process(&p, tell, wait_fd);
	else
		run_all(&p, argv);
	return 0;
}
