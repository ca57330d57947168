/* SPDX-License-Identifier: GPL-2.0 */
/*
 * loops.h - one event in the loops in which its cost is measured
 *
 * EVENT_LOOPS(name, event) makes struct event_loops name_loops. The event is inlined into
 * each loop, as it is in a program. It may use i, which counts, and t.
 */
#ifndef BENCH_EVENT_LOOPS_H
#define BENCH_EVENT_LOOPS_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "../../tests/arch/arch.h"

#define LARGE 1024			/* bytes of the largest payload */
#define WORK_WORDS (32u << 10)		/* what the application looks at: 256 KiB */
#define EVICT_SIZE (4u << 20)		/* more than caches of one CPU hold */
#define RING_SIZE (1u << 19)		/* the session's rings and private ones */

/* struct private_ring - RING_SIZE bytes and what follows them; @head grows for ever */
struct private_ring {
	char *data;
	uint64_t head;
};

/**
 * struct event_thread - what a thread that is measured has of its own
 * @ring:	private rings of plain stores and of copies
 * @pipe:	descriptors of a pipe
 * @file:	for fprintf
 * @work:	WORK_WORDS words
 * @evict:	EVICT_SIZE bytes
 * @sink:	what keeps the compiler from leaving out work
 * @bytes:	payload of LARGE bytes
 * @text:	payload of the string event
 */
struct event_thread {
	struct private_ring ring[2];
	int pipe[2];
	FILE *file;
	uint64_t *work;
	const char *evict;
	uint64_t sink;
	uint8_t bytes[LARGE];
	char text[32];
};

/**
 * struct event_loops - an event in several surroundings
 * @tight:	@n events one behind the other
 * @work:	with some 200 ns of an application's work before each
 * @timed:	ticks[i] = what each one took, the clock included
 * @cold:	the same with caches emptied before each
 */
struct event_loops {
	void (*tight)(struct event_thread *t, uint64_t n);
	void (*work)(struct event_thread *t, uint64_t n);
	void (*timed)(struct event_thread *t, uint64_t n, uint64_t *ticks);
	void (*cold)(struct event_thread *t, uint64_t n, uint64_t *ticks);
};

#define event_ticks() arch_ticks()

/* Loads that depend on each other, and branches that nobody can predict. */
static inline __attribute__((always_inline)) uint64_t event_work(struct event_thread *t,
								 uint64_t x)
{
	int k;

	for (k = 0; k < 16; k++) {
		x = x * 6364136223846793005u + t->work[x >> 49];
		if (x & 1ull << 40)
			t->work[(x >> 49) ^ 1] += x;
	}
	return x;
}

static inline __attribute__((always_inline)) void event_evict(struct event_thread *t)
{
	uint64_t sum = 0;
	size_t k;

	for (k = 0; k < EVICT_SIZE; k += 64)
		sum += (uint64_t)t->evict[k];
	t->sink += sum;
}

#define EVENT_LOOPS(name, event) \
static void name##_tight(struct event_thread *t, uint64_t n) \
{ \
	for (uint64_t i = 0; i < n; i++) { \
		event; \
		__asm__ __volatile__("" : : "r" (t), "r" (i)); \
	} \
} \
static void name##_work(struct event_thread *t, uint64_t n) \
{ \
	uint64_t x = n; \
	for (uint64_t i = 0; i < n; i++) { \
		x = event_work(t, x); \
		event; \
	} \
	t->sink += x; \
} \
static void name##_timed(struct event_thread *t, uint64_t n, uint64_t *ticks) \
{ \
	for (uint64_t i = 0; i < n; i++) { \
		const uint64_t begin = event_ticks(); \
		event; \
		ticks[i] = event_ticks() - begin; \
	} \
	__asm__ __volatile__("" : : "r" (t)); \
} \
static void name##_cold(struct event_thread *t, uint64_t n, uint64_t *ticks) \
{ \
	for (uint64_t i = 0; i < n; i++) { \
		event_evict(t); \
		const uint64_t begin = event_ticks(); \
		event; \
		ticks[i] = event_ticks() - begin; \
	} \
} \
const struct event_loops name##_loops = { \
	name##_tight, name##_work, name##_timed, name##_cold \
}

#endif
