/* SPDX-License-Identifier: GPL-2.0 */
/* list.h - a page of events, and the one that is selected */
#ifndef VIEWER_TUI_LIST_H
#define VIEWER_TUI_LIST_H

#include "events/line.h"
#include "feed.h"

/**
 * struct list_row - one event
 * @pos:	in front of it
 * @time:	its time
 * @trace:	its trace
 * @tid:	its thread
 * @cpu:	its CPU, -1 = none
 * @is_lost:	it is a loss
 * @text:	its line
 */
struct list_row {
	struct ktrace_position *pos;
	__u64 time;
	const struct ktrace_trace *trace;
	__u32 tid;
	__s32 cpu;
	bool is_lost;
	char *text;
};

/**
 * struct list - the page
 * @feed:	where events come from
 * @lines:	how they are put into text
 * @out:	that text
 * @rows:	the page, room for @height
 * @nr:		events on it
 * @height:	lines of the screen
 * @selected:	which is selected
 * @left:	columns that are out of sight
 * @needle:	what is searched for
 */
struct list {
	struct feed *feed;
	struct lines lines;
	struct ktrace_out out;
	struct list_row *rows;
	int nr;
	int height;
	int selected;
	int left;
	char needle[256];
};

/* Return: 0, -errno. */
int list_begin(struct list *l, struct feed *feed);
void list_end(struct list *l);
/* The selected row, NULL: there is none */
const struct list_row *list_selected(const struct list *l);

/*
 * All of these return 0, -ECANCELED if it was given up, -errno; then the page is as before, or as
 * much of the new one as there is.
 */
int list_resize(struct list *l, int height);
/* The page again, as the filter has it now */
int list_again(struct list *l);
int list_first(struct list *l);
int list_last(struct list *l);
/* The first event at @time or later, or else the last */
int list_go_time(struct list *l, __u64 time);
int list_go(struct list *l, const struct ktrace_position *pos);
/* Selects the one @n lines below, above if @n < 0. */
int list_move(struct list *l, int n);
/* The next page, or the one before; at the end, and at the beginning, what is there. */
int list_page(struct list *l, bool is_back);
/* The next event whose line has the needle, before or behind; 1 found, 0 there is none. */
int list_search(struct list *l, bool is_back);
/* The event that is selected once more, with its payload. Return: 1, 0 there is none, -errno. */
int list_event(struct list *l, struct ktrace_trace_event *e);

#endif
