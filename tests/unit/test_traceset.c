// SPDX-License-Identifier: GPL-2.0
/*
 * test_traceset.c - order, seeks, losses, growth and names
 *
 * Random files are compared with a model that does everything the slow and obvious way:
 * an array of events, the smallest key of all streams' next events searched each time.
 */
#include <ktrace/extract.h>
#include <ktrace/traceset.h>

#include "make_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/ktrace_events.h>
#include <unistd.h>

#define TRACES 3u
#define STREAMS 4u
#define EVENTS 400u

static char paths[TRACES][64];
static unsigned int damages;

static void count_damage(void *arg, const struct ktrace_damage *damage)
{
	(void)arg;
	fprintf(stderr, "%s: %llu: %s\n", damage->path, (unsigned long long)damage->offset,
		damage->message);
	damages++;
}

static struct ktrace_traceset *open_set(unsigned int traces, bool is_live)
{
	struct ktrace_traceset_options opts = { .size = sizeof(opts), .report = count_damage,
						.is_live = is_live };
	struct ktrace_traceset *set;
	unsigned int i;

	CHECK_EQ(ktrace_traceset_open(&opts, &set), 0);
	for (i = 0; i < traces; i++)
		CHECK_EQ(ktrace_traceset_add(set, paths[i]), 0);
	return set;
}

static __u64 number_of(const struct ktrace_trace_event *e)
{
	__u64 n = ~0ull;

	memcpy(&n, e->payload, e->len < sizeof(n) ? e->len : sizeof(n));
	return n;
}

/* The next event's number, -1 at the end */
static long next_number(struct ktrace_traceset *set)
{
	struct ktrace_trace_event e;
	int ret = ktrace_traceset_next(set, &e);

	CHECK(ret >= 0);
	return ret ? (long)number_of(&e) : -1;
}

/* struct model - what was written: stamps by trace, stream and place */
struct model {
	__u64 ts[TRACES][STREAMS][EVENTS];
	unsigned int nr[TRACES][STREAMS];
	unsigned int next[TRACES][STREAMS];
};

static struct model model;
static unsigned int seed = 20;

static unsigned int random_below(unsigned int n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % n;
}

static __u64 number(unsigned int trace, unsigned int stream, unsigned int place)
{
	return (__u64)trace << 32 | stream << 16 | place;
}

/* Few different stamps, so that many are equal; now and then one goes back. */
static void make_random(bool goes_back)
{
	struct maker m[STREAMS];
	unsigned int t, s, i;

	for (t = 0; t < TRACES; t++) {
		struct ktrace_tracefile *tf = make_file(paths[t], 1);

		for (s = 0; s < STREAMS; s++) {
			__u64 ts = 100 + random_below(20);

			make_stream(&m[s], tf, 10 * s);
			model.nr[t][s] = random_below(EVENTS);
			for (i = 0; i < model.nr[t][s]; i++) {
				ts += random_below(3) ? 0 : random_below(5);
				if (goes_back && !random_below(50))
					ts -= 3;
				model.ts[t][s][i] = ts;
				make_event(&m[s], ts, number(t, s, i));
				if (!random_below(70))
					make_end_block(&m[s]);
			}
			make_end_block(&m[s]);
		}
		CHECK_EQ(ktrace_tracefile_close(tf), 0);
	}
}

/* The number of the next event by (stamp, stream, trace), -1 = none */
static long model_next(void)
{
	unsigned int t, s, best_t = 0, best_s = 0;
	__u64 best = ~0ull;

	for (s = 0; s < STREAMS; s++)
		for (t = 0; t < TRACES; t++) {
			unsigned int i = model.next[t][s];

			if (i < model.nr[t][s] && model.ts[t][s][i] < best) {
				best = model.ts[t][s][i];
				best_t = t;
				best_s = s;
			}
		}
	if (best == ~0ull)
		return -1;
	return (long)number(best_t, best_s, model.next[best_t][best_s]++);
}

/* Puts each stream of the model on its first event at or after @ts. */
static void model_seek(__u64 ts)
{
	unsigned int t, s, i;

	for (t = 0; t < TRACES; t++)
		for (s = 0; s < STREAMS; s++) {
			for (i = 0; i < model.nr[t][s] && model.ts[t][s][i] < ts; i++)
				;
			model.next[t][s] = i;
		}
}

static void test_order(bool goes_back)
{
	struct ktrace_traceset_stats stats;
	struct ktrace_traceset *set;
	struct ktrace_trace_event e;
	__u64 before[TRACES][STREAMS], backwards = 0;
	long expected;
	int round;

	for (round = 0; round < 20; round += unit_step()) {
		make_random(goes_back);
		model_seek(0);
		memset(before, 0, sizeof(before));
		set = open_set(TRACES, false);
		while ((expected = model_next()) >= 0) {
			__u64 *last = &before[expected >> 32][expected >> 16 & 0xffff];

			CHECK_EQ(ktrace_traceset_next(set, &e), 1);
			CHECK_EQ(number_of(&e), expected);
			CHECK_EQ(!!(e.flags & KTRACE_EVENT_BACKWARDS), e.raw < *last);
			backwards += e.raw < *last;
			*last = e.raw;
		}
		CHECK_EQ(ktrace_traceset_next(set, &e), 0);
		CHECK_EQ(ktrace_traceset_next(set, &e), 0);
		ktrace_traceset_stats(set, &stats);
		CHECK_EQ(stats.backwards, backwards);
		CHECK(goes_back || !backwards);
		backwards = 0;
		ktrace_traceset_close(set);
	}
}

static void test_seek_everywhere(bool goes_back)
{
	struct ktrace_traceset *set;
	__u64 ts, start, end;
	long expected;

	make_random(goes_back);
	set = open_set(TRACES, false);
	CHECK_EQ(ktrace_traceset_span(set, &start, &end), 0);
	for (ts = start - 3; ts < end + 3; ts++) {
		model_seek(ts - 1);
		CHECK_EQ(ktrace_traceset_seek(set, ts), 0);
		do {
			expected = model_next();
			CHECK_EQ(next_number(set), expected);
		} while (expected >= 0);
	}
	CHECK_EQ(ktrace_traceset_seek(set, ~0ull), 0);
	CHECK_EQ(next_number(set), -1);
	CHECK_EQ(ktrace_traceset_seek(set, 0), 0);
	model_seek(0);
	CHECK_EQ(next_number(set), model_next());
	ktrace_traceset_close(set);
}

/* Reading up to @max events at once says the same as reading one by one. */
static void test_read_many(bool goes_back, int max)
{
	struct ktrace_traceset *many, *one;
	struct ktrace_trace_event e, at_once[EVENTS];
	int n, i;

	make_random(goes_back);
	many = open_set(TRACES, false);
	one = open_set(TRACES, false);
	CHECK_EQ(ktrace_traceset_read(many, at_once, 0), -EINVAL);
	while ((n = ktrace_traceset_read(many, at_once, max)) > 0) {
		CHECK(n <= max);
		for (i = 0; i < n; i++) {
			CHECK_EQ(ktrace_traceset_next(one, &e), 1);
			CHECK_EQ(at_once[i].time, e.time);
			CHECK_EQ(at_once[i].raw, e.raw);
			CHECK_EQ(at_once[i].flags, e.flags);
			CHECK_EQ(at_once[i].stream->id, e.stream->id);
			CHECK_EQ(number_of(&at_once[i]), number_of(&e));
		}
	}
	CHECK_EQ(n, 0);
	CHECK_EQ(ktrace_traceset_next(one, &e), 0);
	ktrace_traceset_close(many);
	ktrace_traceset_close(one);
}

static void test_span(void)
{
	struct ktrace_tracefile *tf = make_file(paths[0], 1000);
	struct ktrace_traceset *set;
	__u64 start, end;
	struct maker m;

	make_stream(&m, tf, 1);
	make_event(&m, 50, 0);
	make_event(&m, 70, 0);
	make_end_block(&m);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	CHECK_EQ(ktrace_tracefile_close(make_file(paths[1], 1000)), 0);
	set = open_set(2, false);
	CHECK_EQ(ktrace_traceset_span(set, &start, &end), 0);
	CHECK_EQ(start, 1050);
	CHECK_EQ(end, 1070);
	CHECK_EQ(ktrace_traceset_add(set, paths[1]), -EBUSY);
	ktrace_traceset_close(set);
	/* Only the part that follows may come while events are read: a file of its own may not. */
	set = open_set(1, true);
	CHECK_EQ(next_number(set), 0);
	CHECK_EQ(ktrace_traceset_add(set, paths[1]), -EBUSY);
	ktrace_traceset_close(set);
	CHECK_EQ(ktrace_traceset_open(NULL, &set), 0);
	CHECK_EQ(ktrace_traceset_add(set, paths[1]), 0);
	CHECK_EQ(ktrace_traceset_span(set, &start, &end), 0);
	CHECK_EQ(start, 0);
	CHECK_EQ(end, 0);
	CHECK_EQ(next_number(set), -1);
	ktrace_traceset_close(set);
}

/* Ten thousand blocks: a seek loads one. */
static void test_seek_is_sublinear(void)
{
	struct ktrace_tracefile *tf = make_file(paths[0], 0);
	struct ktrace_traceset_stats before, after;
	struct ktrace_traceset *set;
	struct maker m;
	unsigned int i;

	make_stream(&m, tf, 1);
	for (i = 0; i < 10000; i++) {
		make_event(&m, 10 * i, i);
		make_end_block(&m);
	}
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	set = open_set(1, false);
	CHECK_EQ(next_number(set), 0);
	for (i = 7; i < 10000; i += 997) {
		ktrace_traceset_stats(set, &before);
		CHECK_EQ(ktrace_traceset_seek(set, 10 * i), 0);
		CHECK_EQ(next_number(set), i);
		ktrace_traceset_stats(set, &after);
		CHECK_EQ(after.blocks - before.blocks, 1);
	}
	ktrace_traceset_close(set);
}

/* Losses from @set to its end, by reason; returns how many notices there were. */
static unsigned int sum_lost(struct ktrace_traceset *set, __u64 *sum)
{
	struct ktrace_trace_event e;
	struct ktrace_values it;
	struct ktrace_value v;
	unsigned int nr = 0;

	memset(sum, 0, KTRACE_LOST_NR * sizeof(*sum));
	while (ktrace_traceset_next(set, &e) == 1) {
		__s64 reason;

		if (e.id != KTRACE_ID_LOST)
			continue;
		CHECK_STR(e.type->full_name, "ktrace:lost");
		ktrace_values_init(&it, e.type, e.payload, e.len);
		CHECK(ktrace_values_next(&it, &v));
		reason = ktrace_value_s64(&v, 0);
		CHECK(ktrace_values_next(&it, &v));
		CHECK(reason < KTRACE_LOST_NR);
		sum[reason] += (__u64)ktrace_value_s64(&v, 0);
		nr++;
	}
	return nr;
}

/* Losses at 100 (5 full), 200 (2 full, 3 timeout), 300 (1 full), 350 (4 overwritten) */
static void make_losses(void)
{
	struct ktrace_lost middle = { .count = { 8, 0, 3, 0, 0, 4 } };
	struct ktrace_tracefile *tf = make_file(paths[0], 0);
	struct maker m;
	unsigned int i;

	make_stream(&m, tf, 1);
	for (i = 0; i < 50; i++) {
		if (i == 10)
			make_lost(&m, 10 * i, 5, 0);
		else if (i == 20)
			make_lost(&m, 10 * i, 7, 3);
		else if (i == 30)
			make_lost(&m, 10 * i, 8, 3);
		else if (i % 4 == 3)
			make_end_block(&m);
		if (i == 35)
			CHECK_EQ(ktrace_tracefile_lost(tf, 1, m.pos, 350, &middle, 4), 0);
		make_event(&m, 10 * i, i);
	}
	make_end_block(&m);
	CHECK_EQ(ktrace_tracefile_lost(tf, 1, m.pos, 500, &middle, 0), 0);
	CHECK_EQ(ktrace_tracefile_lost(tf, 1, m.pos, 500, &middle, 0), 0);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
}

static void test_losses(void)
{
	static const struct {
		__u64 from;
		__u64 full, timeout, overwritten;
		unsigned int notices;
	} cases[] = {
		{ 0, 8, 3, 4, 5 }, { 100, 8, 3, 4, 5 }, { 101, 3, 3, 4, 4 }, { 200, 3, 3, 4, 4 },
		{ 201, 1, 0, 4, 2 }, { 250, 1, 0, 4, 2 }, { 300, 1, 0, 4, 2 }, { 301, 0, 0, 4, 1 },
		{ 350, 0, 0, 4, 1 }, { 351, 0, 0, 0, 0 }, { 400, 0, 0, 0, 0 }, { 600, 0, 0, 0, 0 },
	};
	struct ktrace_traceset *set;
	struct ktrace_traceset_stats stats;
	__u64 sum[KTRACE_LOST_NR];
	size_t i;

	make_losses();
	set = open_set(1, false);
	CHECK_EQ(sum_lost(set, sum), 5);
	ktrace_traceset_stats(set, &stats);
	CHECK_EQ(stats.lost[KTRACE_LOST_FULL], 8);
	CHECK_EQ(stats.lost[KTRACE_LOST_OVERWRITTEN], 4);
	CHECK_EQ(stats.events, 50);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHECK_EQ(ktrace_traceset_seek(set, cases[i].from), 0);
		CHECK_EQ(sum_lost(set, sum), cases[i].notices);
		CHECK_EQ(sum[KTRACE_LOST_FULL], cases[i].full);
		CHECK_EQ(sum[KTRACE_LOST_TIMEOUT], cases[i].timeout);
		CHECK_EQ(sum[KTRACE_LOST_OVERWRITTEN], cases[i].overwritten);
	}
	ktrace_traceset_close(set);
}

/* A file that is read while it is written, and a section of which half is there. */
static void test_growth(void)
{
	struct ktrace_tracefile *tf = make_file(paths[0], 0);
	struct ktrace_traceset *set;
	struct maker a, b;
	__u64 size;

	make_stream(&a, tf, 1);
	make_event(&a, 10, 1);
	make_event(&a, 11, 2);
	make_end_block(&a);
	set = open_set(1, true);
	CHECK(!ktrace_trace_is_closed(ktrace_traceset_trace(set, 0)));
	CHECK_EQ(next_number(set), 1);
	CHECK_EQ(next_number(set), 2);
	CHECK_EQ(next_number(set), -1);
	CHECK_EQ(ktrace_traceset_poll(set), 0);
	size = ktrace_tracefile_size(tf);
	make_event(&a, 12, 3);
	make_end_block(&a);
	CHECK(!truncate(paths[0], (off_t)size + 80));
	CHECK_EQ(ktrace_traceset_poll(set), 0);
	CHECK_EQ(next_number(set), -1);
	CHECK(!truncate(paths[0], (off_t)size));
	/* Cut off for good: the next section lies behind a hole, as after ENOSPC it would not */
	make_stream(&b, tf, 2);
	make_event(&b, 13, 4);
	make_end_block(&b);
	CHECK(ktrace_traceset_poll(set) > 0);
	CHECK_EQ(next_number(set), 4);
	CHECK_EQ(next_number(set), -1);
	CHECK_EQ(damages, 1);
	damages = 0;
	make_event(&a, 14, 5);
	make_end_block(&a);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	CHECK_EQ(ktrace_traceset_poll(set), 2);	/* with the numbers of events */
	CHECK_EQ(next_number(set), 5);
	CHECK_EQ(next_number(set), -1);
	CHECK(ktrace_trace_is_closed(ktrace_traceset_trace(set, 0)));
	CHECK_EQ(ktrace_traceset_poll(set), 0);
	ktrace_traceset_close(set);
}

/* The file shrinks while it is read: what is gone is reported, nothing crashes. */
static void test_shrinking(void)
{
	struct ktrace_tracefile *tf = make_file(paths[0], 0);
	struct ktrace_traceset *set;
	struct maker m;
	__u64 i, size = 0;

	make_stream(&m, tf, 1);
	for (i = 0; i < 5; i++) {
		make_event(&m, i, i);
		make_end_block(&m);
		if (i == 1)
			size = ktrace_tracefile_size(tf);
	}
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	set = open_set(1, false);
	CHECK_EQ(next_number(set), 0);
	CHECK(!truncate(paths[0], (off_t)size));
	CHECK_EQ(next_number(set), 1);
	CHECK_EQ(next_number(set), -1);
	CHECK_EQ(damages, 3);
	damages = 0;
	ktrace_traceset_close(set);
}

static void test_traces_of_one_boot(void)
{
	struct ktrace_traceset *set;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct ktrace_tracefile *tf;
		struct maker m;

		CHECK_EQ(ktrace_tracefile_create(paths[i], &tf), 0);
		make_meta(tf, "host boot=same\n");
		make_meta(tf, i ? "clock raw=0 mono_ns=0 real_ns=7000 hz=1000000000\n" :
			  "clock raw=0 mono_ns=0 real_ns=9000 hz=1000000000\n");
		make_stream(&m, tf, 1);
		make_event(&m, 100 + i, i);
		make_event(&m, 200 + i, 2 + i);
		make_end_block(&m);
		CHECK_EQ(ktrace_tracefile_close(tf), 0);
	}
	set = open_set(2, false);
	for (i = 0; i < 4; i++)
		CHECK_EQ(next_number(set), i);
	CHECK_EQ(ktrace_trace_wall(ktrace_traceset_trace(set, 0), 100), 9100);
	CHECK_EQ(ktrace_trace_wall(ktrace_traceset_trace(set, 1), 100), 7100);
	ktrace_traceset_close(set);
}

static void make_kernel_event(struct maker *m, __u64 ts, __u16 id, const void *ev, size_t size)
{
	struct ktrace_record rec = { .ts = ts, .id = id, .len = (__u16)size, .tid_flags = 10 };

	make_record(m, &rec, ev);
}

static void test_names(void)
{
	const struct ktrace_ev_sched_fork fork = { 10, 10, 11, 11, "child" };
	const struct ktrace_ev_sched_comm comm = { 11, 11, "renamed" };
	const struct ktrace_ev_sched_switch sw = { 10, 12, 0, 0, 0, "parent?", "other" };
	struct ktrace_tracefile *tf = make_file(paths[0], 0);
	const struct ktrace_trace *trace;
	struct ktrace_traceset *set;
	struct maker m;

	make_meta(tf, "stream id=9 kind=kernel cpu=0 ring=65536 block=4096 policy=drop\n"
		  "process pid=10 ppid=1 ts=5 comm=parent\nthread tid=13 pid=10 ts=5 comm=a%20b\n"
		  "thread tid=13 pid=10 ts=50 comm=0123456789abcdefXYZ\n");
	make_stream(&m, tf, 1);
	make_end_block(&m);
	m.block.stream = 9;
	make_kernel_event(&m, 20, KTRACE_EV_SCHED_FORK, &fork, sizeof(fork));
	make_kernel_event(&m, 30, KTRACE_EV_SCHED_COMM, &comm, sizeof(comm));
	make_kernel_event(&m, 40, KTRACE_EV_SCHED_SWITCH, &sw, sizeof(sw));
	/* too short: says nothing */
	make_kernel_event(&m, 41, KTRACE_EV_SCHED_EXIT, &sw, 3);
	make_end_block(&m);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	set = open_set(1, false);
	trace = ktrace_traceset_trace(set, 0);
	CHECK(!ktrace_trace_comm(trace, 11, 25));
	while (next_number(set) >= 0)
		;
	CHECK_STR(ktrace_trace_comm(trace, 11, 20), "child");
	CHECK_STR(ktrace_trace_comm(trace, 11, 29), "child");
	CHECK_STR(ktrace_trace_comm(trace, 11, 30), "renamed");
	CHECK_STR(ktrace_trace_comm(trace, 11, ~0ull), "renamed");
	CHECK_STR(ktrace_trace_comm(trace, 11, 0), "child");
	CHECK_STR(ktrace_trace_comm(trace, 10, 39), "parent");
	CHECK_STR(ktrace_trace_comm(trace, 10, 100), "parent?");
	CHECK_STR(ktrace_trace_comm(trace, 12, 100), "other");
	CHECK_STR(ktrace_trace_comm(trace, 13, 49), "a b");
	CHECK_STR(ktrace_trace_comm(trace, 13, 50), "0123456789abcde");
	CHECK(!ktrace_trace_comm(trace, 99, 50));
	CHECK_EQ(ktrace_trace_pid(trace, 11, 30), 11);
	CHECK_EQ(ktrace_trace_pid(trace, 13, 30), 10);
	CHECK_EQ(ktrace_trace_pid(trace, 12, 100), 0);
	ktrace_traceset_close(set);
}

static void test_options(void)
{
	struct ktrace_traceset_options opts = { .size = 1 };
	struct ktrace_traceset *set;

	CHECK_EQ(ktrace_traceset_open(&opts, &set), -EINVAL);
	CHECK_EQ(ktrace_traceset_open(NULL, &set), 0);
	CHECK_EQ(next_number(set), -1);
	CHECK_EQ(ktrace_traceset_add(set, "/nonexistent"), -EBUSY);
	ktrace_traceset_close(set);
	ktrace_traceset_close(NULL);
}

/* Whatever its name is by now, what is read is the file that was opened. */
static void test_extract_of_what_is_open(void)
{
	struct ktrace_traceset *set;
	struct ktrace_extract *x;

	CHECK_EQ(ktrace_tracefile_close(make_file(paths[0], 0)), 0);
	set = open_set(1, false);
	CHECK_EQ(unlink(paths[0]), 0);
	CHECK_EQ(ktrace_extract_create(set, paths[1], NULL, &x), 0);
	CHECK_EQ(ktrace_extract_close(x), 0);
	ktrace_traceset_close(set);
}

int main(void)
{
	unsigned int i;

	for (i = 0; i < TRACES; i++)
		temporary_file(paths[i], sizeof(paths[i]), "test_traceset");
	test_order(false);
	test_order(true);
	test_seek_everywhere(false);
	test_seek_everywhere(true);
	test_read_many(false, 1);
	test_read_many(false, 7);
	test_read_many(false, (int)EVENTS);
	test_read_many(true, 7);
	test_span();
	test_seek_is_sublinear();
	test_losses();
	test_growth();
	test_shrinking();
	make_storage = MAKE_MIXED;
	test_order(true);
	test_seek_everywhere(true);
	test_read_many(true, 7);
	test_seek_is_sublinear();
	test_losses();
	test_growth();
	make_storage = MAKE_COMPRESSED;
	test_seek_everywhere(false);
	test_losses();
	make_storage = MAKE_PLAIN;
	test_traces_of_one_boot();
	test_names();
	test_options();
	test_extract_of_what_is_open();
	CHECK_EQ(damages, 0);
	for (i = 0; i < TRACES; i++)
		unlink(paths[i]);
	return 0;
}
