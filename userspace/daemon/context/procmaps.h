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

/* struct mapping - code of a file; without @path, what is no file; @build may be NULL */
struct mapping {
	__u64 start;
	__u64 end;
	__u64 offset;
	const char *path;
	const char *build;
};

/**
 * struct procmaps - what has been told
 * @told:	pieces of code, by process and address
 * @nr:		how many
 * @cap:	room for so many
 * @none:	where there was no code of a file lately, by hash; NULL: nowhere
 */
struct procmaps {
	struct told_map *told;
	size_t nr;
	size_t cap;
	struct no_map *none;
};

/*
 * META lines map of the code that a process's stack goes through, unless they have been told,
 * or the process is gone.
 */
void procmaps_tell(struct procmaps *m, struct ktrace_text *meta, const struct ktrace_stack *stack);
/* Those of all code that a process has now; false: it is gone, or has more than is told. */
bool procmaps_tell_process(struct ktrace_text *meta, __u32 pid, __u64 ts);
/* One of them */
void procmaps_tell_map(struct ktrace_text *meta, __u32 pid, __u64 ts, const struct mapping *map);
void procmaps_free(struct procmaps *m);

#endif
