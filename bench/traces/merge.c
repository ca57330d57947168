// SPDX-License-Identifier: GPL-2.0
/*
 * merge.c - how fast streams are merged, beside a plain scan of the same bytes
 *
 * usage: merge [FILE]        (FILE: where the traces are made, default in TMPDIR)
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
#define PAYLOAD 16u
#define REPEAT 5

static unsigned int record_nr = 8u << 20;

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
	for (i = 0; i < record_nr; i += burst) {
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

static void report(const char *figure, const char *variant, double seconds)
{
	printf("%s\t%s\tMrecord/s\t%.2f\n", figure, variant, record_nr / seconds / 1e6);
}

static void time_scan(const char *path, const char *figure)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	__u64 sum = 0;
	double t;
	char *map;

	if (fd < 0 || fstat(fd, &st))
		die(path);
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (map == MAP_FAILED)
		die("mmap");
	t = now();
	if (scan(map, (size_t)st.st_size, &sum) != record_nr)
		die("scan: wrong number of records");
	report(figure, "scan", now() - t);
	munmap(map, (size_t)st.st_size);
	close(fd);
}

static void time_merge(const char *path, const char *figure)
{
	struct ktrace_trace_event e;
	struct ktrace_traceset *set;
	__u64 nr = 0, last = 0;
	double t;

	if (ktrace_traceset_open(NULL, &set) || ktrace_traceset_add(set, path))
		die(path);
	t = now();
	while (ktrace_traceset_next(set, &e) == 1) {
		if (e.time < last)
			die("merge: wrong order");
		last = e.time;
		nr++;
	}
	report(figure, "ktrace", now() - t);
	if (nr != record_nr)
		die("merge: wrong number of records");
	ktrace_traceset_close(set);
}

static void measure(const char *path, unsigned int streams, unsigned int burst)
{
	char figure[64];
	int i;

	snprintf(figure, sizeof(figure), "merge.%ustreams.burst%u", streams, burst);
	make_trace(path, streams, burst);
	for (i = 0; i < REPEAT; i++) {
		time_scan(path, figure);
		time_merge(path, figure);
	}
	unlink(path);
}

int main(int argc, char **argv)
{
	static const unsigned int streams[] = { 2, 8, 64 }, bursts[] = { 32, 1 };
	const char *tmp = getenv("TMPDIR");
	char path[4096];
	size_t i, j;

	if (argc == 2)
		snprintf(path, sizeof(path), "%s", argv[1]);
	else
		snprintf(path, sizeof(path), "%s/merge.%d", tmp ? tmp : "/tmp", (int)getpid());
	if (getenv("BENCH_QUICK"))
		record_nr = 1u << 18;
	for (j = 0; j < 2; j++)
		for (i = 0; i < 3; i++)
			measure(path, streams[i], bursts[j]);
	return 0;
}
