/* SPDX-License-Identifier: GPL-2.0 */
/* census.h - how many events there are of each name */
#ifndef VIEWER_CENSUS_H
#define VIEWER_CENSUS_H

#include <ktrace/traceset.h>

/* struct count - one name of an event */
struct count {
	char *name;
	__u64 events;
};

#define RECENT_NR 1024u

/**
 * struct census - counts by name
 * @counts:	one for each name
 * @nr:		how many
 * @recent:	where a type or an undescribed id was counted last
 */
struct census {
	struct count *counts;
	size_t nr;
	struct recent {
		const struct ktrace_event_type *type;
		__u32 kind;
		__u32 id;
		size_t i;
		bool is_used;
	} recent[RECENT_NR];
};

/* Return: 0, -ENOMEM. */
int census_add(struct census *c, const struct ktrace_trace_event *e);
/* Most frequent first, then by name. */
void census_sort(struct census *c);
void census_free(struct census *c);

#endif
