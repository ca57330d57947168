// SPDX-License-Identifier: GPL-2.0
/*
 * procmaps.c - code of processes, as far as stacks need it
 *
 * A process that has ended when its stack is looked at has no code any more; programs with
 * libktrace have told theirs themselves. Text of /proc is a traced process's choice.
 */
#include "procmaps.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Then the older half is forgotten, and told again if need be. */
#define TOLD_MAX 65536u

struct told_map {
	__u32 pid;
	__u32 program;
	__u64 start;
	__u64 end;
};

/* struct mapping - a line of /proc/PID/maps; @path is in that line */
struct mapping {
	__u64 start;
	__u64 end;
	__u64 offset;
	const char *path;
};

static bool is_told(const struct procmaps *m, const struct ktrace_stack *stack, __u64 address)
{
	for (size_t i = m->nr; i--;)
		if (m->told[i].pid == stack->pid && m->told[i].program == stack->program &&
		    address >= m->told[i].start && address < m->told[i].end)
			return true;
	return false;
}

static int note(struct procmaps *m, const struct ktrace_stack *stack, const struct mapping *map)
{
	size_t cap = m->cap ? 2 * m->cap : 256;
	struct told_map *told;

	if (m->nr == TOLD_MAX) {
		m->nr = TOLD_MAX / 2;
		memmove(m->told, m->told + m->nr, m->nr * sizeof(*m->told));
	}
	if (m->nr == m->cap) {
		told = realloc(m->told, cap * sizeof(*told));
		if (!told)
			return -ENOMEM;
		m->told = told;
		m->cap = cap;
	}
	m->told[m->nr++] = (struct told_map){
		stack->pid, stack->program, map->start, map->end,
	};
	return 0;
}

/* "55a4c2e00000-55a4c2e01000 r-xp 00001000 fe:00 123   /usr/bin/x"; false: no code of a file */
static bool parse(char *line, struct mapping *map)
{
	unsigned long long start, end, offset;
	char rights[5];
	int at = 0;

	if (sscanf(line, "%llx-%llx %4s %llx %*s %*s %n", &start, &end, rights, &offset, &at) < 4)
		return false;
	line[strcspn(line, "\n")] = '\0';
	*map = (struct mapping){ start, end, offset, line + at };
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

static void tell(struct ktrace_text *meta, const struct ktrace_stack *stack,
		 const struct mapping *map)
{
	ktrace_text_line(meta, "map");
	ktrace_text_u64(meta, "pid", stack->pid);
	ktrace_text_u64(meta, "ts", stack->ts);
	ktrace_text_u64(meta, "start", map->start);
	ktrace_text_u64(meta, "end", map->end);
	ktrace_text_u64(meta, "offset", map->offset);
	ktrace_text_str(meta, "path", map->path);
}

static void look(struct procmaps *m, struct ktrace_text *meta, const struct ktrace_stack *stack)
{
	struct mapping map;
	char path[32], *line = NULL;
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/maps", stack->pid);
	f = fopen(path, "re");
	if (!f)
		return;
	while (getline(&line, &size, f) > 0)
		if (parse(line, &map) && goes_through(stack, &map) &&
		    !is_told(m, stack, map.start) && !note(m, stack, &map))
			tell(meta, stack, &map);
	free(line);
	fclose(f);
}

void procmaps_tell(struct procmaps *m, struct ktrace_text *meta, const struct ktrace_stack *stack)
{
	for (__u32 i = 0; i < stack->nr; i++)
		if (!is_told(m, stack, KTRACE_STACK_ADDRESSES(stack)[i])) {
			look(m, meta, stack);
			return;
		}
}

void procmaps_free(struct procmaps *m)
{
	free(m->told);
	*m = (struct procmaps){ NULL, 0, 0 };
}
