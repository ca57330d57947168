/* SPDX-License-Identifier: GPL-2.0 */
/* cgroups.h - which control groups there are */
#ifndef KTRACED_CONTEXT_CGROUPS_H
#define KTRACED_CONTEXT_CGROUPS_H

#include <ktrace/tracefile.h>

/* struct cgroups - ids that were told, as tsearch(3) has them */
struct cgroups {
	void *told;
};

/* META lines cgroup of all that were not told */
void cgroups_tell(struct cgroups *g, struct ktrace_text *meta);
void cgroups_free(struct cgroups *g);

#endif
