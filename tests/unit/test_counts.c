// SPDX-License-Identifier: GPL-2.0
/* test_counts.c - numbers of records by stream and type, also of hostile blocks */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#include "../../userspace/lib/tracefile/counts.h"

#define RECORDS 200u

static struct ktrace_record records[RECORDS];

static void make_block(__u32 first_id, __u32 flags)
{
	__u32 i;

	for (i = 0; i < RECORDS; i++)
		records[i] = (struct ktrace_record){
			.ts = i, .id = (__u16)(first_id + i % 50), .tid_flags = 7 | flags,
		};
}

static void test_sums(void)
{
	struct counts c = { .nr = 0 };
	struct ktrace_count *list;
	long i;

	make_block(16, 0);
	ktrace_counts_block(&c, 3, 64, records, sizeof(records));
	ktrace_counts_block(&c, 1, 64, records, sizeof(records));
	ktrace_counts_block(&c, 3, 64, records, sizeof(records));
	make_block(16, KTRACE_REC_FRAG_NEXT);
	ktrace_counts_block(&c, 1, 64, records, sizeof(records));
	CHECK_EQ(ktrace_counts_sorted(&c, &list), 150);
	CHECK(ktrace_counts_are_possible(list, 150));
	for (i = 0; i < 150; i++) {
		CHECK_EQ(list[i].stream, i < 100 ? 1 : 3);
		CHECK_EQ(list[i].id, i < 100 ? 16 + i / 2 : 16 + i - 100);
		CHECK_EQ(list[i].flags, i < 100 && i % 2 ? KTRACE_COUNT_FRAGMENTS : 0);
		CHECK_EQ(list[i].records, i < 100 ? 4 : 8);
	}
	list[1] = list[0];
	CHECK(!ktrace_counts_are_possible(list, 150));
	free(list);
	ktrace_counts_free(&c);
	CHECK_EQ(ktrace_counts_sorted(&c, &list), -ENOENT);
}

/* Padding and impossible records end a block. */
static void test_ends(void)
{
	struct counts c = { .nr = 0 };
	struct ktrace_count *list;

	make_block(16, 0);
	records[10].id = KTRACE_ID_PAD;
	ktrace_counts_block(&c, 0, 64, records, sizeof(records));
	make_block(16, 0);
	records[10].len = 0xffff;
	ktrace_counts_block(&c, 0, 64, records, sizeof(records));
	ktrace_counts_block(&c, 0, 64, records, 7);
	CHECK_EQ(ktrace_counts_sorted(&c, &list), 10);
	CHECK_EQ(list[9].records, 2);
	free(list);
	ktrace_counts_free(&c);
}

/* With too many streams and types, a file goes without. */
static void test_too_many(void)
{
	struct counts c = { .nr = 0 };
	struct ktrace_count *list;
	__u32 stream;

	make_block(16, 0);
	for (stream = 0; stream < 5000; stream++)
		ktrace_counts_block(&c, stream, 64, records, sizeof(records));
	CHECK_EQ(ktrace_counts_sorted(&c, &list), 250000);
	free(list);
	for (; stream < 6000; stream++)
		ktrace_counts_block(&c, stream, 64, records, sizeof(records));
	CHECK_EQ(ktrace_counts_sorted(&c, &list), -ENOENT);
	ktrace_counts_free(&c);
}

int main(void)
{
	test_sums();
	test_ends();
	test_too_many();
	return 0;
}
