// SPDX-License-Identifier: GPL-2.0
/*
 * merge.c - how fast streams are merged, beside a plain scan of the same bytes
 *
 * usage: merge [FILE]        (FILE: where the traces are made, default in /tmp)
 *
 * Records of 32 bytes lie in 2, 8 and 64 streams, in bursts of 32 and in random order of
 * streams with bursts of 1. The scan walks the same records in a mapping of the file,
 * with neither order nor clock nor checksums. Merging does all that, and reads the
 * sections from the page cache into its own memory, as the file may change meanwhile.
 */
#include <ktrace/traceset.h>
#include <ktrace/tracefile.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ring/ring.h"

#define BLOCK 65536u
#define RECORDS (8u << 20)
#define PAYLOAD 16u
#define REPEAT 3

/* struct stream - one stream being made */
struct stream {
	char *data;
	__u32 size;
	__u32 records;
	__u64 pos;
	__u64 first_ts;
	__u64 last_ts;
};

static __attribute__((noreturn)) void die(const char *what)
{
	perror(what);
	exit(1);
}

/* CPU time, as other load on the machine is not what is measured. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void end_block(struct ktrace_tracefile *tf, struct stream *s, __u32 id)
{
	struct ktrace_tracefile_block b = {
		.stream = id, .records = s->records, .pos = s->pos, .first_ts = s->first_ts,
		.last_ts = s->last_ts, .data = s->data, .size = s->size,
	};

	if (ktrace_tracefile_block(tf, &b))
		die("write");
	s->pos += BLOCK;
	s->size = 0;
	s->records = 0;
}

static void add_record(struct ktrace_tracefile *tf, struct stream *s, __u32 id, __u64 ts)
{
	struct ktrace_record rec = { .ts = ts, .id = KTRACE_ID_FIRST, .len = PAYLOAD,
				     .tid_flags = id + 1 };
	struct ktrace_block header = { .ts = ts, .magic = KTRACE_BLOCK_MAGIC };

	if (s->size + KTRACE_RECORD_SIZE(PAYLOAD) > BLOCK)
		end_block(tf, s, id);
	if (!s->size) {
		header.pos = s->pos;
		memcpy(s->data, &header, sizeof(header));
		s->size = sizeof(header);
		s->first_ts = ts;
	}
	memcpy(s->data + s->size, &rec, sizeof(rec));
	s->size += KTRACE_RECORD_SIZE(PAYLOAD);
	s->last_ts = ts;
	s->records++;
}

static void announce(struct ktrace_tracefile *tf, unsigned int streams)
{
	char line[256];
	unsigned int i;
	int n = snprintf(line, sizeof(line), "clock raw=0 mono_ns=0 real_ns=1000 hz=2400000000\n"
			 "event kind=user id=16 desc=bench:event{u64%%20a;u64%%20b;}\n");

	if (ktrace_tracefile_meta(tf, line, (size_t)n))
		die("write");
	for (i = 0; i < streams; i++) {
		n = snprintf(line, sizeof(line),
			     "stream id=%u kind=user cpu=%u ring=65536 block=%u policy=drop\n",
			     i, i, BLOCK);
		if (ktrace_tracefile_meta(tf, line, (size_t)n))
			die("write");
	}
}

static void make_trace(const char *path, unsigned int streams, unsigned int burst)
{
	struct stream *s = calloc(streams, sizeof(*s));
	struct ktrace_tracefile *tf;
	unsigned int seed = 1, i, j, id = 0;

	if (!s || ktrace_tracefile_create(path, &tf))
		die(path);
	announce(tf, streams);
	for (i = 0; i < streams; i++)
		s[i].data = calloc(1, BLOCK);
	for (i = 0; i < RECORDS; i += burst) {
		seed = seed * 1103515245u + 12345u;
		id = (seed >> 16) % streams;
		for (j = 0; j < burst; j++)
			add_record(tf, &s[id], id, 1000 + 25ull * (i + j));
	}
	for (i = 0; i < streams; i++) {
		if (s[i].size)
			end_block(tf, &s[i], i);
		free(s[i].data);
	}
	if (ktrace_tracefile_close(tf))
		die("close");
	free(s);
}

/* Walks all blocks in memory. Returns the number of records. */
static __u64 scan(const char *map, size_t size, __u64 *sum)
{
	size_t at = sizeof(struct ktrace_file);
	struct ktrace_section sec;
	struct ktrace_record rec;
	const char *payload;
	__u64 nr = 0;

	for (; at + sizeof(sec) <= size; at += sizeof(sec) + ((sec.size + 7) & ~7ull)) {
		struct kt_cursor c;

		memcpy(&sec, map + at, sizeof(sec));
		if (sec.type != KTRACE_SECTION_BLOCK)
			continue;
		c = (struct kt_cursor){ map + at + sizeof(sec), sizeof(struct ktrace_block),
					(__u32)sec.size };
		while (kt_cursor_next(&c, &rec, &payload) == KT_CURSOR_RECORD) {
			*sum += rec.ts;
			nr++;
		}
	}
	return nr;
}

static double time_scan(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	double best = 1e9, t;
	__u64 sum = 0;
	char *map;
	int i;

	if (fd < 0 || fstat(fd, &st))
		die(path);
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (map == MAP_FAILED)
		die("mmap");
	for (i = 0; i < REPEAT; i++) {
		t = now();
		if (scan(map, (size_t)st.st_size, &sum) != RECORDS)
			die("scan: wrong number of records");
		t = now() - t;
		best = t < best ? t : best;
	}
	munmap(map, (size_t)st.st_size);
	close(fd);
	return best;
}

static double time_merge(const char *path)
{
	struct ktrace_trace_event e;
	struct ktrace_traceset *set;
	double best = 1e9, t;
	__u64 nr, last;
	int i;

	for (i = 0; i < REPEAT; i++) {
		if (ktrace_traceset_open(NULL, &set) || ktrace_traceset_add(set, path))
			die(path);
		nr = last = 0;
		t = now();
		while (ktrace_traceset_next(set, &e) == 1) {
			if (e.time < last)
				die("merge: wrong order");
			last = e.time;
			nr++;
		}
		t = now() - t;
		best = t < best ? t : best;
		if (nr != RECORDS)
			die("merge: wrong number of records");
		ktrace_traceset_close(set);
	}
	return best;
}

int main(int argc, char **argv)
{
	static const unsigned int streams[] = { 2, 8, 64 }, bursts[] = { 32, 1 };
	char name[64];
	const char *path = name;
	size_t i, j;

	snprintf(name, sizeof(name), "/tmp/bench_merge.%d", (int)getpid());
	if (argc == 2)
		path = argv[1];
	printf("merge: %u records of 32 bytes, best of %d, M records in a second of CPU time\n",
	       RECORDS, REPEAT);
	printf("streams  burst     scan    merge  merge/scan\n");
	for (j = 0; j < 2; j++)
		for (i = 0; i < 3; i++) {
			double s, m;

			make_trace(path, streams[i], bursts[j]);
			s = time_scan(path);
			m = time_merge(path);
			printf("%7u %6u %8.0f %8.0f %11.2f\n", streams[i], bursts[j],
			       RECORDS / s / 1e6, RECORDS / m / 1e6, s / m);
		}
	unlink(path);
	return 0;
}
