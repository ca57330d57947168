/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * sql.h - the parts of the SQL library
 *
 *   sql.c         opens, limits, refuses what would write
 *   query.c       statements and their rows
 *   table.c       what all virtual tables have in common
 *   condition.c   conditions that go down
 *   result.c      values of columns
 *   reader.c      reads the files for a cursor
 *   facts.c       tables of what is known without reading events
 *   event_type.c  columns of the tables of event types
 *   event.c       events, and the tables of event types
 *   field.c       their fields: values and conditions
 *   stacks.c      stacks that were recorded with events
 *   counts.c      event_counts and losses
 *   interval.c    columns of all tables of intervals
 *   follow.c      tables that follow the state of threads
 *   slice.c       pairs of events that begin and end something
 *   locks.c       waits for locks, holds
 *   threads.c     one of these: a row for each thread
 *   span_join.c   intersections of two tables of intervals
 *   span_table.c  declares a table of these
 *   percentile.c  the aggregate function percentile()
 *   views.c       views
 */
#ifndef KTRACE_SQL_SQL_H
#define KTRACE_SQL_SQL_H

#include <ktrace/sql.h>

#include "table.h"

/**
 * struct host - a trace of the set, and its host
 * @name:	name of the host, NULL = not in the file
 * @machine:	number of the first trace of the same boot
 */
struct host {
	const char *name;
	__u32 machine;
};

/**
 * struct ktrace_sql - a traceset and its tables
 * @set:	the traceset
 * @opts:	options
 * @db:		the database, which has no tables but temporary ones
 * @start:	time of the first event of all; at most the largest one of SQLite
 * @end:	time at the end of the headers
 * @hosts:	of each trace
 * @host_nr:	number of traces
 * @memory_before: limit of SQLite's memory before this one; it is the process's
 * @tables:	all tables
 * @table_nr:	number of tables
 * @event_types: of the tables of event types
 * @event_type_nr: number of these
 * @depth:	tables of span_join that are reading each other
 * @is_declaring: SQLite compiles the declaration of a table: not what a query asks for
 * @deadline:	when the running statement ends, ns of CLOCK_MONOTONIC; 0 = no limit
 * @is_late:	it has ended for that reason
 * @error:	-errno that ended the statement; 0 = none
 * @offset:	where in the text the error is, -1 = unknown
 * @message:	what is wrong
 * @stats:	what reading met
 * @seen:	places of damage that was reported
 * @seen_nr:	number of places
 */
struct ktrace_sql {
	struct ktrace_traceset *set;
	struct ktrace_sql_options opts;
	sqlite3 *db;
	__u64 start;
	__u64 end;
	struct host *hosts;
	size_t host_nr;
	sqlite3_int64 memory_before;
	struct table *tables;
	size_t table_nr;
	struct event_type *event_types;
	size_t event_type_nr;
	int depth;
	bool is_declaring;
	__u64 deadline;
	bool is_late;
	int error;
	int offset;
	char message[512];
	struct ktrace_sql_stats stats;
	__u64 *seen;
	size_t seen_nr;
};

/* True if the statement has to end; sets @is_late. */
bool ktrace_sql_is_over(struct ktrace_sql *sql);
/* Notes why a cursor fails: -errno. Returns what SQLite wants. */
int ktrace_sql_fail(struct ktrace_sql *sql, sqlite3_vtab *vtab, int error);
/* Returns the time since the start. */
static inline __u64 ktrace_sql_since(const struct ktrace_sql *sql, __u64 time)
{
	return time > sql->start ? time - sql->start : 0;
}

/* A buffer for text that grows */
int ktrace_cell_init(struct ktrace_out *cell);

/* Tables that exist in every database; each list ends with one without a name. */
extern const struct table ktrace_fact_tables[];
extern const struct table ktrace_event_tables[];
extern const struct table ktrace_stack_tables[];
extern const struct table ktrace_count_tables[];
extern const struct table ktrace_follow_tables[];
extern const struct table ktrace_slice_tables[];
extern const struct table ktrace_lock_tables[];
extern const struct table ktrace_thread_tables[];

/* Makes the function known. Return: 0, -ENOMEM. */
int ktrace_percentile_add(struct ktrace_sql *sql);

/* Views: number @i; false after the last */
bool ktrace_view(size_t i, struct ktrace_sql_table *view);
int ktrace_views_create(struct ktrace_sql *sql);

#endif
