// SPDX-License-Identifier: GPL-2.0
/* test_parts.c - when a part of a recording ends */
#include "check.h"

#include "../../userspace/daemon/output/exited_processes.c"
#include "../../userspace/daemon/base/lines.c"
#include "../../userspace/daemon/base/turn.c"
#include "../../userspace/daemon/output/parts.c"

static void test_end(void)
{
	struct parts p = { .number = 1, .begun_ns = 1000 };

	CHECK_EQ(parts_end_ns(&p), ~0ull);
	p.max_ns = 500;
	CHECK_EQ(parts_end_ns(&p), 1500);
	p.retry_ns = 1700;
	CHECK_EQ(parts_end_ns(&p), 1700);
	p.max_ns = ~0ull - 10;
	CHECK_EQ(parts_end_ns(&p), ~0ull);
}

/* There is no number for another one: nobody wakes up to begin it. */
static void test_last(void)
{
	struct parts p = { .number = KTRACE_PART_MAX - 1, .max_bytes = 1, .max_ns = 1,
			   .has_blocks = true };

	CHECK_EQ(parts_end_ns(&p), 1);
	CHECK(parts_is_due(&p, 0));
	p.number++;
	CHECK_EQ(parts_end_ns(&p), ~0ull);
	CHECK(!parts_is_due(&p, 0));
	CHECK(!parts_is_due(&p, 1000));
}

static void test_due(void)
{
	struct parts p = { .number = 1, .max_bytes = 100 };

	CHECK(!parts_is_due(&p, 1000));
	p.has_blocks = true;
	CHECK(!parts_is_due(&p, 99));
	CHECK(parts_is_due(&p, 100));
	p.retry_ns = ~0ull;
	CHECK(!parts_is_due(&p, 100));
}

int main(void)
{
	test_end();
	test_last();
	test_due();
	puts("ok");
	return 0;
}
