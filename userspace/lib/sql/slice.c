// SPDX-License-Identifier: LGPL-2.1
/*
 * slice.c - the table of slices: pairs of events that begin and end something, nested by thread
 *
 * The pairs are those of ktrace export, see model/slices.h. Rows come when a slice ends; those that
 * are open at the end of the files are last. An event's payload is kept while its slice is open.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "event.h"
#include "interval.h"
#include "model/slices.h"
#include "sql.h"

/**
 * struct slice_row - a slice
 * @at:		columns of all intervals
 * @id:		its number
 * @parent:	that of the slice around it, 0 = none
 * @depth:	number of slices around it
 * @error_ns:	error of the time of its begin
 * @has_error:	it is known
 * @begin:	the event; its payload is a copy
 * @end:	the event, valid until the next one is read; without @type: none ended it
 */
struct slice_row {
	struct interval at;
	__u64 id;
	__u64 parent;
	__u32 depth;
	__u64 error_ns;
	bool has_error;
	struct ktrace_trace_event begin;
	struct ktrace_trace_event end;
};

/* struct track - open slices of a thread or of the interrupts of a CPU, the outermost first */
struct track {
	__u64 key;
	struct slice_row *open;
	size_t nr;
	size_t cap;
};

/**
 * struct slice_cursor - slices being read
 * @base:	common part
 * @reader:	reads the events
 * @slices:	pairs events
 * @tracks:	struct track
 * @rows:	queue of ended slices, empty before the next event is read
 * @nr:		their number
 * @at:		the next one
 * @cap:	room
 * @id:		number of the latest slice
 * @last:	latest time
 * @is_over:	all events were read
 * @cell:	text being made
 */
struct slice_cursor {
	struct cursor base;
	struct event_reader reader;
	struct slices slices;
	struct hash_table tracks;
	struct slice_row *rows;
	size_t nr;
	size_t at;
	size_t cap;
	__u64 id;
	__u64 last;
	bool is_over;
	struct ktrace_out cell;
};

enum { SLICE_NAME = INTERVAL_COMMON, SLICE_DEPTH, SLICE_ID, SLICE_PARENT, SLICE_FIELDS,
       SLICE_END_FIELDS, SLICE_ERROR };

static const struct column columns[] = {
	INTERVAL_COLUMNS("CPU where it began; NULL: the ring of a thread"),
	{ "name", "TEXT", "name of the slice: demo:work for demo:work_begin and demo:work_end; of "
	  "a system call syscall:read", 0 },
	{ "depth", "INTEGER", "number of slices of the thread around it, at most 4095", 0 },
	{ "slice", "INTEGER", "number of the slice, in order of the begin", 0 },
	{ "parent", "INTEGER", "number of the slice around it, NULL = none", 0 },
	{ "fields", "TEXT", "fields of the event that began it, as JSON", 0 },
	{ "end_fields", "TEXT", "fields of the event that ended it; NULL = it ended with a slice "
	  "around it, or is open", 0 },
	{ "error_ns", "INTEGER", "error of time, as in events", 0 },
};

static void clear_rows(struct slice_cursor *c)
{
	while (c->nr)
		free((char *)c->rows[--c->nr].begin.payload);
	c->at = 0;
}

static void forget(struct slice_cursor *c)
{
	__u64 *deepest = &c->base.table->sql->stats.deep_slices;
	struct track *t;

	if (c->slices.deeper > *deepest)
		*deepest = c->slices.deeper;
	clear_rows(c);
	hash_table_for_each(t, &c->tracks) {
		while (t->nr)
			free((char *)t->open[--t->nr].begin.payload);
		free(t->open);
	}
	hash_table_free(&c->tracks);
	slices_free(&c->slices);
	slices_init(&c->slices);
	c->tracks = (struct hash_table)HASH_TABLE_INIT(struct track, key);
}

static int filter(struct cursor *base)
{
	struct slice_cursor *c = (struct slice_cursor *)base;
	int ret = ktrace_cell_init(&c->cell);

	forget(c);
	c->id = c->last = 0;
	c->is_over = false;
	c->reader.from = 0;
	c->reader.to = ~0ull;
	return ret ? ret : ktrace_reader_begin(&c->reader, base->table->sql, false);
}

static bool is_of_cpu(const struct ktrace_trace_event *e)
{
	return e->stream->cpu >= 0 && (!e->tid || e->flags & KTRACE_EVENT_IRQ);
}

static void set_thread(struct slice_row *r, const struct ktrace_trace_event *e)
{
	const struct thread_name t = ktrace_event_thread(e);

	r->at.pid = t.pid;
	ktrace_interval_name(&r->at, t.comm);
}

static int begin_slice(struct slice_cursor *c, struct track *t, const struct ktrace_trace_event *e)
{
	char *payload = malloc(e->len + 1);
	struct ktrace_time_error error;
	struct slice_row *r;

	if (!payload || !LIST_GROW(t->open, t->nr, t->cap)) {
		free(payload);
		return -ENOMEM;
	}
	memcpy(payload, e->payload, e->len);
	r = &t->open[t->nr];
	*r = (struct slice_row){ .id = ++c->id, .depth = (__u32)t->nr, .begin = *e };
	r->parent = t->nr ? t->open[t->nr - 1].id : 0;
	r->begin.payload = payload;
	r->at = (struct interval){
		.from = e->time, .to = e->time, .tid = e->tid, .has_tid = !is_of_cpu(e),
		.cpu = e->stream->cpu,
		.machine = c->base.table->sql->hosts[ktrace_trace_index(e->stream->trace)].machine,
	};
	r->has_error = ktrace_trace_error(e->stream->trace, e->raw, &error);
	if (r->has_error)
		r->error_ns = error.early_ns > error.late_ns ? error.early_ns : error.late_ns;
	if (r->at.has_tid)
		set_thread(r, e);
	t->nr++;
	return 0;
}

/* Ends the innermost slice; @e: the event that does it, NULL: another one. Return: 0, -ENOMEM. */
static int end_slice(struct slice_cursor *c, struct track *t, __u64 time,
		     const struct ktrace_trace_event *e)
{
	struct slice_row *r;

	if (!t->nr)
		return 0;
	r = &t->open[--t->nr];
	if (r->at.has_tid && !ktrace_cursor_takes(&c->base, INTERVAL_TID, r->at.tid)) {
		free((char *)r->begin.payload);
		return 0;
	}
	if (!LIST_GROW(c->rows, c->nr, c->cap)) {
		t->nr++;
		return -ENOMEM;
	}
	r->at.to = time;
	r->at.is_open = c->is_over;
	if (e)
		r->end = *e;
	if (e && r->at.has_tid)
		set_thread(r, e);
	c->rows[c->nr++] = *r;
	return 0;
}

static int take(struct slice_cursor *c, const struct ktrace_trace_event *e)
{
	const __u64 machine =
		c->base.table->sql->hosts[ktrace_trace_index(e->stream->trace)].machine;
	const __u64 key = machine << 32 | (is_of_cpu(e) ? 1ull << 31 | (__u32)e->stream->cpu :
					   e->tid);
	enum span_role role;
	struct track *t;
	int above = slices_take(&c->slices, e, key, &role), ret = 0;

	if (above < 0 || role == SPAN_NONE)
		return above < 0 ? above : 0;
	t = hash_table_get(&c->tracks, &key);
	if (!t)
		return -ENOMEM;
	if (role == SPAN_BEGIN)
		return begin_slice(c, t, e);
	for (; above && !ret; above--)
		ret = end_slice(c, t, e->time, NULL);
	return ret ? ret : end_slice(c, t, e->time, e);
}

static int end_all(struct slice_cursor *c)
{
	struct track *t;
	int ret = 0;

	c->is_over = true;
	hash_table_for_each(t, &c->tracks)
		while (t->nr && !ret)
			ret = end_slice(c, t, c->last, NULL);
	return ret;
}

static int next(struct cursor *base)
{
	struct slice_cursor *c = (struct slice_cursor *)base;
	const struct ktrace_trace_event *e;
	int ret = 1;

	for (; c->at == c->nr; ret = 1) {
		clear_rows(c);
		if (c->is_over)
			return 0;
		ret = ktrace_event_reader_next(&c->reader, &e);
		if (ret == 1) {
			c->last = e->time > c->last ? e->time : c->last;
			ret = e->id != KTRACE_ID_LOST && event_has_fields(e) ? take(c, e) : 0;
		} else if (!ret) {
			ret = end_all(c);
		}
		if (ret)
			return ret;
	}
	c->at++;
	return ret;
}

static void column(struct cursor *base, sqlite3_context *to, int i)
{
	struct slice_cursor *c = (struct slice_cursor *)base;
	const struct slice_row *r = &c->rows[c->at - 1];

	switch (i) {
	case SLICE_NAME:
		slices_put_name(&c->slices, &c->cell, &r->begin);
		ktrace_result_cell(to, &c->cell);
		break;
	case SLICE_DEPTH:
		sqlite3_result_int64(to, r->depth);
		break;
	case SLICE_ID:
		sqlite3_result_int64(to, (sqlite3_int64)r->id);
		break;
	case SLICE_PARENT:
		if (r->parent)
			sqlite3_result_int64(to, (sqlite3_int64)r->parent);
		break;
	case SLICE_FIELDS:
		ktrace_fields_json(&c->cell, r->begin.type, r->begin.payload, r->begin.len);
		ktrace_result_cell(to, &c->cell);
		break;
	case SLICE_END_FIELDS:
		if (!r->end.type)
			break;
		ktrace_fields_json(&c->cell, r->end.type, r->end.payload, r->end.len);
		ktrace_result_cell(to, &c->cell);
		break;
	case SLICE_ERROR:
		if (r->has_error)
			ktrace_result_time(to, r->error_ns);
		break;
	default:
		ktrace_result_interval(base->table->sql, &c->cell, to, &r->at,
				       (enum interval_column)i);
	}
}

static void close_slices(struct cursor *base)
{
	struct slice_cursor *c = (struct slice_cursor *)base;

	forget(c);
	hash_table_free(&c->tracks);
	slices_free(&c->slices);
	free(c->rows);
	free(c->cell.buf);
	ktrace_reader_end(&c->reader);
}

static const struct table_class slice_class = {
	.cursor_size = sizeof(struct slice_cursor), .cost = COST_ALL, .time = -1, .ns = -1,
	.filter = filter, .next = next, .column = column, .close = close_slices,
};

const struct table ktrace_slice_tables[] = {
	{ .class = &slice_class, .name = "slices",
	  .doc = "a pair of events that begin and end something, such as demo:work_begin and "
	  "demo:work_end, in order of the end",
	  .columns = columns, .nr = sizeof(columns) / sizeof(columns[0]) },
	{ .name = NULL },
};
