// SPDX-License-Identifier: GPL-2.0
/* test_maps.c - which code a process had at an address at a time, of META that may be forged */
#include "make_trace.h"

#include <ktrace/traceset.h>
#include <unistd.h>

static char path[] = "/tmp/ktrace-maps-XXXXXX";

/* The traceset of a file with these lines, and an event. */
static struct ktrace_traceset *traceset_of(const char *lines)
{
	struct ktrace_tracefile *tf = make_file(path, 0);
	struct ktrace_traceset *set;
	struct maker m;

	make_meta(tf, lines);
	make_stream(&m, tf, 1);
	make_event(&m, 5, 1);
	make_end_block(&m);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	CHECK_EQ(ktrace_traceset_open(NULL, &set), 0);
	CHECK_EQ(ktrace_traceset_add(set, path), 0);
	return set;
}

/* Does @pid have code of @name at @address at @raw? NULL: of nothing that is known. */
static void check_map(struct ktrace_traceset *set, __u32 pid, __u64 raw, __u64 address,
		      const char *name)
{
	const struct ktrace_map *map = ktrace_trace_map(ktrace_traceset_trace(set, 0), pid, raw,
							address);

	CHECK(name ? map && !strcmp(map->path, name) : !map);
	CHECK(!map || (address >= map->start && address < map->end));
}

static void test_lives(void)
{
	struct ktrace_traceset *set = traceset_of(
		/* Not in order: the stamps count. */
		"map pid=7 ts=40 start=100 end=200 offset=8 build=ab path=/b%20c\n"
		"process pid=7 ppid=1 ts=10 comm=x maps=own\n"
		"map pid=7 ts=11 start=100 end=200 path=/a\n"
		"map pid=7 ts=12 start=300 end=400 path=/lib\n"
		"map pid=7 ts=30 start=100 end=200\n"
		"process pid=8 ppid=7 ts=20 comm=x maps=parent\n"
		"map pid=8 ts=50 start=150 end=160 path=/child\n"
		"process pid=7 ppid=1 ts=60 comm=y maps=own\n");

	check_map(set, 7, 10, 100, NULL);
	check_map(set, 7, 11, 99, NULL);
	check_map(set, 7, 11, 100, "/a");
	check_map(set, 7, 29, 199, "/a");
	check_map(set, 7, 29, 200, NULL);
	check_map(set, 7, 30, 150, NULL);
	check_map(set, 7, 30, 350, "/lib");
	check_map(set, 7, 59, 150, "/b c");
	/* After exec nothing of before is there. */
	check_map(set, 7, 60, 150, NULL);
	check_map(set, 7, 60, 350, NULL);
	/* The child has what its parent had then, whatever becomes of the parent. */
	check_map(set, 8, 19, 150, NULL);
	check_map(set, 8, 20, 150, "/a");
	check_map(set, 8, 45, 150, "/a");
	check_map(set, 8, 50, 150, "/child");
	check_map(set, 8, 50, 160, "/a");
	check_map(set, 8, 99, 350, "/lib");
	check_map(set, 9, 99, 350, NULL);
	ktrace_traceset_close(set);
}

static void check_below(struct ktrace_traceset *set, __u64 raw, __u64 address, const char *name)
{
	const struct ktrace_map *map = ktrace_trace_map_below(ktrace_traceset_trace(set, 0), 7,
							      raw, address);

	CHECK(name ? map && !strcmp(map->path, name) : !map);
}

/* What code a variable lies behind: not behind what is gone, or has been replaced. */
static void test_below(void)
{
	struct ktrace_traceset *set = traceset_of(
		"process pid=7 ppid=1 ts=10 comm=x maps=own\n"
		"map pid=7 ts=11 start=100 end=200 path=/a\n"
		"map pid=7 ts=12 start=300 end=400 path=/lib\n"
		"map pid=7 ts=20 start=300 end=400\n"
		"map pid=7 ts=30 start=320 end=330 path=/new\n");

	check_below(set, 10, 150, NULL);
	check_below(set, 15, 99, NULL);
	check_below(set, 15, 100, "/a");
	check_below(set, 15, 250, "/a");
	check_below(set, 15, 500, "/lib");
	check_below(set, 20, 500, "/a");
	check_below(set, 30, 325, "/new");
	check_below(set, 30, 500, "/new");
	check_below(set, 30, 310, "/a");
	ktrace_traceset_close(set);
}

/* struct said - a line of the random test, which is in the order of @ts; @parent: of a fork */
struct said {
	__u32 pid, parent;
	__u64 ts, start, end;
	bool is_code, has_path;
};

#define SAID 60u
#define PLACES 24u
#define PIDS 3u

static struct said said[SAID];

/* The line that holds at an address, of the first @nr: found by looking at each. -1: none */
static int simple_find(int nr, __u32 pid, __u64 address)
{
	const struct said *s;

	while (nr--) {
		s = &said[nr];
		if (s->pid != pid)
			continue;
		if (!s->is_code && !s->parent)
			return -1;
		if (!s->is_code)
			pid = s->parent;
		else if (address >= s->start && address < s->end)
			return s->has_path ? nr : -1;
	}
	return -1;
}

static int simple_below(int nr, __u32 pid, __u64 address)
{
	int i;

	for (;; address--) {
		i = simple_find(nr, pid, address);
		if ((i >= 0 && said[i].start == address) || !address)
			return i >= 0 && said[i].start == address ? i : -1;
	}
}

static void check_said(const struct ktrace_map *map, int expected)
{
	char name[16];

	snprintf(name, sizeof(name), "/%d", expected);
	CHECK(expected < 0 ? !map : map && !strcmp(map->path, name));
}

static void say_something(struct ktrace_text *t, __u32 i)
{
	struct said *s = &said[i];

	*s = (struct said){ .pid = 1 + (__u32)rand() % PIDS, .ts = 1 };
	if (i)
		s->ts = s[-1].ts + (__u64)rand() % 2;
	s->is_code = rand() % 8;
	s->has_path = rand() % 4;
	s->parent = s->is_code ? 0 : (__u32)rand() % (PIDS + 1);
	s->start = (__u64)rand() % PLACES;
	s->end = (__u64)rand() % PLACES;	/* also backwards */
	ktrace_text_line(t, s->is_code ? "map" : "origin");
	ktrace_text_u64(t, "pid", s->pid);
	ktrace_text_u64(t, "ts", s->ts);
	if (!s->is_code) {
		ktrace_text_u64(t, "ppid", s->parent);
		ktrace_text_str(t, "maps", s->parent ? "parent" : "own");
		return;
	}
	ktrace_text_u64(t, "start", s->start);
	ktrace_text_u64(t, "end", s->end);
	if (s->has_path) {
		char name[16];

		snprintf(name, sizeof(name), "/%u", i);
		ktrace_text_str(t, "path", name);
	}
}

/* Whatever comes in whatever order, it is as if each line were looked at. */
static void test_random(unsigned int seed)
{
	struct ktrace_traceset *set;
	const struct ktrace_trace *trace;
	struct ktrace_text text = { 0 };
	__u64 address;
	__u32 i, pid;

	srand(seed);
	for (i = 0; i < SAID; i++)
		say_something(&text, i);
	ktrace_text_line(&text, "");
	set = traceset_of(text.buf);
	trace = ktrace_traceset_trace(set, 0);
	for (i = 0; i < SAID; i++) {
		if (i + 1 < SAID && said[i + 1].ts == said[i].ts)
			continue;
		for (pid = 1; pid <= PIDS; pid++)
			for (address = 0; address <= PLACES; address++) {
				check_said(ktrace_trace_map(trace, pid, said[i].ts, address),
					   simple_find((int)i + 1, pid, address));
				check_said(ktrace_trace_map_below(trace, pid, said[i].ts, address),
					   simple_below((int)i + 1, pid, address));
			}
	}
	ktrace_traceset_close(set);
	ktrace_text_free(&text);
}

static void test_forged(void)
{
	struct ktrace_traceset *set = traceset_of(
		"process pid=7 ppid=7 ts=10 comm=x maps=parent\n"
		"process pid=8 ppid=9 ts=10 comm=x maps=parent\n"
		"process pid=9 ppid=8 ts=10 comm=x maps=parent\n"
		"process pid=10 ppid=0 ts=18446744073709551615 comm=x maps=parent\n"
		"map pid=11 ts=10 start=200 end=100 path=/backwards\n"
		"map pid=11 ts=10 start=0 end=18446744073709551615 "
		"offset=18446744073709551615 path=/all\n");

	check_map(set, 7, 99, 5, NULL);
	check_map(set, 8, 99, 5, NULL);
	check_map(set, 10, ~0ull, 5, NULL);
	check_map(set, 11, 99, 150, "/all");
	check_map(set, 11, 99, ~0ull, NULL);
	ktrace_traceset_close(set);
}

int main(void)
{
	int fd = mkstemp(path);

	CHECK(fd >= 0);
	close(fd);
	test_lives();
	test_below();
	test_forged();
	for (unsigned int seed = 0; seed < 200; seed += (unsigned int)unit_step())
		test_random(seed);
	unlink(path);
	return 0;
}
