// SPDX-License-Identifier: GPL-2.0
/*
 * perf_mmap_events.c - watches which code processes map while a recording runs
 *
 * When a stack is resolved its process may have ended, and its /proc entries with it. So the
 * kernel's perf events report each piece of code when it is mapped, with the build id of its file,
 * and each fork and exec: one event on each CPU, which counts nothing. Code that a process mapped
 * earlier is read from /proc when it forks; procmaps.c reads that of others when it meets a stack.
 *
 * An event ends when its CPU goes offline, so a CPU that comes online gets a new one. Earlier
 * mappings on that CPU are lost, like records that the ring had no room for: after that, no process
 * counts as known any more.
 *
 * The text has a limit. Beyond it records are only counted until there is room again: in the
 * next second, when processes have ended, as the file grows, or as time goes by.
 */
#include "perf_mmap_events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/pids.h"
#include "base/pidspace.h"
#include "base/uevent.h"
#include "buildid.h"
#include "procmaps.h"

#define RING_PAGES 64u
#define RECORD_MAX (1u << 16)
/*
 * Every process maps code, and each part of a recording repeats all of it, except for processes
 * that have ended: one line has some 150 bytes, and a program that starts has 5 to 10.
 */
#define TEXT_MAX (16ull << 20)
#define TEXT_A_SECOND (2ull << 20)
/*
 * A single file keeps all text, but may have more as it grows, and more each second: with
 * overwriting rings, nothing else reaches the file until the end.
 */
#define TEXT_OF_FILE 8
#define TEXT_EACH_SECOND 1024u
/* Once the text is used up, resumes only when so much is free, not for each single line. */
#define TEXT_TO_GO_ON (256u << 10)

/**
 * struct ring - records of one CPU
 * @fd:		the event, -1 = the CPU is offline
 * @page:	head and tail, followed by the records
 * @lost:	records lost for lack of room, as far as known
 * @told:	losses that PERF_RECORD_LOST has reported
 */
struct ring {
	int fd;
	struct perf_event_mmap_page *page;
	__u64 lost;
	__u64 told;
};

/**
 * struct mmap_events - state of one recording
 * @cpu_nr:	number of possible CPUs
 * @cpus:	their rings
 * @uevent_fd:	reports CPUs that come and go, < 0 = unavailable
 * @page:	size of a page
 * @since:	start, or time of the last loss: timestamp for mappings read from /proc
 * @loss:	records and CPUs that were missed
 * @is_partial:	some CPUs were offline or unwatchable, and may run unwatched
 * @left:	text that may be written; a_second 0: paused
 * @second:	time up to which TEXT_EACH_SECOND was added to @left, 0 = not yet
 * @told:	text written so far
 * @now:	clocks at the start of this drain
 * @known:	processes whose code has been written
 * @record:	the current record
 */
struct mmap_events {
	unsigned int cpu_nr;
	struct ring *cpus;
	int uevent_fd;
	size_t page;
	__u64 since;
	struct mmap_events_loss loss;
	bool is_partial;
	struct budget left;
	__u64 second;
	__u64 told;
	struct ktrace_reading now;
	struct pids known;
	__u64 record[RECORD_MAX / sizeof(__u64)];
};

/* Fields that the kernel appends to each record because of sample_type below */
struct trailer {
	__u32 pid;
	__u32 tid;
	__u64 time;
};

struct fork_record {
	struct perf_event_header header;
	__u32 pid;
	__u32 ppid;
};

struct lost_record {
	struct perf_event_header header;
	__u64 id;
	__u64 nr;
};

struct map_record {
	struct perf_event_header header;
	__u32 pid;
	__u32 tid;
	__u64 start;
	__u64 size;
	__u64 offset;
	union {
		struct {
			__u8 size;
			__u8 unused[3];
			unsigned char id[20];
		} build;
		struct {
			__u32 major;
			__u32 minor;
			__u64 inode;
			__u64 generation;
		} file;
	};
	__u32 prot;
	__u32 flags;
	char path[];
};

static int open_event(int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME, .sample_id_all = 1,
		.read_format = PERF_FORMAT_LOST,
		.mmap = 1, .mmap2 = 1, .build_id = 1, .comm = 1, .comm_exec = 1, .task = 1,
		.use_clockid = 1, .clockid = CLOCK_MONOTONIC, .watermark = 1,
		.wakeup_watermark = ~0u >> 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Return: 0, also if the CPU is offline; or -errno. */
static int open_ring(struct mmap_events *w, unsigned int cpu)
{
	struct ring *r = &w->cpus[cpu];
	int error;

	r->lost = r->told = 0;
	r->fd = open_event((int)cpu);
	if (r->fd < 0)
		return errno == ENODEV ? 0 : -errno;
	r->page = mmap(NULL, (RING_PAGES + 1) * w->page, PROT_READ | PROT_WRITE, MAP_SHARED,
		       r->fd, 0);
	if (r->page != MAP_FAILED)
		return 0;
	error = -errno;
	close(r->fd);
	r->fd = -1;
	return error;
}

static void close_ring(const struct mmap_events *w, struct ring *r)
{
	if (r->fd < 0)
		return;
	munmap(r->page, (RING_PAGES + 1) * w->page);
	close(r->fd);
	r->fd = -1;
}

static int open_all(struct mmap_events *w)
{
	int error = 0;

	/* Opened before the CPUs are checked, so that none is missed. */
	w->uevent_fd = uevent_open();
	for (unsigned int cpu = 0; cpu < w->cpu_nr && !error; cpu++) {
		error = open_ring(w, cpu);
		w->is_partial |= w->cpus[cpu].fd < 0 && w->uevent_fd < 0;
	}
	return error;
}

int mmap_events_begin(struct mmap_events **out, __u64 start)
{
	const unsigned int nr = ktrace_cpu_limit();
	struct mmap_events *w;
	int error;

	*out = NULL;
	/* In another PID namespace perf reports other process ids than stacks have. */
	if (!pidspace_is_kernels())
		return -EXDEV;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->uevent_fd = -1;
	w->cpus = calloc(nr, sizeof(*w->cpus));
	for (; w->cpus && w->cpu_nr < nr; w->cpu_nr++)
		w->cpus[w->cpu_nr].fd = -1;
	w->page = (size_t)sysconf(_SC_PAGESIZE);
	w->since = start;
	w->left = (struct budget){ .left = TEXT_MAX, .a_second = TEXT_A_SECOND };
	error = w->cpus ? open_all(w) : -ENOMEM;
	if (error)
		mmap_events_free(w);
	else
		*out = w;
	return error;
}

void mmap_events_free(struct mmap_events *w)
{
	if (!w)
		return;
	for (unsigned int i = 0; i < w->cpu_nr; i++)
		close_ring(w, &w->cpus[i]);
	if (w->uevent_fd >= 0)
		close(w->uevent_fd);
	free(w->cpus);
	free(w);
}

bool mmap_events_knows(const struct mmap_events *w, __u32 pid)
{
	return w && !w->is_partial && pids_has(&w->known, pid);
}

bool mmap_events_is_short(const struct mmap_events *w)
{
	return w && w->left.left < TEXT_A_SECOND;
}

void mmap_events_kept(struct mmap_events *w, __u64 bytes)
{
	if (w && bytes < TEXT_MAX && w->left.left < TEXT_MAX - bytes)
		w->left.left = TEXT_MAX - bytes;
}

void mmap_events_written(struct mmap_events *w, __u64 size)
{
	const __u64 more = size / TEXT_OF_FILE;

	if (w)
		mmap_events_kept(w, w->told > more ? w->told - more : 0);
}

/* Forgets all processes: from @ts on, earlier mappings are unknown. */
static void forget_all(struct mmap_events *w, __u64 ts)
{
	memset(&w->known, 0, sizeof(w->known));
	if ((__s64)(ts - w->since) > 0)		/* not for an earlier record of another CPU */
		w->since = ts;
}

/* Notes that the ring has lost @lost in total; returns false if that was known. */
static bool has_lost(struct mmap_events *w, struct ring *r, __u64 lost)
{
	if (lost <= r->lost)
		return false;
	w->loss.news += lost - r->lost;
	r->lost = lost;
	return true;
}

/* A LOST record reports losses before it, but the latest loss may not have one yet. */
static void look_for_loss(struct mmap_events *w, struct ring *r)
{
	struct {
		__u64 value;
		__u64 lost;
	} now;

	if (r->fd >= 0 && read(r->fd, &now, sizeof(now)) == sizeof(now) &&
	    has_lost(w, r, now.lost))
		forget_all(w, w->now.raw);
}

struct mmap_events_loss mmap_events_loss(struct mmap_events *w)
{
	for (unsigned int i = 0; w && i < w->cpu_nr; i++)
		look_for_loss(w, &w->cpus[i]);
	return w ? w->loss : (struct mmap_events_loss){ .news = 0 };
}

/* Converts a time of the kernel to the session's clock. */
static __u64 raw_of(const struct mmap_events *w, __u64 ns)
{
	const __s64 ago = (__s64)(w->now.mono_ns - ns);

	return w->now.raw - (__u64)(__s64)((__int128)ago * w->now.hz / 1000000000);
}

/* pid 0 is not a process of ours, and ~0 has ended. */
static bool is_process(__u32 pid)
{
	return pid && pid <= KTRACE_TID_MASK;
}

static void tell_origin(struct ktrace_text *meta, __u32 pid, __u32 ppid, __u64 ts)
{
	ktrace_text_line(meta, "origin");
	ktrace_text_u64(meta, "pid", pid);
	if (ppid)
		ktrace_text_u64(meta, "ppid", ppid);
	ktrace_text_u64(meta, "ts", ts);
	ktrace_text_str(meta, "maps", ppid ? "parent" : "own");
}

static void take_fork(struct mmap_events *w, struct ktrace_text *meta, const struct fork_record *r,
		      __u64 ts)
{
	/* A record of another CPU may be older than the last loss. */
	const __u64 since = (__s64)(ts - w->since) < 0 ? ts : w->since;

	if (r->pid == r->ppid || !is_process(r->ppid))		/* a thread */
		return;
	if (!pids_has(&w->known, r->ppid))
		pids_set(&w->known, r->ppid, procmaps_tell_process(meta, r->ppid, since));
	pids_set(&w->known, r->pid, pids_has(&w->known, r->ppid));
	tell_origin(meta, r->pid, r->ppid, ts);
}

/* The kernel sends the build id if the file's first page is in memory, else the file's identity. */
static bool find_build(const struct map_record *r, const char *path, char *text)
{
	if (!(r->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID))
		return path && buildid_of_inode(path, makedev(r->file.major, r->file.minor),
						r->file.inode, text);
	if (r->build.size > sizeof(r->build.id))
		return false;
	buildid_print(r->build.id, r->build.size, text);
	return true;
}

static void take_map(struct ktrace_text *meta, const struct map_record *r, __u64 ts)
{
	struct mapping map = { .start = r->start, .end = r->start + r->size, .offset = r->offset };
	char build[BUILDID_TEXT];

	/* "//anon" and "[vdso]" are not files. */
	if (r->path[0] == '/' && r->path[1] != '/')
		map.path = r->path;
	if (find_build(r, map.path, build))
		map.build = build;
	procmaps_tell_map(meta, r->pid, ts, &map);
}

static void take_lost(struct mmap_events *w, struct ring *r, __u64 nr, __u64 ts)
{
	r->told += nr;
	has_lost(w, r, r->told);
	forget_all(w, ts);
}

static bool is_paused(const struct mmap_events *w)
{
	return !w->left.a_second;
}

/* Counts @size bytes of text. Out of room, forgets all processes: procmaps.c looks for them. */
static void spend(struct mmap_events *w, __u64 size)
{
	const __u64 left = w->left.left;

	w->told += size;
	if (budget_spend(&w->left, size, w->now.mono_ns))
		return;
	w->left.left = left > size ? left - size : 0;
	forget_all(w, w->now.raw);
}

/* Uses the clock of this drain. */
static void look_for_room(struct mmap_events *w)
{
	const __u64 now = w->now.mono_ns / 1000000000;
	const __u64 more = w->second ? (now - w->second) * TEXT_EACH_SECOND : 0;

	w->second = now;
	w->left.left = w->left.left + more < TEXT_MAX ? w->left.left + more : TEXT_MAX;
	if (!is_paused(w) || w->left.left < TEXT_TO_GO_ON || now == w->left.second)
		return;
	w->left.a_second = TEXT_A_SECOND;
	forget_all(w, w->now.raw);
}

static bool is_news(const struct perf_event_header *h)
{
	const struct fork_record *fork = (const void *)h;

	return h->type == PERF_RECORD_MMAP2 ||
	       (h->type == PERF_RECORD_COMM && h->misc & PERF_RECORD_MISC_COMM_EXEC) ||
	       (h->type == PERF_RECORD_FORK && fork->pid != fork->ppid);
}

/* Handles the complete record in @w->record. */
static void take(struct mmap_events *w, struct ring *r, struct ktrace_text *meta)
{
	const struct perf_event_header *h = (const void *)w->record;
	const struct trailer *t = (const void *)((const char *)h + h->size - sizeof(*t));
	const struct fork_record *fork = (const void *)h;
	const __u64 ts = raw_of(w, t->time);

	if (h->type != PERF_RECORD_LOST && !is_process(fork->pid))
		return;
	if (is_paused(w) && is_news(h)) {
		w->loss.untold++;
		return;
	}
	switch (h->type) {
	case PERF_RECORD_FORK:
		take_fork(w, meta, fork, ts);
		break;
	case PERF_RECORD_COMM:
		if (!(h->misc & PERF_RECORD_MISC_COMM_EXEC))
			break;
		pids_set(&w->known, fork->pid, true);
		tell_origin(meta, fork->pid, 0, ts);
		break;
	case PERF_RECORD_MMAP2:
		take_map(meta, (const void *)h, ts);
		break;
	case PERF_RECORD_LOST:
		take_lost(w, r, ((const struct lost_record *)(const void *)h)->nr, ts);
		break;
	default:
		break;
	}
}

static void copy(const struct mmap_events *w, const struct ring *r, __u64 from, void *to,
		 size_t size)
{
	const char *data = (const char *)r->page + w->page;
	const size_t all = RING_PAGES * w->page, at = from % all;
	const size_t first = size < all - at ? size : all - at;

	memcpy(to, data + at, first);
	memcpy((char *)to + first, data, size - first);
}

/* Returns the minimum size of a record of this type. */
static size_t least_size(__u32 type)
{
	const size_t size = type == PERF_RECORD_LOST ? sizeof(struct lost_record) :
			    type == PERF_RECORD_MMAP2 ? sizeof(struct map_record) :
			    sizeof(struct perf_event_header);

	return size + sizeof(struct trailer);
}

/* Copies the record at @at to @w->record. Return: its size; 0 = invalid, so the rest is lost. */
static __u16 fetch(struct mmap_events *w, const struct ring *r, __u64 at, __u64 head)
{
	struct perf_event_header header;

	copy(w, r, at, &header, sizeof(header));
	if (header.size < least_size(header.type) || header.size > head - at) {
		w->loss.news++;
		forget_all(w, w->now.raw);
		return 0;
	}
	copy(w, r, at, w->record, header.size);
	return header.size;
}

static void drain_ring(struct mmap_events *w, struct ring *r, struct ktrace_text *meta)
{
	__u64 at = r->page->data_tail, head;
	size_t before;
	__u16 size;

	/* ORD(mapwatch_head:A) pairs ORD(mapwatch_tail:A): reads records only after head */
	head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	for (; at != head && (size = fetch(w, r, at, head)); at += size) {
		before = meta->len;
		take(w, r, meta);
		if (meta->len > before)
			spend(w, meta->len - before);
	}
	/* ORD(mapwatch_tail:A) pairs ORD(mapwatch_head:A): frees room only after reading records */
	__atomic_store_n(&r->page->data_tail, head, __ATOMIC_RELEASE);
	look_for_loss(w, r);
}

static bool has_news(const struct ring *r)
{
	return r->fd >= 0 && __atomic_load_n(&r->page->data_head, __ATOMIC_RELAXED) !=
	       r->page->data_tail;
}

/* Replaces the ring of a CPU that went online or offline. */
static void reopen(struct mmap_events *w, unsigned int cpu, struct ktrace_text *meta)
{
	struct ring *r = &w->cpus[cpu];

	if (has_news(r))
		drain_ring(w, r, meta);
	close_ring(w, r);
	/* A CPU that cannot be watched is handled like one that was never reported. */
	w->is_partial |= open_ring(w, cpu) < 0;
	if (r->fd < 0)
		return;
	w->loss.cpus++;
	forget_all(w, w->now.raw);
}

static void follow_cpus(struct mmap_events *w, struct ktrace_text *meta)
{
	int cpu;

	while ((cpu = uevent_next_cpu(w->uevent_fd)) != -EAGAIN) {
		if (cpu >= 0 && (unsigned int)cpu < w->cpu_nr)
			reopen(w, (unsigned int)cpu, meta);
		for (unsigned int i = 0; cpu == -ENOBUFS && i < w->cpu_nr; i++)
			reopen(w, i, meta);
	}
}

bool mmap_events_drain(struct mmap_events *w, struct ktrace_session *s, struct ktrace_text *meta)
{
	if (!w)
		return true;
	ktrace_session_clock(s, &w->now);
	look_for_room(w);
	for (unsigned int i = 0; i < w->cpu_nr; i++)
		if (has_news(&w->cpus[i]))
			drain_ring(w, &w->cpus[i], meta);
	follow_cpus(w, meta);
	return !is_paused(w);
}
