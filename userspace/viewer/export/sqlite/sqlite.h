/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sqlite.h - ktrace export --to sqlite, as its parts see it
 *
 *   schema.c   tables that every database has, indexes
 *   types.c    a table for each event type
 *   main.c     events, threads, states
 */
#ifndef VIEWER_EXPORT_SQLITE_SQLITE_H
#define VIEWER_EXPORT_SQLITE_SQLITE_H

#include <sqlite3.h>

#include "base/hash_table.h"
#include "export/export.h"

/**
 * struct thread_key - what a thread is called for a time
 * @machine:	number of the first trace of its boot
 * @tid:	thread
 * @pid:	its process, 0 = not known
 * @comm:	its name, empty = not known
 */
struct thread_key {
	__u32 machine;
	__u32 tid;
	__u32 pid;
	char comm[16];
};

/**
 * struct db - one run
 * @x:		what was asked for
 * @db:		the database
 * @states:	of threads
 * @cell:	text being put together
 * @event:	inserts an event
 * @thread:	inserts a thread
 * @state:	inserts a span of one
 * @type:	inserts an event type
 * @types:	of events that have occurred
 * @threads:	with a row each; their place is their id - 1
 * @streams:	numbers in their table, by trace and stream
 * @events:	rows so far
 * @to:		latest time of what was read
 * @error:	-errno
 */
struct db {
	struct export *x;
	sqlite3 *db;
	struct ktrace_states *states;
	struct ktrace_out cell;
	sqlite3_stmt *event;
	sqlite3_stmt *thread;
	sqlite3_stmt *state;
	sqlite3_stmt *type;
	struct hash_table types;
	struct hash_table threads;
	struct hash_table streams;
	__u64 events;
	__u64 to;
	int error;
};

/* Whatever SQLite returns, as -errno; what is wrong is kept in @d->error. */
int db_check(struct db *d, int result);
/* Statements without a result */
int db_run(struct db *d, const char *sql);
int db_prepare(struct db *d, const char *sql, sqlite3_stmt **out);
/* Does the statement, whose values are bound, and makes it ready for the next ones. */
int db_step(struct db *d, sqlite3_stmt *statement);
/* Takes the text that is in the cell. */
void db_bind_cell(struct db *d, sqlite3_stmt *statement, int column);

/* Tables, and what is known before the first event. Return: 0, -errno. */
int schema_begin(struct db *d);
/* Indexes, views, what is known behind the last event. Return: 0, -errno. */
int schema_end(struct db *d);

void types_init(struct db *d);
/* The number of an event's type, which gets a table if it has none. Return: it, -errno. */
__s64 types_find(struct db *d, const struct ktrace_trace_event *e);
/* Inserts the fields of event number @id. Return: 0, -errno. */
int types_insert(struct db *d, __s64 type, __s64 id, const struct ktrace_trace_event *e);
void types_free(struct db *d);

#endif
