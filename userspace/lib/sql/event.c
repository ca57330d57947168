// SPDX-License-Identifier: LGPL-2.1
/*
 * event.c - the table of events, and those of event types
 *
 * What conditions say about streams and types is decided once for each, so most events cost a look
 * at two small tables.
 */
#include "event.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "event_type.h"
#include "sql.h"

/* Columns that only the table of all events has */
enum { EVENT_FIELDS = EVENT_NAME + 1, EVENT_BYTES };

const struct column ktrace_event_columns[] = { EVENT_COLUMNS };

static const struct column all_columns[] = {
	EVENT_COLUMNS,
	EVENT_NAME_COLUMN,
	{ "fields", "TEXT", "all fields as JSON; NULL = it has none that are known", 0 },
	{ "bytes", "TEXT", "without known fields: the payload in hexadecimal", 0 },
};

static const struct event_type *type_of(const struct event_cursor *c)
{
	return c->base.table->data;
}

static void free_filters(struct event_cursor *c)
{
	struct variant *v;

	while (c->stream_nr)
		free(c->streams[--c->stream_nr].by_id);
	while (c->variant_nr) {
		v = c->variants[--c->variant_nr];
		free(v->fields);
		free(v->conditions);
		free(v);
	}
	c->last = NULL;
}

static bool wants_stream(const struct event_cursor *c, const struct ktrace_trace_stream *s)
{
	const size_t trace = ktrace_trace_index(s->trace);
	const char *host = c->base.table->sql->hosts[trace].name;
	const struct cursor *base = &c->base;

	if (!ktrace_cursor_takes(base, EVENT_TRACE, (__s64)trace) ||
	    !ktrace_cursor_takes(base, EVENT_STREAM, s->id))
		return false;
	if (s->cpu < 0 ? ktrace_cursor_has(base, EVENT_CPU) :
	    !ktrace_cursor_takes(base, EVENT_CPU, s->cpu))
		return false;
	return host ? ktrace_cursor_takes_text(base, EVENT_HOST, host) :
	       !ktrace_cursor_has(base, EVENT_HOST);
}

/* Returns the filter of a stream, NULL without memory. */
static struct stream_filter *find_stream(struct event_cursor *c,
					 const struct ktrace_trace_stream *s)
{
	size_t i;

	for (i = 0; i < c->stream_nr; i++)
		if (c->streams[i].stream == s)
			return c->last = &c->streams[i];
	c->last = NULL;
	if (!LIST_RESIZE(c->streams, c->stream_nr + 1))
		return NULL;
	c->streams[c->stream_nr] = (struct stream_filter){
		.stream = s, .is_wanted = wants_stream(c, s),
	};
	return c->last = &c->streams[c->stream_nr++];
}

/* Finds the field of each column. Return: 0, -ENOMEM. */
static int find_fields(struct event_cursor *c, struct variant *v)
{
	const struct event_type *to = type_of(c);
	int k, nr = to->nr - EVENT_COMMON;
	__u32 i;

	v->fields = malloc(((size_t)nr + 1) * sizeof(*v->fields));
	if (!v->fields)
		return -ENOMEM;
	for (k = 0; k < nr; k++)
		v->fields[k] = -1;
	for (i = 0; i < v->type->field_nr; i++) {
		k = ktrace_event_type_column(to, v->type, i);
		if (k >= 0)
			v->fields[k - EVENT_COMMON] = (int)i;
	}
	return 0;
}

/* Prepares the conditions on fields. A field that a type lacks is NULL, which meets none. */
static int set_conditions(struct event_cursor *c, struct variant *v)
{
	const struct conditions *all = &c->base.conditions;
	const struct condition *condition;
	int i, field;

	v->conditions = calloc((size_t)all->nr + 1, sizeof(*v->conditions));
	if (!v->conditions)
		return -ENOMEM;
	for (i = 0; i < all->nr; i++) {
		condition = &all->at[i];
		if (condition->column < EVENT_COMMON)
			continue;
		field = v->fields[condition->column - EVENT_COMMON];
		if (field < 0)
			v->is_wanted = false;
		else if (ktrace_field_push(&v->type->fields[field]) & 1u << condition->op)
			ktrace_field_condition_set(&v->conditions[v->nr++], condition, v->type,
						   (__u32)field);
	}
	return 0;
}

static int init_variant(struct event_cursor *c, struct variant *v,
			const struct ktrace_trace_event *e)
{
	int ret = 0;

	v->type = e->type;
	if (!type_of(c)) {
		ktrace_event_name(&c->cell, e);
		ktrace_out_char(&c->cell, '\0');
		ret = c->cell.error;
		v->is_wanted = !ret && ktrace_cursor_takes_text(&c->base, EVENT_NAME, c->cell.buf);
		c->cell.len = 0;
		return ret;
	}
	v->is_wanted = e->type && !strcmp(e->type->full_name, type_of(c)->name);
	if (v->is_wanted)
		ret = find_fields(c, v);
	if (v->is_wanted && !ret)
		ret = set_conditions(c, v);
	return ret;
}

/* Makes the variant of an event's type, or finds it. NULL: c->error */
static struct variant *make_variant(struct event_cursor *c, const struct ktrace_trace_event *e)
{
	struct variant *v;
	size_t i;

	for (i = 0; i < c->variant_nr && e->type; i++)
		if (c->variants[i]->type == e->type)
			return c->variants[i];
	v = calloc(1, sizeof(*v));
	c->error = v && LIST_RESIZE(c->variants, c->variant_nr + 1) ? 0 : -ENOMEM;
	if (c->error) {
		free(v);
		return NULL;
	}
	c->variants[c->variant_nr++] = v;
	c->error = init_variant(c, v, e);
	return c->error ? NULL : v;
}

static __attribute__((noinline)) struct variant *find_variant(struct event_cursor *c,
							      struct stream_filter *s,
							      const struct ktrace_trace_event *e)
{
	const __u32 nr = e->id + 16;
	__u32 i;

	if (e->id >= s->nr) {
		if (!LIST_RESIZE(s->by_id, nr)) {
			c->error = -ENOMEM;
			return NULL;
		}
		for (i = s->nr; i < nr; i++)
			s->by_id[i] = NULL;
		s->nr = nr;
	}
	s->by_id[e->id] = make_variant(c, e);
	return s->by_id[e->id];
}

struct thread_name ktrace_event_thread(const struct ktrace_trace_event *e)
{
	struct thread_name t = { .pid = 0 };

	if (e->id == KTRACE_ID_LOST)
		return t;
	t.comm = ktrace_trace_thread(e->stream->trace, e->tid, e->raw, &t.pid);
	t.has_pid = t.pid || !e->tid;
	if (!e->tid)
		t.comm = "swapper";
	return t;
}

static bool takes_thread(const struct event_cursor *c, const struct ktrace_trace_event *e)
{
	const struct thread_name t = ktrace_event_thread(e);

	if (t.has_pid ? !ktrace_cursor_takes(&c->base, EVENT_PID, t.pid) :
	    ktrace_cursor_has(&c->base, EVENT_PID))
		return false;
	return t.comm ? ktrace_cursor_takes_text(&c->base, EVENT_COMM, t.comm) :
	       !ktrace_cursor_has(&c->base, EVENT_COMM);
}

static bool takes_fields(const struct variant *v, const struct ktrace_trace_event *e)
{
	int i;

	for (i = 0; i < v->nr; i++)
		if (!ktrace_field_may_match(&v->conditions[i], e))
			return false;
	return true;
}

static bool takes(struct event_cursor *c, const struct ktrace_trace_event *e)
{
	struct stream_filter *s = c->last;
	struct variant *v;

	if (!s || s->stream != e->stream)
		s = find_stream(c, e->stream);
	if (!s)
		c->error = -ENOMEM;
	if (!s || !s->is_wanted)
		return false;
	v = e->id < s->nr ? s->by_id[e->id] : NULL;
	if (!v)
		v = find_variant(c, s, e);
	if (!v || !v->is_wanted || (v->nr && !takes_fields(v, e)))
		return false;
	if (c->has_tid && (e->id == KTRACE_ID_LOST ||
			   !ktrace_cursor_takes(&c->base, EVENT_TID, e->tid)))
		return false;
	if (c->has_thread && !takes_thread(c, e))
		return false;
	c->variant = v;
	return true;
}

int ktrace_event_filter(struct cursor *base)
{
	struct event_cursor *c = (struct event_cursor *)base;
	const int ret = ktrace_cell_init(&c->cell);

	free_filters(c);
	c->error = 0;
	c->has_tid = ktrace_cursor_has(base, EVENT_TID);
	c->has_thread = ktrace_cursor_has(base, EVENT_PID) || ktrace_cursor_has(base, EVENT_COMM);
	ktrace_cursor_window(base, &c->reader.from, &c->reader.to);
	return ret ? ret : ktrace_reader_begin(&c->reader, base->table->sql, !c->has_thread);
}

int ktrace_event_next(struct cursor *base)
{
	struct event_cursor *c = (struct event_cursor *)base;
	const struct ktrace_trace_event *e;
	int ret;

	if (c->reader.from > c->reader.to)
		return 0;
	for (;;) {
		ret = ktrace_event_reader_next(&c->reader, &e);
		if (ret != 1)
			return ret;
		if (e->time >= c->reader.from && takes(c, e))
			break;
		if (c->error)
			return c->error;
	}
	c->now = e;
	return event_has_fields(e) ? (ret = ktrace_field_row_begin(&c->row, e)) ? ret : 1 : 1;
}

static void result_flags(struct ktrace_out *cell, sqlite3_context *to, __u32 flags)
{
	const char *name, *blank = "";
	__u32 flag;

	for (flag = 1; flag <= KTRACE_EVENT_CONTEXT; flag *= 2) {
		name = flags & flag ? ktrace_event_flag_name(flag) : NULL;
		if (!name)
			continue;
		ktrace_out_str(cell, blank);
		ktrace_out_str(cell, name);
		blank = " ";
	}
	ktrace_result_cell(to, cell);
}

static void result_error(sqlite3_context *to, const struct ktrace_trace_event *e)
{
	struct ktrace_time_error error;

	if (ktrace_trace_error(e->stream->trace, e->raw, &error))
		ktrace_result_time(to, error.early_ns > error.late_ns ? error.early_ns :
				   error.late_ns);
}

static void result_thread(struct ktrace_out *cell, sqlite3_context *to,
			  const struct ktrace_trace_event *e, bool is_name)
{
	const struct thread_name t = ktrace_event_thread(e);

	if (is_name)
		ktrace_result_string(to, cell, t.comm);
	else if (t.has_pid)
		sqlite3_result_int64(to, t.pid);
}

void ktrace_result_event(struct ktrace_sql *sql, struct ktrace_out *cell, sqlite3_context *to,
			 const struct ktrace_trace_event *e, enum event_column column)
{
	const size_t trace = ktrace_trace_index(e->stream->trace);

	switch (column) {
	case EVENT_TIME:
		ktrace_result_time(to, e->time);
		break;
	case EVENT_NS:
		ktrace_result_time(to, ktrace_sql_since(sql, e->time));
		break;
	case EVENT_CPU:
		if (e->stream->cpu >= 0)
			sqlite3_result_int(to, e->stream->cpu);
		break;
	case EVENT_TID:
		if (e->id != KTRACE_ID_LOST)
			sqlite3_result_int64(to, e->tid);
		break;
	case EVENT_PID:
	case EVENT_COMM:
		result_thread(cell, to, e, column == EVENT_COMM);
		break;
	case EVENT_HOST:
		ktrace_result_string(to, cell, sql->hosts[trace].name);
		break;
	case EVENT_TRACE:
		sqlite3_result_int64(to, (sqlite3_int64)trace);
		break;
	case EVENT_STREAM:
		sqlite3_result_int64(to, e->stream->id);
		break;
	case EVENT_FLAGS:
		result_flags(cell, to, e->flags);
		break;
	default:
		result_error(to, e);
	}
}

static void result_of_all(struct event_cursor *c, sqlite3_context *to, int column)
{
	const struct ktrace_trace_event *e = c->now;
	__u32 i;

	if (column == EVENT_NAME)
		ktrace_event_name(&c->cell, e);
	else if (event_has_fields(e) != (column == EVENT_FIELDS))
		return;
	else if (column == EVENT_FIELDS)
		ktrace_fields_json(&c->cell, e->type, e->payload, e->len);
	else
		for (i = 0; i < e->len; i++)
			ktrace_out_hex(&c->cell, (unsigned char)e->payload[i], 2);
	ktrace_result_cell(to, &c->cell);
}

static void result_of_field(struct event_cursor *c, sqlite3_context *to, int column)
{
	const int field = c->variant->fields[column - EVENT_COMMON];
	const struct ktrace_value *v = NULL;

	if (field >= 0 && event_has_fields(c->now))
		v = ktrace_field_row_at(&c->row, (__u32)field);
	if (v)
		ktrace_result_value(to, &c->cell, v);
}

static void column(struct cursor *base, sqlite3_context *to, int i)
{
	struct event_cursor *c = (struct event_cursor *)base;

	if (i < EVENT_COMMON)
		ktrace_result_event(base->table->sql, &c->cell, to, c->now, (enum event_column)i);
	else if (type_of(c))
		result_of_field(c, to, i);
	else
		result_of_all(c, to, i);
}

void ktrace_event_close(struct cursor *base)
{
	struct event_cursor *c = (struct event_cursor *)base;

	free_filters(c);
	free(c->streams);
	free(c->variants);
	free(c->row.values);
	free(c->cell.buf);
	ktrace_reader_end(&c->reader);
}

const struct table_class ktrace_event_type_class = {
	.cursor_size = sizeof(struct event_cursor),
	.cost = COST_EVENTS,
	.time = EVENT_TIME,
	.ns = EVENT_NS,
	.filter = ktrace_event_filter,
	.next = ktrace_event_next,
	.column = column,
	.close = ktrace_event_close,
};

const struct table ktrace_event_tables[] = {
	{ .class = &ktrace_event_type_class, .name = "events",
	  .doc = "an event of any type, or a loss, in the order of ktrace list",
	  .columns = all_columns, .nr = sizeof(all_columns) / sizeof(all_columns[0]) },
	{ .name = NULL },
};
