// SPDX-License-Identifier: MIT
/*
 * metronome.c - ticks every 10 ms, and is late now and then; for Documentation/tutorial.md
 *
 *   metronome       thread "packer" works for 60 ms five times a second, on the same CPU and with
 *                   real-time priority, which needs the right to it (CAP_SYS_NICE)
 *   metronome fair  without that priority
 *
 * Thread "tick" says how late it is.
 */
#define _GNU_SOURCE 1	/* threads with names, on a CPU */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <ktrace/ktrace.h>

KTRACE_EVENT(metronome, tick, ktrace_u32(number), ktrace_u32(late_us));

#define TICK_NR 100
#define TICK_US 10000
#define WORK_US 60000
#define PAUSE_US 140000

static bool is_fair;
static atomic_bool has_ended;

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void sleep_until(uint64_t us)
{
	struct timespec t = { .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL))
		;
}

static void *packer(void *arg)
{
	struct sched_param param = { .sched_priority = 10 };
	uint64_t end;

	(void)arg;
	pthread_setname_np(pthread_self(), "packer");
	if (!is_fair && pthread_setschedparam(pthread_self(), SCHED_FIFO, &param))
		fputs("metronome: no right to real-time priority, so hardly ever late\n", stderr);
	while (!has_ended) {
		end = now_us() + WORK_US;
		while (now_us() < end)
			;
		sleep_until(end + PAUSE_US);
	}
	return NULL;
}

static void tick(void)
{
	uint64_t begin = now_us(), due;
	unsigned int i;

	pthread_setname_np(pthread_self(), "tick");
	for (i = 1; i <= TICK_NR; i++) {
		due = begin + (uint64_t)i * TICK_US;
		sleep_until(due);
		ktrace(metronome, tick, i, now_us() - due);
	}
}

static int use_one_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	return sched_setaffinity(0, sizeof(cpus), &cpus);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	is_fair = argc > 1 && !strcmp(argv[1], "fair");
	if (use_one_cpu() || pthread_create(&thread, NULL, packer, NULL))
		return 1;
	tick();
	has_ended = true;
	return pthread_join(thread, NULL);
}
