// SPDX-License-Identifier: GPL-2.0
/*
 * write.c - a second writer, made from the headers uapi/linux/ktrace*.h alone
 *
 *   write [-f] [-k N] [-w] EVENTS [THREADS]
 *
 * Shows that they say enough, by what steps. It uses thread rings only, writes no long
 * records, and none in signal handlers. Each thread writes spec:count EVENTS times and
 * spec:text every 16th time. Then the program says how many records it has tried to
 * write, as "written MIN MAX", and how many of them it has counted as lost.
 *
 *   -f    fork first: parent and child write the same
 *   -k N  be killed in the middle of a thread's N-th record
 *   -w    wait until spec:count is enabled
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <fnmatch.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../arch/arch.h"

#include <linux/ktrace.h>
#include <linux/ktrace_ring.h>

#define THREADS_MAX 64
#define PAYLOAD_MAX 256

/* A word that others write or read at the same time. */
#define SHARED32(word) ((_Atomic __u32 *)&(word))
#define SHARED64(word) ((_Atomic __u64 *)&(word))

/**
 * struct writer - a thread and its ring
 * @ring:	words of the ring, NULL = none
 * @data:	its data
 * @tail:	the reader's words
 * @index:	its index
 * @tid:	the thread
 * @head:	as published
 * @records:	records below @head
 * @tried:	records this thread has tried to write
 * @lost:	of them lost
 */
struct writer {
	struct ktrace_ring *ring;
	char *data;
	const struct ktrace_tail *tail;
	__u32 index;
	__u32 tid;
	__u64 head;
	__u64 records;
	unsigned long tried;
	unsigned long lost;
};

static struct ktrace_control c;	/* the geometry as it was at the start */
static char *base;		/* the mapped channel: control area read-only, the rest writable */
static bool is_attached;
static __u16 id_count, id_text;
static unsigned long events, threads = 1, kill_at;

static __u64 now(void)
{
	struct timespec t;

	if (c.clock == KTRACE_CLOCK_TSC)
		return arch_ticks();
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/*
 * Attaching: the environment says where the session is
 */

static bool fits(__u64 off, __u64 nr, __u64 size)
{
	return off <= c.map_size && (!nr || size <= (c.map_size - off) / nr);
}

static bool is_sound(__u64 mapped)
{
	__u64 thread_nr = c.ring_nr - c.cpu_nr;

	return c.version == KTRACE_ABI_VERSION && c.size >= sizeof(c) &&
	       c.kind == KTRACE_CHANNEL_USER && c.map_size <= mapped &&
	       c.ring_nr && c.cpu_nr <= c.ring_nr &&
	       c.policy < KTRACE_POLICY_NR && c.clock <= KTRACE_CLOCK_MONOTONIC &&
	       fits(c.rings_off, c.cpu_nr, c.ring_stride) &&
	       fits(c.threads_off, thread_nr, c.thread_stride) &&
	       fits(c.registry_off, 1, c.registry_size) && fits(c.enable_off, c.id_nr, 1) &&
	       fits(c.filter_off, 1, c.filter_size) &&
	       fits(c.tail_off, c.ring_nr, sizeof(struct ktrace_tail)) &&
	       (!thread_nr || (c.block_size >= KTRACE_BLOCK_MIN && c.block_size <= c.thread_size &&
			       c.data_off <= c.thread_stride &&
			       c.thread_size <= c.thread_stride - c.data_off));
}

static int open_session(__u64 *off, __u64 *size)
{
	struct ktrace_attach a = {.size = sizeof(a)};
	const char *where = secure_getenv("KTRACE_SESSION");
	struct stat st;
	int fd;

	if (where && !strncmp(where, "shm:", 4)) {
		fd = open(where + 4, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
		*off = 0;
		if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_mode & 022 ||
		    (st.st_uid && st.st_uid != geteuid()))
			return -1;
		*size = st.st_size;
		return fd;
	}
	if (!where || strncmp(where, "dev:", 4))
		return -1;
	fd = open("/dev/ktrace", O_RDWR | O_CLOEXEC);
	a.session = strtoull(where + 4, NULL, 16);
	if (ioctl(fd, KTRACE_IOC_ATTACH, &a))
		return -1;
	*size = a.map_size;
	*off = a.map_off;
	return fd;
}

static bool attach(void)
{
	__u64 off, size;
	int fd = open_session(&off, &size);
	const struct ktrace_control *page;

	if (fd < 0 || size < sizeof(c))
		return false;
	base = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, off);
	if (base == MAP_FAILED)
		return false;
	page = (const void *)base;
	if (atomic_load(SHARED32(page->magic)) != KTRACE_CONTROL_MAGIC)
		return false;
	c = *page;
	return is_sound(size) &&
	       mmap(base + c.registry_off, size - c.registry_off, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_FIXED, fd, off + c.registry_off) != MAP_FAILED;
}

/*
 * The registry
 */

static bool matches_filter(const char *description)
{
	char filter[KTRACE_FILTER_SIZE], name[256], *rest = filter, *glob;

	snprintf(filter, sizeof(filter), "%s", base + c.filter_off);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(description, "{"), description);
	if (!*filter)
		return true;
	while ((glob = strsep(&rest, ",")))
		if (!fnmatch(glob, name, 0))
			return true;
	return false;
}

/* Returns the id, 0 when there is none left. */
static __u16 take_id(const char *description)
{
	struct ktrace_registry *r = (void *)(base + c.registry_off);
	bool on = matches_filter(description);
	__u32 id = atomic_fetch_add(on ? SHARED32(r->next_on) : SHARED32(r->next_off), 1);

	return id < (on ? KTRACE_ID_OFF : c.id_nr) ? id : 0;
}

/* Appends an entry and returns its id. Of an event described before, returns the same id. */
static __u16 add_entry(__u16 type, __u32 tid, const char *text)
{
	struct ktrace_registry *r = (void *)(base + c.registry_off);
	__u32 size = (sizeof(struct ktrace_entry) + strlen(text) + 1 + 7) & ~7u, word;
	struct ktrace_entry *e;
	__u64 off;

	for (off = sizeof(*r); off + size <= c.registry_size;
	     off += word & KTRACE_ENTRY_SIZE_MASK) {
		e = (void *)((char *)r + off);
		word = 0;
		if (atomic_compare_exchange_strong(SHARED32(e->word), &word,
						   KTRACE_ENTRY_BUSY | size)) {
			e->type = type;
			e->id = type == KTRACE_ENTRY_EVENT ? take_id(text) : 0;
			e->pid = getpid();
			e->tid = tid;
			e->ts = now();
			strcpy((char *)(e + 1), text);
			atomic_store_explicit(SHARED32(e->word), KTRACE_ENTRY_READY | size,
					      memory_order_release);
			return e->id;
		}
		if (type == KTRACE_ENTRY_EVENT && word == (KTRACE_ENTRY_READY | size) &&
		    e->type == type && !strncmp((char *)(e + 1), text, size - sizeof(*e)))
			return e->id;
		if ((word & KTRACE_ENTRY_SIZE_MASK) < sizeof(*e))
			break;
	}
	atomic_fetch_add(SHARED32(r->full), 1);
	return 0;
}

static void add_process(void)
{
	add_entry(KTRACE_ENTRY_PROCESS, getppid(), "comm=write exe=write");
}

static bool is_enabled(__u16 id)
{
	return id && atomic_load_explicit((_Atomic __u8 *)(base + c.enable_off + id),
					  memory_order_relaxed);
}

/*
 * Rings
 */

static struct ktrace_ring *ring_at(__u32 index)
{
	__u64 off = index < c.cpu_nr ? c.rings_off + index * c.ring_stride :
				       c.threads_off + (index - c.cpu_nr) * c.thread_stride;

	return (void *)(base + off);
}

static void *at(const struct writer *w, __u64 pos)
{
	return w->data + (pos & (c.thread_size - 1));
}

/* How many records the ring has had: as the last block says, and those in it. */
static __u64 count_records(const struct writer *w)
{
	__u64 pos = (w->head - 1) & ~(__u64)(c.block_size - 1), nr;
	const struct ktrace_block *b = at(w, pos);
	const struct ktrace_record *rec;

	if (!w->head)
		return 0;
	nr = b->records;
	for (pos += sizeof(*b); pos + sizeof(*rec) <= w->head;
	     pos += KTRACE_RECORD_SIZE(rec->len)) {
		rec = at(w, pos);
		if (rec->id == KTRACE_ID_PAD)
			break;
		nr += rec->id >= KTRACE_ID_FIRST;
	}
	return nr;
}

static bool claim_ring(struct writer *w, __u32 index)
{
	struct ktrace_ring *r = ring_at(index);
	__u32 nobody = 0;

	if (!atomic_compare_exchange_strong(SHARED32(r->owner), &nobody, w->tid))
		return false;
	r->generation++;
	w->ring = r;
	w->index = index;
	w->data = (char *)r + c.data_off;
	w->tail = (const struct ktrace_tail *)(base + c.tail_off) + index;
	w->head = r->head;
	w->records = count_records(w);
	return true;
}

static bool has_ring(struct writer *w)
{
	__u32 i;

	for (i = c.cpu_nr; i < c.ring_nr && !w->ring; i++)
		claim_ring(w, i);
	return w->ring;
}

static void release_ring(struct writer *w)
{
	if (w->ring)
		atomic_store_explicit(SHARED32(w->ring->owner), 0, memory_order_release);
}

/* Counts a record; one that found no ring in the first ring. Returns false. */
static bool lose(struct writer *w, enum ktrace_lost_reason reason)
{
	struct ktrace_ring *r = w->ring ? w->ring : ring_at(0);

	atomic_fetch_add(SHARED64(r->lost.count[reason]), 1);
	w->lost++;
	return false;
}

static void publish(struct writer *w, __u64 head)
{
	w->head = head;
	atomic_store_explicit(SHARED64(w->ring->head), head, memory_order_release);
}

static bool has_read_to(const struct writer *w, __u64 pos)
{
	__u64 tail = atomic_load_explicit(SHARED64(w->tail->tail), memory_order_acquire);

	return (__s64)(tail - pos) >= 0;
}

static bool has_reader(void)
{
	const struct ktrace_control *page = (const void *)base;

	return atomic_load(SHARED32(page->state)) != KTRACE_STATE_CLOSED &&
	       !(atomic_load(SHARED32(page->reader)) & FUTEX_OWNER_DIED);
}

static bool wait_for_reader(const struct writer *w, __u64 pos)
{
	const struct timespec ms = {.tv_nsec = 1000000};
	__u32 waited;

	for (waited = 0; waited < c.timeout_ms && has_reader() && !has_read_to(w, pos); waited++)
		nanosleep(&ms, NULL);
	return has_read_to(w, pos);
}

/* May the block at @pos be opened? If not, a loss is counted. */
static bool may_open(struct writer *w, __u64 pos)
{
	__u64 oldest = pos + c.block_size - c.thread_size;	/* that will be left */

	switch (c.policy) {
	case KTRACE_POLICY_OVERWRITE:
		/* Who sees a byte of the new block sees that head had come to the one before. */
		atomic_thread_fence(memory_order_release);
		return true;
	case KTRACE_POLICY_BLOCK:
		return wait_for_reader(w, oldest) || lose(w, KTRACE_LOST_TIMEOUT);
	case KTRACE_POLICY_STOP:
		if (w->ring->suspend == pos && !has_read_to(w, pos))
			return lose(w, KTRACE_LOST_STOPPED);
		if (has_read_to(w, oldest))
			return true;
		w->ring->suspend = pos;
		publish(w, pos);
		return lose(w, KTRACE_LOST_STOPPED);
	default:
		return has_read_to(w, oldest) || lose(w, KTRACE_LOST_FULL);
	}
}

static void pad_block(const struct writer *w, __u64 end)
{
	const struct ktrace_record pad = {.id = KTRACE_ID_PAD};

	if (end - w->head >= sizeof(pad))
		memcpy(at(w, w->head), &pad, sizeof(pad));
}

/* Header and, when a count has moved, a LOST record. Returns the place behind them. */
static __u64 open_block(const struct writer *w, __u64 pos)
{
	const struct ktrace_block *before = at(w, pos - c.block_size);
	struct {
		struct ktrace_block block;
		struct ktrace_record rec;
		struct ktrace_lost lost;
	} o = {
		{
			.pos = pos, .ts = now(), .records = w->records, .magic = KTRACE_BLOCK_MAGIC,
			.flags = KTRACE_BLOCK_COUNTED, .ring = w->index, .owner = w->tid,
			.generation = w->ring->generation,
		}, {.id = KTRACE_ID_LOST, .len = sizeof(o.lost)}, w->ring->lost
	};
	__u64 size = sizeof(o);
	int i;

	for (i = 0; i < KTRACE_LOST_NR; i++)
		o.block.lost += o.lost.count[i];
	if (o.block.lost == (pos ? before->lost : 0))
		size = sizeof(o.block);
	o.rec.ts = o.block.ts;
	memcpy(at(w, pos), &o, size);
	return pos + size;
}

/* Finds room for @size bytes in @pos, in the next block if need be. */
static bool reserve(struct writer *w, __u32 size, __u64 *pos)
{
	__u64 room = -w->head & (c.block_size - 1);
	__u64 end = w->head + room;

	*pos = w->head;
	if (size <= room)
		return true;
	pad_block(w, end);
	if (!may_open(w, end))
		return false;
	*pos = open_block(w, end);
	return true;
}

static void emit(struct writer *w, __u16 id, const void *payload, __u16 len)
{
	struct ktrace_record rec = {.id = id, .len = len, .tid_flags = w->tid & KTRACE_TID_MASK};
	__u64 pos;

	if (!is_enabled(id))
		return;
	w->tried++;
	if (!has_ring(w)) {
		lose(w, KTRACE_LOST_NORING);
		return;
	}
	if (!reserve(w, KTRACE_RECORD_SIZE(len), &pos))
		return;
	rec.ts = now();
	memcpy(at(w, pos), &rec, sizeof(rec));
	if (w->tried == kill_at)
		raise(SIGKILL);
	memcpy((char *)at(w, pos) + sizeof(rec), payload, len);
	w->records++;
	publish(w, pos + KTRACE_RECORD_SIZE(len));
}

/*
 * The program
 */

static void *thread(void *arg)
{
	struct {
		__u32 thread;
		__u32 nr;
		char text[PAYLOAD_MAX];
	} p = {.thread = *(__u32 *)arg};
	struct writer *w = calloc(1, sizeof(*w));

	w->tid = gettid();
	if (is_attached)
		add_entry(KTRACE_ENTRY_THREAD, w->tid, "comm=write");
	for (p.nr = 0; p.nr < events; p.nr++) {
		emit(w, id_count, &p, sizeof(p.thread) + sizeof(p.nr));
		if (p.nr % 16)
			continue;
		memset(p.text, 'a' + p.nr / 16 % 26, p.nr / 16 % PAYLOAD_MAX);
		p.text[p.nr / 16 % PAYLOAD_MAX] = 0;
		emit(w, id_text, &p, sizeof(p.thread) + sizeof(p.nr) + strlen(p.text) + 1);
	}
	release_ring(w);
	return w;
}

static bool options(int argc, char **argv)
{
	bool wait_enabled = false, do_fork = false;
	int opt;

	while ((opt = getopt(argc, argv, "fk:w")) != -1) {
		do_fork |= opt == 'f';
		wait_enabled |= opt == 'w';
		if (opt == 'k')
			kill_at = strtoul(optarg, NULL, 10);
		if (opt == '?')
			return false;
	}
	if (optind < argc)
		events = strtoul(argv[optind++], NULL, 10);
	if (optind < argc)
		threads = strtoul(argv[optind++], NULL, 10);
	if (!events || !threads || threads > THREADS_MAX || optind < argc)
		return false;
	while (wait_enabled && id_count && !is_enabled(id_count))
		usleep(1000);
	if (do_fork && !fork() && is_attached)
		add_process();
	return true;
}

int main(int argc, char **argv)
{
	unsigned long tried = 0, lost = 0;
	pthread_t id[THREADS_MAX];
	__u32 nr[THREADS_MAX], i;
	struct writer *w;

	is_attached = attach();
	if (is_attached) {
		add_process();
		id_count = add_entry(KTRACE_ENTRY_EVENT, 0,
				     "spec:count{u32 thread;u32 nr;}@write.c:1");
		id_text = add_entry(KTRACE_ENTRY_EVENT, 0,
				    "spec:text{u32 thread;u32 nr;string text;}@write.c:2");
	}
	if (!options(argc, argv)) {
		fprintf(stderr, "usage: write [-f] [-k N] [-w] EVENTS [THREADS]\n");
		return 2;
	}
	for (i = 0; i < threads; i++) {
		nr[i] = i;
		pthread_create(&id[i], NULL, thread, &nr[i]);
	}
	for (i = 0; i < threads; i++) {
		pthread_join(id[i], (void **)&w);
		tried += w->tried;
		lost += w->lost;
		free(w);
	}
	printf("written %lu %lu lost %lu\n", tried, tried, lost);
	fflush(stdout);
	while (wait(NULL) > 0)
		;
	return 0;
}
