// SPDX-License-Identifier: GPL-2.0
/*
 * test_ring_threads.c - one writing and one reading thread on a live ring
 *
 * The writer is interrupted by a timer signal whose handler writes too, so nesting is
 * real. In each policy, with the reader slower, equal and faster: the ledger is exact,
 * every delivered record is whole and delivered once.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "ring/ring.h"

#define BLOCK 4096u
#define SIZE (8 * BLOCK)
#ifdef __SANITIZE_THREAD__
#define RECORDS 30000u
#else
#define RECORDS 300000u
#endif
#define ID 99

static struct ktrace_ring words;
static struct ktrace_tail tail;
static char data[SIZE] __attribute__((aligned(64)));
static struct kt_ring ring;
static volatile sig_atomic_t nested;	/* attempts made by the handler */
static unsigned char seen[2][RECORDS * 4];
static unsigned int reader_pause_us;
static int writer_done;
static __u64 events_read;

static void write_one(__u32 source, __u32 seq)
{
	const __u32 len = 8 + (seq * 7 + source) % 200;
	struct kt_slot slot;
	enum kt_ring_result what;

	while ((what = kt_ring_reserve(&ring, ID, len, source, &slot)) == KT_RING_WAIT)
		;
	if (what != KT_RING_OK)
		return;
	memcpy(slot.payload, &seq, 4);
	memset((char *)slot.payload + 4, (int)(seq & 0xff), len - 4);
	kt_ring_commit(&ring, &slot);
}

static void on_timer(int sig)
{
	(void)sig;
	/* The policy "block" would wait for the writer it interrupts. */
	if (ring.policy != KTRACE_POLICY_BLOCK && nested < (int)RECORDS * 3) {
		write_one(1, (__u32)nested);
		nested++;
	}
}

static void *writer(void *arg)
{
	const struct itimerval fast = { { 0, 50 }, { 0, 50 } }, off = { 0 };
	sigset_t set;
	__u32 i;

	(void)arg;
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	setitimer(ITIMER_REAL, &fast, NULL);
	for (i = 0; i < RECORDS; i++)
		write_one(0, i);
	setitimer(ITIMER_REAL, &off, NULL);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	kt_store_release(&writer_done, 1);
	return NULL;
}

static void fail(const char *what)
{
	printf("not ok: %s (policy %u, pause %u)\n", what, ring.policy, reader_pause_us);
	exit(1);
}

static void check(const struct ktrace_record *rec, const char *payload)
{
	__u32 seq, source = rec->tid_flags & 1, i;

	if (rec->id == KTRACE_ID_LOST)
		return;
	if (rec->id != ID)
		fail("record of an unknown type");
	memcpy(&seq, payload, 4);
	if (seq >= sizeof(seen[0]) || seen[source][seq]++)
		fail("record delivered twice");
	if (rec->len != 8 + (seq * 7 + source) % 200)
		fail("wrong length");
	for (i = 4; i < rec->len; i++)
		if ((unsigned char)payload[i] != (seq & 0xff))
			fail("torn payload");
	events_read++;
}

static void read_piece(struct kt_reader *rd, const struct kt_chunk *c)
{
	static char copy[BLOCK];
	struct kt_cursor cur = { .base = copy, .end = c->size };
	struct ktrace_record rec;
	const char *payload;

	memcpy(copy, c->data, c->size);
	if (!kt_reader_still_valid(rd, c))
		return;
	if (c->corrupt)
		fail("corrupt");
	cur.off = c->pos % BLOCK ? 0 : sizeof(struct ktrace_block);
	while (kt_cursor_next(&cur, &rec, &payload) == KT_CURSOR_RECORD)
		check(&rec, payload);
	kt_reader_advance(rd, c);
}

static void run(__u32 policy, unsigned int pause_us)
{
	struct ktrace_lost lost;
	struct kt_reader rd;
	struct kt_chunk c;
	pthread_t t;
	__u64 sum = 0;
	bool done;
	int i;

	memset(&words, 0, sizeof(words));
	memset(&tail, 0, sizeof(tail));
	memset(seen, 0, sizeof(seen));
	ring = (struct kt_ring){
		.w = &words, .data = data, .tail = &tail, .size = SIZE, .block_size = BLOCK,
		.policy = policy, .clock = KTRACE_CLOCK_TSC, .owner = 1,
	};
	kt_ring_make_quick(&ring);
	kt_reader_init(&rd, &ring);
	reader_pause_us = pause_us;
	writer_done = 0;
	nested = 0;
	events_read = 0;
	if (pthread_create(&t, NULL, writer, NULL))
		fail("pthread_create");
	do {
		done = kt_load_acquire(&writer_done);
		while (kt_reader_peek(&rd, done, &c)) {
			read_piece(&rd, &c);
			if (pause_us && !done)
				usleep(pause_us);
		}
	} while (!done);
	pthread_join(t, NULL);
	kt_reader_lost(&rd, &lost);
	for (i = 0; i < KTRACE_LOST_CORRUPT; i++)
		sum += lost.count[i];
	if (lost.count[KTRACE_LOST_CORRUPT])
		fail("corrupt counted");
	printf("# policy %u pause %3u us: written %u + %d nested, read %llu, lost %llu\n", policy,
	       pause_us, RECORDS, (int)nested, (unsigned long long)events_read,
	       (unsigned long long)sum);
	if (RECORDS + (__u64)nested != events_read + sum)
		fail("ledger");
}

/* usage: test_ring_threads [POLICY...] */
int main(int argc, char **argv)
{
	static const char *const policies[] = { "drop", "overwrite", "block", "stop" };
	static const unsigned int pauses[] = { 0, 20, 200 };
	struct sigaction act = { .sa_handler = on_timer, .sa_flags = SA_RESTART };
	sigset_t set;
	unsigned int p, s;
	int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	sigaction(SIGALRM, &act, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (p = 0; p < KTRACE_POLICY_NR; p++) {
		for (i = 1; i < argc && strcmp(argv[i], policies[p]); i++)
			;
		for (s = 0; (argc == 1 || i < argc) && s < 3; s++)
			run(p, pauses[s]);
	}
	printf("ok\n");
	return 0;
}
