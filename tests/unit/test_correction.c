// SPDX-License-Identifier: GPL-2.0
/* test_correction.c - times of a trace by another host's clock: order, seeks, errors */
#include <ktrace/traceset.h>

#include "make_trace.h"

#include <errno.h>
#include <unistd.h>

static char paths[2][64];

/* Two hosts whose clocks are 1000 s apart; each has an event at each of its even or odd stamps */
static void make_files(void)
{
	struct ktrace_tracefile *tf;
	struct maker m;
	__u64 i;

	for (int k = 0; k < 2; k++) {
		snprintf(paths[k], sizeof(paths[k]), "/tmp/test_correction.%d.%d", getpid(), k);
		tf = make_file(paths[k], k ? 1000000000000ull : 5000);
		make_stream(&m, tf, 0);
		for (i = 0; i < 1000; i++)
			make_event(&m, 2 * i + (__u64)k, i);
		make_end_block(&m);
		CHECK_EQ(ktrace_tracefile_close(tf), 0);
	}
}

static struct ktrace_traceset *open_both(void)
{
	struct ktrace_traceset *set;

	CHECK_EQ(ktrace_traceset_open(NULL, &set), 0);
	CHECK_EQ(ktrace_traceset_add(set, paths[0]), 0);
	CHECK_EQ(ktrace_traceset_add(set, paths[1]), 0);
	return set;
}

/* The second host's stamps are ns of the first host's clock, but twice as fast after 1000. */
static const struct ktrace_correction knots[] = {
	{ .raw = 0, .time = 5000, .early_ns = 1, .late_ns = 2 },
	{ .raw = 1000, .time = 6000, .early_ns = 3, .late_ns = 1 },
	{ .raw = 1500, .time = 7000, .early_ns = 2, .late_ns = ~0ull },
};

static __u64 expected_time(const struct ktrace_trace_event *e)
{
	const bool is_late = ktrace_trace_index(e->stream->trace) && e->raw > 1000;

	return 5000 + e->raw + (is_late ? e->raw - 1000 : 0);
}

static void check_events(struct ktrace_traceset *set, __u64 from, int expected)
{
	struct ktrace_trace_event e;
	__u64 before = from;
	int nr = 0;

	CHECK_EQ(ktrace_traceset_seek(set, from), 0);
	for (; ktrace_traceset_next(set, &e) == 1; nr++) {
		CHECK_EQ(e.time, expected_time(&e));
		CHECK_EQ(ktrace_trace_time(e.stream->trace, e.raw), e.time);
		CHECK(e.time >= before);
		before = e.time;
	}
	CHECK_EQ(nr, expected);
}

static void test_order(void)
{
	struct ktrace_traceset *set = open_both();

	CHECK(!ktrace_trace_is_corrected(ktrace_traceset_trace(set, 1)));
	CHECK_EQ(ktrace_traceset_correct(set, 1, knots, 3), 0);
	CHECK(ktrace_trace_is_corrected(ktrace_traceset_trace(set, 1)));
	check_events(set, 0, 2000);
	check_events(set, 5000 + 1000, 500 + 500);
	check_events(set, 5000 + 2000, 250);
	CHECK_EQ(ktrace_traceset_correct(set, 1, knots, 3), -EBUSY);
	CHECK_EQ(ktrace_trace_wall(ktrace_traceset_trace(set, 1), 1500), 7000);
	ktrace_traceset_close(set);
}

static void check_error(const struct ktrace_trace *t, __u64 raw, bool is_known, __u64 early,
			__u64 late)
{
	struct ktrace_time_error error;

	CHECK_EQ(ktrace_trace_error(t, raw, &error), is_known);
	if (is_known) {
		CHECK_EQ(error.early_ns, early);
		CHECK_EQ(error.late_ns, late);
	}
}

static void test_errors(void)
{
	struct ktrace_traceset *set = open_both();
	const struct ktrace_trace *t = ktrace_traceset_trace(set, 1);
	const struct ktrace_correction back[] = { knots[1], knots[0] };

	check_error(t, 5, false, 0, 0);
	CHECK_EQ(ktrace_traceset_correct(set, 2, knots, 3), -EINVAL);
	CHECK_EQ(ktrace_traceset_correct(set, 1, knots, 1), -EINVAL);
	CHECK_EQ(ktrace_traceset_correct(set, 1, back, 2), -EINVAL);
	CHECK(!ktrace_trace_is_corrected(t));
	CHECK_EQ(ktrace_traceset_correct(set, 1, knots, 3), 0);
	check_error(t, 0, true, 1, 2);
	check_error(t, 500, true, 3, 2);
	check_error(t, 1000, true, 3, 1);
	check_error(t, 1001, false, 0, 0);
	check_error(ktrace_traceset_trace(set, 0), 5, false, 0, 0);
	CHECK_EQ(ktrace_traceset_correct(set, 1, NULL, 0), 0);
	CHECK(!ktrace_trace_is_corrected(t));
	CHECK_EQ(ktrace_trace_time(t, 7), 1000000000007ull);
	ktrace_traceset_close(set);
}

/* The files that are open are read again, whatever has become of their names. */
static void test_reopen(void)
{
	struct ktrace_traceset *set = open_both(), *again;

	CHECK_EQ(ktrace_traceset_correct(set, 1, knots, 3), 0);
	unlink(paths[0]);
	CHECK_EQ(rename(paths[1], paths[0]), 0);
	CHECK_EQ(ktrace_traceset_reopen(set, NULL, &again), 0);
	CHECK(!ktrace_trace_is_corrected(ktrace_traceset_trace(again, 1)));
	CHECK_EQ(ktrace_traceset_correct_as(again, set), 0);
	check_error(ktrace_traceset_trace(again, 1), 500, true, 3, 2);
	check_events(again, 0, 2000);
	CHECK_EQ(ktrace_traceset_correct_as(again, set), -EBUSY);
	check_events(set, 0, 2000);
	ktrace_traceset_close(again);
	ktrace_traceset_close(set);
}

int main(void)
{
	make_files();
	test_order();
	test_errors();
	test_reopen();
	unlink(paths[0]);
	return 0;
}
