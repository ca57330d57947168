// SPDX-License-Identifier: GPL-2.0
/* find.c - a tracepoint of the kernel by its name: most are not exported to modules */
#include "find.h"
#include <linux/string.h>
#include <linux/tracepoint.h>

struct search {
	const char *name;
	struct tracepoint *found;
};

static void find_match(struct tracepoint *tp, void *arg)
{
	struct search *s = arg;

	if (!strcmp(tp->name, s->name))
		s->found = tp;
}

/** kt_find_tracepoint - the kernel's tracepoint of that name, or NULL. Context: process */
struct tracepoint *kt_find_tracepoint(const char *name)
{
	struct search s = { .name = name };

	for_each_kernel_tracepoint(find_match, &s);
	return s.found;
}
