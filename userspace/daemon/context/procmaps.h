/* SPDX-License-Identifier: GPL-2.0 */
/* procmaps.h - code of processes, as far as stacks need it */
#ifndef KTRACED_CONTEXT_PROCMAPS_H
#define KTRACED_CONTEXT_PROCMAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <ktrace/tracefile.h>
#include <linux/ktrace_context.h>

struct told_map;
struct no_map;

/* struct mapping - mapped code; @path is NULL if it is not of a file; @build may be NULL */
struct mapping {
	__u64 start;
	__u64 end;
	__u64 offset;
	const char *path;
	const char *build;
};

/**
 * struct procmaps - mappings already written
 * @told:	pieces of code, by process and address
 * @nr:		number of @told
 * @cap:	capacity of @told
 * @none:	pages found without code of a file lately, by hash; NULL: none
 */
struct procmaps {
	struct told_map *told;
	size_t nr;
	size_t cap;
	struct no_map *none;
};

/*
 * Adds META lines map for the code that a process's stack goes through, unless they have been
 * written, or the process has ended.
 */
void procmaps_tell(struct procmaps *m, struct ktrace_text *meta, const struct ktrace_stack *stack);
/* Adds lines for all code that a process has now; false: it has ended, or has too much code. */
bool procmaps_tell_process(struct ktrace_text *meta, __u32 pid, __u64 ts);
/* Adds one line map. */
void procmaps_tell_map(struct ktrace_text *meta, __u32 pid, __u64 ts, const struct mapping *map);
void procmaps_free(struct procmaps *m);

#endif
