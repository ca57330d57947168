/* SPDX-License-Identifier: LGPL-2.1 */
/* event.h - the table of events, and those of event types */
#ifndef KTRACE_SQL_EVENT_H
#define KTRACE_SQL_EVENT_H

#include <ktrace/traceset.h>

#include "field.h"
#include "reader.h"
#include "table.h"

/* Columns of all tables of events, in this order */
enum event_column {
	EVENT_TIME, EVENT_NS, EVENT_CPU, EVENT_TID, EVENT_PID, EVENT_COMM, EVENT_HOST, EVENT_TRACE,
	EVENT_STREAM, EVENT_FLAGS, EVENT_ERROR, EVENT_COMMON,
};

/* The name of the type, in tables of events of all types */
#define EVENT_NAME EVENT_COMMON

#define EVENT_COLUMNS \
	{ "time", "INTEGER", "ns since 1970; never more than SQLite's largest integer", \
	  PUSH_RANGE }, \
	{ "ns", "INTEGER", "ns since the first event of all files", PUSH_RANGE }, \
	{ "cpu", "INTEGER", "CPU; NULL: the ring of a thread", PUSH_NUMBER }, \
	{ "tid", "INTEGER", "thread that recorded the event; NULL for losses", PUSH_NUMBER }, \
	{ "pid", "INTEGER", "its process, NULL = unknown", PUSH_NUMBER }, \
	{ "comm", "TEXT", "its name then, NULL = unknown", PUSH_EQUAL }, \
	{ "host", "TEXT", "name of the host, NULL = not in the file", PUSH_EQUAL }, \
	{ "trace", "INTEGER", "number of the trace, see files", PUSH_NUMBER }, \
	{ "stream", "INTEGER", "number of the ring in its trace", PUSH_NUMBER }, \
	{ "flags", "TEXT", "words: truncated, incomplete, no-start, irq, critical, backwards", \
	  0 }, \
	{ "error_ns", "INTEGER", "the true time differs by at most so much from the clock of the " \
	  "reference host; NULL = unknown, or a single host", 0 }
#define EVENT_NAME_COLUMN \
	{ "name", "TEXT", "\"provider:name\" of the type; \"kernel:64\" if the file does not " \
	  "describe it; \"ktrace:lost\" for losses", PUSH_PATTERN }

extern const struct column ktrace_event_columns[];
extern const struct table_class ktrace_event_type_class;

/**
 * struct variant - what a cursor does with events of one type
 * @type:	the type; NULL = not described
 * @is_wanted:	conditions on the type may be met
 * @fields:	field of each column after the common ones, -1 = none; NULL = the table has no
 *		such columns
 * @conditions:	on its fields
 * @nr:		their number
 */
struct variant {
	const struct ktrace_event_type *type;
	bool is_wanted;
	int *fields;
	struct field_condition *conditions;
	int nr;
};

/**
 * struct stream_filter - what a cursor does with events of one stream
 * @stream:	the stream
 * @is_wanted:	conditions on the stream may be met
 * @by_id:	variants, by the id of the event
 * @nr:		room in @by_id
 */
struct stream_filter {
	const struct ktrace_trace_stream *stream;
	bool is_wanted;
	struct variant **by_id;
	__u32 nr;
};

/**
 * struct event_cursor - events being read
 * @base:	common part
 * @reader:	reads them
 * @now:	the current one
 * @streams:	filters of streams
 * @stream_nr:	their number
 * @last:	that of the latest event
 * @variants:	of all types that were met
 * @variant_nr:	their number
 * @variant:	that of the current event
 * @has_tid:	there are conditions on the thread
 * @has_thread:	there are conditions on its process or name
 * @row:	values of the current event
 * @cell:	text being made
 * @error:	-errno
 */
struct event_cursor {
	struct cursor base;
	struct event_reader reader;
	const struct ktrace_trace_event *now;
	struct stream_filter *streams;
	size_t stream_nr;
	struct stream_filter *last;
	struct variant **variants;
	size_t variant_nr;
	const struct variant *variant;
	bool has_tid;
	bool has_thread;
	struct field_row row;
	struct ktrace_out cell;
	int error;
};

/*
 * Functions of tables of events, whose cursors begin with struct event_cursor. Names and processes
 * come from events, too: with conditions on them, all events before the range are read.
 */
int ktrace_event_filter(struct cursor *base);
int ktrace_event_next(struct cursor *base);
void ktrace_event_close(struct cursor *base);

/* struct thread_name - process and name of an event's thread; @comm: NULL = unknown */
struct thread_name {
	__u32 pid;
	bool has_pid;
	const char *comm;
};

struct thread_name ktrace_event_thread(const struct ktrace_trace_event *e);

/* The result for a common column of an event. */
void ktrace_result_event(struct ktrace_sql *sql, struct ktrace_out *cell, sqlite3_context *to,
			 const struct ktrace_trace_event *e, enum event_column column);

#endif
