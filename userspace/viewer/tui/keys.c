// SPDX-License-Identifier: GPL-2.0
/* keys.c - what keys do; the help text is made from the same table */
#include "tui.h"

#include "base/viewer.h"
#include "base/when.h"
#include "term.h"

#include <curses.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- moves in the list or the picture ---- */

static void move_list(struct tui *t, int n)
{
	tui_complain(t, list_move(&t->list, n));
	tui_follow_list(t);
}

/* Selects the row of another thread; the current time stays. */
static void move_row(struct tui *t, int n)
{
	const int last = (int)t->flow.order_nr - 1;

	t->flow_selected += n;
	if (t->flow_selected > last)
		t->flow_selected = last;
	if (t->flow_selected < 0)
		t->flow_selected = 0;
}

static void move_by(struct tui *t, int n)
{
	t->follows = false;
	if (t->in_flow)
		move_row(t, n);
	else
		move_list(t, n);
}

static void move_page(struct tui *t, bool is_back)
{
	t->follows = false;
	if (t->in_flow) {
		move_row(t, is_back ? -tui_flow_height(t) : tui_flow_height(t));
		return;
	}
	tui_complain(t, list_page(&t->list, is_back));
	tui_follow_list(t);
}

static void on_up(struct tui *t) { move_by(t, -1); }
static void on_down(struct tui *t) { move_by(t, 1); }
static void on_page_up(struct tui *t) { move_page(t, true); }
static void on_page_down(struct tui *t) { move_page(t, false); }

static void on_first(struct tui *t)
{
	t->follows = false;
	tui_complain(t, list_first(&t->list));
	tui_follow_list(t);
}

static void on_last(struct tui *t)
{
	tui_complain(t, list_last(&t->list));
	tui_follow_list(t);
}

/* Moves by columns of the picture, or scrolls the text of the list sideways. */
static void move_columns(struct tui *t, int n)
{
	const struct timeline *s = &t->flow.strip;
	int column;

	if (!t->in_flow) {
		t->list.left = t->list.left + 8 * n > 0 ? t->list.left + 8 * n : 0;
		return;
	}
	t->follows = false;
	column = timeline_column(s, t->now < s->to ? t->now : s->to - 1) + n;
	if (column < 0)
		tui_go_time(t, t->now > (s->to - s->from) / (__u64)s->width ?
			    t->now - (s->to - s->from) / (__u64)s->width : 0);
	else if (column >= s->width)
		tui_go_time(t, s->to);
	else
		/* Rounding must not leave the time in the previous column. */
		tui_go_time(t, timeline_edge(s, column) + 1 < timeline_edge(s, column + 1) ?
			    timeline_edge(s, column) + 1 : timeline_edge(s, column));
}

static void on_left(struct tui *t) { move_columns(t, -1); }
static void on_right(struct tui *t) { move_columns(t, 1); }

static void shift_window(struct tui *t, bool is_back)
{
	const __u64 span = t->to - t->from, half = span / 2;
	__u64 from = is_back ? t->from - tui_since_start(t, t->from) : t->from + half;

	t->follows = false;
	if (is_back && tui_since_start(t, t->from) > half)
		from = t->from - half;
	tui_set_window(t, from, from + span);
	if (t->now < t->from || t->now >= t->to)
		tui_go_time(t, is_back ? t->to - 1 : t->from);
}

static void on_back(struct tui *t) { shift_window(t, true); }
static void on_forth(struct tui *t) { shift_window(t, false); }
static void on_zoom_in(struct tui *t) { tui_zoom(t, 0.5); }
static void on_zoom_out(struct tui *t) { tui_zoom(t, 2.0); }
static void on_fit(struct tui *t) { tui_set_window(t, t->feed.start, t->feed.end + 1); }

/* ---- views ---- */

static void on_focus(struct tui *t)
{
	t->in_flow = !t->in_flow;
	if (t->view == TUI_LIST && t->in_flow)
		t->view = TUI_FLOW;
	else if (t->view == TUI_FLOW && !t->in_flow)
		t->view = TUI_LIST;
	tui_layout(t);
}

static void on_view(struct tui *t)
{
	t->view = (t->view + 1) % TUI_VIEWS;
	if (t->view != TUI_BOTH)
		t->in_flow = t->view == TUI_FLOW;
	tui_layout(t);
}

static void on_order(struct tui *t)
{
	t->flow.by_run = !t->flow.by_run;
	if (flow_sort(&t->flow))
		tui_say(t, "out of memory");
	tui_say(t, "threads %s", t->flow.by_run ? "that ran longest first" : "by process");
}

/* Changes the format of times. Leaves out differences, which would depend on the page's begin. */
static void on_time_format(struct tui *t)
{
	static const char *const names[] = { "since the first event", "of day", "raw stamps" };
	enum time_format format = (t->list.lines.time + 1) % TIME_DELTA;

	t->list.lines.time = format;
	tui_complain(t, list_again(&t->list));
	tui_say(t, "times %s", names[format]);
}

static void on_follow(struct tui *t)
{
	t->follows = !t->follows;
	if (t->follows)
		on_last(t);
	tui_say(t, !t->follows ? "does not follow" : t->is_growing ? "follows the end" :
		"the files do not grow");
}

/* ---- time, filter, search ---- */

static const char *check_time(struct tui *t, const char *text)
{
	struct ktrace_when when;

	(void)t;
	return ktrace_when_parse(text, &when) ? NULL :
	       "no time such as 1.5, 20ms, 7ns or 2026-01-31T12:00";
}

static void on_time(struct tui *t)
{
	struct ktrace_when when;
	char text[64] = "";

	if (!prompt(t, "time: ", text, sizeof(text), check_time))
		return;
	ktrace_when_parse(text, &when);
	t->follows = false;
	tui_go_time(t, ktrace_when_absolute(&when, t->feed.start));
}

static void on_filter(struct tui *t)
{
	char text[sizeof(t->feed.filter)];

	memcpy(text, t->feed.filter, sizeof(text));
	prompt(t, "filter: ", text, sizeof(text), tui_set_filter);
}

/* Filters by the thread that is selected in the picture, or by that of the selected event. */
static void on_thread(struct tui *t)
{
	const struct list_row *event = list_selected(&t->list);
	const struct flow_row *row = NULL;
	char text[64];

	if (t->in_flow && (size_t)t->flow_selected < t->flow.order_nr)
		row = t->flow.order[t->flow_selected];
	if (row && row->is_host) {
		tui_say(t, "a host: select one of its CPUs or threads");
		return;
	}
	if (row && row->is_lost)
		snprintf(text, sizeof(text), "event == ktrace:lost");
	else if (row && row->is_cpu)
		snprintf(text, sizeof(text), "cpu == %u", row->number);
	else if (row || event)
		snprintf(text, sizeof(text), "tid == %u", row ? row->who.tid : event->tid);
	else
		return;
	tui_set_filter(t, *t->feed.filter ? "" : text);
}

static void search(struct tui *t, bool is_back)
{
	int ret;

	if (!*t->list.needle) {
		tui_say(t, "nothing to search for; / sets it");
		return;
	}
	t->follows = false;
	ret = list_search(&t->list, is_back);
	tui_complain(t, ret);
	if (ret == 1)
		tui_follow_list(t);
	else if (!ret)
		tui_say(t, "not found %s here: %s", is_back ? "before" : "after", t->list.needle);
}

static void on_next(struct tui *t) { search(t, false); }
static void on_previous(struct tui *t) { search(t, true); }

static void on_search(struct tui *t)
{
	char text[sizeof(t->list.needle)] = "";

	if (!prompt(t, "/", text, sizeof(text), NULL))
		return;
	if (*text)
		memcpy(t->list.needle, text, sizeof(text));
	search(t, false);
}

/* ---- bookmarks ---- */

static struct tui_mark *ask_mark(struct tui *t, const char *what)
{
	int key = TERM_NONE;

	tui_say(t, "%s", what);
	tui_draw(t);
	t->message[0] = '\0';
	while (key == TERM_NONE && !term_signal())
		key = term_key(500);
	return key >= 'a' && key < 'a' + TUI_MARKS ? &t->marks[key - 'a'] : NULL;
}

static void on_mark(struct tui *t)
{
	const struct list_row *row = list_selected(&t->list);
	struct tui_mark *mark = row ? ask_mark(t, "bookmark: a letter from a to z") : NULL;

	if (!mark)
		return;
	if ((!mark->pos && ktrace_position_new(&mark->pos)) ||
	    ktrace_position_copy(mark->pos, row->pos)) {
		tui_say(t, "out of memory");
		return;
	}
	mark->time = row->time;
	tui_say(t, "bookmark %c is set", (int)('a' + (mark - t->marks)));
}

static void on_jump(struct tui *t)
{
	struct tui_mark *mark = ask_mark(t, "go to bookmark: its letter");

	if (!mark)
		return;
	if (!mark->pos) {
		tui_say(t, "no such bookmark; m sets one");
		return;
	}
	t->follows = false;
	tui_complain(t, list_go(&t->list, mark->pos));
	tui_follow_list(t);
}

/* ---- the table ---- */

static void on_quit(struct tui *t) { t->is_over = true; }

static void on_help(struct tui *t)
{
	char *text = tui_help();

	if (text)
		panel_show(t, "keys of ktrace tui", text);
	free(text);
}

static void on_redraw(struct tui *t)
{
	clearok(stdscr, TRUE);
	tui_layout(t);
}

static const struct {
	int keys[3];
	const char *name;
	const char *what;
	void (*run)(struct tui *t);
} keys[] = {
	{ { 'q' }, "q", "quit", on_quit },
	{ { '?', KEY_F(1) }, "?", "this help", on_help },
	{ { '\t' }, "TAB", "from the list to the picture and back", on_focus },
	{ { 'v' }, "v", "both, the list, the picture", on_view },
	{ { KEY_UP, 'k' }, "Up k", "the event, or thread, above", on_up },
	{ { KEY_DOWN, 'j' }, "Down j", "the one below", on_down },
	{ { KEY_PPAGE, 'B' - '@' }, "PgUp ^B", "a page up", on_page_up },
	{ { KEY_NPAGE, 'F' - '@', ' ' }, "PgDn ^F", "a page down", on_page_down },
	{ { KEY_HOME, 'g' }, "Home g", "the first event", on_first },
	{ { KEY_END, 'G' }, "End G", "the last event", on_last },
	{ { KEY_LEFT, 'h' }, "Left h", "picture: back by a column; list: text to the left",
	  on_left },
	{ { KEY_RIGHT, 'l' }, "Right l", "the same forth, to the right", on_right },
	{ { '+', '=' }, "+", "zoom in around the current time", on_zoom_in },
	{ { '-' }, "-", "zoom out", on_zoom_out },
	{ { '0' }, "0", "fit: all of the trace in the window", on_fit },
	{ { '<', ',' }, "<", "half a window back", on_back },
	{ { '>', '.' }, ">", "half a window forth", on_forth },
	{ { 't' }, "t", "go to a time: 1.5, 20ms, 2026-01-31T12:00", on_time },
	{ { '/' }, "/", "search for text in the lines of events; ESC gives up", on_search },
	{ { 'n' }, "n", "the next such event", on_next },
	{ { 'N' }, "N", "the one before", on_previous },
	{ { 'f' }, "f", "filter: an expression as of ktrace grep; empty: none", on_filter },
	{ { 'p' }, "p", "filter: this thread or CPU only; again: no filter", on_thread },
	{ { '\r', KEY_ENTER, '\n' }, "Enter", "all of the event", panel_details },
	{ { 'm' }, "m", "set a bookmark, called by a letter", on_mark },
	{ { '\'' }, "'", "go to a bookmark", on_jump },
	{ { 'b' }, "b", "bookmarks", panel_marks },
	{ { 'L' }, "L", "losses, clocks, damages", panel_losses },
	{ { 'o' }, "o", "threads by process, or that ran longest first", on_order },
	{ { 'T' }, "T", "times since the first event, of day, raw", on_time_format },
	{ { 'F' }, "F", "follow the end of files that grow, or not", on_follow },
	{ { 'L' - '@' }, "^L", "redraw the screen", on_redraw },
	{ { KEY_RESIZE }, NULL, NULL, tui_layout },
};

#define KEY_NR (sizeof(keys) / sizeof(keys[0]))

void tui_key(struct tui *t, int key)
{
	size_t i, k;

	t->message[0] = '\0';
	for (i = 0; i < KEY_NR; i++)
		for (k = 0; k < 3; k++)
			if (keys[i].keys[k] && keys[i].keys[k] == key) {
				keys[i].run(t);
				return;
			}
}

static const char colours[] =
"\n"
"Colours, as LTTV has them: green user, pale blue system call, yellow trap,\n"
"orange interrupt, pink softirq, dark red waiting for a device or, dotted,\n"
"asleep, dark yellow waiting for a CPU, dark green forked, magenta exiting,\n"
"dark purple zombie, white not known; the letters say the same.\n";

char *tui_help(void)
{
	struct ktrace_out out = { .flush = output_grow };
	size_t i, from;

	if (output_grow(&out))
		return NULL;
	for (i = 0; i < KEY_NR; i++) {
		if (!keys[i].name)
			continue;
		from = out.len;
		ktrace_out_str(&out, "  ");
		ktrace_out_str(&out, keys[i].name);
		ktrace_out_char(&out, ' ');
		ktrace_out_pad(&out, from, 12);
		ktrace_out_str(&out, keys[i].what);
		ktrace_out_char(&out, '\n');
	}
	ktrace_out_str(&out, colours);
	ktrace_out_char(&out, '\0');
	if (!out.error)
		return out.buf;
	free(out.buf);
	return NULL;
}
