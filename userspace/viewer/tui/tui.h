/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tui.h - ktrace tui: everything on the screen, and the effects of keys
 *
 * There is one current time and one window of time. The list selects the event at the current time,
 * and the picture marks that time; moving one of them moves the other.
 */
#ifndef VIEWER_TUI_TUI_H
#define VIEWER_TUI_TUI_H

#include "flow.h"
#include "list.h"

#define TUI_MARKS 26

enum tui_view { TUI_BOTH, TUI_LIST, TUI_FLOW, TUI_VIEWS };

/* struct tui_mark - a bookmark; a letter is its name */
struct tui_mark {
	struct ktrace_position *pos;
	__u64 time;
};

/**
 * struct tui - one run
 * @nr:		number of names
 * @paths:	names of files, as given
 * @set:	the files
 * @feed:	events that pass the filter
 * @list:	the page of events
 * @flow:	the picture
 * @flow_rows:	lines that the picture can use beside the list
 * @flow_top:	its first visible row
 * @flow_selected: its selected row
 * @view:	what is shown
 * @in_flow:	keys go to the picture
 * @now:	current time
 * @from:	first time of the window
 * @to:		first time after the window
 * @marks:	bookmarks
 * @follows:	moves to the end as files grow
 * @is_growing:	files may still grow
 * @is_over:	the program is to end
 * @message:	message for the last line, empty = none
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
/* Does pending work while no key is pressed; returns ms until the next call, 0 = at once. */
int tui_work(struct tui *t);

/* Shows a message on the last line. */
__attribute__((format(printf, 2, 3)))
void tui_say(struct tui *t, const char *format, ...);
/* Shows the error @ret on the last line; 0 = no error. */
void tui_complain(struct tui *t, int ret);

/* After a move of the list: moves the current time, and the window if that time is outside it. */
void tui_follow_list(struct tui *t);
/* Sets the current time, and moves the list to it. */
void tui_go_time(struct tui *t, __u64 time);
/* Sets the window, as near to @from and @to as the trace allows. */
void tui_set_window(struct tui *t, __u64 from, __u64 to);
/* Multiplies the length of the window by @factor, around the current time. */
void tui_zoom(struct tui *t, double factor);
/* Sets the filter. Returns what is wrong, or NULL. */
const char *tui_set_filter(struct tui *t, const char *text);
/* Fits list and picture to the size of the screen, and fills them. */
void tui_layout(struct tui *t);
int tui_flow_height(const struct tui *t);
int tui_list_height(const struct tui *t);
int tui_name_width(void);
__u64 tui_since_start(const struct tui *t, __u64 time);

/* draw.c: draws the whole screen */
void tui_draw(struct tui *t);

/* keys.c: handles a key; returns the list of keys as text, to be freed */
void tui_key(struct tui *t, int key);
char *tui_help(void);

/* panel.c: shows text over the list, until a key closes it */
void panel_show(struct tui *t, const char *title, const char *text);
/* Shows the details of the selected event. */
void panel_details(struct tui *t);
/* Shows losses, clocks and damage. */
void panel_losses(struct tui *t);
void panel_marks(struct tui *t);

/*
 * prompt.c: asks for a line of text; @text has the initial text, then the answer. Asks again as
 * long as @check, which may be NULL, returns an error. Returns false if the user gives up.
 */
bool prompt(struct tui *t, const char *label, char *text, size_t size,
	    const char *(*check)(struct tui *t, const char *text));

#endif
