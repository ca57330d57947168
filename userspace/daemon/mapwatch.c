// SPDX-License-Identifier: GPL-2.0
/*
 * mapwatch.c - code that processes map while a recording runs, told by the kernel
 *
 * When a stack is looked at its process may be gone, and /proc with it. So the kernel's perf
 * events tell of each piece of code when it is mapped, with the build id of its file, and of
 * each fork and exec: one event on each CPU that counts nothing. What processes had before is
 * read from /proc when they fork; of others, procmaps.c looks when a stack of theirs is met.
 */
#include "mapwatch.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "budget.h"
#include "procmaps.h"

#define RING_PAGES 64u
#define PIDS (1u << 22)		/* the kernel has no more */
#define RECORD_MAX (1u << 16)
/* Of the first PID namespace, in all kernels */
#define INITIAL_PIDS 0xEFFFFFFCu
/*
 * Who maps code is everybody, and each part of a recording says it all again: one line is
 * some 150 bytes, a program that starts has 5 to 10.
 */
#define TEXT_MAX (16ull << 20)
#define TEXT_A_SECOND (2ull << 20)

/**
 * struct mapwatch - one recording's
 * @cpu_nr:	CPUs that are watched
 * @cpus:	their rings
 * @page:	size of a page
 * @since:	when it began, or news were lost: what is read from /proc is told as of then
 * @lost:	news that there was no room for
 * @is_partial:	there are CPUs that are off, and nothing is heard of when they are on
 * @left:	text that may be written
 * @now:	clocks, of this drain
 * @known:	processes, a bit each: whose code is told
 * @record:	the one that is looked at
 */
struct mapwatch {
	unsigned int cpu_nr;
	struct ring {
		int fd;
		struct perf_event_mmap_page *page;
	} *cpus;
	size_t page;
	__u64 since;
	__u64 lost;
	bool is_partial;
	struct budget left;
	struct ktrace_reading now;
	unsigned char known[PIDS / 8];
	__u64 record[RECORD_MAX / sizeof(__u64)];
};

/* What the kernel appends to each record, by sample_type below */
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
	__u8 build_size;
	__u8 unused[3];
	unsigned char build[20];
	__u32 prot;
	__u32 flags;
	char path[];
};

static int open_event(int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME, .sample_id_all = 1,
		.mmap = 1, .mmap2 = 1, .build_id = 1, .comm = 1, .comm_exec = 1, .task = 1,
		.use_clockid = 1, .clockid = CLOCK_MONOTONIC, .watermark = 1,
		.wakeup_watermark = ~0u >> 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int open_ring(struct mapwatch *w, int cpu)
{
	struct ring *r = &w->cpus[w->cpu_nr];
	int error;

	r->fd = open_event(cpu);
	if (r->fd < 0 && errno == ENODEV) {
		w->is_partial = true;
		return 0;
	}
	if (r->fd < 0)
		return -errno;
	r->page = mmap(NULL, (RING_PAGES + 1) * w->page, PROT_READ | PROT_WRITE, MAP_SHARED,
		       r->fd, 0);
	if (r->page == MAP_FAILED) {
		error = -errno;
		close(r->fd);
		return error;
	}
	w->cpu_nr++;
	return 0;
}

/* Elsewhere perf tells other numbers than stacks have. */
static bool has_global_pids(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == INITIAL_PIDS;
}

int mapwatch_begin(struct mapwatch **out, __u64 start)
{
	int nr = (int)sysconf(_SC_NPROCESSORS_CONF), error = 0;
	struct mapwatch *w;

	*out = NULL;
	if (!has_global_pids())
		return -EXDEV;
	w = calloc(1, sizeof(*w));
	if (w)
		w->cpus = calloc((size_t)nr, sizeof(*w->cpus));
	if (!w || !w->cpus) {
		mapwatch_free(w);
		return -ENOMEM;
	}
	w->page = (size_t)sysconf(_SC_PAGESIZE);
	w->since = start;
	w->left = (struct budget){ .left = TEXT_MAX, .a_second = TEXT_A_SECOND };
	for (int cpu = 0; cpu < nr && !error; cpu++)
		error = open_ring(w, cpu);
	if (error)
		mapwatch_free(w);
	else
		*out = w;
	return error;
}

void mapwatch_free(struct mapwatch *w)
{
	if (!w)
		return;
	for (unsigned int i = 0; i < w->cpu_nr; i++) {
		munmap(w->cpus[i].page, (RING_PAGES + 1) * w->page);
		close(w->cpus[i].fd);
	}
	free(w->cpus);
	free(w);
}

static bool is_known(const struct mapwatch *w, __u32 pid)
{
	return pid < PIDS && w->known[pid / 8] & 1u << pid % 8;
}

bool mapwatch_knows(const struct mapwatch *w, __u32 pid)
{
	return w && !w->is_partial && is_known(w, pid);
}

static void set_known(struct mapwatch *w, __u32 pid, bool value)
{
	const unsigned char bit = (unsigned char)(1u << pid % 8);

	if (pid < PIDS && value)
		w->known[pid / 8] |= bit;
	else if (pid < PIDS)
		w->known[pid / 8] &= (unsigned char)~bit;
}

__u64 mapwatch_lost(const struct mapwatch *w)
{
	return w ? w->lost : 0;
}

/* The session's clock at a time of the kernel's */
static __u64 raw_of(const struct mapwatch *w, __u64 ns)
{
	const __s64 ago = (__s64)(w->now.mono_ns - ns);

	return w->now.raw - (__u64)(__s64)((__int128)ago * w->now.hz / 1000000000);
}

/* 0 is no process of ours, and ~0 one that has ended. */
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

static void take_fork(struct mapwatch *w, struct ktrace_text *meta, const struct fork_record *r,
		      __u64 ts)
{
	/* News of another CPU may be older than what was lost. */
	const __u64 since = (__s64)(ts - w->since) < 0 ? ts : w->since;

	if (r->pid == r->ppid || !is_process(r->ppid))		/* a thread */
		return;
	if (!is_known(w, r->ppid))
		set_known(w, r->ppid, procmaps_tell_process(meta, r->ppid, since));
	set_known(w, r->pid, is_known(w, r->ppid));
	tell_origin(meta, r->pid, r->ppid, ts);
}

static void take_map(struct ktrace_text *meta, const struct map_record *r, __u64 ts)
{
	struct mapping map = { .start = r->start, .end = r->start + r->size, .offset = r->offset };
	char build[2 * sizeof(r->build) + 1] = "";

	/* "//anon" and "[vdso]" are no files. */
	if (r->path[0] == '/' && r->path[1] != '/')
		map.path = r->path;
	if (r->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID &&
	    r->build_size <= sizeof(r->build)) {
		for (unsigned int i = 0; i < r->build_size; i++)
			sprintf(build + 2 * i, "%02x", r->build[i]);
		map.build = build;
	}
	procmaps_tell_map(meta, r->pid, ts, &map);
}

/* A record in @w->record, which is whole. */
static void take(struct mapwatch *w, struct ktrace_text *meta)
{
	const struct perf_event_header *h = (const void *)w->record;
	const struct trailer *t = (const void *)((const char *)h + h->size - sizeof(*t));
	const struct fork_record *fork = (const void *)h;
	const __u64 ts = raw_of(w, t->time);

	if (h->type != PERF_RECORD_LOST && !is_process(fork->pid))
		return;
	switch (h->type) {
	case PERF_RECORD_FORK:
		take_fork(w, meta, fork, ts);
		break;
	case PERF_RECORD_COMM:
		if (!(h->misc & PERF_RECORD_MISC_COMM_EXEC))
			break;
		set_known(w, fork->pid, true);
		tell_origin(meta, fork->pid, 0, ts);
		break;
	case PERF_RECORD_MMAP2:
		take_map(meta, (const void *)h, ts);
		break;
	case PERF_RECORD_LOST:
		w->lost += ((const struct lost_record *)(const void *)h)->nr;
		memset(w->known, 0, sizeof(w->known));
		if ((__s64)(ts - w->since) > 0)		/* or of a CPU that was earlier */
			w->since = ts;
		break;
	default:
		break;
	}
}

static void copy(const struct mapwatch *w, const struct ring *r, __u64 from, void *to, size_t size)
{
	const char *data = (const char *)r->page + w->page;
	const size_t all = RING_PAGES * w->page, at = from % all;
	const size_t first = size < all - at ? size : all - at;

	memcpy(to, data + at, first);
	memcpy((char *)to + first, data, size - first);
}

/* false: it has become too much. */
static bool drain_ring(struct mapwatch *w, struct ring *r, struct ktrace_text *meta)
{
	struct perf_event_header header;
	__u64 at = r->page->data_tail, head;
	bool is_enough = true;
	size_t before;

	/* ORD(mapwatch_head:A) pairs ORD(mapwatch_tail:A): records before head */
	head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	for (; at != head && is_enough; at += header.size) {
		copy(w, r, at, &header, sizeof(header));
		if (header.size < sizeof(header) + sizeof(struct trailer))
			break;
		copy(w, r, at, w->record, header.size);
		before = meta->len;
		take(w, meta);
		is_enough = budget_spend(&w->left, meta->len - before, w->now.mono_ns);
	}
	/* ORD(mapwatch_tail:A) pairs ORD(mapwatch_head:A): records are read before room is */
	__atomic_store_n(&r->page->data_tail, head, __ATOMIC_RELEASE);
	return is_enough;
}

static bool has_news(const struct mapwatch *w)
{
	for (unsigned int i = 0; i < w->cpu_nr; i++)
		if (*(volatile __u64 *)&w->cpus[i].page->data_head != w->cpus[i].page->data_tail)
			return true;
	return false;
}

bool mapwatch_drain(struct mapwatch *w, struct ktrace_session *s, struct ktrace_text *meta)
{
	bool is_enough = true;

	if (!w || !has_news(w))
		return true;
	ktrace_session_clock(s, &w->now);
	for (unsigned int i = 0; i < w->cpu_nr && is_enough; i++)
		is_enough = drain_ring(w, &w->cpus[i], meta);
	return is_enough;
}
