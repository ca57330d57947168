// SPDX-License-Identifier: GPL-2.0
/*
 * procmaps.c - code of processes, as far as stacks need it
 *
 * A process that has ended when its stack is resolved has no mappings any more; programs with
 * libktrace have written theirs themselves. The traced process controls the text in /proc.
 */
#include "procmaps.h"

#include "base/clock.h"
#include "base/grow.h"
#include "base/search.h"
#include "buildid.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Above this number all entries are forgotten, and written again when needed. */
#define TOLD_MAX 65536u
/* Pages known to have no code of a file; valid only for a time, since code may be mapped later */
#define NONE_NR 4096u
#define NONE_NS 1000000000ull
#define PAGE_BITS 12
/* Limits for a process that is written as a whole: opening files takes time, and rings fill up. */
#define PROCESS_MAPS 4096u
#define PROCESS_TEXT (1u << 20)

struct told_map {
	__u32 pid;
	__u32 program;
	__u64 start;
	__u64 end;
};

struct no_map {
	__u32 pid;
	__u32 program;
	__u64 page;
	__u64 until;
};

static int compare(const struct told_map *t, const struct ktrace_stack *stack, __u64 address)
{
	if (t->pid != stack->pid)
		return t->pid < stack->pid ? -1 : 1;
	if (t->program != stack->program)
		return t->program < stack->program ? -1 : 1;
	return t->start < address ? -1 : t->start > address;
}

/* Returns the number of entries at or before the address. */
static size_t find(const struct procmaps *m, const struct ktrace_stack *stack, __u64 address)
{
	return PARTITION_POINT(m->nr, i, compare(&m->told[i], stack, address) <= 0);
}

static bool is_told(const struct procmaps *m, const struct ktrace_stack *stack, __u64 address)
{
	const size_t i = find(m, stack, address);
	const struct told_map *t = i ? &m->told[i - 1] : NULL;

	return t && t->pid == stack->pid && t->program == stack->program && address < t->end;
}

static int note(struct procmaps *m, const struct ktrace_stack *stack, const struct mapping *map)
{
	size_t i;

	if (m->nr == TOLD_MAX)
		m->nr = 0;
	if (!LIST_GROW(m->told, m->nr, m->cap))
		return -ENOMEM;
	i = find(m, stack, map->start);
	memmove(&m->told[i + 1], &m->told[i], (m->nr++ - i) * sizeof(*m->told));
	m->told[i] = (struct told_map){ stack->pid, stack->program, map->start, map->end };
	return 0;
}

/* Returns the entry for the page of this address: the one it has, or would have. */
static struct no_map *none_at(const struct procmaps *m, const struct ktrace_stack *stack,
			      __u64 address)
{
	const __u64 page = address >> PAGE_BITS;
	const __u64 key = page ^ (__u64)stack->pid << 32 ^ stack->program;

	return m->none + (key * 0x9e3779b97f4a7c15ull >> 32) % NONE_NR;
}

static bool is_none(const struct procmaps *m, const struct ktrace_stack *stack, __u64 address,
		    __u64 now)
{
	const struct no_map *n = m->none ? none_at(m, stack, address) : NULL;

	return n && n->pid == stack->pid && n->program == stack->program &&
	       n->page == address >> PAGE_BITS && now < n->until;
}

/* Makes code without a file (from a JIT compiler or an ended process) looked up once a second. */
static void note_none(struct procmaps *m, const struct ktrace_stack *stack, __u64 now)
{
	__u64 address;

	if (!m->none)
		m->none = calloc(NONE_NR, sizeof(*m->none));
	for (__u32 i = 0; i < stack->nr && m->none; i++) {
		address = KTRACE_STACK_ADDRESSES(stack)[i];
		if (!is_told(m, stack, address))
			*none_at(m, stack, address) = (struct no_map){
				stack->pid, stack->program, address >> PAGE_BITS, now + NONE_NS,
			};
	}
}

/*
 * Parses "55a4c2e00000-55a4c2e01000 r-xp 00001000 fe:00 123   /usr/bin/x".
 * Returns false if it is not code of a file.
 */
static bool parse(char *line, struct mapping *map)
{
	unsigned long long start, end, offset;
	char rights[5];
	int at = 0;

	if (sscanf(line, "%llx-%llx %4s %llx %*s %*s %n", &start, &end, rights, &offset, &at) < 4)
		return false;
	line[strcspn(line, "\n")] = '\0';
	*map = (struct mapping){ start, end, offset, line + at, NULL };
	return at && rights[2] == 'x' && line[at] == '/';
}

static bool goes_through(const struct ktrace_stack *stack, const struct mapping *map)
{
	const __u64 *address = KTRACE_STACK_ADDRESSES(stack);

	for (__u32 i = 0; i < stack->nr; i++)
		if (address[i] >= map->start && address[i] < map->end)
			return true;
	return false;
}

void procmaps_tell_map(struct ktrace_text *meta, __u32 pid, __u64 ts, const struct mapping *map)
{
	ktrace_text_line(meta, "map");
	ktrace_text_u64(meta, "pid", pid);
	ktrace_text_u64(meta, "ts", ts);
	ktrace_text_u64(meta, "start", map->start);
	ktrace_text_u64(meta, "end", map->end);
	if (!map->path)
		return;
	ktrace_text_u64(meta, "offset", map->offset);
	if (map->build)
		ktrace_text_str(meta, "build", map->build);
	ktrace_text_str(meta, "path", map->path);
}

/* Reads the build id even if the file lives in a container or has been deleted. */
static void tell(struct ktrace_text *meta, __u32 pid, __u64 ts, struct mapping *map)
{
	char path[96], build[BUILDID_TEXT];

	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", pid,
		 (unsigned long long)map->start, (unsigned long long)map->end);
	map->build = buildid_of_file(path, build) ? build : NULL;
	procmaps_tell_map(meta, pid, ts, map);
}

static FILE *open_maps(__u32 pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	return fopen(path, "re");
}

static void look(struct procmaps *m, struct ktrace_text *meta, const struct ktrace_stack *stack)
{
	FILE *f = open_maps(stack->pid);
	struct mapping map;
	char *line = NULL;
	size_t size = 0;

	if (!f)
		return;
	while (getline(&line, &size, f) > 0)
		if (parse(line, &map) && goes_through(stack, &map) &&
		    !is_told(m, stack, map.start) && !note(m, stack, &map))
			tell(meta, stack->pid, stack->ts, &map);
	free(line);
	fclose(f);
}

bool procmaps_tell_process(struct ktrace_text *meta, __u32 pid, __u64 ts)
{
	FILE *f = open_maps(pid);
	struct mapping map;
	const size_t before = meta->len;
	char *line = NULL;
	size_t size = 0;
	bool is_there = false, is_all = true;
	unsigned int nr = 0;

	if (!f)
		return false;
	for (; is_all && getline(&line, &size, f) > 0; is_there = true) {
		if (!parse(line, &map))
			continue;
		is_all = nr++ < PROCESS_MAPS && meta->len - before < PROCESS_TEXT;
		if (is_all)
			tell(meta, pid, ts, &map);
	}
	free(line);
	fclose(f);
	return is_there && is_all;
}

void procmaps_tell(struct procmaps *m, struct ktrace_text *meta, const struct ktrace_stack *stack)
{
	const __u64 *address = KTRACE_STACK_ADDRESSES(stack), now = now_ns();

	for (__u32 i = 0; i < stack->nr; i++)
		if (!is_told(m, stack, address[i]) && !is_none(m, stack, address[i], now)) {
			look(m, meta, stack);
			note_none(m, stack, now);
			return;
		}
}

void procmaps_free(struct procmaps *m)
{
	free(m->told);
	free(m->none);
	*m = (struct procmaps){ .nr = 0 };
}
