// SPDX-License-Identifier: GPL-2.0
/*
 * merge.c - time for reading a tracefile, beside a plain scan of the same bytes
 *
 * usage: merge FILE REPETITIONS [WAY...]
 *
 * Prints lines "WAY EVENTS SECONDS". The ways, by default all:
 *
 *   scan     walks the records in a mapping of the file: neither order nor clock nor
 *            checksums. The others read sections from the page cache into memory of their
 *            own, as the file may change meanwhile.
 *   merge    all events in order of time, many at once
 *   single   the same, one by one
 *   decode   as merge, and takes all fields out
 *   alone    as merge, but time by the clock
 *   ahead    the same, with blocks loaded ahead by a second core
 */
#include <ktrace/traceset.h>
#include <ktrace/tracefile.h>

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ring/ring.h"

#define MANY 64

static __attribute__((noreturn)) void die(const char *what)
{
	perror(what);
	exit(1);
}

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* struct mapping - the file for the scan */
struct mapping {
	const char *bytes;
	size_t size;
};

static struct mapping map(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	void *bytes;

	if (fd < 0 || fstat(fd, &st))
		die(path);
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (bytes == MAP_FAILED)
		die("mmap");
	close(fd);
	return (struct mapping){ bytes, (size_t)st.st_size };
}

static __u64 scan(struct mapping m, __u64 *sum)
{
	size_t at = sizeof(struct ktrace_file);
	struct ktrace_section sec;
	struct ktrace_record rec;
	const char *payload;
	__u64 nr = 0, stamps = 0;

	for (; at + sizeof(sec) <= m.size; at += sizeof(sec) + ((sec.size + 7) & ~7ull)) {
		struct kt_cursor c;

		memcpy(&sec, m.bytes + at, sizeof(sec));
		if (sec.type != KTRACE_SECTION_BLOCK)
			continue;
		c = (struct kt_cursor){ m.bytes + at + sizeof(sec), sizeof(struct ktrace_block),
					(__u32)sec.size };
		while (kt_cursor_next(&c, &rec, &payload) == KT_CURSOR_RECORD) {
			stamps += rec.ts;
			nr++;
		}
	}
	*sum += stamps;
	return nr;
}

static struct ktrace_traceset *open_set(const char *path, enum ktrace_cores cores)
{
	struct ktrace_traceset_options opts = { .size = sizeof(opts), .cores = cores };
	struct ktrace_traceset *set;

	if (ktrace_traceset_open(&opts, &set) || ktrace_traceset_add(set, path))
		die(path);
	return set;
}

static __u64 merge(struct ktrace_traceset *set, __u64 *sum)
{
	struct ktrace_trace_event e[MANY];
	__u64 nr = 0, times = 0;
	int n, i;

	while ((n = ktrace_traceset_read(set, e, MANY)) > 0) {
		for (i = 0; i < n; i++)
			times += e[i].time;
		nr += (__u64)n;
	}
	*sum += times;
	return nr;
}

static __u64 single(struct ktrace_traceset *set, __u64 *sum)
{
	struct ktrace_trace_event e;
	__u64 nr = 0, times = 0;

	for (; ktrace_traceset_next(set, &e) == 1; nr++)
		times += e.time;
	*sum += times;
	return nr;
}

static void decode_event(const struct ktrace_trace_event *e, __u64 *sum)
{
	struct ktrace_values it;
	struct ktrace_value v;

	ktrace_values_init(&it, e->type, e->payload, e->len);
	while (ktrace_values_next(&it, &v))
		*sum += v.field->shape == KTRACE_ONE ? (__u64)ktrace_value_s64(&v, 0) : v.count;
}

static __u64 decode(struct ktrace_traceset *set, __u64 *sum)
{
	struct ktrace_trace_event e[MANY];
	__u64 nr = 0;
	int n, i;

	while ((n = ktrace_traceset_read(set, e, MANY)) > 0) {
		for (i = 0; i < n; i++)
			decode_event(&e[i], sum);
		nr += (__u64)n;
	}
	return nr;
}

/* Processor time where other load on the machine is not what is measured. */
static const struct way {
	const char *name;
	__u64 (*read)(struct ktrace_traceset *set, __u64 *sum);
	clockid_t clock;
	enum ktrace_cores cores;
} ways[] = {
	{ "merge", merge, CLOCK_PROCESS_CPUTIME_ID, KTRACE_CORES_ONE },
	{ "single", single, CLOCK_PROCESS_CPUTIME_ID, KTRACE_CORES_ONE },
	{ "decode", decode, CLOCK_PROCESS_CPUTIME_ID, KTRACE_CORES_ONE },
	{ "alone", merge, CLOCK_MONOTONIC, KTRACE_CORES_ONE },
	{ "ahead", merge, CLOCK_MONOTONIC, KTRACE_CORES_AUTO },
};

static void print(const char *way, __u64 nr, double seconds)
{
	printf("%s %llu %.9f\n", way, nr, seconds);
}

static void measure(const char *path, const struct way *way, __u64 *sum)
{
	double begin = now(way->clock);
	struct ktrace_traceset *set = open_set(path, way->cores);
	__u64 nr = way->read(set, sum);

	ktrace_traceset_close(set);
	print(way->name, nr, now(way->clock) - begin);
}

static bool is_wanted(char **wanted, const char *way)
{
	bool is_any = !*wanted;

	for (; *wanted; wanted++)
		is_any |= !strcmp(*wanted, way);
	return is_any;
}

int main(int argc, char **argv)
{
	struct mapping m = { 0 };
	double begin;
	__u64 sum = 0;
	size_t w;
	int i;

	if (argc < 3) {
		fputs("usage: merge FILE REPETITIONS [WAY...]\n", stderr);
		return 2;
	}
	if (is_wanted(argv + 3, "scan"))
		m = map(argv[1]);
	for (i = 0; i < atoi(argv[2]); i++) {
		begin = now(CLOCK_PROCESS_CPUTIME_ID);
		if (m.size)
			print("scan", scan(m, &sum), now(CLOCK_PROCESS_CPUTIME_ID) - begin);
		for (w = 0; w < sizeof(ways) / sizeof(ways[0]); w++)
			if (is_wanted(argv + 3, ways[w].name))
				measure(argv[1], &ways[w], &sum);
	}
	fprintf(stderr, "sum %llu\n", sum);	/* nothing may be left out as unused */
	return 0;
}
