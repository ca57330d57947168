// SPDX-License-Identifier: LGPL-2.1
/* facts.c - tables of what is known without reading events: files, streams, clocks, types */
#include "event_type.h"
#include "sql.h"

#include <stdlib.h>
#include <string.h>

#include <linux/ktrace.h>

/**
 * struct fact_cursor - a place in a list of lists
 * @base:	common part
 * @trace:	the trace
 * @i:		its number
 * @k:		number of the next thing of the trace
 * @part:	files: the file
 * @stream:	streams: the stream
 * @type:	event_types: the type
 * @cell:	text being made
 */
struct fact_cursor {
	struct cursor base;
	const struct ktrace_trace *trace;
	size_t i;
	size_t k;
	struct ktrace_part part;
	const struct ktrace_trace_stream *stream;
	const struct ktrace_event_type *type;
	struct ktrace_out cell;
};

static int begin(struct cursor *base)
{
	struct fact_cursor *c = (struct fact_cursor *)base;

	c->i = c->k = 0;
	c->trace = ktrace_traceset_trace(base->table->sql->set, 0);
	return ktrace_cell_init(&c->cell);
}

static void next_trace(struct fact_cursor *c)
{
	c->k = 0;
	c->trace = ktrace_traceset_trace(c->base.table->sql->set, ++c->i);
}

static void close_facts(struct cursor *base)
{
	free(((struct fact_cursor *)base)->cell.buf);
}

static const struct host *host_of(const struct fact_cursor *c)
{
	return &c->base.table->sql->hosts[ktrace_trace_index(c->trace)];
}

static void result_meta(struct fact_cursor *c, sqlite3_context *to, const char *keyword,
			const char *key)
{
	ktrace_result_string(to, &c->cell, ktrace_trace_meta(c->trace, keyword, key));
}

/* ---- files ---- */

enum { FILE_TRACE, FILE_PART, FILE_PATH, FILE_SIZE, FILE_CLOSED, FILE_HOST, FILE_MACHINE, FILE_BOOT,
       FILE_KERNEL, FILE_ARCH, FILE_BACKEND, FILE_COMMAND, FILE_END };

static const struct column file_columns[] = {
	{ "trace", "INTEGER", "number of the trace; its parts have the same", 0 },
	{ "part", "INTEGER", "number of the part, from 1; 0 = the file is the whole trace", 0 },
	{ "path", "TEXT", "name of the file", 0 },
	{ "size", "INTEGER", "bytes that were read so far", 0 },
	{ "closed", "INTEGER", "1 = it has its end mark; 0 = being written, or truncated", 0 },
	{ "host", "TEXT", "name of the host", 0 },
	{ "machine", "INTEGER", "number of the first trace of the same boot", 0 },
	{ "boot", "TEXT", "id of the boot", 0 },
	{ "kernel", "TEXT", "release of the kernel", 0 },
	{ "arch", "TEXT", "processor, as uname -m prints it", 0 },
	{ "backend", "TEXT", "dev, shm, or what the file was imported from", 0 },
	{ "command", "TEXT", "the command that was traced", 0 },
	{ "end_reason", "TEXT", "why the recording ended; NULL = it is not known", 0 },
};

static int next_file(struct cursor *base)
{
	struct fact_cursor *c = (struct fact_cursor *)base;

	for (; c->trace; next_trace(c))
		if (ktrace_trace_part(c->trace, c->k++, &c->part))
			return 1;
	return 0;
}

static void file_column(struct cursor *base, sqlite3_context *to, int column)
{
	static const char *const metas[][2] = {
		[FILE_BOOT] = { "host", "boot" }, [FILE_KERNEL] = { "host", "kernel" },
		[FILE_ARCH] = { "host", "machine" }, [FILE_BACKEND] = { "trace", "backend" },
		[FILE_COMMAND] = { "trace", "cmd" }, [FILE_END] = { "end", "reason" },
	};
	struct fact_cursor *c = (struct fact_cursor *)base;

	switch (column) {
	case FILE_TRACE:
		sqlite3_result_int64(to, (sqlite3_int64)c->i);
		break;
	case FILE_PART:
		sqlite3_result_int64(to, c->part.number);
		break;
	case FILE_PATH:
		ktrace_result_string(to, &c->cell, c->part.path);
		break;
	case FILE_SIZE:
		sqlite3_result_int64(to, (sqlite3_int64)c->part.size);
		break;
	case FILE_CLOSED:
		sqlite3_result_int(to, c->part.is_closed);
		break;
	case FILE_HOST:
		ktrace_result_string(to, &c->cell, host_of(c)->name);
		break;
	case FILE_MACHINE:
		sqlite3_result_int64(to, host_of(c)->machine);
		break;
	default:
		result_meta(c, to, metas[column][0], metas[column][1]);
	}
}

/* ---- streams ---- */

enum { STREAM_TRACE, STREAM_ID, STREAM_KIND, STREAM_CPU, STREAM_BLOCKS, STREAM_RING };

static const struct column stream_columns[] = {
	{ "trace", "INTEGER", "number of the trace", 0 },
	{ "stream", "INTEGER", "number of the ring in its trace", 0 },
	{ "kind", "TEXT", "kernel or user; NULL = not in the file", 0 },
	{ "cpu", "INTEGER", "CPU; NULL: the ring of a thread", 0 },
	{ "blocks", "INTEGER", "blocks of the ring in the file", 0 },
	{ "ring_size", "INTEGER", "bytes of the ring; NULL = not in the file", 0 },
};

static int next_stream(struct cursor *base)
{
	struct fact_cursor *c = (struct fact_cursor *)base;

	for (; c->trace; next_trace(c)) {
		c->stream = ktrace_trace_stream(c->trace, c->k++);
		if (c->stream)
			return 1;
	}
	return 0;
}

static const char *kind_name(__u32 kind)
{
	return kind == KTRACE_CHANNEL_KERNEL ? "kernel" : kind == KTRACE_CHANNEL_USER ? "user" :
	       NULL;
}

static void stream_column(struct cursor *base, sqlite3_context *to, int column)
{
	struct fact_cursor *c = (struct fact_cursor *)base;
	const struct ktrace_trace_stream *s = c->stream;

	switch (column) {
	case STREAM_TRACE:
		sqlite3_result_int64(to, (sqlite3_int64)c->i);
		break;
	case STREAM_ID:
		sqlite3_result_int64(to, s->id);
		break;
	case STREAM_KIND:
		ktrace_result_string(to, &c->cell, kind_name(s->kind));
		break;
	case STREAM_CPU:
		if (s->cpu >= 0)
			sqlite3_result_int(to, s->cpu);
		break;
	case STREAM_BLOCKS:
		sqlite3_result_int64(to, (sqlite3_int64)s->blocks);
		break;
	case STREAM_RING:
		if (s->ring_size)
			sqlite3_result_int64(to, (sqlite3_int64)s->ring_size);
		break;
	}
}

/* ---- clocks ---- */

enum { CLOCK_TRACE, CLOCK_HOST, CLOCK_MACHINE, CLOCK_NAME, CLOCK_HZ, CLOCK_READINGS, CLOCK_REJECTED,
       CLOCK_SETS, CLOCK_SET_NS, CLOCK_ZERO, CLOCK_CORRECTED, CLOCK_ERRORS };

static const struct column clock_columns[] = {
	{ "trace", "INTEGER", "number of the trace", 0 },
	{ "host", "TEXT", "name of the host", 0 },
	{ "machine", "INTEGER", "number of the first trace of the same boot", 0 },
	{ "clock", "TEXT", "clock of the stamps: tsc, monotonic", 0 },
	{ "hz", "INTEGER", "stamps in a second", 0 },
	{ "readings", "INTEGER", "readings of all clocks in the file", 0 },
	{ "rejected", "INTEGER", "readings that contradict others", 0 },
	{ "sets", "INTEGER", "how often the wall clock was set", 0 },
	{ "set_ns", "INTEGER", "by how much at most", 0 },
	{ "zero", "INTEGER", "time of CLOCK_MONOTONIC 0, ns since 1970; NULL = unknown", 0 },
	{ "corrected", "INTEGER", "1 = its times are those of the reference host's clock", 0 },
	{ "has_errors", "INTEGER", "1 = error_ns of some of its events is known", 0 },
};

static int next_clock(struct cursor *base)
{
	struct fact_cursor *c = (struct fact_cursor *)base;

	if (c->k++)
		next_trace(c), c->k = 1;
	return c->trace ? 1 : 0;
}

static void clock_number(sqlite3_context *to, const struct ktrace_clock_info *clock, int column)
{
	const __u64 numbers[] = {
		[CLOCK_HZ] = clock->hz, [CLOCK_READINGS] = clock->readings,
		[CLOCK_REJECTED] = clock->rejected, [CLOCK_SETS] = clock->sets,
		[CLOCK_SET_NS] = clock->set_ns, [CLOCK_ZERO] = clock->zero_ns,
	};

	if (column != CLOCK_ZERO || clock->zero_ns)
		ktrace_result_time(to, numbers[column]);
}

static void clock_column(struct cursor *base, sqlite3_context *to, int column)
{
	struct fact_cursor *c = (struct fact_cursor *)base;
	struct ktrace_clock_info clock;

	ktrace_trace_clock(c->trace, &clock);
	switch (column) {
	case CLOCK_TRACE:
		sqlite3_result_int64(to, (sqlite3_int64)c->i);
		break;
	case CLOCK_HOST:
		ktrace_result_string(to, &c->cell, host_of(c)->name);
		break;
	case CLOCK_MACHINE:
		sqlite3_result_int64(to, host_of(c)->machine);
		break;
	case CLOCK_NAME:
		ktrace_result_string(to, &c->cell, clock.clock);
		break;
	case CLOCK_CORRECTED:
		sqlite3_result_int(to, ktrace_trace_is_corrected(c->trace));
		break;
	case CLOCK_ERRORS:
		sqlite3_result_int(to, ktrace_trace_has_errors(c->trace));
		break;
	default:
		clock_number(to, &clock, column);
	}
}

/* ---- event_types ---- */

enum { TYPE_TRACE, TYPE_KIND, TYPE_ID, TYPE_NAME, TYPE_TABLE, TYPE_FIELDS, TYPE_FILE, TYPE_LINE };

static const struct column type_columns[] = {
	{ "trace", "INTEGER", "number of the trace", 0 },
	{ "kind", "TEXT", "kernel or user", 0 },
	{ "id", "INTEGER", "its number in records", 0 },
	{ "name", "TEXT", "provider:name", 0 },
	{ "table_name", "TEXT", "the type's table, nearly always called like the type", 0 },
	{ "fields", "INTEGER", "number of fields", 0 },
	{ "file", "TEXT", "source file, NULL = unknown", 0 },
	{ "line", "INTEGER", "line in it", 0 },
};

static int next_type(struct cursor *base)
{
	struct fact_cursor *c = (struct fact_cursor *)base;
	__u32 nr[2];

	for (; c->trace; next_trace(c)) {
		nr[0] = ktrace_trace_types(c->trace, 0);
		nr[1] = ktrace_trace_types(c->trace, 1);
		while (c->k < (size_t)nr[0] + nr[1]) {
			c->type = c->k < nr[0] ?
				  ktrace_trace_type(c->trace, 0, (__u32)c->k) :
				  ktrace_trace_type(c->trace, 1, (__u32)(c->k - nr[0]));
			c->k++;
			if (c->type)
				return 1;
		}
	}
	return 0;
}

/* Returns the name of the table, NULL: the type appeared after it was looked for. */
static const char *table_of(const struct ktrace_sql *sql, const struct ktrace_event_type *type)
{
	size_t i;

	for (i = 0; i < sql->event_type_nr; i++)
		if (!strcmp(sql->event_types[i].name, type->full_name))
			return sql->event_types[i].table_name;
	return NULL;
}

static void type_column(struct cursor *base, sqlite3_context *to, int column)
{
	struct fact_cursor *c = (struct fact_cursor *)base;

	switch (column) {
	case TYPE_TRACE:
		sqlite3_result_int64(to, (sqlite3_int64)c->i);
		break;
	case TYPE_KIND:
		ktrace_result_string(to, &c->cell, kind_name(c->type->kind));
		break;
	case TYPE_ID:
		sqlite3_result_int64(to, c->type->id);
		break;
	case TYPE_NAME:
		ktrace_result_string(to, &c->cell, c->type->full_name);
		break;
	case TYPE_TABLE:
		ktrace_result_string(to, &c->cell, table_of(base->table->sql, c->type));
		break;
	case TYPE_FIELDS:
		sqlite3_result_int64(to, c->type->field_nr);
		break;
	case TYPE_FILE:
		ktrace_result_string(to, &c->cell, c->type->file);
		break;
	case TYPE_LINE:
		if (c->type->file)
			sqlite3_result_int64(to, c->type->line);
		break;
	}
}

#define FACT_CLASS(thing) { \
	.cursor_size = sizeof(struct fact_cursor), .cost = COST_FACTS, .time = -1, .ns = -1, \
	.filter = begin, .next = next_##thing, .column = thing##_column, .close = close_facts }
#define COLUMNS(list) .columns = list, .nr = sizeof(list) / sizeof((list)[0])

static const struct table_class file_class = FACT_CLASS(file);
static const struct table_class stream_class = FACT_CLASS(stream);
static const struct table_class clock_class = FACT_CLASS(clock);
static const struct table_class type_class = FACT_CLASS(type);

const struct table ktrace_fact_tables[] = {
	{ .class = &file_class, .name = "files", .doc = "a file; with several parts, one of these",
	  COLUMNS(file_columns) },
	{ .class = &stream_class, .name = "streams", .doc = "a ring whose events are in a file",
	  COLUMNS(stream_columns) },
	{ .class = &clock_class, .name = "clocks", .doc = "the clock of a trace",
	  COLUMNS(clock_columns) },
	{ .class = &type_class, .name = "event_types",
	  .doc = "a type of events that a file describes", COLUMNS(type_columns) },
	{ .name = NULL },
};
