/* SPDX-License-Identifier: GPL-2.0 */
/* list_events.h - prints the events of files as lines, for ktrace list and ktrace grep */
#ifndef VIEWER_EVENTS_LIST_EVENTS_H
#define VIEWER_EVENTS_LIST_EVENTS_H

#include "alias_option.h"
#include "line.h"
#include "time_range.h"

/**
 * struct list_events - one run of the command
 * @scope:	which events
 * @lines:	how they are printed
 * @left:	number of lines that may still be printed; ~0 to begin with
 * @counts:	print only the number of lines
 * @where:	whether to look symbols up, and where
 * @aliases:	names of addresses, NULL = not needed
 */
struct list_events {
	struct time_range scope;
	struct lines lines;
	__u64 left;
	bool counts;
	struct symbols_where where;
	struct object_names *aliases;
};

/*
 * The options of a struct list_events at offset @at of the command's struct, but for those of its
 * scope
 */
extern const struct option_row list_events_options[];
#define LIST_EVENTS_SETS(at) \
	{ list_events_options, at }, \
	{ time_options, (at) + offsetof(struct list_events, lines.time) }, \
	{ alias_options, (at) + offsetof(struct list_events, aliases) }, \
	{ symbols_options, (at) + offsetof(struct list_events, where) }

/* Prints the events of all files. Return: the exit status. */
int list_events_files(struct list_events *p, int nr, char **paths);
void list_events_free(struct list_events *p);

#endif
