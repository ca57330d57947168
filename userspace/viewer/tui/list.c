// SPDX-License-Identifier: GPL-2.0
/*
 * list.c - a page of events, and the selected one
 *
 * Each row has its position. The next page begins after the last row; the previous page is found
 * by going back as many events as there are lines.
 */
#include "list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_SIZE 65536u

int list_begin(struct list *l, struct feed *feed)
{
	l->feed = feed;
	l->out.buf = malloc(LINE_MAX_SIZE);
	if (!l->out.buf)
		return -ENOMEM;
	l->out.cap = LINE_MAX_SIZE - 1;
	l->lines.out = &l->out;
	lines_begin(&l->lines, feed->set, feed->start);
	return 0;
}

static void free_row(struct list_row *row)
{
	ktrace_position_free(row->pos);
	free(row->text);
	memset(row, 0, sizeof(*row));
}

static void clear(struct list *l)
{
	while (l->nr)
		free_row(&l->rows[--l->nr]);
	l->selected = 0;
}

void list_end(struct list *l)
{
	clear(l);
	free(l->rows);
	free(l->out.buf);
}

const struct list_row *list_selected(const struct list *l)
{
	return l->selected < l->nr ? &l->rows[l->selected] : NULL;
}

/* Returns the line of an event, without the newline; valid until the next call. */
static const char *line_of(struct list *l, const struct ktrace_trace_event *e)
{
	l->out.len = 0;
	l->out.error = 0;
	line_put(&l->lines, e);
	if (l->out.len && l->out.buf[l->out.len - 1] == '\n')
		l->out.len--;
	l->out.buf[l->out.len] = '\0';
	return l->out.buf;
}

/* Reads an event into a row. Return: 1, 0 at the end, -errno. */
static int read_row(struct list *l, struct list_row *row)
{
	struct ktrace_trace_event e;
	int ret = ktrace_position_new(&row->pos);

	if (!ret)
		ret = feed_next(l->feed, row->pos, &e);
	if (ret == 1) {
		row->time = e.time;
		row->trace = e.stream->trace;
		row->tid = e.tid;
		row->cpu = e.stream->cpu;
		row->is_lost = e.id == KTRACE_ID_LOST;
		row->text = strdup(line_of(l, &e));
		if (!row->text)
			ret = -ENOMEM;
	}
	if (ret != 1)
		free_row(row);
	return ret;
}

/* Appends rows until the page is full. Return: 0, -errno. */
static int fill(struct list *l)
{
	int ret = 1;

	while (l->nr < l->height && ret == 1) {
		ret = read_row(l, &l->rows[l->nr]);
		l->nr += ret == 1;
	}
	return ret < 0 ? ret : 0;
}

/* Replaces the page by the events from the feed's position on. */
static int fill_anew(struct list *l)
{
	clear(l);
	return fill(l);
}

/* Goes to the event after the last row. Return: 1, 0 = the page is empty, -errno. */
static int go_behind(struct list *l)
{
	struct ktrace_trace_event e;
	int ret = l->nr ? feed_go(l->feed, l->rows[l->nr - 1].pos) : 0;

	return ret || !l->nr ? ret : feed_next(l->feed, NULL, &e);
}

/* Fills a page that is not full, because it reaches the end, with earlier events at the top. */
static int complete(struct list *l)
{
	int missing = l->height - l->nr, ret, selected;

	if (missing <= 0 || !l->nr)
		return 0;
	ret = feed_go(l->feed, l->rows[0].pos);
	if (!ret)
		ret = feed_back(l->feed, missing);
	if (ret <= 0)
		return ret;
	selected = l->selected + ret;
	ret = fill_anew(l);
	l->selected = selected < l->nr ? selected : l->nr ? l->nr - 1 : 0;
	return ret;
}

int list_first(struct list *l)
{
	int ret = feed_go_time(l->feed, 0);

	return ret ? ret : fill_anew(l);
}

int list_last(struct list *l)
{
	int ret = feed_go_time(l->feed, ~0ull);

	if (!ret)
		ret = feed_back(l->feed, l->height);
	if (ret < 0)
		return ret;
	ret = fill_anew(l);
	l->selected = l->nr ? l->nr - 1 : 0;
	return ret;
}

/* Fills the list where the feed is now; @ret: of going there. */
static int show_here(struct list *l, int ret)
{
	if (!ret)
		ret = fill_anew(l);
	if (!ret && !l->nr)
		return list_last(l);
	return ret ? ret : complete(l);
}

int list_go_time(struct list *l, __u64 time)
{
	return show_here(l, feed_go_time(l->feed, time));
}

int list_go(struct list *l, const struct ktrace_position *pos)
{
	return show_here(l, feed_go(l->feed, pos));
}

int list_again(struct list *l)
{
	const struct list_row *row = list_selected(l);
	struct ktrace_position *pos;
	int ret;

	if (!row)
		return list_first(l);
	ret = ktrace_position_new(&pos);
	if (!ret)
		ret = ktrace_position_copy(pos, row->pos);
	if (!ret)
		ret = list_go(l, pos);
	ktrace_position_free(pos);
	return ret;
}

int list_resize(struct list *l, int height)
{
	struct list_row *rows;
	int ret;

	if (height == l->height)
		return 0;
	while (l->nr > height)
		free_row(&l->rows[--l->nr]);
	rows = realloc(l->rows, ((size_t)height + 1) * sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	l->rows = rows;
	if (height > l->height)
		memset(rows + l->height, 0, (size_t)(height - l->height) * sizeof(*rows));
	l->height = height;
	if (l->selected >= l->nr)
		l->selected = l->nr ? l->nr - 1 : 0;
	ret = go_behind(l);
	if (ret == 1)
		ret = fill(l);
	return ret < 0 ? ret : complete(l);
}

/* Adds @n rows at the bottom and drops those at the top. Returns how many, or -errno. */
static int scroll_down(struct list *l, int n)
{
	struct list_row row = { 0 };
	int ret = go_behind(l), done = 0;

	while (ret == 1 && done < n) {
		ret = read_row(l, &row);
		if (ret != 1)
			break;
		free_row(&l->rows[0]);
		memmove(l->rows, l->rows + 1, (size_t)(l->nr - 1) * sizeof(row));
		l->rows[l->nr - 1] = row;
		memset(&row, 0, sizeof(row));
		done++;
	}
	return ret < 0 ? ret : done;
}

/* The same upwards */
static int scroll_up(struct list *l, int n)
{
	int ret = l->nr ? feed_go(l->feed, l->rows[0].pos) : 0, done;

	if (!ret && l->nr)
		ret = feed_back(l->feed, n);
	if (ret <= 0)
		return ret;
	done = ret;
	ret = fill_anew(l);
	return ret ? ret : done;
}

static int move_down(struct list *l, int n)
{
	int room = l->nr - 1 - l->selected, ret;

	if (n > room) {
		ret = scroll_down(l, n - room);
		if (ret < 0)
			return ret;
		n = room;
	}
	l->selected += n;
	return 0;
}

static int move_up(struct list *l, int n)
{
	int selected = l->selected, ret = 0;

	if (n > selected)
		ret = scroll_up(l, n - selected);
	if (ret < 0)
		return ret;
	selected += ret - n;
	l->selected = selected > 0 ? selected : 0;
	return 0;
}

int list_move(struct list *l, int n)
{
	if (!l->nr)
		return 0;
	return n > 0 ? move_down(l, n) : move_up(l, -n);
}

static int page_down(struct list *l, int selected)
{
	struct list_row row = { 0 };
	int ret = go_behind(l);

	if (ret == 1)
		ret = read_row(l, &row);
	if (ret != 1) {
		l->selected = l->nr ? l->nr - 1 : 0;
		return ret;
	}
	clear(l);
	l->rows[l->nr++] = row;
	ret = fill(l);
	l->selected = selected < l->nr ? selected : l->nr - 1;
	return ret ? ret : complete(l);
}

static int page_up(struct list *l, int selected)
{
	int ret = l->nr ? feed_go(l->feed, l->rows[0].pos) : 0;

	if (!ret && l->nr)
		ret = feed_back(l->feed, l->height);
	if (ret <= 0) {
		l->selected = 0;
		return ret;
	}
	ret = fill_anew(l);
	l->selected = selected < l->nr ? selected : 0;
	return ret;
}

int list_page(struct list *l, bool is_back)
{
	return is_back ? page_up(l, l->selected) : page_down(l, l->selected);
}

static bool has_needle(void *arg, const struct ktrace_trace_event *e)
{
	struct list *l = arg;

	return strstr(line_of(l, e), l->needle);
}

/* Moves the feed to the next or previous event that has the needle. Return: 1, 0 = none, -errno. */
static int find_needle(struct list *l, const struct ktrace_position *from, bool is_back)
{
	struct ktrace_trace_event e;
	int ret = feed_go(l->feed, from);

	if (!ret && is_back)
		return feed_back(l->feed, 1);
	if (!ret)
		ret = feed_next(l->feed, NULL, &e);
	if (ret == 1)
		ret = feed_forward(l->feed);
	return ret == 1 ? feed_back(l->feed, 1) : ret;
}

int list_search(struct list *l, bool is_back)
{
	const struct list_row *row = list_selected(l);
	struct ktrace_position *pos;
	int ret = row ? ktrace_position_new(&pos) : 0;

	if (!row || ret)
		return ret;
	l->feed->also = has_needle;
	l->feed->also_arg = l;
	ret = find_needle(l, row->pos, is_back);
	l->feed->also = NULL;
	if (ret == 1)
		ret = ktrace_position_save(l->feed->set, pos) ? -ENOMEM : 1;
	if (ret == 1)
		ret = list_go(l, pos) ? -EIO : 1;
	ktrace_position_free(pos);
	return ret;
}

int list_event(struct list *l, struct ktrace_trace_event *e)
{
	const struct list_row *row = list_selected(l);
	int ret = row ? feed_go(l->feed, row->pos) : 0;

	return ret || !row ? ret : feed_next(l->feed, NULL, e);
}
