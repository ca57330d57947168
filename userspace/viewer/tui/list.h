/* SPDX-License-Identifier: GPL-2.0 */
/* list.h - a page of events, and the selected one */
#ifndef VIEWER_TUI_LIST_H
#define VIEWER_TUI_LIST_H

#include "events/line.h"
#include "feed.h"

/**
 * struct list_row - one event
 * @pos:	its position
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
 * @feed:	source of events
 * @lines:	how events become text
 * @out:	that text
 * @rows:	the page, room for @height
 * @nr:		events on it
 * @height:	lines of the screen
 * @selected:	index of the selected event
 * @left:	columns hidden on the left
 * @needle:	text to search for
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
/* Returns the selected row, NULL = none. */
const struct list_row *list_selected(const struct list *l);

/*
 * All of these return 0, -ECANCELED if the user gave up, -errno; after an error the page is as
 * before, or has a part of the new one.
 */
int list_resize(struct list *l, int height);
/* Reads the page again, with the current filter. */
int list_again(struct list *l);
int list_first(struct list *l);
int list_last(struct list *l);
/* Goes to the first event at @time or later, or else to the last. */
int list_go_time(struct list *l, __u64 time);
int list_go(struct list *l, const struct ktrace_position *pos);
/* Selects the event @n lines below, above if @n < 0. */
int list_move(struct list *l, int n);
/* Goes to the next or previous page; at the end or beginning, selects the last or first event. */
int list_page(struct list *l, bool is_back);
/* Goes to the next or previous event whose line has the needle; 1 = found, 0 = none. */
int list_search(struct list *l, bool is_back);
/* Reads the selected event again, with its payload. Return: 1, 0 = none, -errno. */
int list_event(struct list *l, struct ktrace_trace_event *e);

#endif
