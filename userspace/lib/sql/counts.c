// SPDX-License-Identifier: LGPL-2.1
/* counts.c - number of events by type and stream, and losses */
#include "event.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "sql.h"

/* struct count - events of one type in one stream; @type: NULL = not described */
struct count {
	const struct ktrace_trace_stream *stream;
	const struct ktrace_event_type *type;
	__u32 id;
	__u64 events;
};

/**
 * struct count_cursor - counts, or losses
 * @base:	common part
 * @reader:	reads the events
 * @now:	losses: the current one
 * @counts:	event_counts: rows
 * @nr:		number of rows
 * @at:		number of the next row
 * @is_counted:	event_counts: the rows are complete
 * @cell:	text being made
 */
struct count_cursor {
	struct cursor base;
	struct event_reader reader;
	const struct ktrace_trace_event *now;
	struct count *counts;
	size_t nr;
	size_t at;
	bool is_counted;
	struct ktrace_out cell;
};

static bool is_of(const struct count *c, const struct ktrace_trace_event *e)
{
	return c->stream == e->stream && c->id == e->id;
}

/* Adds an event; @guess: where it may be. Return: 0, -ENOMEM. */
static int count(struct count_cursor *c, const struct ktrace_trace_event *e, size_t *guess)
{
	size_t i;

	for (i = *guess < c->nr && is_of(&c->counts[*guess], e) ? *guess : 0; i < c->nr; i++)
		if (is_of(&c->counts[i], e))
			break;
	*guess = i;
	if (i == c->nr) {
		if (!LIST_RESIZE(c->counts, c->nr + 1))
			return -ENOMEM;
		c->counts[c->nr++] = (struct count){
			.stream = e->stream, .type = e->type, .id = e->id,
		};
	}
	c->counts[i].events++;
	return 0;
}

/* Guesses by stream and type, so that a search is rare. */
#define GUESSES 4096u

static int count_all(struct count_cursor *c)
{
	size_t *guesses = calloc(GUESSES, sizeof(*guesses));
	const struct ktrace_trace_event *e;
	int ret = guesses ? 1 : -ENOMEM;

	while (ret == 1) {
		ret = ktrace_event_reader_next(&c->reader, &e);
		if (ret == 1 && count(c, e, &guesses[(e->stream->id * 61 + e->id +
						      (size_t)e->stream->trace / 64) % GUESSES]))
			ret = -ENOMEM;
	}
	free(guesses);
	return ret;
}

/* Adds the counts that a trace says it has. Return: 0, -ENOENT if they are not known, -ENOMEM. */
static int add_told(struct count_cursor *c, const struct ktrace_trace *trace)
{
	const struct ktrace_trace_stream *s;
	struct ktrace_count *list;
	const long nr = ktrace_trace_counts(trace, &list);
	long i, at = 0;
	size_t k;
	int ret = nr < 0 ? (int)nr : 0;

	for (k = 0; !ret && (s = ktrace_trace_stream(trace, k)); k++) {
		for (i = at; i < nr && list[i].stream == s->id; i++)
			;
		if (!LIST_RESIZE(c->counts, c->nr + (size_t)(i - at) + 1))
			ret = -ENOMEM;
		for (; at < i && !ret; at++)
			c->counts[c->nr++] = (struct count){
				.stream = s, .id = list[at].id, .events = list[at].records,
				.type = ktrace_trace_type(trace, s->kind, list[at].id),
			};
	}
	if (!ret && at < nr)
		ret = -ENOENT;	/* of a stream that the file does not have */
	free(list);
	return ret;
}

/* Takes the counts that all traces say they have. Return: as add_told(). */
static int take_told(struct count_cursor *c)
{
	const struct ktrace_trace *trace;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && (trace = ktrace_traceset_trace(c->reader.set, i)); i++)
		ret = add_told(c, trace);
	if (ret == -ENOENT)
		c->nr = 0;
	return ret;
}

static int begin(struct cursor *base)
{
	struct count_cursor *c = (struct count_cursor *)base;
	int ret = ktrace_cell_init(&c->cell);

	c->at = c->nr = 0;
	ktrace_cursor_window(base, &c->reader.from, &c->reader.to);
	return ret ? ret : ktrace_reader_begin(&c->reader, base->table->sql, true);
}

/* In a join, counting once is enough. */
static int begin_counts(struct cursor *base)
{
	struct count_cursor *c = (struct count_cursor *)base;
	int ret;

	c->at = 0;
	if (c->is_counted)
		return 0;
	ret = begin(base);
	if (!ret)
		ret = take_told(c);
	if (ret == -ENOENT)
		ret = count_all(c);
	c->is_counted = !ret;
	return ret;
}

static int next_count(struct cursor *base)
{
	struct count_cursor *c = (struct count_cursor *)base;

	return c->at < c->nr ? (c->at++, 1) : 0;
}

static int next_loss(struct cursor *base)
{
	struct count_cursor *c = (struct count_cursor *)base;
	int ret;

	do
		ret = ktrace_event_reader_next(&c->reader, &c->now);
	while (ret == 1 && (c->now->id != KTRACE_ID_LOST || c->now->time < c->reader.from));
	return ret;
}

static void close_counts(struct cursor *base)
{
	struct count_cursor *c = (struct count_cursor *)base;

	free(c->counts);
	free(c->cell.buf);
	ktrace_reader_end(&c->reader);
}

enum { COUNT_NAME, COUNT_TRACE, COUNT_STREAM, COUNT_CPU, COUNT_EVENTS };

static const struct column count_columns[] = {
	{ "name", "TEXT", "name of the type, as in events", 0 },
	{ "trace", "INTEGER", "number of the trace", 0 },
	{ "stream", "INTEGER", "number of the ring in its trace", 0 },
	{ "cpu", "INTEGER", "CPU; NULL: the ring of a thread", 0 },
	{ "count", "INTEGER", "number of events", 0 },
};

static void count_column(struct cursor *base, sqlite3_context *to, int column)
{
	struct count_cursor *c = (struct count_cursor *)base;
	const struct count *row = &c->counts[c->at - 1];
	const struct ktrace_trace_event event = {
		.type = row->type, .stream = row->stream, .id = row->id,
	};

	switch (column) {
	case COUNT_NAME:
		ktrace_event_name(&c->cell, &event);
		ktrace_result_cell(to, &c->cell);
		break;
	case COUNT_TRACE:
		sqlite3_result_int64(to, (sqlite3_int64)ktrace_trace_index(row->stream->trace));
		break;
	case COUNT_STREAM:
		sqlite3_result_int64(to, row->stream->id);
		break;
	case COUNT_CPU:
		if (row->stream->cpu >= 0)
			sqlite3_result_int(to, row->stream->cpu);
		break;
	case COUNT_EVENTS:
		sqlite3_result_int64(to, (sqlite3_int64)row->events);
		break;
	}
}

enum { LOSS_TIME, LOSS_NS, LOSS_HOST, LOSS_TRACE, LOSS_STREAM, LOSS_CPU, LOSS_REASON, LOSS_COUNT };

static const struct column loss_columns[] = {
	{ "time", "INTEGER", "when it was noticed, ns since 1970", PUSH_RANGE },
	{ "ns", "INTEGER", "the same since the first event of all files", PUSH_RANGE },
	{ "host", "TEXT", "name of the host, NULL = not in the file", 0 },
	{ "trace", "INTEGER", "number of the trace", 0 },
	{ "stream", "INTEGER", "number of the ring in its trace", 0 },
	{ "cpu", "INTEGER", "CPU; NULL: the ring of a thread", 0 },
	{ "reason", "TEXT", "why: full, overwritten and others", 0 },
	{ "count", "INTEGER", "number of events", 0 },
};

/* Fields of ktrace:lost are reason and count. */
static void loss_column(struct cursor *base, sqlite3_context *to, int column)
{
	static const enum event_column common[] = {
		[LOSS_TIME] = EVENT_TIME, [LOSS_NS] = EVENT_NS, [LOSS_HOST] = EVENT_HOST,
		[LOSS_TRACE] = EVENT_TRACE, [LOSS_STREAM] = EVENT_STREAM, [LOSS_CPU] = EVENT_CPU,
	};
	struct count_cursor *c = (struct count_cursor *)base;
	struct ktrace_values it;
	struct ktrace_value v;
	int i;

	if (column < LOSS_REASON) {
		ktrace_result_event(base->table->sql, &c->cell, to, c->now, common[column]);
		return;
	}
	ktrace_values_init(&it, c->now->type, c->now->payload, c->now->len);
	for (i = LOSS_REASON; ktrace_values_next(&it, &v); i++)
		if (i == column)
			ktrace_result_value(to, &c->cell, &v);
}

#define COLUMNS(list) .columns = list, .nr = sizeof(list) / sizeof((list)[0])

static const struct table_class count_class = {
	.cursor_size = sizeof(struct count_cursor), .cost = COST_ALL, .time = -1, .ns = -1,
	.filter = begin_counts, .next = next_count, .column = count_column, .close = close_counts,
};

static const struct table_class loss_class = {
	.cursor_size = sizeof(struct count_cursor), .cost = COST_EVENTS, .time = LOSS_TIME,
	.ns = LOSS_NS, .filter = begin, .next = next_loss, .column = loss_column,
	.close = close_counts,
};

const struct table ktrace_count_tables[] = {
	{ .class = &count_class, .name = "event_counts",
	  .doc = "how many events of a type a ring has", COLUMNS(count_columns) },
	{ .class = &loss_class, .name = "losses", .doc = "lost events of a ring, by reason",
	  COLUMNS(loss_columns) },
	{ .name = NULL },
};
