// SPDX-License-Identifier: GPL-2.0
/* tui.c - ktrace tui: the current time, the window of time, and the views that follow them */
#include "tui.h"

#include "base/viewer.h"
#include "term.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define WINDOW_MIN_NS 1000u	/* so that a column has at least 1 ns */
#define WORK_MS 40u	/* work on the picture between two looks at keys */
#define LOOK_MS 200	/* between two looks at growing files */
#define IDLE_MS 500
#define ROWS_MIN 4
#define SMALL_LINES 14	/* with fewer, there is room for one view only */

static bool is_escaped(void *arg)
{
	(void)arg;
	return term_is_escaped();
}

void tui_say(struct tui *t, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(t->message, sizeof(t->message), format, ap);
	va_end(ap);
}

void tui_complain(struct tui *t, int ret)
{
	if (ret == -ECANCELED)
		tui_say(t, "given up");
	else if (ret < 0)
		tui_say(t, "%s", strerror(-ret));
}

__u64 tui_since_start(const struct tui *t, __u64 time)
{
	return time > t->feed.start ? time - t->feed.start : 0;
}

/* Returns the first time after the last event; a very short trace counts as longer. */
static __u64 end_of_all(const struct tui *t)
{
	const __u64 end = t->feed.end + 1, least = t->feed.start + WINDOW_MIN_NS;

	return end > least ? end : least;
}

int tui_begin(struct tui *t)
{
	int ret = feed_begin(&t->feed, t->set);

	t->feed.is_stopped = is_escaped;
	t->flow_rows = ROWS_MIN;
	t->from = t->now = t->feed.start;
	t->to = end_of_all(t);
	t->is_growing = !files_are_over(t->set);
	if (!ret)
		ret = list_begin(&t->list, &t->feed);
	if (!ret)
		ret = flow_begin(&t->flow, t->set);
	if (ret)
		return ret;
	tui_layout(t);
	return list_first(&t->list);
}

void tui_end(struct tui *t)
{
	int i;

	for (i = 0; i < TUI_MARKS; i++)
		ktrace_position_free(t->marks[i].pos);
	flow_end(&t->flow);
	list_end(&t->list);
	feed_end(&t->feed);
}

/* ---- layout: title, picture with its scale, list, status, message ---- */

static bool is_small(void)
{
	return term_lines() < SMALL_LINES;
}

int tui_flow_height(const struct tui *t)
{
	const int room = term_lines() - 4;

	if (t->view == TUI_LIST || (is_small() && t->view == TUI_BOTH && !t->in_flow))
		return 0;
	if (t->view == TUI_FLOW || is_small())
		return room > 1 ? room : 1;
	return room * 2 / 5 < t->flow_rows ? room * 2 / 5 : t->flow_rows;
}

int tui_list_height(const struct tui *t)
{
	const int flow = tui_flow_height(t), room = term_lines() - 3;

	if (t->view == TUI_FLOW || (is_small() && flow))
		return 0;
	return room - (flow ? flow + 1 : 0) > 1 ? room - (flow ? flow + 1 : 0) : 1;
}

int tui_name_width(void)
{
	const int third = term_columns() / 3;

	return third < 26 ? third : 26;
}

void tui_layout(struct tui *t)
{
	int height = tui_list_height(t), width = term_columns() - tui_name_width() - 3;

	width = width > 2 ? width : 2;
	if (height)
		tui_complain(t, list_resize(&t->list, height));
	if (t->flow.strip.width != width || t->flow.strip.from != t->from ||
	    t->flow.strip.to != t->to)
		flow_show(&t->flow, t->from, t->to, width);
}

/* ---- time ---- */

void tui_set_window(struct tui *t, __u64 from, __u64 to)
{
	const __u64 end = end_of_all(t), all = end - t->feed.start;
	__u64 span = to > from ? to - from : 1;

	span = span < WINDOW_MIN_NS ? WINDOW_MIN_NS : span;
	span = span < all ? span : all;
	if (from < t->feed.start)
		from = t->feed.start;
	if (from > end - span)
		from = end - span;
	t->from = from;
	t->to = from + span;
	tui_layout(t);
}

void tui_zoom(struct tui *t, double factor)
{
	const double span = (double)(t->to - t->from);
	const double before = (double)(t->now - t->from);
	const __u64 left = (__u64)(before * factor), width = (__u64)(span * factor);
	const __u64 from = t->now - t->feed.start > left ? t->now - left : t->feed.start;

	tui_set_window(t, from, from + (width ? width : 1));
}

/* Moves the window if the current time is outside it. */
static void keep_in_window(struct tui *t)
{
	const __u64 span = t->to - t->from;

	if (t->now >= t->from && t->now < t->to)
		return;
	tui_set_window(t, t->now - t->feed.start > span / 2 ? t->now - span / 2 : t->feed.start,
		       t->now - t->feed.start > span / 2 ? t->now - span / 2 + span :
		       t->feed.start + span);
}

/* Selects the thread of the selected event in the picture. */
static void mark_thread(struct tui *t)
{
	const struct list_row *row = list_selected(&t->list);
	int i = row ? flow_find(&t->flow, ktrace_state_machine(t->flow.state, row->trace),
				row->tid, row->cpu) : -1;

	if (i >= 0)
		t->flow_selected = i;
}

void tui_follow_list(struct tui *t)
{
	const struct list_row *row = list_selected(&t->list);

	if (!row)
		return;
	t->now = row->time;
	mark_thread(t);
	keep_in_window(t);
}

void tui_go_time(struct tui *t, __u64 time)
{
	time = time > t->feed.start ? time : t->feed.start;
	t->now = time < t->feed.end ? time : t->feed.end;
	tui_complain(t, list_go_time(&t->list, t->now));
	keep_in_window(t);
}

const char *tui_set_filter(struct tui *t, const char *text)
{
	const char *wrong = feed_set_filter(&t->feed, text);

	if (wrong)
		return wrong;
	tui_complain(t, list_go_time(&t->list, t->now));
	if (!t->list.nr)
		tui_say(t, "no event passes the filter");
	else if (!*text)
		tui_say(t, "no filter");
	tui_follow_list(t);
	return NULL;
}

/* ---- work without keys ---- */

/* After files have grown: fills a page that has room, or goes to the end if it follows them. */
static int take_news(struct tui *t)
{
	const bool is_fit = t->from == t->feed.start && t->to == t->feed.end + 1;
	const bool is_empty = !t->feed.end;
	const __u64 span = t->to - t->from;
	int ret = feed_look(&t->feed);

	if (ret)
		return ret;
	t->list.lines.start = t->feed.start;
	if (is_empty)
		t->from = t->now = t->feed.start;
	if (is_empty || (is_fit && t->follows))
		tui_set_window(t, t->feed.start, t->feed.end + 1);
	else if (t->follows)
		tui_set_window(t, t->feed.end + 1 - span, t->feed.end + 1);
	if (t->follows) {
		ret = list_last(&t->list);
		tui_follow_list(t);
	} else if (t->list.nr < t->list.height) {
		ret = list_again(&t->list);
	}
	return ret;
}

static int look_at_files(struct tui *t)
{
	int ret = files_grow(t->set, t->nr, t->paths);

	if (ret > 0)
		ret = take_news(t);
	t->is_growing = !files_are_over(t->set);
	return ret;
}

/* After the picture is ready: gives the list the rest of the screen. */
static void take_picture(struct tui *t)
{
	const int rows = (int)t->flow.order_nr;

	t->flow_rows = rows > ROWS_MIN ? rows : ROWS_MIN;
	tui_layout(t);
	if (!t->in_flow)
		mark_thread(t);
}

int tui_work(struct tui *t)
{
	int ret;

	if (tui_flow_height(t) && t->flow.phase != FLOW_READY) {
		ret = flow_work(&t->flow, WORK_MS);
		tui_complain(t, ret);
		if (flow_sort(&t->flow))
			t->flow.order_nr = 0;
		if (!ret)
			take_picture(t);
		return 0;
	}
	if (t->is_growing)
		tui_complain(t, look_at_files(t));
	return t->is_growing ? LOOK_MS : IDLE_MS;
}
