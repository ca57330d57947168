// SPDX-License-Identifier: GPL-2.0
/*
 * shark_fixture.c - a S.Ha.R.K. tracer of one's own, and what its chunks hold
 *
 * The core is compiled as part of this file, to have its test points.
 */
#include <kunit/test.h>

static void shark_testpoint(const char *name);
#define KT_TESTPOINT(name) shark_testpoint(#name)
#include "shark_fixture.h"
#include "shark/writer.h"
#include "../../module/shark/chunk.c"
#include "../../module/shark/writer.c"
#include "../../module/shark/table.c"
#include "../../module/shark/hold.c"

struct kt_shark *shark;
struct kunit *shark_test;
__u32 logged;
void (*shark_hook)(const char *name);

static void shark_testpoint(const char *name)
{
	void (*hook)(const char *name) = kt_load(&shark_hook);

	if (hook)
		hook(name);
}

int shark_setup(struct kunit *test)
{
	shark_test = test;
	shark_hook = NULL;
	logged = 0;
	shark = kunit_kzalloc(test, sizeof(*shark), GFP_KERNEL);
	if (!shark)
		return -1;
	kt_shark_init(shark, KTRACE_CLOCK_MONOTONIC);
	return 0;
}

void shark_teardown(struct kunit *test)
{
	(void)test;
	kt_store(&shark_hook, NULL);
}

int chunk(__u32 slots, __u32 emergency, __u32 flags)
{
	void *memory = kunit_kzalloc(shark_test, (slots + emergency) * SLOT, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(shark_test, memory);
	return kt_shark_create(shark, memory, slots * SLOT, emergency * SLOT, flags);
}

int target(__u32 slots, __u32 emergency, __u32 flags)
{
	int n = chunk(slots, emergency, FREE | flags);

	KUNIT_ASSERT_EQ(shark_test, kt_shark_select(shark, n), 0);
	KUNIT_ASSERT_EQ(shark_test, kt_shark_enable(shark), 0);
	return n;
}

void log_one(__u16 code)
{
	kt_shark_log(shark, code, 7, logged++, 0);
}

void log_many(__u32 nr)
{
	while (nr--)
		log_one(USER);
}

void log_critical(void)
{
	kt_shark_log(shark, USER, 7, logged++, KT_SHARK_CRITICAL);
}

__u32 flags_of(int n)
{
	FTrace_flags flags = 0;

	KUNIT_ASSERT_EQ(shark_test, kt_shark_get_flags(shark, n, &flags), 0);
	return flags;
}

__u64 lost(__u32 reason)
{
	__u64 count = 0;

	KUNIT_ASSERT_EQ(shark_test, kt_shark_lost(shark, reason, &count), 0);
	return count;
}

struct FTrace_Chunk status_of(int n)
{
	struct FTrace_Chunk status = { .number = 0 };

	KUNIT_ASSERT_EQ(shark_test, kt_shark_status(shark, n, &status), 0);
	return status;
}

static __u64 stamp(const struct ktrace_shark_event *e)
{
	return (__u64)e->tsc_high << 32 | e->tsc_low;
}

static void look_at(int n, struct kt_shark_view *view)
{
	view->status = status_of(n);
	view->slots = shark->chunks[n].slots;
}

struct ktrace_shark_event event_of(int n, __u32 i)
{
	struct kt_shark_view view;

	look_at(n, &view);
	return *kt_shark_event_at(&view, i);
}

void account_holds(int n, __u32 first, __u32 last)
{
	const struct ktrace_shark_event *e;
	struct kt_shark_view view;
	__u64 before = 0;
	__u32 i;

	look_at(n, &view);
	KUNIT_ASSERT_EQ(shark_test, view.status.events + view.status.emergency_events,
			last + 1 - first);
	for (i = 0; i <= last - first; i++) {
		e = kt_shark_event_at(&view, i);
		KUNIT_ASSERT_EQ(shark_test, e->par2, first + i);
		KUNIT_ASSERT_EQ(shark_test, e->par1, (__u16)7);
		KUNIT_ASSERT_TRUE(shark_test, stamp(e) >= before);
		before = stamp(e);
	}
}

void holds_nothing(int n)
{
	struct FTrace_Chunk status = status_of(n);

	KUNIT_EXPECT_EQ(shark_test, status.events, (__u32)0);
	KUNIT_EXPECT_EQ(shark_test, status.emergency_events, (__u32)0);
}
