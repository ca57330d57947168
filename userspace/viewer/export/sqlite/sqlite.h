/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sqlite.h - shared by the parts of ktrace export --to sqlite
 *
 *   schema.c   tables of every database, indexes
 *   types.c    a table for each event type
 *   main.c     events, threads, states
 */
#ifndef VIEWER_EXPORT_SQLITE_SQLITE_H
#define VIEWER_EXPORT_SQLITE_SQLITE_H

#include <sqlite3.h>

#include "base/hash_table.h"
#include "export/export.h"

/**
 * struct thread_key - a thread with its process and its name at some time
 * @machine:	number of the first trace of the same boot
 * @tid:	id of the thread
 * @pid:	id of its process, 0 = unknown
 * @comm:	its name, empty = unknown
 */
struct thread_key {
	__u32 machine;
	__u32 tid;
	__u32 pid;
	char comm[16];
};

/**
 * struct db - one run
 * @x:		options and files
 * @db:		the database
 * @states:	states of threads
 * @cell:	text being built
 * @event:	inserts an event
 * @thread:	inserts a thread
 * @state:	inserts a thread's state over a span of time
 * @type:	inserts an event type
 * @types:	types of the events that have occurred
 * @threads:	threads with a row each, at index id - 1
 * @streams:	streams with a row each, at index id - 1
 * @events:	number of events so far
 * @to:		latest time read so far
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

/* Converts a result of SQLite to -errno; keeps the first error in @d->error. */
int db_check(struct db *d, int result);
/* Run or prepare statements without a result */
int db_run(struct db *d, const char *sql);
int db_prepare(struct db *d, const char *sql, sqlite3_stmt **out);
/* Runs a statement with its values bound, then resets it. */
int db_step(struct db *d, sqlite3_stmt *statement);
/* Binds the text in the cell, and empties the cell. */
void db_bind_cell(struct db *d, sqlite3_stmt *statement, int column);

/* Creates the tables, and inserts what is known before the first event. Return: 0, -errno. */
int schema_begin(struct db *d);
/* Creates indexes and views, and inserts what is known after the last event. Return: 0, -errno. */
int schema_end(struct db *d);

void types_init(struct db *d);
/* Returns the number of an event's type, after creating its table if it is new; -errno. */
__s64 types_find(struct db *d, const struct ktrace_trace_event *e);
/* Inserts the fields of event number @id. Return: 0, -errno. */
int types_insert(struct db *d, __s64 type, __s64 id, const struct ktrace_trace_event *e);
void types_free(struct db *d);

#endif
