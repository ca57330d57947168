/* SPDX-License-Identifier: GPL-2.0 */
/* event_counts.h - counts events by name */
#ifndef VIEWER_BASE_EVENT_COUNTS_H
#define VIEWER_BASE_EVENT_COUNTS_H

#include <ktrace/traceset.h>

/* struct count - events of one name */
struct count {
	char *name;
	__u64 events;
};

#define RECENT_NR 1024u

/**
 * struct event_counts - counts by name
 * @counts:	one for each name
 * @nr:		number of names
 * @recent:	which count recent types and undescribed ids belong to
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
/* Sorts by frequency, highest first, then by name. */
void event_counts_sort(struct event_counts *c);
void event_counts_free(struct event_counts *c);

#endif
