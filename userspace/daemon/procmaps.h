/* SPDX-License-Identifier: GPL-2.0 */
/* procmaps.h - code of processes, as far as stacks need it */
#ifndef KTRACED_PROCMAPS_H
#define KTRACED_PROCMAPS_H

#include <stddef.h>
#include <ktrace/tracefile.h>
#include <linux/ktrace_context.h>

struct told_map;

/**
 * struct procmaps - what has been told
 * @told:	pieces of code, the latest last
 * @nr:		how many
 * @cap:	room for so many
 */
struct procmaps {
	struct told_map *told;
	size_t nr;
	size_t cap;
};

/*
 * META lines map of the code that a process's stack goes through, unless they have been told,
 * or the process is gone.
 */
void procmaps_tell(struct procmaps *m, struct ktrace_text *meta, const struct ktrace_stack *stack);
void procmaps_free(struct procmaps *m);

#endif
