// SPDX-License-Identifier: GPL-2.0
/*
 * user_flood.c - record a known number of events whose bytes say what they are
 *
 *   user_flood [-t threads] [-n events] [-s min:max] [-u us] [-S] [-f forks] [-c rounds]
 *
 * Each of -t threads records -n events: its number, a sequence number, and with -s that
 * many bytes derived from both. -u sleeps between events. -S: a storm of signals, whose
 * handlers record too. -f: so many child processes, one inside the other's loop, do the
 * same. -c: threads are cancelled asynchronously in the middle of it, in -c rounds.
 *
 * Prints "wrote WRITER MIN MAX" for user_ledger.c; MIN and MAX differ by what a cancelled
 * thread had not counted yet.
 */
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
#include <ktrace/ktrace.h>

KTRACE_EVENT(flood, small, ktrace_u32(writer), ktrace_u64(seq));
KTRACE_EVENT(flood, sized, ktrace_u32(writer), ktrace_u64(seq), ktrace_seq(u8, fill));

#define THREAD_NR 64
#define FILL_MAX (1u << 20)
/* Writers of handlers and of cancelled threads have numbers of their own. */
#define HANDLER 100
#define CANCELLED 200
#define PER_PROCESS 300

struct options {
	unsigned int threads, events, min, max, sleep_us, forks, rounds;
	int has_storm;
};

struct worker {
	pthread_t thread;
	uint32_t writer;
	volatile uint64_t seq;
	volatile uint64_t handler_seq;
	_Atomic int is_done;
};

static struct options opt = { .threads = 1, .events = 1000 };
static struct worker workers[THREAD_NR];
static __thread struct worker *self;

static void record(uint32_t writer, uint64_t seq, unsigned int size, uint8_t *fill)
{
	unsigned int i;

	if (!opt.max) {
		ktrace(flood, small, writer, seq);
		return;
	}
	for (i = 0; i < size; i++)
		fill[i] = (uint8_t)(writer + seq + i);
	ktrace(flood, sized, writer, seq, fill, size);
}

static void on_signal(int sig)
{
	uint8_t fill[64];

	(void)sig;
	if (self)
		record(self->writer + HANDLER, self->handler_seq++,
		       (unsigned int)self->handler_seq % sizeof(fill), fill);
}

static unsigned int size_of(unsigned int *seed)
{
	return opt.min + (unsigned int)rand_r(seed) % (opt.max - opt.min + 1);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	uint8_t *fill = opt.max ? malloc(opt.max) : NULL;
	unsigned int seed = w->writer;

	self = w;
	for (w->seq = 0; w->seq < opt.events; w->seq++) {
		record(w->writer, w->seq, opt.max ? size_of(&seed) : 0, fill);
		if (opt.sleep_us)
			usleep(opt.sleep_us);
	}
	self = NULL;
	free(fill);
	w->is_done = 1;
	return NULL;
}

static void storm(void)
{
	unsigned int i, running;

	do {
		running = 0;
		for (i = 0; i < opt.threads; i++)
			if (!workers[i].is_done) {
				running++;
				pthread_kill(workers[i].thread, SIGUSR1);
			}
		usleep(20);
	} while (running);
}

static void run_threads(uint32_t base)
{
	unsigned int i;

	for (i = 0; i < opt.threads; i++) {
		workers[i] = (struct worker){ .writer = base + i };
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	if (opt.has_storm)
		storm();
	for (i = 0; i < opt.threads; i++) {
		pthread_join(workers[i].thread, NULL);
		printf("wrote %u %llu %llu\n", workers[i].writer,
		       (unsigned long long)workers[i].seq, (unsigned long long)workers[i].seq);
		if (opt.has_storm)
			printf("wrote %u %llu %llu\n", workers[i].writer + HANDLER,
			       (unsigned long long)workers[i].handler_seq,
			       (unsigned long long)workers[i].handler_seq);
	}
}

static void *work_until_cancelled(void *arg)
{
	struct worker *w = arg;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (;; w->seq++)
		ktrace(flood, small, w->writer, w->seq);
	return NULL;
}

static void cancel_round(uint32_t base, unsigned int round)
{
	unsigned int i;

	for (i = 0; i < opt.threads; i++) {
		uint64_t seq = round ? workers[i].seq + 1 : 0;

		workers[i] = (struct worker){ .writer = base + CANCELLED + i };
		workers[i].seq = seq;
		pthread_create(&workers[i].thread, NULL, work_until_cancelled, &workers[i]);
	}
	usleep(200);
	for (i = 0; i < opt.threads; i++) {
		pthread_cancel(workers[i].thread);
		pthread_join(workers[i].thread, NULL);
	}
}

/* Each round may have recorded one event more than it counted. */
static void run_cancelled(uint32_t base)
{
	unsigned int i, round;

	if (!opt.rounds)
		return;
	for (round = 0; round < opt.rounds; round++)
		cancel_round(base, round);
	for (i = 0; i < opt.threads; i++)
		printf("wrote %u %llu %llu\n", workers[i].writer,
		       (unsigned long long)(workers[i].seq - (opt.rounds - 1)),
		       (unsigned long long)(workers[i].seq + 1));
}

static void run_process(uint32_t base)
{
	run_threads(base);
	run_cancelled(base);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	unsigned int i;
	int c;

	while ((c = getopt(argc, argv, "t:n:s:u:Sf:c:")) != -1)
		switch (c) {
		case 't': opt.threads = (unsigned int)atoi(optarg); break;
		case 'n': opt.events = (unsigned int)atoi(optarg); break;
		case 's': sscanf(optarg, "%u:%u", &opt.min, &opt.max); break;
		case 'u': opt.sleep_us = (unsigned int)atoi(optarg); break;
		case 'S': opt.has_storm = 1; break;
		case 'f': opt.forks = (unsigned int)atoi(optarg); break;
		case 'c': opt.rounds = (unsigned int)atoi(optarg); break;
		default: return 2;
		}
	if (opt.threads > THREAD_NR || opt.max > FILL_MAX || opt.min > opt.max)
		return 2;
	sigaction(SIGUSR1, &action, NULL);
	for (i = 0; i < opt.forks; i++)
		if (!fork()) {
			run_process((i + 1) * PER_PROCESS);
			return 0;
		}
	run_process(0);
	while (wait(NULL) > 0)
		;
	return 0;
}
