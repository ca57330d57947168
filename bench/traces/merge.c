// SPDX-License-Identifier: GPL-2.0
/*
 * merge.c - time for reading a tracefile, beside a plain scan of the same bytes
 *
 * usage: merge FILE REPETITIONS [WAY...]
 *
 * Prints lines "WAY EVENTS SECONDS"; fails if two ways differ in the sum of stamps. The ways, by
 * default all:
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

/* struct seen - what a way has come by: events, the sum of their stamps, and of their fields */
struct seen {
	__u64 nr;
	__u64 stamps;
	__u64 fields;
};

static struct seen scan(struct mapping m)
{
	size_t at = sizeof(struct ktrace_file);
	struct ktrace_section sec;
	struct ktrace_record rec;
	const char *payload;
	struct seen seen = { 0 };

	for (; at + sizeof(sec) <= m.size; at += sizeof(sec) + ((sec.size + 7) & ~7ull)) {
		struct kt_cursor c;

		memcpy(&sec, m.bytes + at, sizeof(sec));
		if (sec.type != KTRACE_SECTION_BLOCK)
			continue;
		c = (struct kt_cursor){ m.bytes + at + sizeof(sec), sizeof(struct ktrace_block),
					(__u32)sec.size };
		while (kt_cursor_next(&c, &rec, &payload) == KT_CURSOR_RECORD) {
			seen.stamps += rec.ts;
			seen.nr++;
		}
	}
	return seen;
}

static struct ktrace_traceset *open_set(const char *path, enum ktrace_cores cores)
{
	struct ktrace_traceset_options opts = { .size = sizeof(opts), .cores = cores };
	struct ktrace_traceset *set;

	if (ktrace_traceset_open(&opts, &set) || ktrace_traceset_add(set, path))
		die(path);
	return set;
}

static struct seen merge(struct ktrace_traceset *set)
{
	struct ktrace_trace_event e[MANY];
	struct seen seen = { 0 };
	int n, i;

	while ((n = ktrace_traceset_read(set, e, MANY)) > 0) {
		for (i = 0; i < n; i++)
			seen.stamps += e[i].raw;
		seen.nr += (__u64)n;
	}
	return seen;
}

static struct seen single(struct ktrace_traceset *set)
{
	struct ktrace_trace_event e;
	struct seen seen = { 0 };

	for (; ktrace_traceset_next(set, &e) == 1; seen.nr++)
		seen.stamps += e.raw;
	return seen;
}

static void decode_event(const struct ktrace_trace_event *e, struct seen *seen)
{
	struct ktrace_values it;
	struct ktrace_value v;

	seen->stamps += e->raw;
	ktrace_values_init(&it, e->type, e->payload, e->len);
	while (ktrace_values_next(&it, &v))
		seen->fields += v.field->shape == KTRACE_ONE ? (__u64)ktrace_value_s64(&v, 0) :
				v.count;
}

static struct seen decode(struct ktrace_traceset *set)
{
	struct ktrace_trace_event e[MANY];
	struct seen seen = { 0 };
	int n, i;

	while ((n = ktrace_traceset_read(set, e, MANY)) > 0) {
		for (i = 0; i < n; i++)
			decode_event(&e[i], &seen);
		seen.nr += (__u64)n;
	}
	return seen;
}

/* Processor time where other load on the machine is not what is measured. */
static const struct way {
	const char *name;
	struct seen (*read)(struct ktrace_traceset *set);
	clockid_t clock;
	enum ktrace_cores cores;
} ways[] = {
	{ "merge", merge, CLOCK_PROCESS_CPUTIME_ID, KTRACE_CORES_ONE },
	{ "single", single, CLOCK_PROCESS_CPUTIME_ID, KTRACE_CORES_ONE },
	{ "decode", decode, CLOCK_PROCESS_CPUTIME_ID, KTRACE_CORES_ONE },
	{ "alone", merge, CLOCK_MONOTONIC, KTRACE_CORES_ONE },
	{ "ahead", merge, CLOCK_MONOTONIC, KTRACE_CORES_AUTO },
};

/* Prints a way's line. All have to come by the same events. */
static void print(const char *way, const struct seen *seen, double seconds)
{
	static struct seen first;
	static const char *first_way;

	if (!first_way) {
		first_way = way;
		first = *seen;
	}
	if (seen->nr != first.nr || seen->stamps != first.stamps) {
		fprintf(stderr,
			"merge: %s has %llu events whose stamps sum to %llu, %s %llu, %llu\n",
			way, seen->nr, seen->stamps, first_way, first.nr, first.stamps);
		exit(1);
	}
	printf("%s %llu %.9f\n", way, seen->nr, seconds);
	/* Nothing may be left out as unused. */
	fprintf(stderr, "%s: fields sum to %llu\n", way, seen->fields);
}

static void measure(const char *path, const struct way *way)
{
	double begin = now(way->clock), end;
	struct ktrace_traceset *set = open_set(path, way->cores);
	struct seen seen = way->read(set);

	ktrace_traceset_close(set);
	end = now(way->clock);
	print(way->name, &seen, end - begin);
}

static void measure_scan(struct mapping m)
{
	double begin = now(CLOCK_PROCESS_CPUTIME_ID), end;
	struct seen seen = scan(m);

	end = now(CLOCK_PROCESS_CPUTIME_ID);
	print("scan", &seen, end - begin);
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
	size_t w;
	int i;

	if (argc < 3) {
		fputs("usage: merge FILE REPETITIONS [WAY...]\n", stderr);
		return 2;
	}
	if (is_wanted(argv + 3, "scan"))
		m = map(argv[1]);
	for (i = 0; i < atoi(argv[2]); i++) {
		if (m.size)
			measure_scan(m);
		for (w = 0; w < sizeof(ways) / sizeof(ways[0]); w++)
			if (is_wanted(argv + 3, ways[w].name))
				measure(argv[1], &ways[w]);
	}
	return 0;
}
