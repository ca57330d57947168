/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tui.h - ktrace tui: all that is on the screen, and what keys do to it
 *
 * There is one current time and one window of time. The list selects the event at the current time,
 * the picture marks it, and whichever of the two is moved takes the other along.
 */
#ifndef VIEWER_TUI_TUI_H
#define VIEWER_TUI_TUI_H

#include "flow.h"
#include "list.h"

#define TUI_MARKS 26

enum tui_view { TUI_BOTH, TUI_LIST, TUI_FLOW, TUI_VIEWS };

/* struct tui_mark - a bookmark, called by a letter */
struct tui_mark {
	struct ktrace_position *pos;
	__u64 time;
};

/**
 * struct tui - one run
 * @nr:		number of names
 * @paths:	names of files, as they were given
 * @set:	the files
 * @feed:	events that pass the filter
 * @list:	the page of events
 * @flow:	the picture
 * @flow_rows:	lines that it has use for beside the list
 * @flow_top:	first row of it in sight
 * @flow_selected: row of it that is selected
 * @view:	what is shown
 * @in_flow:	keys are for the picture
 * @now:	current time
 * @from:	the window: first time
 * @to:		first time behind it
 * @marks:	bookmarks
 * @follows:	goes to the end as files grow
 * @is_growing:	files may do so
 * @is_over:	wants to end
 * @message:	what to say on the last line, empty = nothing
 */
struct tui {
	int nr;
	char **paths;
	struct ktrace_traceset *set;
	struct feed feed;
	struct list list;
	struct flow flow;
	int flow_rows;
	int flow_top;
	int flow_selected;
	enum tui_view view;
	bool in_flow;
	__u64 now;
	__u64 from;
	__u64 to;
	struct tui_mark marks[TUI_MARKS];
	bool follows;
	bool is_growing;
	bool is_over;
	char message[1200];
};

/* Return: 0, -errno. */
int tui_begin(struct tui *t);
void tui_end(struct tui *t);
/* What is left to be done when no key is there; returns ms until the next look, 0 = at once. */
int tui_work(struct tui *t);

/* Says something on the last line. */
__attribute__((format(printf, 2, 3)))
void tui_say(struct tui *t, const char *format, ...);
/* Says what went wrong; 0 is nothing. */
void tui_complain(struct tui *t, int ret);

/* The list has moved: the current time follows, and the window if that is outside. */
void tui_follow_list(struct tui *t);
/* Makes @time the current one: the list follows. */
void tui_go_time(struct tui *t, __u64 time);
/* Another window, as near to what is asked for as the trace allows */
void tui_set_window(struct tui *t, __u64 from, __u64 to);
/* The part of the window that there was is shown in all of the width, around the current time. */
void tui_zoom(struct tui *t, double factor);
/* Sets the filter. What is wrong, NULL = nothing. */
const char *tui_set_filter(struct tui *t, const char *text);
/* Rows and columns there are for list and picture by now; then they are filled. */
void tui_layout(struct tui *t);
int tui_flow_height(const struct tui *t);
int tui_list_height(const struct tui *t);
int tui_name_width(void);
__u64 tui_since_start(const struct tui *t, __u64 time);

/* draw.c: all of the screen */
void tui_draw(struct tui *t);

/* keys.c: what a key does; what keys there are, to be freed */
void tui_key(struct tui *t, int key);
char *tui_help(void);

/* panel.c: text over the list, until a key says that it was read */
void panel_show(struct tui *t, const char *title, const char *text);
/* Of the selected event */
void panel_details(struct tui *t);
/* Of losses, clocks, damages */
void panel_losses(struct tui *t);
void panel_marks(struct tui *t);

/*
 * prompt.c: a line of text; @text has what to begin with, and the answer. Asks again as long as
 * @check, which may be NULL, says what is wrong with it. False: it was given up.
 */
bool prompt(struct tui *t, const char *label, char *text, size_t size,
	    const char *(*check)(struct tui *t, const char *text));

#endif
