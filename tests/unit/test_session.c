// SPDX-License-Identifier: GPL-2.0
/*
 * test_session.c - the session library: layout, registry, streams, owner's death
 *
 * The shared-memory back end is used for real; writers are made by hand on thread
 * rings, so this needs no libktrace.
 */
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/futex.h>

#include "../../userspace/lib/session/internal.h"
#include "../../userspace/lib/session/layout.h"

#define RING 65536u
#define BLOCK 4096u

static const struct ktrace_session_options small = {
	.size = sizeof(small),
	.backend = KTRACE_BACKEND_SHM,
	.policy = KTRACE_POLICY_DROP,
	.ring_size = RING,
	.thread_size = RING,
	.registry_size = 65536,
	.block_size = BLOCK,
	.thread_nr = 4,
	.timeout_ms = 1000,
	.filter = "demo:*",
};

static struct ktrace_session *make(const struct ktrace_session_options *opts)
{
	struct ktrace_session *s;

	assert(!ktrace_session_create(opts, &s, NULL));
	return s;
}

static struct kt_ring thread_ring(const struct ktrace_session *s, __u32 n)
{
	return s->user.readers[s->user.control.cpu_nr + n].ring;
}

static void write_events(const struct kt_ring *ring, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		struct kt_slot slot;

		if (kt_ring_reserve(ring, KTRACE_ID_FIRST, 8, 1, &slot) != KT_RING_OK)
			continue;
		memcpy(slot.rec + 1, &i, sizeof(i));
		memset((char *)(slot.rec + 1) + 4, 0, 4);
		kt_ring_commit(ring, &slot);
	}
}

static unsigned int read_all(struct ktrace_session *s)
{
	struct ktrace_chunk chunk;
	unsigned int records = 0;

	for (__u32 i = 0; i < ktrace_stream_nr(s); i++) {
		while (ktrace_stream_peek(s, i, true, &chunk)) {
			records += chunk.records;
			assert(ktrace_stream_still_valid(s, i, &chunk));
			ktrace_stream_advance(s, i, &chunk);
		}
		assert(!ktrace_stream_unread(s, i));
	}
	return records;
}

static struct ktrace_control geometry(void)
{
	return (struct ktrace_control) {
		.ring_nr = 6, .cpu_nr = 2, .block_size = BLOCK, .ring_size = RING,
		.thread_size = RING, .registry_size = 8192, .id_nr = KTRACE_ID_NR,
		.filter_size = KTRACE_FILTER_SIZE,
	};
}

static void test_layout_accepts(void)
{
	struct ktrace_control c = geometry();

	assert(!layout_compute(&c));
	assert(!layout_check(&c, c.map_size));
	assert(c.enable_off >= sizeof(c));
	assert(c.registry_off % LAYOUT_PAGE == 0 && c.rings_off % LAYOUT_PAGE == 0);
	assert(c.threads_off == c.rings_off + 2 * c.ring_stride);
	assert(c.map_size == c.threads_off + 4 * c.thread_stride);
	/* One page less, and the last ring hangs over the end. */
	assert(layout_check(&c, c.map_size - LAYOUT_PAGE) == -EBADMSG);
}

#define REJECTS(change) do { \
		struct ktrace_control c = geometry(); \
		change; \
		assert(layout_compute(&c) == -EINVAL); \
	} while (0)

static void test_layout_rejects(void)
{
	REJECTS(c.block_size = 0);
	REJECTS(c.block_size = 2048);
	REJECTS(c.block_size = 4097);
	REJECTS(c.block_size = 2 * KTRACE_BLOCK_MAX);
	REJECTS(c.ring_size = 0);
	REJECTS(c.ring_size = 2 * BLOCK);
	REJECTS(c.ring_size = RING + 1);
	REJECTS(c.ring_size = 2 * KTRACE_RING_MAX);
	REJECTS(c.thread_size = 3 * BLOCK);
	REJECTS(c.ring_nr = 1);
	REJECTS(c.ring_nr = 0; c.cpu_nr = 0);
	REJECTS(c.cpu_nr = 100000; c.ring_nr = 100000);
	REJECTS(c.registry_size = 100);
	REJECTS(c.registry_size = ~0ull << 12);
	REJECTS(c.policy = KTRACE_POLICY_NR);
}

static void test_check_rejects_lies(void)
{
	struct ktrace_control good = geometry(), c;

	assert(!layout_compute(&good));
#define LIE(change) do { c = good; change; assert(layout_check(&c, good.map_size)); } while (0)
	LIE(c.rings_off = ~0ull - 7);
	LIE(c.rings_off += 1);
	LIE(c.ring_stride = 8);
	LIE(c.ring_stride = ~0ull - 7);
	LIE(c.threads_off = good.map_size);
	LIE(c.tail_off = good.map_size - 8);
	LIE(c.enable_off = (__u32)good.map_size);
	LIE(c.filter_off = (__u32)good.map_size - 1);
	LIE(c.data_off = 0);
	LIE(c.data_off = 0xfffffff8);
	LIE(c.registry_off = good.map_size - 8);
	LIE(c.registry_size = 8);
#undef LIE
}

/* Bytes of the fixed part of a description, summed from its field types. */
static size_t fixed_size(const char *desc)
{
	size_t size = 0;
	const char *at = strchr(desc, '{') + 1;

	while (*at != '}') {
		unsigned int bits, n = 1;
		const char *type = strncmp(at, "enum<", 5) ? at : at + 5;

		if (!strncmp(type, "char", 4)) {
			bits = 8;
			assert(sscanf(type, "char[%u]", &n) == 1);
		} else if (!strncmp(type, "string", 6)) {
			bits = 0;
		} else {
			assert(sscanf(type, "%*c%u[%u]", &bits, &n) >= 1);
		}
		size += bits / 8 * n;
		at = strchr(at, ';') + 1;
	}
	return size;
}

static void test_kernel_events(void)
{
	const struct ktrace_kernel_event *ev, *other;
	__u32 i, k;

	for (i = 0; (ev = ktrace_kernel_event(i)); i++) {
		char start[64];

		assert(fixed_size(ev->desc) == ev->size);
		snprintf(start, sizeof(start), "%s:%s{", ev->family, ev->name);
		assert(!strncmp(ev->desc, start, strlen(start)));
		for (k = 0; k < i; k++) {
			other = ktrace_kernel_event(k);
			assert(other->id != ev->id && strcmp(other->desc, ev->desc));
		}
	}
	assert(i);
}

static void test_session_begins_suspended(void)
{
	struct ktrace_session *s = make(&small);
	const struct ktrace_control *c = channel_control(&s->user);
	struct ktrace_session_info info;
	struct stat st;

	assert(c->magic == KTRACE_CONTROL_MAGIC && c->state == KTRACE_STATE_SUSPENDED);
	assert(s->user.map[c->enable_off + KTRACE_ID_FIRST] == 0);
	assert(!ktrace_session_start(s) && c->state == KTRACE_STATE_RUNNING);
	assert(s->user.map[c->enable_off + KTRACE_ID_FIRST] == 1);
	assert(s->user.map[c->enable_off + KTRACE_ID_OFF - 1] == 1);
	assert(s->user.map[c->enable_off + KTRACE_ID_OFF] == 0);
	assert(!strcmp(s->user.map + c->filter_off, "demo:*"));
	assert(!ktrace_session_enable(s, KTRACE_CHANNEL_USER, 20, false));
	assert(s->user.map[c->enable_off + 20] == 0);
	assert(!ktrace_session_stop(s) && c->state == KTRACE_STATE_SUSPENDED);
	assert(s->user.map[c->enable_off + KTRACE_ID_FIRST] == 0);
	assert(!ktrace_session_start(s) && s->user.map[c->enable_off + 20] == 0);
	assert(s->user.map[c->enable_off + 21] == 1);
	assert(ktrace_session_enable(s, KTRACE_CHANNEL_USER, 3, true) == -EINVAL);
	assert(ktrace_session_enable(s, KTRACE_CHANNEL_KERNEL, 64, true) == -ENOENT);
	assert(ktrace_session_follow(s, 1) == -ENOENT);
	assert(!ktrace_session_info(s, &info) && !strcmp(info.backend, "shm"));
	assert(!strncmp(info.env, "shm:/dev/shm/ktrace-", 20));
	assert(!stat(info.env + 4, &st) && (st.st_mode & 07777) == 0600);
	/* All of it is there: nobody can run into a hole. */
	assert((__u64)st.st_size == s->user.map_size);
	assert((__u64)st.st_blocks * 512 >= s->user.map_size);
	ktrace_session_destroy(s);
}

static void test_session_leaves_nothing(void)
{
	struct ktrace_session *s = make(&small);
	char dir[sizeof(s->dir)];

	memcpy(dir, s->dir, sizeof(dir));
	assert(!access(dir, F_OK));
	ktrace_session_destroy(s);
	assert(access(dir, F_OK) && errno == ENOENT);
}

static void test_session_refuses(void)
{
	struct ktrace_session_options o = small;
	char reason[KTRACE_REASON_SIZE];
	struct ktrace_session *s;
	char long_filter[KTRACE_FILTER_SIZE + 1];

	o.ring_size = 1000;
	assert(ktrace_session_create(&o, &s, reason) == -EINVAL && strstr(reason, "buffer"));
	o = small;
	o.size = 1;
	assert(ktrace_session_create(&o, &s, reason) == -EINVAL);
	o = small;
	o.ring_size = KTRACE_RING_MAX;
	o.thread_size = KTRACE_RING_MAX;
	o.thread_nr = 4096;
	assert(ktrace_session_create(&o, &s, reason) == -ENOMEM && strstr(reason, "memory"));
	memset(long_filter, 'x', sizeof(long_filter) - 1);
	long_filter[sizeof(long_filter) - 1] = '\0';
	o = small;
	o.filter = long_filter;
	assert(ktrace_session_create(&o, &s, reason) == -EINVAL);
}

static void test_streams_deliver_once(void)
{
	struct ktrace_session *s = make(&small);
	struct kt_ring ring = thread_ring(s, 1);
	struct ktrace_lost lost;
	__u32 stream = s->user.control.cpu_nr + 1;
	struct ktrace_stream info;

	ktrace_stream_info(s, stream, &info);
	assert(info.is_thread && info.size == RING && info.kind == KTRACE_CHANNEL_USER);
	write_events(&ring, 1000);
	assert(read_all(s) == 1000);
	assert(read_all(s) == 0);
	/* More than fits: what is not delivered is counted. */
	write_events(&ring, 100000);
	ktrace_stream_lost(s, stream, &lost);
	assert(lost.count[KTRACE_LOST_FULL] > 0);
	assert(read_all(s) + lost.count[KTRACE_LOST_FULL] == 100000);
	ktrace_session_destroy(s);
}

/* An entry at off; the word makes it ready or not. */
static __u64 put_entry(struct ktrace_session *s, __u64 off, __u32 state, __u16 type,
		       const char *text)
{
	struct ktrace_entry *e = (struct ktrace_entry *)(s->registry.base + off);
	__u32 size = (__u32)(sizeof(*e) + strlen(text) + 8) & ~7u;

	memcpy(e + 1, text, strlen(text) + 1);
	e->type = type;
	e->id = 77;
	e->pid = 5;
	e->word = state | size;
	return off + size;
}

static void test_registry_reads(void)
{
	struct ktrace_session *s = make(&small);
	struct ktrace_entry_copy e;
	__u64 off = sizeof(struct ktrace_registry), busy;

	assert(!ktrace_registry_next(s, &e));
	off = put_entry(s, off, KTRACE_ENTRY_READY, KTRACE_ENTRY_EVENT, "demo:a{}");
	busy = off;
	off = put_entry(s, off, KTRACE_ENTRY_BUSY, KTRACE_ENTRY_EVENT, "demo:b{}");
	off = put_entry(s, off, KTRACE_ENTRY_READY, KTRACE_ENTRY_PROCESS, "comm=x");
	assert(ktrace_registry_next(s, &e) == 1 && !strcmp(e.text, "demo:a{}") && e.id == 77);
	assert(ktrace_registry_next(s, &e) == 1 && e.type == KTRACE_ENTRY_PROCESS);
	assert(!ktrace_registry_next(s, &e));
	/* The one that was passed over comes when it is ready, once. */
	put_entry(s, busy, KTRACE_ENTRY_READY, KTRACE_ENTRY_EVENT, "demo:b{}");
	assert(ktrace_registry_next(s, &e) == 1 && !strcmp(e.text, "demo:b{}"));
	assert(!ktrace_registry_next(s, &e));
	put_entry(s, off, KTRACE_ENTRY_READY, 99, "unknown type");
	assert(!ktrace_registry_next(s, &e));
	assert(!ktrace_registry_full(s));
	ktrace_session_destroy(s);
}

/* A word at the end of the list; what must come of it. */
static void hostile(__u32 word, int expected)
{
	struct ktrace_session *s = make(&small);
	struct ktrace_entry_copy e;
	struct ktrace_entry *at = (struct ktrace_entry *)(s->registry.base +
							  sizeof(struct ktrace_registry));

	memset(at, 'A', 60000);
	at->word = word;
	assert(ktrace_registry_next(s, &e) == expected);
	for (int i = 0; i < 100; i++)
		assert(!ktrace_registry_next(s, &e));
	ktrace_session_destroy(s);
}

static void test_registry_survives_lies(void)
{
	hostile(KTRACE_ENTRY_READY | 8, -EBADMSG);
	hostile(KTRACE_ENTRY_READY, -EBADMSG);
	hostile(KTRACE_ENTRY_READY | KTRACE_ENTRY_SIZE_MASK, -EBADMSG);
	hostile(0xffffffff, -EBADMSG);
	hostile(KTRACE_ENTRY_READY | 65536, -EBADMSG);
	hostile(1, -EBADMSG);
}

/* A caller that asks until there is none gets the entry behind a thousand damaged ones. */
static void test_registry_end_is_not_said_too_early(void)
{
	struct ktrace_session *s = make(&small);
	struct ktrace_entry_copy e;
	__u64 off = sizeof(struct ktrace_registry);
	int ret, calls = 0;

	for (int i = 0; i < 1000; i++)
		off = put_entry(s, off, KTRACE_ENTRY_READY, 99, "");
	put_entry(s, off, KTRACE_ENTRY_READY, KTRACE_ENTRY_EVENT, "behind:x{}");
	while ((ret = ktrace_registry_next(s, &e)) == -EAGAIN)
		assert(++calls < 10);
	assert(ret == 1 && !strcmp(e.text, "behind:x{}"));
	assert(!ktrace_registry_next(s, &e));
	ktrace_session_destroy(s);
}

static void test_registry_text_is_bounded(void)
{
	struct ktrace_session *s = make(&small);
	struct ktrace_entry_copy e;
	__u64 off = sizeof(struct ktrace_registry);
	struct ktrace_entry *at = (struct ktrace_entry *)(s->registry.base + off);

	/* No NUL in it, and longer than a copy. */
	memset(at + 1, 'x', 40000);
	at->type = KTRACE_ENTRY_PROCESS;
	at->word = KTRACE_ENTRY_READY | 20000;
	memset((char *)at + 20000, 0, 30000);
	assert(ktrace_registry_next(s, &e) == 1);
	assert(strlen(e.text) == KTRACE_ENTRY_TEXT_MAX - 1);
	/* An id that is no event's. */
	at = (struct ktrace_entry *)((char *)at + 20000);
	at->type = KTRACE_ENTRY_EVENT;
	at->id = 3;
	at->word = KTRACE_ENTRY_READY | 64;
	assert(!ktrace_registry_next(s, &e));
	ktrace_session_destroy(s);
}

/* Many that never become ready: the list goes on behind them. */
static void test_registry_of_the_dead(void)
{
	struct ktrace_session *s = make(&small);
	struct ktrace_entry_copy e;
	__u64 off = sizeof(struct ktrace_registry);

	for (int i = 0; i < 1000; i++)
		off = put_entry(s, off, KTRACE_ENTRY_BUSY, KTRACE_ENTRY_EVENT, "dead:x{}");
	put_entry(s, off, KTRACE_ENTRY_READY, KTRACE_ENTRY_EVENT, "alive:x{}");
	for (int i = 0; i < 10; i++)
		if (ktrace_registry_next(s, &e) == 1)
			goto found;
	assert(0);
found:
	assert(!strcmp(e.text, "alive:x{}"));
	ktrace_session_destroy(s);
}

static struct ktrace_slot *slot(const struct ktrace_session *s, __u64 pos)
{
	const struct slots *slots = &s->registry.slots;

	return (struct ktrace_slot *)(slots->base + pos % slots->nr * slots->size);
}

static void put_slot(const struct ktrace_session *s, __u64 pos, __u32 state, const char *text)
{
	struct ktrace_slot *to = slot(s, pos);

	to->entry = (struct ktrace_entry) { .type = KTRACE_ENTRY_THREAD, .pid = 5, .tid = 6 };
	strcpy((char *)(&to->entry + 1), text);
	to->word = KTRACE_SLOT_WORD(pos, state);
}

static bool is_free_for(const struct ktrace_session *s, __u64 pos)
{
	return slot(s, pos)->word == KTRACE_SLOT_WORD(pos, KTRACE_SLOT_FREE);
}

static struct ktrace_session *make_with_slots(void)
{
	struct ktrace_session_options o = small;

	o.registry_size = 1 << 20;
	return make(&o);
}

static void test_slots_are_used_again(void)
{
	struct ktrace_session *s = make_with_slots();
	const __u32 nr = s->registry.slots.nr;
	struct ktrace_registry_use use;
	struct ktrace_entry_copy e;
	char text[32];
	__u64 pos = 0;

	assert(nr == 1024 && is_free_for(s, 0) && is_free_for(s, nr - 1));
	for (int lap = 0; lap < 5; lap++) {
		for (__u64 i = pos; i < pos + nr; i++) {
			assert(is_free_for(s, i));
			snprintf(text, sizeof(text), "comm=n%u", (unsigned int)i);
			put_slot(s, i, KTRACE_SLOT_READY, text);
		}
		for (; pos < (lap + 1ull) * nr; pos++) {
			assert(ktrace_registry_next(s, &e) == 1 && e.tid == 6);
			snprintf(text, sizeof(text), "comm=n%u", (unsigned int)pos);
			assert(!strcmp(e.text, text));
		}
		assert(!ktrace_registry_next(s, &e));
		/* Not before it is saved. */
		assert(!is_free_for(s, pos));
		ktrace_registry_saved(s);
		assert(is_free_for(s, pos) && is_free_for(s, pos + nr - 1));
	}
	ktrace_registry_use(s, &use);
	assert(use.reused == 5 * nr && !use.missing && !use.unfinished);
	ktrace_session_destroy(s);
}

/* One whose writer needs long, and one whose writer is dead: the others go on. */
static void test_slots_of_the_slow(void)
{
	struct ktrace_session *s = make_with_slots();
	const __u32 nr = s->registry.slots.nr;
	struct ktrace_registry_use use;
	struct ktrace_entry_copy e;

	put_slot(s, 0, KTRACE_SLOT_BUSY, "comm=slow");
	put_slot(s, 1, KTRACE_SLOT_READY, "comm=quick");
	put_slot(s, 2, KTRACE_SLOT_BUSY, "comm=dead");
	assert(ktrace_registry_next(s, &e) == 1 && !strcmp(e.text, "comm=quick"));
	assert(!ktrace_registry_next(s, &e));
	ktrace_registry_saved(s);
	assert(!is_free_for(s, nr) && !is_free_for(s, nr + 1));
	put_slot(s, 0, KTRACE_SLOT_READY, "comm=slow");
	assert(ktrace_registry_next(s, &e) == 1 && !strcmp(e.text, "comm=slow"));
	ktrace_registry_saved(s);
	assert(is_free_for(s, nr) && is_free_for(s, nr + 1) && !is_free_for(s, nr + 2));
	/* It is given up when it has been the oldest for long. */
	ktrace_registry_saved(s);
	assert(s->registry.slots.oldest_ns);
	s->registry.slots.oldest_ns -= 3000000000ull;
	ktrace_registry_saved(s);
	assert(slot(s, 2)->word == KTRACE_SLOT_WORD(2, KTRACE_SLOT_DEAD));
	ktrace_registry_use(s, &use);
	assert(use.unfinished == 1);
	for (__u64 pos = 3; pos < 3 * nr; pos++) {
		if (pos % nr == 2)
			continue;
		put_slot(s, pos, KTRACE_SLOT_READY, "comm=later");
		assert(ktrace_registry_next(s, &e) == 1 && !strcmp(e.text, "comm=later"));
		ktrace_registry_saved(s);
	}
	ktrace_session_destroy(s);
}

static __u32 unfinished(const struct ktrace_session *s)
{
	struct ktrace_registry_use use;

	ktrace_registry_use(s, &use);
	return use.unfinished;
}

/* Entries that are not completed are counted, by each owner. */
static void test_unfinished_slots_count(void)
{
	struct ktrace_session *s = make_with_slots();
	struct ktrace_registry *words = (struct ktrace_registry *)s->registry.base;
	struct ktrace_entry_copy e;

	/* Two whose writers ended the moment before, one of them read past */
	put_slot(s, 0, KTRACE_SLOT_BUSY, "comm=a");
	assert(!ktrace_registry_next(s, &e));
	put_slot(s, 1, KTRACE_SLOT_BUSY, "comm=b");
	assert(unfinished(s) == 2);
	put_slot(s, 0, KTRACE_SLOT_DEAD, "comm=a");
	put_slot(s, 1, KTRACE_SLOT_READY, "comm=b");
	put_entry(s, sizeof(*words), KTRACE_ENTRY_BUSY, KTRACE_ENTRY_PROCESS, "comm=c");
	/* Another owner finds what was given up before. */
	registry_exit(&s->registry);
	assert(!registry_init(&s->registry, &s->user));
	words = (struct ktrace_registry *)s->registry.base;
	assert(ktrace_registry_next(s, &e) == 1 && !strcmp(e.text, "comm=b"));
	assert(unfinished(s) == 2);
	/* One was only late. */
	words->slot_late = 1;
	assert(unfinished(s) == 1);
	words->slot_late = ~0u;
	assert(unfinished(s) == 1);
	/* What cannot be read any more is missing, too. */
	put_slot(s, 2, KTRACE_SLOT_READY, "comm=d");
	put_slot(s, 3, KTRACE_SLOT_READY, "comm=e");
	slot(s, 2)->word = KTRACE_SLOT_WORD(7, KTRACE_SLOT_READY);
	assert(ktrace_registry_next(s, &e) == -EBADMSG && !ktrace_registry_next(s, &e));
	assert(unfinished(s) == 3);
	ktrace_session_destroy(s);
}

/* The control page says how many ids there are: of a session that is adopted it may lie. */
static void test_dismiss_stays_within_ids(void)
{
	struct ktrace_session *s = make_with_slots();
	char *after = s->user.map + s->user.control.enable_off + KTRACE_ID_ALL;

	assert(after == s->user.map + s->user.control.filter_off && *after == 'd');
	s->user.control.id_all = 60000;
	assert(!ktrace_session_dismiss(s) && after[-1] == 1 && *after == 'd');
	ktrace_session_destroy(s);
}

/* A word that no writer would leave there: no slot is read after it, and the list still is. */
static void test_slots_survive_lies(void)
{
	static const __u64 lies[] = {
		KTRACE_SLOT_WORD(7, KTRACE_SLOT_READY), KTRACE_SLOT_WORD(1024, KTRACE_SLOT_FREE),
		KTRACE_SLOT_WORD(1024, KTRACE_SLOT_BUSY), ~0ull << 2,
	};
	struct ktrace_entry_copy e;

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct ktrace_session *s = make_with_slots();

		slot(s, 0)->word = lies[i];
		assert(ktrace_registry_next(s, &e) == -EBADMSG);
		assert(!ktrace_registry_next(s, &e));
		ktrace_registry_saved(s);
		put_entry(s, sizeof(struct ktrace_registry), KTRACE_ENTRY_READY,
			  KTRACE_ENTRY_PROCESS, "comm=x");
		assert(ktrace_registry_next(s, &e) == 1 && !strcmp(e.text, "comm=x"));
		ktrace_session_destroy(s);
	}
}

/* A child that does nothing but hold the buffer, and is in the registry at @off. */
static pid_t add_holder(struct ktrace_session *s, __u64 off)
{
	struct ktrace_entry *at = (struct ktrace_entry *)(s->registry.base + off);
	struct ktrace_entry_copy e;
	pid_t child = fork();

	if (!child) {
		pause();
		_exit(0);
	}
	put_entry(s, off, KTRACE_ENTRY_BUSY, KTRACE_ENTRY_PROCESS, "");
	at->pid = (__u32)child;
	at->word = KTRACE_ENTRY_READY | 32;
	assert(ktrace_registry_next(s, &e) == 1);
	return child;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void test_holders(void)
{
	struct ktrace_session *s = make(&small);
	pid_t first = add_holder(s, sizeof(struct ktrace_registry));
	pid_t second = add_holder(s, sizeof(struct ktrace_registry) + 32);
	struct ktrace_holders h;

	assert(!ktrace_session_holders(s, ~0u, &h) && h.nr == 2 && h.pid == (__u32)second);
	/* Of many, one is enough to know that somebody is there. */
	assert(!ktrace_session_holders(s, 1, &h) && h.nr == 1 && h.pid == (__u32)first);
	end(first);
	assert(!ktrace_session_holders(s, 1, &h) && h.nr == 1 && h.pid == (__u32)second);
	end(second);
	assert(!ktrace_session_holders(s, ~0u, &h) && h.nr == 0);
	ktrace_session_destroy(s);
}

static void test_dead_owners_ring_is_taken_back(void)
{
	struct ktrace_session *s = make(&small);
	struct kt_ring dead = thread_ring(s, 0), alive = thread_ring(s, 1);
	pid_t child = fork();
	struct kt_slot slot;

	if (!child)
		_exit(0);
	dead.w->owner = (__u32)child;
	/* It died in an event, which a handler's had interrupted. */
	assert(kt_ring_reserve(&dead, KTRACE_ID_FIRST, 8, 0, &slot) == KT_RING_OK);
	assert(kt_ring_reserve(&dead, KTRACE_ID_FIRST, 8, 0, &slot) == KT_RING_OK);
	kt_ring_commit(&dead, &slot);
	alive.w->owner = (__u32)getpid();
	waitpid(child, NULL, 0);
	thread_ring(s, 2).w->owner = 0xffffffff;
	assert(channel_dead_owners(&s->user) == 1);
	assert(ktrace_session_reclaim(s) == 1);
	assert(dead.w->lost.count[KTRACE_LOST_NESTED] == 2 && !kt_ring_is_busy(&dead));
	assert(!dead.w->owner && alive.w->owner == (__u32)getpid());
	assert(thread_ring(s, 2).w->owner == 0xffffffff);
	ktrace_session_destroy(s);
}

static bool is_listed(void)
{
	struct ktrace_stale first;

	return ktrace_session_list_stale(&first, 1) > 0;
}

static bool is_thread_of(pid_t pid, __u32 tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%u", pid, tid);
	return !access(path, F_OK);
}

/* A child owns a session and is killed: writers can see it, a later owner finds it. */
static void test_owner_death_shows(void)
{
	struct ktrace_control c;
	int pipe_fd[2], status, fd;
	char path[96];
	pid_t child;

	assert(!pipe(pipe_fd));
	child = fork();
	if (!child) {
		struct ktrace_session *s = make(&small);

		assert(write(pipe_fd[1], s->env + 4, sizeof(s->env) - 4) > 0);
		pause();
	}
	assert(read(pipe_fd[0], path, sizeof(path)) > 0);
	fd = open(path, O_RDONLY);
	assert(fd >= 0 && pread(fd, &c, sizeof(c), 0) == sizeof(c));
	assert(is_thread_of(child, c.reader & FUTEX_TID_MASK) && !(c.reader & FUTEX_OWNER_DIED));
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	assert(pread(fd, &c, sizeof(c), 0) == sizeof(c) && (c.reader & FUTEX_OWNER_DIED));
	assert(is_listed());
	close(fd);
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	close(pipe_fd[0]);
	close(pipe_fd[1]);
}

/* Each is seen to be alive, whichever was made last. */
static void test_two_sessions_at_once(void)
{
	struct ktrace_session *a = make(&small), *b = make(&small);
	struct ktrace_control *ca = channel_control(&a->user), *cb = channel_control(&b->user);

	assert(is_thread_of(getpid(), ca->reader) && is_thread_of(getpid(), cb->reader));
	ktrace_session_destroy(a);
	assert(is_thread_of(getpid(), cb->reader));
	ktrace_session_destroy(b);
}

static void test_orderly_end_shows(void)
{
	struct ktrace_session *s = make(&small);
	const struct ktrace_control *c;
	int fd = open(s->env + 4, O_RDONLY);

	c = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	assert(c != MAP_FAILED && c->state == KTRACE_STATE_SUSPENDED);
	ktrace_session_destroy(s);
	assert(c->state == KTRACE_STATE_CLOSED && !(c->reader & FUTEX_TID_MASK));
	munmap((void *)c, 4096);
	close(fd);
}

static void test_clock(void)
{
	struct ktrace_session *s = make(&small);
	struct ktrace_reading a, b;

	ktrace_session_clock(s, &a);
	usleep(20000);
	ktrace_session_clock(s, &b);
	assert(b.raw > a.raw && b.mono_ns > a.mono_ns && b.real_ns > 0 && a.hz > 0);
	/* Both frequencies describe the same clock: within 1 %. */
	assert(b.hz > a.hz - a.hz / 100 && b.hz < a.hz + a.hz / 100);
	ktrace_session_destroy(s);
}

int main(void)
{
	test_layout_accepts();
	test_layout_rejects();
	test_check_rejects_lies();
	test_kernel_events();
	test_session_begins_suspended();
	test_session_leaves_nothing();
	test_session_refuses();
	test_streams_deliver_once();
	test_registry_reads();
	test_registry_survives_lies();
	test_registry_end_is_not_said_too_early();
	test_registry_text_is_bounded();
	test_registry_of_the_dead();
	test_slots_are_used_again();
	test_slots_of_the_slow();
	test_unfinished_slots_count();
	test_dismiss_stays_within_ids();
	test_slots_survive_lies();
	test_holders();
	test_dead_owners_ring_is_taken_back();
	test_owner_death_shows();
	test_two_sessions_at_once();
	test_orderly_end_shows();
	test_clock();
	puts("session: all passed");
	return 0;
}
