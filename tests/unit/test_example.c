// SPDX-License-Identifier: GPL-2.0
/*
 * test_example.c - three threads each hit a trace point and complete in another order
 *
 * The example of how the POSIX Threads Trace Toolkit collects: TR_BARRIER_1 with four arguments,
 * TR_THREAD_2 with one, TR_BARRIER_9 with two, reserved in this order and completed in the order 3,
 * 1, 2. After each completion the rings are drained into a file: nothing of a record that is not
 * complete may be in it, and in the end the file's order must be that of the reservations.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

#include <ktrace/traceset.h>

#include "make_trace.h"
#include "ring/ring.h"

#define NR 3
#define SIZE (4 * MAKE_BLOCK)
#define CLOCK KTRACE_CLOCK_MONOTONIC

/**
 * struct thread - one that records
 * @id:		type of its event
 * @args:	how many arguments that has
 * @stream:	of the file; as the merge would have it if it did not look at stamps
 * @go:		posted for each of its two steps
 * @done:	posted after each
 */
static struct thread {
	__u16 id;
	__u32 args;
	__u32 stream;
	sem_t go;
	sem_t done;
	pthread_t thread;
	struct kt_ring ring;
	struct ktrace_ring words;
	struct ktrace_tail tail;
	struct kt_reader reader;
	char data[SIZE] __attribute__((aligned(64)));
} threads[NR] = {
	{ .id = 17, .args = 4, .stream = 1 },
	{ .id = 18, .args = 1, .stream = 2 },
	{ .id = 19, .args = 2, .stream = 0 },
};
static const int completion[NR] = { 2, 0, 1 };

static void *run(void *arg)
{
	struct thread *t = arg;
	__u64 args[4] = { t->id, 2, 3, 4 };
	struct kt_slot slot;

	sem_wait(&t->go);
	CHECK_EQ(kt_ring_reserve(&t->ring, t->id, t->args * 8, t->id, &slot), KT_RING_OK);
	sem_post(&t->done);
	sem_wait(&t->go);
	memcpy(slot.payload, args, t->args * 8);
	kt_ring_commit(&t->ring, &slot);
	sem_post(&t->done);
	return NULL;
}

static void step(struct thread *t)
{
	const __u64 before = kt_clock(CLOCK);

	while (kt_clock(CLOCK) == before)
		;
	sem_post(&t->go);
	sem_wait(&t->done);
}

static void start(struct thread *t)
{
	t->ring = (struct kt_ring){
		.w = &t->words, .data = t->data, .tail = &t->tail, .size = SIZE,
		.block_size = MAKE_BLOCK, .policy = KTRACE_POLICY_BLOCK, .clock = CLOCK, .owner = 1,
	};
	kt_ring_make_quick(&t->ring);
	kt_ring_adopt(&t->ring);
	kt_reader_init(&t->reader, &t->ring);
	sem_init(&t->go, 0, 0);
	sem_init(&t->done, 0, 0);
	CHECK_EQ(pthread_create(&t->thread, NULL, run, t), 0);
}

/* Returns how many records were there. */
static __u32 drain(struct ktrace_tracefile *tf, struct thread *t)
{
	struct ktrace_tracefile_block block;
	struct kt_chunk c;

	if (!kt_reader_peek(&t->reader, true, &c))
		return 0;
	CHECK_EQ(c.corrupt, 0);
	block = (struct ktrace_tracefile_block){
		.stream = t->stream, .records = c.records, .pos = c.pos, .first_ts = c.first_ts,
		.last_ts = c.last_ts, .data = c.data, .size = c.size,
	};
	CHECK_EQ(ktrace_tracefile_block(tf, &block), 0);
	kt_reader_advance(&t->reader, &c);
	return c.records;
}

static struct ktrace_tracefile *make(const char *path)
{
	struct ktrace_tracefile *tf = make_file(path, 1000);
	struct maker m;
	__u32 i;

	make_meta(tf, "event kind=user id=17 desc=tr:barrier_1{x64[4]%20args;}\n"
		      "event kind=user id=18 desc=tr:thread_2{x64%20arg;}\n"
		      "event kind=user id=19 desc=tr:barrier_9{x64[2]%20args;}\n");
	for (i = 0; i < NR; i++)
		make_stream(&m, tf, i);
	return tf;
}

static void check_order(const char *path)
{
	static const char *const names[NR] = { "tr:barrier_1", "tr:thread_2", "tr:barrier_9" };
	struct ktrace_trace_event e;
	struct ktrace_traceset *set;
	int i;

	CHECK_EQ(ktrace_traceset_open(NULL, &set), 0);
	CHECK_EQ(ktrace_traceset_add(set, path), 0);
	for (i = 0; i < NR; i++) {
		CHECK_EQ(ktrace_traceset_next(set, &e), 1);
		CHECK_STR(e.type->full_name, names[i]);
		CHECK_EQ(e.len, threads[i].args * 8);
		CHECK_EQ(e.payload[0], threads[i].id);
	}
	CHECK_EQ(ktrace_traceset_next(set, &e), 0);
	ktrace_traceset_close(set);
}

int main(void)
{
	char path[64];
	struct ktrace_tracefile *tf;
	int i, j;

	temporary_file(path, sizeof(path), "ktrace-example");
	tf = make(path);
	for (i = 0; i < NR; i++)
		start(&threads[i]);
	for (i = 0; i < NR; i++) {
		step(&threads[i]);
		for (j = 0; j < NR; j++)
			CHECK_EQ(drain(tf, &threads[j]), 0);
	}
	for (i = 0; i < NR; i++) {
		step(&threads[completion[i]]);
		for (j = 0; j < NR; j++)
			CHECK_EQ(drain(tf, &threads[j]), j == completion[i]);
	}
	for (i = 0; i < NR; i++)
		pthread_join(threads[i].thread, NULL);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	check_order(path);
	unlink(path);
	return 0;
}
