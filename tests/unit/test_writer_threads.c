// SPDX-License-Identifier: GPL-2.0
/*
 * test_writer_threads.c - threads that record into thread rings, come, go and register events
 *
 * What memory-ordering.md says of user space, for ThreadSanitizer to see: rings change
 * hands by claim and release, the reader follows live writers, several threads register
 * the same events, one switches events on that others are about to record. The ledger is
 * exact and an event has one id.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../userspace/lib/writer/channel.h"
#include "../../userspace/lib/writer/own.h"
#include "../../userspace/lib/writer/registry.h"
#include "../../userspace/lib/writer/thread.h"

#define MAP_SIZE (1u << 18)
#define BLOCK 4096u
#define RING (4 * BLOCK)
#define RING_NR 4
#define THREAD_NR 6	/* at a time: more than there are rings */
#define ROUND_NR 8
#define RECORD_NR 400
#define EVENT_NR 20

static struct kt_reader readers[RING_NR];
static unsigned char seen[THREAD_NR * ROUND_NR][RECORD_NR];
static __u64 events_read;
static __u16 ids[THREAD_NR][EVENT_NR];
static unsigned int running;

static struct ktrace_event events[EVENT_NR];
static struct ktrace_event *refs[EVENT_NR];
static char descs[EVENT_NR][32];

/* Makes a channel and lets the process use it. Its memory is the library's from then on. */
static void make_channel(__u32 policy)
{
	const struct ktrace_control c = {
		.magic = KTRACE_CONTROL_MAGIC, .version = KTRACE_ABI_VERSION,
		.size = sizeof(c), .kind = KTRACE_CHANNEL_USER, .map_size = MAP_SIZE,
		.ring_nr = RING_NR, .block_size = BLOCK, .policy = policy,
		.thread_size = RING, .thread_stride = RING + BLOCK, .threads_off = 1 << 17,
		.registry_off = 16384, .registry_size = 65536, .tail_off = 12288,
		.data_off = 4096, .enable_off = 1024, .id_nr = KTRACE_ID_NR,
		.filter_off = 10240, .filter_size = 2048, .timeout_ms = 60000,
		.state = KTRACE_STATE_RUNNING, .clock = KTRACE_CLOCK_MONOTONIC,
	};
	char *map = mmap(NULL, MAP_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			 0);
	struct channel *channel;
	struct kt_ring r;
	__u32 i;

	if (own_channel)
		own_leave(own_channel);
	channel = own_alloc();
	assert(map != MAP_FAILED && channel && !channel_check(&c, MAP_SIZE));
	memset(map + c.enable_off, 1, c.id_nr);
	channel_init(channel, map, &c, false);
	channel->registry->next_on = KTRACE_ID_FIRST;
	channel->registry->next_off = KTRACE_ID_OFF;
	for (i = 0; i < RING_NR; i++) {
		channel_thread_ring(channel, i, &r);
		kt_reader_init(&readers[i], &r);
	}
	own_publish(channel);
}

static void make_events(void)
{
	unsigned int i;

	for (i = 0; i < EVENT_NR; i++) {
		snprintf(descs[i], sizeof(descs[i]), "test:event%u{u32 a;u32 b;}@x:1", i);
		events[i] = (struct ktrace_event){ .desc = descs[i] };
		events[i].enabled = &events[i].off;
		refs[i] = &events[i];
	}
}

/* @nr: of all threads; a payload says who, which and, by its fill byte, that it is whole. */
static void record(const struct ktrace_event *ev, __u32 nr, __u32 seq)
{
	__u32 payload[40] = { nr, seq };
	const struct ktrace_piece pieces[2] = {
		{ payload, 8 }, { payload + 2, seq % 150 }
	};

	memset(payload + 2, (int)(nr + seq), sizeof(payload) - 8);
	ktrace_record_write(ev, pieces, 2);
}

static void *write_records(void *arg)
{
	const __u32 nr = (__u32)(uintptr_t)arg;
	struct ktrace_event ev = { .header = KTRACE_ID_OFF - 1 };
	__u32 i;

	for (i = 0; i < EVENT_NR; i++)
		ids[nr % THREAD_NR][i] = registry_event(own_channel, descs[i]);
	for (i = 0; i < RECORD_NR; i++) {
		/* Some are not on yet: then it is the event that is always on. */
		const struct ktrace_event *other = &events[i % EVENT_NR];

		record(ktrace_event_is_on(other) ? other : &ev, nr, i);
	}
	__atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void *register_events(void *arg)
{
	(void)arg;
	ktrace_events_register(refs, refs + EVENT_NR);
	return NULL;
}

static void check_record(const struct ktrace_record *rec, const char *payload)
{
	__u32 head[2], i;

	if (rec->id == KTRACE_ID_LOST)
		return;
	assert(rec->id >= KTRACE_ID_FIRST && rec->len >= sizeof(head));
	memcpy(head, payload, sizeof(head));
	assert(head[0] < THREAD_NR * ROUND_NR && head[1] < RECORD_NR);
	assert(rec->len == 8 + head[1] % 150);
	assert(rec->id == KTRACE_ID_OFF - 1 ||
	       rec->id == (events[head[1] % EVENT_NR].header & 0xffff));
	for (i = 8; i < rec->len; i++)
		assert((unsigned char)payload[i] == (unsigned char)(head[0] + head[1]));
	assert(!seen[head[0]][head[1]]++);
	events_read++;
}

static void drain(struct kt_reader *rd)
{
	static char copy[BLOCK];
	struct kt_cursor cur = { .base = copy };
	struct ktrace_record rec;
	const char *payload;
	struct kt_chunk c;

	while (kt_reader_peek(rd, true, &c)) {
		assert(c.size <= sizeof(copy));
		memcpy(copy, c.data, c.size);
		if (!kt_reader_still_valid(rd, &c))
			continue;
		assert(!c.corrupt);
		cur.off = c.pos % BLOCK ? 0 : sizeof(struct ktrace_block);
		cur.end = c.size;
		while (kt_cursor_next(&cur, &rec, &payload) == KT_CURSOR_RECORD)
			check_record(&rec, payload);
		kt_reader_advance(rd, &c);
	}
}

static void drain_all(void)
{
	unsigned int i;

	for (i = 0; i < RING_NR; i++)
		drain(&readers[i]);
}

static void run_round(unsigned int round)
{
	pthread_t thread[THREAD_NR + 1];
	unsigned int i, k;
	bool is_over;

	__atomic_store_n(&running, THREAD_NR, __ATOMIC_RELAXED);
	for (i = 0; i < THREAD_NR; i++)
		assert(!pthread_create(&thread[i], NULL, write_records,
				       (void *)(uintptr_t)(round * THREAD_NR + i)));
	assert(!pthread_create(&thread[i], NULL, register_events, NULL));
	do {
		is_over = !__atomic_load_n(&running, __ATOMIC_ACQUIRE);
		drain_all();
	} while (!is_over);
	for (i = 0; i <= THREAD_NR; i++)
		pthread_join(thread[i], NULL);
	for (i = 0; i < THREAD_NR; i++)
		for (k = 0; k < EVENT_NR; k++)
			assert(ids[i][k] && ids[i][k] == ids[0][k] &&
			       ids[i][k] == (events[k].header & 0xffff));
}

static const char *const policies[] = { "drop", "overwrite", "block", "stop" };

static void run(__u32 policy)
{
	struct ktrace_lost lost;
	unsigned int i, k;
	__u64 sum = 0;

	make_channel(policy);
	make_events();
	memset(seen, 0, sizeof(seen));
	events_read = 0;
	for (i = 0; i < ROUND_NR; i++)
		run_round(i);
	drain_all();
	for (i = 0; i < RING_NR; i++) {
		kt_reader_lost(&readers[i], &lost);
		assert(!lost.count[KTRACE_LOST_CORRUPT]);
		for (k = 0; k < KTRACE_LOST_NR; k++)
			sum += lost.count[k];
		assert(!readers[i].ring.w->owner);
	}
	printf("# %s: read %llu, lost %llu\n", policies[policy],
	       (unsigned long long)events_read, (unsigned long long)sum);
	assert(events_read + sum == THREAD_NR * ROUND_NR * RECORD_NR);
}

/* usage: test_writer_threads [POLICY...] */
int main(int argc, char **argv)
{
	__u32 policy;
	int i;

	thread_init_process();
	for (policy = 0; policy < KTRACE_POLICY_NR; policy++) {
		for (i = 1; i < argc && strcmp(argv[i], policies[policy]); i++)
			;
		if (argc == 1 || i < argc)
			run(policy);
	}
	puts("ok");
	return 0;
}
