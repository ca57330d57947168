// SPDX-License-Identifier: GPL-2.0
/*
 * html.c - the data of a page that shows traces
 *
 * The files are read twice: first to find the ranges of time that have many events, then for
 * everything else. Memory is needed for the models, the rows and one block.
 *
 * A served page can be viewed from the start: it shows what has been read so far.
 */
#include "html.h"

#include "base/lost_events.h"
#include "base/progress.h"
#include "base/temporary.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define READ_NR 64

const struct option_row html_options[] = {
	{ .name = "title", .value = "TEXT", .text = OPTION_MEMBER(struct html, title),
	  .help = "title of the page (default: names of the files)" },
	{ .help = NULL },
};

/* Returns the time of an event on the page. It never goes back, as times of rows must not. */
static __u64 go_on(struct html *h, __u64 time)
{
	__u64 now = time > h->begin ? time - h->begin : 0;

	now = now < h->tree.end ? now : h->tree.end - 1;
	h->latest = now > h->latest ? now : h->latest;
	return h->latest;
}

/* Counts events in the nodes. Return: 1 = the window is over, 0, -errno. */
static int count_events(struct html *h, const struct ktrace_trace_event *events, int nr, __u64 to)
{
	int i, ret;

	for (i = 0; i < nr; i++) {
		progress_at(events[i].time);
		if (events[i].time >= to)
			return 1;
		ret = html_hosts_count(&h->hosts, &events[i]);
		if (ret)
			return ret;
		if (events[i].time < h->begin)
			continue;
		ret = html_tree_count(&h->tree, go_on(h, events[i].time));
		if (ret)
			return ret;
	}
	return 0;
}

static int count(struct html *h, __u64 start, __u64 end, __u64 to)
{
	struct ktrace_trace_event events[READ_NR];
	int nr, ret = 0;

	progress_begin(start, to < end ? to : end);
	do {
		nr = ktrace_traceset_read(h->set, events, READ_NR);
		if (nr > 0)
			ret = count_events(h, events, nr, to);
		if (!ret && h->turn)
			ret = h->turn(h->turner);
	} while (nr > 0 && !ret);
	progress_end();
	html_tree_close(&h->tree);
	html_hosts_sort(&h->hosts);
	h->latest = 0;
	return nr < 0 ? nr : ret < 0 ? ret : ktrace_traceset_seek(h->set, 0);
}

/* Determines the window and the nodes. Return: 0, -errno. */
static int plan(struct html *h)
{
	const struct time_range *s = &h->scope;
	__u64 start, end, to;
	int ret = files_span(h->set, &start, &end);

	if (ret)
		return ret;
	when_window(&s->since, &s->until, start, &h->begin, &to);
	if (to <= end)
		end = to > start ? to - 1 : start;
	h->span = end > h->begin ? end - h->begin : 0;
	h->scope.start = start;
	ret = html_tree_init(&h->tree, h->span);
	return ret ? ret : count(h, start, end, to);
}

/* Closes the nodes that end by @time and opens those that begin by then. */
static void advance(struct html *h, __u64 time)
{
	struct html_lod *l = &h->lanes;

	while (!l->error) {
		if (html_lod_end(l) <= time) {
			html_rows_flush(&h->rows, html_lod_end(l));
			html_lod_close(l, h->blocks.nr + h->blocks.is_open);
		} else if (l->next < h->tree.nr && h->tree.nodes[l->next].begin <= time) {
			html_lod_open(l, h->blocks.nr);
		} else {
			break;
		}
	}
}

static int add_lost(struct html *h, const struct ktrace_trace_event *e)
{
	struct html_loss key = { .trace = (__u32)ktrace_trace_index(e->stream->trace) }, *loss;
	__u64 nr;

	if (!lost_events_read(e, &key.reason, &nr))
		return 0;
	loss = hash_table_get(&h->losses, &key);
	if (!loss)
		return -ENOMEM;
	loss->count += nr;
	html_lod_lost(&h->lanes, nr, h->latest);
	return 0;
}

/* Draws the messages received by now, but not those received before the page begins. */
static void put_messages(struct html *h, const struct ktrace_trace_event *e)
{
	const struct ktrace_message *m;

	while ((m = html_hosts_next(&h->hosts, e->time)))
		if (m->to.time >= h->begin)
			html_model_message(&h->follow, m);
}

/* Takes in every event of the files, whatever the options select. */
static int take(void *arg, const struct ktrace_trace_event *e)
{
	struct html *h = arg;
	int ret;

	h->number++;
	html_block_check(&h->blocks);
	if (e->time >= h->begin) {
		h->rows.is_open = true;
		go_on(h, e->time);
		advance(h, h->latest);
	}
	ret = html_model_event(&h->follow, e, h->latest);
	put_messages(h, e);
	if (!ret)
		ret = html_hosts_error(&h->hosts, e, h->latest);
	if (!ret && e->id == KTRACE_ID_LOST && h->rows.is_open)
		ret = add_lost(h, e);
	return ret ? ret : h->lanes.error ? h->lanes.error : h->blocks.error;
}

/* struct file_events - events of a file, which is the key */
struct file_events {
	__u32 trace;
	__u32 zero;
	__u64 events;
};

static int add_event(struct html *h, const struct ktrace_trace_event *e)
{
	const struct file_events key = { .trace = (__u32)ktrace_trace_index(e->stream->trace) };
	const __u32 row = h->follow.self;
	struct file_events *t;

	html_block_event(&h->blocks, e, row + 1, e->time > h->begin ? e->time - h->begin : 0,
			 h->number - 1);
	if (e->id == KTRACE_ID_LOST)
		return 0;
	html_lod_event(&h->lanes, row, h->latest);
	t = hash_table_get(&h->events, &key);
	if (!t)
		return -ENOMEM;
	t->events++;
	return 0;
}

__u64 html_events(const struct html *h, size_t trace)
{
	const struct file_events key = { .trace = (__u32)trace };
	const struct file_events *t = hash_table_find(&h->events, &key);

	return t ? t->events : 0;
}

/* Saves a position and takes a turn before more events are read. */
static int between(void *arg)
{
	struct html *h = arg;
	int ret = h->is_served ? html_reread_mark(&h->again, h->set, h->number) : 0;

	return !ret && h->turn ? h->turn(h->turner) : ret;
}

static int read_all(struct html *h)
{
	const struct ktrace_trace_event *e;
	int ret;

	h->scope.watch = take;
	h->scope.between = between;
	h->scope.watcher = h;
	h->scope.prints = !h->is_served;
	h->scope.keeps_losses = true;
	ret = time_range_begin(&h->scope, h->set);
	while (!ret && !output()->error) {
		ret = time_range_next(&h->scope, &e);
		if (ret <= 0)
			break;
		ret = add_event(h, e);
	}
	progress_end();
	return ret;
}

/* Reports states that still last up to the end of the window, then closes block and nodes. */
static void end_all(struct html *h)
{
	struct html_lod *l = &h->lanes;

	advance(h, h->latest);
	html_rows_flush(&h->rows, h->span > h->latest ? h->span : h->latest);
	html_block_close(&h->blocks);
	while (l->open_nr)
		html_lod_close(l, h->blocks.nr);
	h->stage = HTML_WHOLE;
}

int html_make(struct html *h, struct ktrace_traceset *set)
{
	int ret;

	h->set = set;
	h->losses = (struct hash_table)HASH_TABLE_INIT(struct html_loss, reason);
	h->events = (struct hash_table)HASH_TABLE_INIT(struct file_events, zero);
	ret = html_hosts_init(&h->hosts, set);
	if (!ret)
		ret = html_store_new(&h->store);
	if (!ret)
		ret = plan(h);
	if (ret)
		return ret;
	html_lod_init(&h->lanes, &h->tree, h->store);
	html_blocks_init(&h->blocks, h->store, &h->rows);
	h->blocks.has_models_only = h->is_served;
	html_rows_init(&h->rows, &h->lanes, &h->blocks);
	h->follow.select = &h->scope.select;
	h->follow.begin = h->begin;
	ret = html_model_init(&h->follow, &h->rows, set);
	h->stage = HTML_READING;
	if (!ret)
		ret = read_all(h);
	if (!ret)
		end_all(h);
	return ret ? ret : h->lanes.error ? h->lanes.error : h->blocks.error;
}

/* Appends a node that has not ended, as far as it is known. */
static int open_node(struct html *h, __u32 id, struct bytes *to)
{
	struct bytes node = { 0 };
	int ret = -ENOENT;

	if (h->stage == HTML_READING)
		html_rows_flush(&h->rows, h->latest);
	if (html_lod_peek(&h->lanes, id, &node))
		ret = html_store_press(h->store, &node, to);
	bytes_free(&node);
	return ret;
}

static int served_block(struct html *h, __u32 id, struct bytes *to)
{
	struct bytes block = { 0 };
	int ret;

	ret = html_reread_block(&h->again, h->set, &h->blocks, id, h->begin, &block);
	if (!ret)
		ret = html_store_press(h->store, &block, to);
	bytes_free(&block);
	return ret;
}

int html_piece(struct html *h, enum html_piece kind, __u32 id, struct bytes *to)
{
	const size_t size = html_store_size(h->store, kind, id);
	int ret;

	if (!size)
		return kind == HTML_NODE ? open_node(h, id, to) : -ENOENT;
	if (kind == HTML_BLOCK && h->is_served)
		return served_block(h, id, to);
	ret = bytes_reserve(to, size);
	if (!ret)
		ret = html_store_read(h->store, kind, id, to->at + to->nr);
	to->nr += ret ? 0 : size;
	return ret;
}

void html_complain(int error)
{
	char what[PATH_MAX];

	/* File errors are already reported; only memory and the temporary file remain. */
	snprintf(what, sizeof(what), "temporary file in %s", temporary_folder());
	complain_about(error == -ENOMEM ? "html" : what, "%s", output_error(error));
}

void html_free(struct html *h)
{
	html_model_free(&h->follow);
	html_reread_free(&h->again);
	html_blocks_free(&h->blocks);
	html_rows_free(&h->rows);
	html_lod_free(&h->lanes);
	html_tree_free(&h->tree);
	html_store_free(h->store);
	html_hosts_free(&h->hosts);
	hash_table_free(&h->losses);
	hash_table_free(&h->events);
	time_range_free(&h->scope);
	*h = (struct html){ 0 };
}
