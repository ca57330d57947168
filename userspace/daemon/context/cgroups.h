/* SPDX-License-Identifier: GPL-2.0 */
/* cgroups.h - lists the control groups */
#ifndef KTRACED_CONTEXT_CGROUPS_H
#define KTRACED_CONTEXT_CGROUPS_H

#include <ktrace/tracefile.h>

/* struct cgroups - ids already written to META, a tree of tsearch(3) */
struct cgroups {
	void *told;
};

/* Adds a META line cgroup for each group that has none yet. */
void cgroups_tell(struct cgroups *g, struct ktrace_text *meta);
void cgroups_free(struct cgroups *g);

#endif
