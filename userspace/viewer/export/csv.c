// SPDX-License-Identifier: GPL-2.0
/*
 * csv.c - ktrace export --to csv: one line per event, as in RFC 4180
 *
 * Writes the fields as one column of JSON or, with --columns, in a column each; then the JSON has
 * only fields not known when the first line was written, so that none is lost.
 */
#include "export.h"

#include "base/csv.h"
#include "base/hash_table.h"
#include "base/progress.h"
#include "events/context.h"
#include "events/line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_MAX_SIZE 64

/* struct column - a field's column; name is the key */
struct column {
	char name[NAME_MAX_SIZE];
	__u64 number;
};

/* struct known - the column of a field; field is the key */
struct known {
	const struct ktrace_field *field;
	__u64 column;
};

/**
 * struct csv - one run
 * @x:		options and files
 * @out:	output stream
 * @cell:	the cell being built
 * @is_terminal: remove characters that would control a terminal
 * @safe:	a cell after that removal
 * @columns:	columns of fields, in order
 * @fields:	the column of each field
 * @values:	values of the current event by column; field NULL: it has none
 */
struct csv {
	struct export *x;
	struct ktrace_out *out;
	struct ktrace_out cell;
	bool is_terminal;
	struct ktrace_out safe;
	struct hash_table columns;
	struct hash_table fields;
	struct ktrace_value *values;
};

static void make_safe(struct csv *c)
{
	ktrace_out_char(&c->cell, '\0');
	c->safe.len = 0;
	ktrace_out_safe(&c->safe, c->cell.buf);
	c->cell.len = 0;
	ktrace_out_bytes(&c->cell, c->safe.buf, c->safe.len);
}

/* Writes the cell, quoted if needed, and a comma. */
static void end_cell(struct csv *c)
{
	if (c->is_terminal && c->cell.len)
		make_safe(c);
	csv_put(c->out, c->cell.buf, c->cell.len);
	c->cell.len = 0;
	ktrace_out_char(c->out, ',');
}

/* Ends the line: replaces the last comma. */
static void end_line(struct csv *c)
{
	if (c->out->error)
		return;
	c->out->len--;
	ktrace_out_str(c->out, "\r\n");
}

static bool is_text(const struct ktrace_field *f)
{
	return f->scalar == KTRACE_CHAR;
}

/* Writes a value as in JSON, but without quotes around text or numbers */
static void put_value(struct csv *c, const struct ktrace_value *v)
{
	struct ktrace_out *cell = &c->cell;

	if (is_text(v->field)) {
		ktrace_out_utf8(cell, v->data, strnlen(v->data, v->count));
		return;
	}
	ktrace_value_json(cell, v);
	if (cell->len > 1 && cell->buf[0] == '"') {
		cell->len -= 2;
		memmove(cell->buf, cell->buf + 1, cell->len);
	}
}

static __u64 column_of(const struct csv *c, const struct ktrace_field *f)
{
	const struct known *known = hash_table_find(&c->fields, &f);

	return known ? known->column : ~0ull;
}

/* Stores the values that have columns; writes the others as JSON into the cell. */
static void take_values(struct csv *c, const struct ktrace_trace_event *e)
{
	struct ktrace_values it;
	struct ktrace_value v;
	char comma = '{';
	__u64 i;

	memset(c->values, 0, c->columns.nr * sizeof(*c->values));
	line_for_each_value(v, it, e) {
		i = column_of(c, v.field);
		if (i != ~0ull) {
			c->values[i] = v;
			continue;
		}
		ktrace_out_char(&c->cell, comma);
		ktrace_out_json(&c->cell, v.field->name, strlen(v.field->name));
		ktrace_out_char(&c->cell, ':');
		ktrace_value_json(&c->cell, &v);
		comma = ',';
	}
	if (comma == ',')
		ktrace_out_char(&c->cell, '}');
}

static void put_fields(struct csv *c, const struct ktrace_trace_event *e)
{
	const bool has_fields = line_has_fields(e);
	size_t i;

	if (has_fields && !c->columns.nr)
		line_put_json_fields(&c->cell, e);
	else if (has_fields)
		take_values(c, e);
	end_cell(c);
	if (!has_fields)
		line_put_bytes(&c->cell, e);
	end_cell(c);
	if (e->flags & KTRACE_EVENT_CONTEXT)
		context_put_json(&c->cell, e);
	end_cell(c);
	for (i = 0; i < c->columns.nr; i++) {
		if (has_fields && c->values[i].field)
			put_value(c, &c->values[i]);
		end_cell(c);
	}
}

static void put_thread(struct csv *c, const struct ktrace_trace_event *e)
{
	struct line_thread thread = { .comm = "" };
	const bool has_thread = line_find_thread(e, &thread);

	if (thread.has_pid)
		ktrace_out_u64(&c->cell, thread.pid);
	end_cell(c);
	if (has_thread)
		ktrace_out_u64(&c->cell, e->tid);
	end_cell(c);
	ktrace_out_utf8(&c->cell, thread.comm, strlen(thread.comm));
	end_cell(c);
}

static void put_event(struct csv *c, const struct ktrace_trace_event *e)
{
	const __u64 start = c->x->scope.start;

	out_seconds(&c->cell, e->time, 0);
	end_cell(c);
	ktrace_out_u64(&c->cell, e->time > start ? e->time - start : 0);
	end_cell(c);
	ktrace_out_u64(&c->cell, ktrace_trace_index(e->stream->trace));
	end_cell(c);
	ktrace_out_u64(&c->cell, e->stream->id);
	end_cell(c);
	if (e->stream->cpu >= 0)
		ktrace_out_u64(&c->cell, (__u64)e->stream->cpu);
	end_cell(c);
	put_thread(c, e);
	ktrace_event_name(&c->cell, e);
	end_cell(c);
	line_put_flags(&c->cell, e->flags);
	end_cell(c);
	put_fields(c, e);
	end_line(c);
}

/* Return: 0, -ENOMEM. */
static int add_column(struct csv *c, const struct ktrace_field *f)
{
	struct column key = { .number = 0 }, *column;
	const size_t n = strlen(f->name), nr = c->columns.nr;
	struct known *known;

	/* A field with a longer name stays in the JSON column. */
	if (n >= sizeof(key.name))
		return 0;
	memcpy(key.name, f->name, n);
	column = hash_table_get(&c->columns, key.name);
	known = column ? hash_table_get(&c->fields, &f) : NULL;
	if (!known)
		return -ENOMEM;
	if (nr < c->columns.nr)
		column->number = nr;
	known->column = column->number;
	return 0;
}

static int add_columns(struct csv *c, const struct ktrace_trace *trace, __u32 kind)
{
	const struct ktrace_event_type *type;
	__u32 id, i;
	int ret = 0;

	for (id = 0; id < ktrace_trace_types(trace, kind); id++) {
		type = ktrace_trace_type(trace, kind, id);
		if (!type || !event_select_type(&c->x->scope.select, type))
			continue;
		for (i = 0; i < type->field_nr && !ret; i++)
			ret = add_column(c, &type->fields[i]);
	}
	return ret;
}

static int find_columns(struct csv *c)
{
	const struct ktrace_trace *trace;
	int ret = 0;
	size_t t;

	for (t = 0; !ret && (trace = ktrace_traceset_trace(c->x->set, t)); t++) {
		ret = add_columns(c, trace, KTRACE_CHANNEL_KERNEL);
		if (!ret)
			ret = add_columns(c, trace, KTRACE_CHANNEL_USER);
	}
	c->values = calloc(c->columns.nr + 1, sizeof(*c->values));
	return c->values ? ret : -ENOMEM;
}

static void put_head(struct csv *c)
{
	const struct column *column;

	ktrace_out_str(c->out, "time,ns,trace,stream,cpu,pid,tid,comm,event,flags,fields,bytes,"
		       "context,");
	hash_table_for_each(column, &c->columns) {
		/* The prefix keeps it apart from the fixed columns. */
		ktrace_out_str(&c->cell, "field_");
		ktrace_out_str(&c->cell, column->name);
		end_cell(c);
	}
	end_line(c);
}

static int put_events(struct csv *c)
{
	const struct ktrace_trace_event *e;
	int ret = time_range_begin(&c->x->scope, c->x->set);

	if (!ret)
		put_head(c);
	while (!ret && !c->out->error && !c->cell.error) {
		ret = time_range_next(&c->x->scope, &e);
		if (ret <= 0)
			break;
		put_event(c, e);
		ret = 0;
	}
	progress_end();
	return ret ? ret : c->cell.error;
}

static int write_csv(struct export *x)
{
	struct csv c = {
		.x = x, .out = output(), .cell = { .flush = output_grow },
		.safe = { .flush = output_grow }, .is_terminal = isatty(STDOUT_FILENO),
		.columns = HASH_TABLE_INIT(struct column, name),
		.fields = HASH_TABLE_INIT(struct known, field),
	};
	int ret = output_grow(&c.cell);

	x->scope.prints = true;
	x->scope.keeps_losses = true;
	if (!ret && x->has_columns)
		ret = find_columns(&c);
	if (!ret)
		ret = put_events(&c);
	hash_table_free(&c.columns);
	hash_table_free(&c.fields);
	free(c.values);
	free(c.cell.buf);
	free(c.safe.buf);
	return ret;
}

const struct export_format export_csv = {
	.name = "csv",
	.takes = EXPORT_COLUMNS,
	.write = write_csv,
};
