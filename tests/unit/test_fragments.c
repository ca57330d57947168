// SPDX-License-Identifier: GPL-2.0
/* test_fragments.c - events in fragments: put together, incomplete, in order, hostile */
#include <ktrace/request.h>

#include "make_trace.h"

#include <unistd.h>

static char path[64];

static struct ktrace_traceset *open_set(void)
{
	struct ktrace_traceset *set;

	CHECK_EQ(ktrace_traceset_open(NULL, &set), 0);
	CHECK_EQ(ktrace_traceset_add(set, path), 0);
	return set;
}

static void make_fragment(struct maker *m, __u64 ts, __u32 tid_flags, __u32 total, __u32 len)
{
	char payload[256];
	struct ktrace_record rec = { .ts = ts, .id = 16, .tid_flags = tid_flags };
	__u32 head = tid_flags & KTRACE_REC_FRAG_FIRST ? sizeof(total) : 0;

	memcpy(payload, &total, head);
	memset(payload + head, (int)ts, len);
	rec.len = (__u16)(head + len);
	make_record(m, &rec, payload);
}

#define FIRST KTRACE_REC_FRAG_FIRST
#define NEXT KTRACE_REC_FRAG_NEXT

static void test_fragments(void)
{
	static const struct {
		__u32 tid, len, flags;
	} expected[] = {
		{ 3, 10, KTRACE_EVENT_INCOMPLETE | KTRACE_EVENT_NO_START },
		{ 1, 30, 0 },
		{ 2, 20, KTRACE_EVENT_TRUNCATED },
		{ 4, 5, KTRACE_EVENT_INCOMPLETE },
		{ 4, 8, 0 },
		{ 5, 100, 0 },
		{ 6, 7, KTRACE_EVENT_INCOMPLETE },
	};
	struct ktrace_tracefile *tf = make_file(path, 0);
	struct ktrace_traceset *set;
	struct ktrace_trace_event e;
	struct maker a, b;
	size_t i;

	make_stream(&a, tf, 1);
	make_stream(&b, tf, 2);
	make_fragment(&a, 10, 1 | FIRST, 30, 10);
	make_fragment(&a, 11, 2 | FIRST, 20, 10);
	make_fragment(&b, 12, 1 | NEXT, 0, 10);		/* the thread has migrated */
	make_fragment(&b, 13, 3 | NEXT, 0, 10);		/* its beginning is not there */
	make_fragment(&a, 14, 1 | NEXT, 0, 10);
	make_fragment(&a, 15, 2 | NEXT | KTRACE_REC_TRUNCATED, 0, 10);
	make_fragment(&a, 16, 4 | FIRST, 4000000000u, 5);
	make_fragment(&a, 17, 4 | FIRST, 8, 8);		/* whole at once */
	make_fragment(&a, 18, 4 | NEXT, 0, 0);
	make_fragment(&a, 19, 5 | FIRST, 100, 90);
	make_fragment(&a, 20, 5 | NEXT, 0, 50);		/* more than was announced */
	make_fragment(&a, 21, 6 | FIRST, 20, 7);	/* never ends */
	make_end_block(&a);
	make_end_block(&b);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	set = open_set();
	for (i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		CHECK_EQ(ktrace_traceset_next(set, &e), 1);
		CHECK_EQ(e.tid, expected[i].tid);
		CHECK_EQ(e.len, expected[i].len);
		CHECK_EQ(e.flags, expected[i].flags);
	}
	CHECK_EQ(ktrace_traceset_next(set, &e), 0);
	/* Behind the first fragments: what ends later is there, whole. */
	CHECK_EQ(ktrace_traceset_seek(set, 12), 0);
	for (i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		CHECK_EQ(ktrace_traceset_next(set, &e), 1);
		CHECK_EQ(e.tid, expected[i].tid);
		CHECK_EQ(e.len, expected[i].len);
	}
	CHECK_EQ(ktrace_traceset_seek(set, 20), 0);
	CHECK_EQ(ktrace_traceset_next(set, &e), 1);
	CHECK_EQ(e.tid, 5);
	CHECK_EQ(e.len, 100);
	ktrace_traceset_close(set);
}

#define STREAMS 3u
#define WHOLE_MAX 400

/* struct whole - an event that lacks nothing */
struct whole {
	__u64 raw;
	__u64 time;
	__u64 sum;
	__u32 tid;
	__u32 len;
};

static __u64 sum_of(const struct ktrace_trace_event *e)
{
	__u64 sum = 0;
	__u32 i;

	for (i = 0; i < e->len; i++)
		sum = sum * 31 + (unsigned char)e->payload[i];
	return sum;
}

/* What is read from here on, but for events that lack fragments. Returns their number. */
static unsigned int read_whole(struct ktrace_traceset *set, struct whole *out)
{
	struct ktrace_trace_event e;
	unsigned int n = 0;

	while (ktrace_traceset_next(set, &e) == 1) {
		if (e.flags & KTRACE_EVENT_INCOMPLETE)
			continue;
		CHECK(n < WHOLE_MAX);
		out[n++] = (struct whole){ e.raw, e.time, sum_of(&e), e.tid, e.len };
	}
	return n;
}

/*
 * A record of thread @tid, which has @left fragments to come. If @is_scattered, it is on any
 * stream, and blocks end anywhere; else later fragments open blocks.
 */
static void make_any(struct maker *m, unsigned int *seed, __u64 ts, __u32 tid, __u32 *left,
		     bool is_scattered)
{
	struct maker *to = &m[(is_scattered ? (__u32)rand_r(seed) : tid) % STREAMS];

	if (is_scattered ? !(rand_r(seed) % 4) : *left && rand_r(seed) % 2)
		make_end_block(to);
	else if (!is_scattered && *left)
		return make_fragment(to, ts, tid + 10, 0, 4);
	if (*left) {
		--*left;
		make_fragment(to, ts, tid | NEXT, 0, 10);
	} else if (rand_r(seed) % 3) {
		*left = 1 + (__u32)rand_r(seed) % 3;
		make_fragment(to, ts, tid | FIRST, 10 * (*left + 1), 10);
	} else {
		make_fragment(to, ts, tid, 0, 4);
	}
}

/* Some threads, each in the middle of an event most of the time */
static void make_threads(unsigned int seed, bool is_scattered)
{
	struct ktrace_tracefile *tf = make_file(path, 0);
	__u32 left[STREAMS] = { 0 }, i, tid;
	struct maker m[STREAMS];
	__u64 ts = 1000;

	for (i = 0; i < STREAMS; i++)
		make_stream(&m[i], tf, i + 1);
	for (i = 0; i < 300; i++, ts += (__u64)rand_r(&seed) % 50) {
		tid = (__u32)rand_r(&seed) % STREAMS;
		make_any(m, &seed, ts, tid + 1, &left[tid], is_scattered);
	}
	for (i = 0; i < STREAMS; i++)
		make_end_block(&m[i]);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
}

/*
 * Are @nr events some of the @all_nr, in order, and all of them from @time on that are in one
 * fragment or, if @has_all, whatever they are in?
 */
static void check_found(const struct whole *found, unsigned int nr, const struct whole *all,
			unsigned int all_nr, __u64 time, bool has_all)
{
	unsigned int i, n = 0;

	for (i = 0; i < all_nr; i++) {
		if (n < nr && !memcmp(&found[n], &all[i], sizeof(all[i])))
			n++;
		else
			CHECK(all[i].time < time || (!has_all && all[i].len > 4));
	}
	CHECK_EQ(n, nr);
}

/* What a seek between fragments finds is whole, and of one event; all unless scattered. */
static void test_seek_between_fragments(void)
{
	static struct whole all[WHOLE_MAX], found[WHOLE_MAX];
	struct ktrace_traceset *set;
	unsigned int seed, all_nr, nr;
	__u64 time, last;

	for (seed = 1; seed <= 8; seed += (unsigned int)unit_step()) {
		bool is_scattered = seed % 2;

		make_threads(seed, is_scattered);
		set = open_set();
		all_nr = read_whole(set, all);
		CHECK(all_nr > 50);
		CHECK_EQ(!!ktrace_traceset_scattered(set), is_scattered);
		last = all[all_nr - 1].time;
		for (time = all[0].time; time <= last; time += 31) {
			CHECK_EQ(ktrace_traceset_seek(set, time), 0);
			nr = read_whole(set, found);
			check_found(found, nr, all, all_nr, time, !is_scattered);
		}
		ktrace_traceset_close(set);
	}
}

#define FAR 1000000000ull

/* An event that takes long, and whose beginning is on another stream */
static struct ktrace_traceset *open_slow(void)
{
	struct ktrace_tracefile *tf = make_file(path, 0);
	struct maker a, b;

	make_stream(&a, tf, 1);
	make_stream(&b, tf, 2);
	make_fragment(&a, FAR / 2, 1 | FIRST, 20, 10);
	make_end_block(&a);
	make_fragment(&b, FAR / 2 + 1, 8, 0, 4);
	make_end_block(&b);
	make_fragment(&b, FAR - 10, 9, 0, 4);
	make_fragment(&b, FAR - 5, 9, 0, 4);
	make_fragment(&b, FAR, 1 | NEXT, 0, 10);
	make_end_block(&b);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	return open_set();
}

static int add_length(void *arg, const struct ktrace_hook_call *call)
{
	*(__u32 *)arg += call->event->len;
	return 0;
}

/* A request that begins with an event pending is not served by a pass that does not know it. */
static void test_requests_with_pending_events(void)
{
	struct ktrace_traceset *set = open_slow();
	struct ktrace_request r = KTRACE_REQUEST_INIT;
	struct ktrace_service *service;
	struct ktrace_hooks *hooks[2];
	struct ktrace_position *place;
	struct ktrace_trace_event e;
	__u32 length[2] = { 0 }, i;

	CHECK_EQ(ktrace_position_new(&place), 0);
	CHECK_EQ(ktrace_traceset_next(set, &e), 1);
	CHECK_EQ(ktrace_traceset_next(set, &e), 1);
	CHECK_EQ(ktrace_position_save(set, place), 0);
	CHECK_EQ(ktrace_service_new(set, &service), 0);
	for (i = 0; i < 2; i++) {
		struct ktrace_hook hook = {
			.size = sizeof(hook), .point = KTRACE_HOOK_EVENT, .fn = add_length,
			.arg = &length[i],
		};

		CHECK_EQ(ktrace_hooks_new(&hooks[i]), 0);
		CHECK_EQ(ktrace_hooks_add(hooks[i], &hook), 0);
		r.hooks = hooks[i];
		r.start = FAR - 10;
		r.start_position = i ? place : NULL;
		CHECK_EQ(ktrace_service_add(service, &r), 0);
	}
	while ((i = (__u32)ktrace_service_run(service, 100)) == 1)
		;
	CHECK_EQ(i, 0);
	CHECK_EQ(length[0], 4 + 4 + 10);
	CHECK_EQ(length[1], 4 + 20);
	ktrace_service_free(service);
	for (i = 0; i < 2; i++)
		ktrace_hooks_free(hooks[i]);
	ktrace_position_free(place);
	ktrace_traceset_close(set);
}

/* An event of many blocks is whole wherever a seek goes before its end. */
static void test_seek_into_long_event(void)
{
	struct ktrace_tracefile *tf = make_file(path, 0);
	struct ktrace_traceset *set;
	struct ktrace_trace_event e;
	struct maker m;
	__u64 ts;

	make_stream(&m, tf, 1);
	make_event(&m, 5, 1);
	make_fragment(&m, 10, 1 | FIRST, 20 * 200, 200);
	for (ts = 11; ts < 30; ts++) {
		make_end_block(&m);
		make_fragment(&m, ts, 1 | NEXT, 0, 200);
	}
	make_end_block(&m);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	set = open_set();
	for (ts = 6; ts < 30; ts++) {
		CHECK_EQ(ktrace_traceset_seek(set, ts), 0);
		CHECK_EQ(ktrace_traceset_next(set, &e), 1);
		CHECK_EQ(e.len, 20 * 200);
		CHECK_EQ(e.flags, 0);
		CHECK_EQ(e.raw, 29);
		CHECK_EQ(ktrace_traceset_next(set, &e), 0);
	}
	ktrace_traceset_close(set);
}

/* More threads begin long events than are remembered: each comes out, once. */
static void test_many_fragments(void)
{
	struct ktrace_tracefile *tf = make_file(path, 0);
	struct ktrace_traceset *set;
	struct ktrace_trace_event e;
	struct maker m;
	__u32 i;

	make_stream(&m, tf, 1);
	for (i = 0; i < 1000; i++)
		make_fragment(&m, i, (i + 1) | FIRST, 100, 10);
	make_end_block(&m);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	set = open_set();
	for (i = 0; i < 1000; i++) {
		CHECK_EQ(ktrace_traceset_next(set, &e), 1);
		CHECK_EQ(e.tid, i + 1);
		CHECK_EQ(e.flags, KTRACE_EVENT_INCOMPLETE);
	}
	CHECK_EQ(ktrace_traceset_next(set, &e), 0);
	ktrace_traceset_close(set);
}

static void make_event_of(struct maker *m, __u64 ts, __u32 tid)
{
	struct ktrace_record rec = { .ts = ts, .id = 16, .len = 8, .tid_flags = tid };

	make_record(m, &rec, "12345678");
}

/* A fragment of an event of another type */
static void make_other_next(struct maker *m, __u64 ts, __u32 tid)
{
	struct ktrace_record rec = { .ts = ts, .id = 17, .len = 4, .tid_flags = tid | NEXT };

	make_record(m, &rec, "1234");
}

/* Incomplete events come out where they end, and time does not go back. */
static void test_incomplete_in_order(void)
{
	static const struct {
		__u64 time, raw;
		__u32 tid, len, flags;
	} expected[] = {
		{ 12, 12, 2, 8, 0 },
		{ 15, 10, 1, 7, KTRACE_EVENT_INCOMPLETE },	/* by an ordinary event */
		{ 15, 15, 1, 8, 0 },
		{ 17, 17, 2, 8, 0 },
		{ 18, 16, 1, 6, KTRACE_EVENT_INCOMPLETE },	/* by a new beginning */
		{ 19, 18, 1, 9, KTRACE_EVENT_INCOMPLETE },	/* by another event's end */
		{ 19, 19, 1, 4, KTRACE_EVENT_INCOMPLETE | KTRACE_EVENT_NO_START },
		{ 30, 30, 2, 8, 0 },
		{ 30, 20, 1, 5, KTRACE_EVENT_INCOMPLETE },	/* by the end of the file */
	};
	const size_t nr = sizeof(expected) / sizeof(expected[0]);
	struct ktrace_tracefile *tf = make_file(path, 0);
	struct ktrace_traceset_stats stats;
	struct ktrace_traceset *set;
	struct ktrace_trace_event e;
	struct maker a, b;
	__u64 from;
	size_t i;

	make_stream(&a, tf, 1);
	make_stream(&b, tf, 2);
	make_fragment(&a, 10, 1 | FIRST, 100, 7);
	make_event_of(&b, 12, 2);
	make_event_of(&b, 15, 1);
	make_fragment(&a, 16, 1 | FIRST, 100, 6);
	make_event_of(&b, 17, 2);
	make_fragment(&a, 18, 1 | FIRST, 100, 9);
	make_other_next(&b, 19, 1);
	make_fragment(&a, 20, 1 | FIRST, 100, 5);
	make_event_of(&b, 30, 2);
	make_end_block(&a);
	make_end_block(&b);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	set = open_set();
	for (from = 0; from < 32; from++) {
		CHECK_EQ(ktrace_traceset_seek(set, from), 0);
		for (i = 0; i < nr && expected[i].time < from; i++)
			;
		/* The last one is in a block that ends before: a seek does not load it. */
		for (; i < (from > 20 ? nr - 1 : nr); i++) {
			CHECK_EQ(ktrace_traceset_next(set, &e), 1);
			CHECK_EQ(e.time, expected[i].time);
			CHECK_EQ(e.raw, expected[i].raw);
			CHECK_EQ(e.tid, expected[i].tid);
			CHECK_EQ(e.len, expected[i].len);
			CHECK_EQ(e.flags, expected[i].flags);
		}
		CHECK_EQ(ktrace_traceset_next(set, &e), 0);
	}
	ktrace_traceset_close(set);
	set = open_set();
	while (ktrace_traceset_next(set, &e) == 1)
		;
	ktrace_traceset_stats(set, &stats);
	CHECK_EQ(stats.events, nr);
	ktrace_traceset_close(set);
}

/* Blocks are missing on another stream around the fragments: a seek to before them shows it. */
static void test_seek_into_gap(void)
{
	struct ktrace_tracefile *tf = make_file(path, 0);
	struct ktrace_traceset *set;
	struct ktrace_trace_event e;
	struct maker a, b;
	__u64 from;

	make_stream(&a, tf, 1);
	make_stream(&b, tf, 2);
	make_event_of(&b, 5, 2);
	make_end_block(&b);
	b.pos += 4 * MAKE_BLOCK;
	make_event_of(&b, 30, 2);
	make_end_block(&b);
	make_fragment(&a, 10, 1 | FIRST, 20, 10);
	make_fragment(&a, 20, 1 | NEXT, 0, 10);
	make_event_of(&a, 40, 3);
	make_end_block(&a);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	set = open_set();
	for (from = 0; from <= 20; from++) {
		CHECK_EQ(ktrace_traceset_seek(set, from), 0);
		while (ktrace_traceset_next(set, &e) == 1)
			CHECK(e.tid != 1 || e.flags & KTRACE_EVENT_INCOMPLETE);
	}
	ktrace_traceset_close(set);
}

/* First and next at once, and beginnings without their length: nothing piles up. */
static void test_hostile_flags(void)
{
	struct ktrace_record rec = { .id = 16, .len = 12, .tid_flags = 9 | FIRST | NEXT };
	struct ktrace_tracefile *tf = make_file(path, 0);
	struct ktrace_traceset *set;
	struct ktrace_trace_event e;
	struct maker m;

	make_stream(&m, tf, 1);
	for (rec.ts = 0; rec.ts < 1000; rec.ts++) {
		rec.len = rec.ts % 3 ? 12 : 2;
		make_record(&m, &rec, "\377\0\0\0abcdefgh");
	}
	make_end_block(&m);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	set = open_set();
	for (rec.ts = 0; rec.ts < 1000; rec.ts++) {
		CHECK_EQ(ktrace_traceset_next(set, &e), 1);
		CHECK_EQ(e.flags, KTRACE_EVENT_INCOMPLETE);
		CHECK_EQ(e.len, rec.ts % 3 ? 8 : 2);
	}
	CHECK_EQ(ktrace_traceset_next(set, &e), 0);
	ktrace_traceset_close(set);
}

int main(void)
{
	temporary_file(path, sizeof(path), "test_fragments");
	test_fragments();
	test_seek_between_fragments();
	test_requests_with_pending_events();
	test_seek_into_long_event();
	test_many_fragments();
	test_incomplete_in_order();
	test_seek_into_gap();
	test_hostile_flags();
	unlink(path);
	return 0;
}
