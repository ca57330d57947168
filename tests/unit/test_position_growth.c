// SPDX-License-Identifier: GPL-2.0
/* test_position_growth.c - positions in files that grow, and what going to one costs */
#include <ktrace/position.h>

#include "make_trace.h"

#include <errno.h>
#include <unistd.h>

static char path[64];

static struct ktrace_traceset *open_set(bool is_live)
{
	struct ktrace_traceset_options opts = { .size = sizeof(opts), .is_live = is_live };
	struct ktrace_traceset *set;

	CHECK_EQ(ktrace_traceset_open(&opts, &set), 0);
	CHECK_EQ(ktrace_traceset_add(set, path), 0);
	return set;
}

/* The end is not the end any more when the file has grown, nor are there fewer streams. */
static void test_growth(void)
{
	struct ktrace_tracefile *tf = make_file(path, 0);
	struct ktrace_position *start, *end;
	struct ktrace_traceset *set, *old;
	struct ktrace_trace_event e;
	struct maker a, b;
	__u64 size;

	CHECK_EQ(ktrace_position_new(&start), 0);
	CHECK_EQ(ktrace_position_new(&end), 0);
	make_stream(&a, tf, 5);
	set = open_set(true);
	CHECK_EQ(ktrace_position_save(set, start), 0);
	make_event(&a, 10, 1);
	make_event(&a, 11, 2);
	make_end_block(&a);
	old = open_set(true);
	CHECK_EQ(ktrace_traceset_next(old, &e), 1);
	CHECK(ktrace_traceset_poll(set) > 0);
	while (ktrace_traceset_next(set, &e) == 1)
		;
	CHECK_EQ(ktrace_position_save(set, end), 0);
	CHECK_EQ(ktrace_position_time(end), KTRACE_TIME_NONE);
	CHECK_EQ(ktrace_position_compare(start, end), -1);
	size = ktrace_tracefile_size(tf);
	make_event(&a, 20, 3);
	make_end_block(&a);
	make_stream(&b, tf, 2);
	make_event(&b, 15, 4);
	make_end_block(&b);
	CHECK(ktrace_traceset_poll(set) > 0);
	CHECK_EQ(ktrace_traceset_seek_position(set, end), 0);
	CHECK_EQ(ktrace_traceset_next(set, &e), 1);
	CHECK_EQ(e.raw, 15);
	CHECK_EQ(ktrace_traceset_next(set, &e), 1);
	CHECK_EQ(e.raw, 20);
	/* A reader that has not looked that far is told to, and stays where it is. */
	CHECK_EQ(ktrace_position_save(set, end), 0);
	CHECK(size < ktrace_tracefile_size(tf));
	CHECK_EQ(ktrace_traceset_seek_position(old, end), -EAGAIN);
	CHECK_EQ(ktrace_traceset_next(old, &e), 1);
	CHECK_EQ(e.raw, 11);
	CHECK(ktrace_traceset_poll(old) > 0);
	CHECK_EQ(ktrace_traceset_seek_position(old, end), 0);
	CHECK_EQ(ktrace_traceset_next(old, &e), 0);
	CHECK_EQ(ktrace_traceset_seek_position(old, start), 0);
	CHECK_EQ(ktrace_traceset_next(old, &e), 1);
	CHECK_EQ(e.raw, 10);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	ktrace_traceset_close(set);
	ktrace_traceset_close(old);
	/* In a closed file, too */
	old = open_set(false);
	CHECK_EQ(ktrace_traceset_seek_position(old, end), 0);
	CHECK_EQ(ktrace_traceset_next(old, &e), 0);
	ktrace_traceset_close(old);
	ktrace_position_free(start);
	ktrace_position_free(end);
}

/* Ten thousand blocks: a position costs one block, its pending event one for each fragment. */
static void test_cost(void)
{
	struct ktrace_record rec = { .id = 16, .len = 12, .tid_flags = 9 | KTRACE_REC_FRAG_FIRST };
	struct ktrace_tracefile *tf = make_file(path, 0);
	struct ktrace_traceset_stats before, after;
	struct ktrace_position *pos;
	struct ktrace_trace_event e;
	struct ktrace_traceset *set;
	unsigned int i, nr;
	struct maker m;

	make_stream(&m, tf, 1);
	make_record(&m, &rec, "\377\0\0\0abcdefgh");	/* never goes on */
	for (i = 0; i < 10000; i++) {
		make_event(&m, 10 * i, i);
		make_end_block(&m);
	}
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	set = open_set(false);
	CHECK_EQ(ktrace_position_new(&pos), 0);
	for (i = 7; i < 10000; i += 997) {
		CHECK_EQ(ktrace_traceset_seek(set, 0), 0);
		for (nr = 0; nr < i; nr++)
			CHECK_EQ(ktrace_traceset_next(set, &e), 1);
		CHECK_EQ(ktrace_position_save(set, pos), 0);
		ktrace_traceset_stats(set, &before);
		CHECK_EQ(ktrace_traceset_seek_position(set, pos), 0);
		ktrace_traceset_stats(set, &after);
		CHECK_EQ(after.blocks - before.blocks, 2);
	}
	ktrace_position_free(pos);
	ktrace_traceset_close(set);
}

int main(void)
{
	temporary_file(path, sizeof(path), "test_position_growth");
	test_growth();
	test_cost();
	unlink(path);
	return 0;
}
