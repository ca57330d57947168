// SPDX-License-Identifier: GPL-2.0
/*
 * test_procmaps.c - which code of processes is told, and how often /proc is asked for it
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../userspace/daemon/context/buildid.c"
#include "../../userspace/lib/base/clock.h"

static __u64 time_ns = 5;
static unsigned int opened;

static __u64 fake_now(void)
{
	return time_ns;
}

static FILE *count_fopen(const char *path, const char *mode)
{
	opened++;
	return fopen(path, mode);
}

#define now_ns fake_now
#define fopen count_fopen
#include "../../userspace/daemon/context/procmaps.c"
#undef fopen

static struct procmaps maps;
static struct ktrace_text meta;

static struct {
	struct ktrace_stack stack;
	__u64 addresses[2];
} frames;

/* How many pieces of code are told of a stack of these two */
static unsigned int tell_stack(__u64 first, __u64 second)
{
	unsigned int nr = 0;

	frames.addresses[0] = first;
	frames.addresses[1] = second;
	frames.stack.nr = 2;
	meta.len = 0;
	opened = 0;
	procmaps_tell(&maps, &meta, &frames.stack);
	for (size_t i = 0; i + 4 < meta.len; i++)
		nr += !memcmp(meta.buf + i, "map ", 4);
	return nr;
}

static __u64 here(void)
{
	return (__u64)(uintptr_t)here;
}

static __u64 libc(void)
{
	return (__u64)(uintptr_t)malloc;
}

static void test_own_code(void)
{
	frames.stack.pid = (__u32)getpid();
	CHECK_EQ(tell_stack(here(), here()), 1);
	CHECK_EQ(opened, 1);
	CHECK_EQ(tell_stack(here(), here()), 0);
	CHECK_EQ(opened, 0);
	CHECK_EQ(tell_stack(here(), libc()), 1);
	CHECK_EQ(tell_stack(libc(), here()), 0);
	CHECK_EQ(opened, 0);
	/* Another program of the same process */
	frames.stack.program++;
	CHECK_EQ(tell_stack(here(), libc()), 2);
	frames.stack.program--;
}

/* Where no file is, it is asked once a second. */
static void test_no_code(void)
{
	CHECK_EQ(tell_stack(0x10, here()), 0);
	CHECK_EQ(opened, 1);
	CHECK_EQ(tell_stack(0xff0, here()), 0);
	CHECK_EQ(opened, 0);
	CHECK_EQ(tell_stack(0x1010, here()), 0);
	CHECK_EQ(opened, 1);
	time_ns += NONE_NS;
	CHECK_EQ(tell_stack(0x10, here()), 0);
	CHECK_EQ(opened, 1);
	frames.stack.pid = (1u << 22) - 2;	/* nobody */
	CHECK_EQ(tell_stack(here(), libc()), 0);
	CHECK_EQ(opened, 1);
	CHECK_EQ(tell_stack(libc(), here()), 0);
	CHECK_EQ(opened, 0);
	frames.stack.pid = (__u32)getpid();
}

static void note_page(__u64 nr)
{
	struct mapping map = { .path = "x", .start = nr << 13, .end = (nr << 13) + 4096 };

	CHECK_EQ(note(&maps, &frames.stack, &map), 0);
}

static void test_very_much_code(void)
{
	__u64 i;

	frames.stack.program = 7;
	/* The last ones move all others. */
	for (i = 100; i <= TOLD_MAX; i++)
		note_page(i);
	for (i = 99; i; i--)
		note_page(i);
	CHECK(!is_told(&maps, &frames.stack, (1ull << 13) - 1));
	CHECK(is_told(&maps, &frames.stack, 1ull << 13));
	CHECK(is_told(&maps, &frames.stack, (1ull << 13) + 4095));
	CHECK(!is_told(&maps, &frames.stack, (1ull << 13) + 4096));
	CHECK(maps.nr <= TOLD_MAX);
	frames.stack.program = 0;
	CHECK_EQ(tell_stack(here(), libc()), 2);
}

int main(void)
{
	test_own_code();
	test_no_code();
	test_very_much_code();
	procmaps_free(&maps);
	ktrace_text_free(&meta);
	puts("ok");
	return 0;
}
