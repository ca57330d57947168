// SPDX-License-Identifier: GPL-2.0
/*
 * test_many.c - files with very many of something, in the worst order
 *
 * What takes the square of them takes many times the limit of CPU time, and ends the test.
 */
#include <ktrace/check.h>
#include <ktrace/traceset.h>

#include "make_trace.h"

#include <sys/resource.h>
#include <unistd.h>

static char path[64];

/* Fewer for a tool that makes all slow */
static __u32 streams, readings, fragmented, maps;

/* Events in two fragments each */
static void make_fragmented(struct maker *m)
{
	struct ktrace_record rec = { .id = 16 };
	const __u32 head[3] = { sizeof(__u64), 1, 0 };
	__u32 i;

	for (i = 1; i <= fragmented; i++) {
		rec.ts = i;
		rec.len = 2 * sizeof(__u32);
		rec.tid_flags = 7 | KTRACE_REC_FRAG_FIRST;
		make_record(m, &rec, head);
		rec.len = sizeof(__u32);
		rec.tid_flags = 7 | KTRACE_REC_FRAG_NEXT;
		make_record(m, &rec, &head[2]);
	}
	make_end_block(m);
}

/*
 * Code of one process: each second piece is unmapped again, in each first one the beginning is;
 * then as many forks, each of the one before
 */
static void tell_maps(struct ktrace_text *text)
{
	__u32 i;

	for (i = 0; i < 4 * maps; i++) {
		const __u32 piece = i % (2 * maps);
		const bool is_gone = i >= 2 * maps;

		ktrace_text_line(text, "map");
		ktrace_text_u64(text, "pid", 1);
		ktrace_text_u64(text, "ts", 1 + i);
		ktrace_text_u64(text, "start", 100 * piece);
		ktrace_text_u64(text, "end", 100 * piece + (is_gone && piece % 2 ? 10 : 100));
		if (!is_gone || !piece)
			ktrace_text_str(text, "path", "/x");
	}
	for (i = 1; i <= maps; i++) {
		ktrace_text_line(text, "origin");
		ktrace_text_u64(text, "pid", i + 1);
		ktrace_text_u64(text, "ts", 4 * maps + i);
		ktrace_text_u64(text, "ppid", i);
		ktrace_text_str(text, "maps", "parent");
	}
}

/* Streams that come from the last to the first, and readings of the clock behind them */
static void make_many(void)
{
	struct ktrace_tracefile *tf = make_file(path, 0);
	struct ktrace_text text = { 0 };
	struct maker m;
	__u32 i;

	for (i = streams; i--;) {
		ktrace_text_line(&text, "stream");
		ktrace_text_u64(&text, "id", i);
	}
	for (i = 1; i <= readings; i++) {
		ktrace_text_line(&text, "clock");
		ktrace_text_u64(&text, "raw", i);
		ktrace_text_u64(&text, "mono_ns", i);
		ktrace_text_u64(&text, "real_ns", i);
	}
	tell_maps(&text);
	CHECK_EQ(ktrace_text_flush(&text, tf), 0);
	ktrace_text_free(&text);
	make_stream(&m, tf, 8);
	make_fragmented(&m);
	CHECK_EQ(ktrace_tracefile_lost(tf, 7, 0, 1, &(struct ktrace_lost){ { 3 } }, 3), 0);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
}

static void test_check(void)
{
	struct ktrace_check found;

	CHECK_EQ(ktrace_check_file(path, NULL, NULL, &found), 0);
	CHECK_EQ(found.damaged, 0);
	CHECK_EQ(found.lost, 3);
}

static void test_traceset(void)
{
	const struct ktrace_trace *trace;
	struct ktrace_traceset *set;
	struct ktrace_trace_event e;
	__u32 i;

	CHECK_EQ(ktrace_traceset_open(NULL, &set), 0);
	CHECK_EQ(ktrace_traceset_add(set, path), 0);
	trace = ktrace_traceset_trace(set, 0);
	for (i = 0; i < streams; i++)
		CHECK_EQ(ktrace_trace_stream(trace, i)->id, i);
	CHECK(!ktrace_trace_stream(trace, i));
	CHECK_EQ(ktrace_traceset_next(set, &e), 1);
	CHECK_EQ(e.stream->id, 7);
	for (i = 0; i < fragmented; i++) {
		CHECK_EQ(ktrace_traceset_next(set, &e), 1);
		CHECK_EQ(e.len, sizeof(__u64));
	}
	CHECK_EQ(ktrace_traceset_next(set, &e), 0);
	ktrace_traceset_close(set);
}

static void test_maps(void)
{
	const struct ktrace_trace *trace;
	const struct ktrace_map *map;
	struct ktrace_traceset *set;
	__u32 i;

	CHECK_EQ(ktrace_traceset_open(NULL, &set), 0);
	CHECK_EQ(ktrace_traceset_add(set, path), 0);
	trace = ktrace_traceset_trace(set, 0);
	for (i = 0; i < 2 * maps; i++) {
		/* Before anything was unmapped, and in the last child */
		map = ktrace_trace_map(trace, 1, 2 * maps, 100 * i + 50);
		CHECK(map && map->start == 100 * i);
		CHECK(ktrace_trace_map_below(trace, 1, 2 * maps, 100 * i + 50) == map);
		map = ktrace_trace_map(trace, maps + 1, ~0ull, 100 * i + 50);
		CHECK(i % 2 || !i ? map && map->start == 100 * i : !map);
		map = ktrace_trace_map_below(trace, maps + 1, ~0ull, 100 * i + 50);
		CHECK(map && !map->start);
	}
	ktrace_traceset_close(set);
}

int main(void)
{
	const struct rlimit limit = { 120, 120 };
	const __u32 step = (__u32)unit_step();

	streams = 250000 / step;
	readings = 50000 / step;
	fragmented = 20000 / step;
	maps = 50000 / step;
	CHECK_EQ(setrlimit(RLIMIT_CPU, &limit), 0);
	temporary_file(path, sizeof(path), "test_many");
	make_many();
	test_check();
	test_traceset();
	test_maps();
	unlink(path);
	return 0;
}
