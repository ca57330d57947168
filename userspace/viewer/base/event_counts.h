/* SPDX-License-Identifier: GPL-2.0 */
/* event_counts.h - how many events there are of each name */
#ifndef VIEWER_BASE_EVENT_COUNTS_H
#define VIEWER_BASE_EVENT_COUNTS_H

#include <ktrace/traceset.h>

/* struct count - one name of an event */
struct count {
	char *name;
	__u64 events;
};

#define RECENT_NR 1024u

/**
 * struct event_counts - counts by name
 * @counts:	one for each name
 * @nr:		how many
 * @recent:	where a type or an undescribed id was counted last
 */
struct event_counts {
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
int event_counts_add(struct event_counts *c, const struct ktrace_trace_event *e);
/* Most frequent first, then by name. */
void event_counts_sort(struct event_counts *c);
void event_counts_free(struct event_counts *c);

#endif
