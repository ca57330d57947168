// SPDX-License-Identifier: GPL-2.0
/* schema.c - tables of every database, indexes, views */
#include "sqlite.h"

#include "base/clock_warnings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/*
 * The file gets its name when it is complete, so it needs no rollback and no sync before. Memory
 * is bounded; indexes are sorted in files.
 */
static const char settings[] =
"PRAGMA page_size = 8192;"
"PRAGMA journal_mode = OFF;"
"PRAGMA synchronous = OFF;"
"PRAGMA locking_mode = EXCLUSIVE;"
"PRAGMA cache_size = -65536;"
"PRAGMA temp_store = FILE;"
"PRAGMA user_version = 1;";

static const char tables[] =
"BEGIN;"
"CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;"
"CREATE TABLE trace(id INTEGER PRIMARY KEY, path TEXT NOT NULL, host TEXT, boot TEXT,"
" machine INTEGER NOT NULL REFERENCES trace(id), clock TEXT, hz INTEGER, readings INTEGER,"
" closed INTEGER NOT NULL);"
"CREATE TABLE stream(id INTEGER PRIMARY KEY, trace INTEGER NOT NULL REFERENCES trace(id),"
" number INTEGER NOT NULL, kind TEXT, cpu INTEGER);"
"CREATE TABLE thread(id INTEGER PRIMARY KEY, machine INTEGER NOT NULL REFERENCES trace(id),"
" tid INTEGER NOT NULL, pid INTEGER, comm TEXT);"
"CREATE TABLE type(id INTEGER PRIMARY KEY, name TEXT NOT NULL, fields TEXT);"
"CREATE TABLE event(id INTEGER PRIMARY KEY, ns INTEGER NOT NULL,"
" stream INTEGER NOT NULL REFERENCES stream(id), thread INTEGER REFERENCES thread(id),"
" type INTEGER NOT NULL REFERENCES type(id), flags TEXT, context TEXT, bytes TEXT);"
"CREATE TABLE quality(trace INTEGER REFERENCES trace(id), text TEXT NOT NULL);"
"CREATE TABLE loss(event INTEGER PRIMARY KEY REFERENCES event(id), reason, count INTEGER);"
"CREATE TABLE state(id INTEGER PRIMARY KEY, thread INTEGER NOT NULL REFERENCES thread(id),"
" begin_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, status TEXT NOT NULL, wait TEXT,"
" mode TEXT NOT NULL, what TEXT, cpu INTEGER);";

/*
 * ns of an event counts from the first event; meta 'start' is what to add for the time since 1970.
 */
static const char finish[] =
"CREATE INDEX event_ns ON event(ns);"
"CREATE INDEX event_thread ON event(thread, ns);"
"CREATE INDEX event_type ON event(type, ns);"
"CREATE INDEX thread_tid ON thread(tid);"
"CREATE INDEX state_thread ON state(thread, begin_ns);"
"CREATE INDEX state_begin ON state(begin_ns);"
"CREATE VIEW events AS SELECT event.id, ns, ns + (SELECT value FROM meta WHERE name = 'start')"
" AS time, stream.trace, stream.number AS stream, stream.cpu, thread.pid, thread.tid,"
" thread.comm, type.name AS event, flags, type.fields, context, bytes FROM event"
" JOIN stream ON stream.id = event.stream JOIN type ON type.id = event.type"
" LEFT JOIN thread ON thread.id = event.thread;"
"CREATE VIEW states AS SELECT state.id, begin_ns, end_ns, end_ns - begin_ns AS ns,"
" thread.pid, thread.tid, thread.comm, status, wait, mode, what, cpu FROM state"
" JOIN thread ON thread.id = state.thread;"
"CREATE VIEW losses AS SELECT event.ns, stream.trace, stream.number AS stream, stream.cpu,"
" reason, count FROM loss JOIN event ON event.id = loss.event"
" JOIN stream ON stream.id = event.stream;"
"COMMIT;"
"PRAGMA locking_mode = NORMAL;";

int db_check(struct db *d, int result)
{
	if (result == SQLITE_OK || result == SQLITE_DONE || result == SQLITE_ROW || d->error)
		return d->error;
	d->error = result == SQLITE_FULL ? -ENOSPC : result == SQLITE_NOMEM ? -ENOMEM : -EIO;
	/* The caller reports the other errors, with the name of the file. */
	if (d->error == -EIO)
		complain_safely("ktrace: SQLite: %s", sqlite3_errmsg(d->db));
	return d->error;
}

int db_run(struct db *d, const char *sql)
{
	return db_check(d, sqlite3_exec(d->db, sql, NULL, NULL, NULL));
}

int db_prepare(struct db *d, const char *sql, sqlite3_stmt **out)
{
	return db_check(d, sqlite3_prepare_v2(d->db, sql, -1, out, NULL));
}

int db_step(struct db *d, sqlite3_stmt *statement)
{
	int ret = db_check(d, sqlite3_step(statement));

	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	return ret;
}

void db_bind_cell(struct db *d, sqlite3_stmt *statement, int column)
{
	if (d->cell.error)
		d->error = d->cell.error;
	else
		db_check(d, sqlite3_bind_text(statement, column, d->cell.buf, (int)d->cell.len,
					      SQLITE_TRANSIENT));
	d->cell.len = 0;
}

static void bind_text(struct db *d, sqlite3_stmt *statement, int column, const char *text)
{
	if (!text)
		return;
	ktrace_out_utf8(&d->cell, text, strlen(text));
	db_bind_cell(d, statement, column);
}

static int put_stream(struct db *d, sqlite3_stmt *statement, const struct ktrace_trace_stream *s)
{
	static const char *const kinds[] = {
		[KTRACE_CHANNEL_KERNEL] = "kernel", [KTRACE_CHANNEL_USER] = "user",
	};

	if (!hash_table_get(&d->streams, &s))
		return d->error = -ENOMEM;
	sqlite3_bind_int64(statement, 1, (sqlite3_int64)d->streams.nr);
	sqlite3_bind_int64(statement, 2, (sqlite3_int64)ktrace_trace_index(s->trace));
	sqlite3_bind_int64(statement, 3, s->id);
	if (s->kind < sizeof(kinds) / sizeof(kinds[0]))
		bind_text(d, statement, 4, kinds[s->kind]);
	if (s->cpu >= 0)
		sqlite3_bind_int(statement, 5, s->cpu);
	return db_step(d, statement);
}

static int put_trace(struct db *d, sqlite3_stmt *statement, const struct ktrace_trace *t)
{
	struct ktrace_clock_info clock;

	ktrace_trace_clock(t, &clock);
	sqlite3_bind_int64(statement, 1, (sqlite3_int64)ktrace_trace_index(t));
	bind_text(d, statement, 2, ktrace_trace_path(t));
	bind_text(d, statement, 3, ktrace_trace_meta(t, "host", "name"));
	bind_text(d, statement, 4, ktrace_trace_meta(t, "host", "boot"));
	sqlite3_bind_int64(statement, 5, ktrace_state_machine(d->states, t));
	bind_text(d, statement, 6, clock.clock);
	sqlite3_bind_int64(statement, 7, (sqlite3_int64)clock.hz);
	sqlite3_bind_int64(statement, 8, (sqlite3_int64)clock.readings);
	sqlite3_bind_int(statement, 9, ktrace_trace_is_closed(t));
	return db_step(d, statement);
}

static int put_traces(struct db *d)
{
	const struct ktrace_trace_stream *s;
	sqlite3_stmt *trace = NULL, *stream = NULL;
	const struct ktrace_trace *t;
	size_t i, k;

	db_prepare(d, "INSERT INTO trace VALUES(?,?,?,?,?,?,?,?,?)", &trace);
	db_prepare(d, "INSERT INTO stream VALUES(?,?,?,?,?)", &stream);
	for (i = 0; !d->error && (t = ktrace_traceset_trace(d->x->set, i)); i++) {
		put_trace(d, trace, t);
		for (k = 0; !d->error && (s = ktrace_trace_stream(t, k)); k++)
			put_stream(d, stream, s);
	}
	sqlite3_finalize(trace);
	sqlite3_finalize(stream);
	return d->error;
}

struct quality {
	struct db *d;
	sqlite3_stmt *statement;
};

static void put_quality(void *arg, const char *path, const char *text)
{
	const struct quality *q = arg;
	const struct ktrace_trace *t;
	size_t i;

	for (i = 0; path && (t = ktrace_traceset_trace(q->d->x->set, i)); i++)
		if (!strcmp(ktrace_trace_path(t), path))
			sqlite3_bind_int64(q->statement, 1, (sqlite3_int64)i);
	bind_text(q->d, q->statement, 2, text);
	db_step(q->d, q->statement);
}

static int put_qualities(struct db *d)
{
	struct quality q = { .d = d };

	if (!db_prepare(d, "INSERT INTO quality VALUES(?,?)", &q.statement))
		clock_warnings_tell(d->x->set, put_quality, &q);
	sqlite3_finalize(q.statement);
	return d->error;
}

int schema_begin(struct db *d)
{
	db_run(d, settings);
	db_run(d, tables);
	if (!d->error && !put_traces(d))
		put_qualities(d);
	db_prepare(d, "INSERT INTO event VALUES(?,?,?,?,?,?,?,?)", &d->event);
	db_prepare(d, "INSERT INTO thread VALUES(?,?,?,?,?)", &d->thread);
	db_prepare(d, "INSERT INTO state VALUES(NULL,?,?,?,?,?,?,?,?)", &d->state);
	db_prepare(d, "INSERT INTO type VALUES(?,?,?)", &d->type);
	return d->error;
}

static void put_meta(struct db *d, sqlite3_stmt *statement, const char *name, __u64 value)
{
	bind_text(d, statement, 1, name);
	sqlite3_bind_int64(statement, 2, (sqlite3_int64)value);
	db_step(d, statement);
}

static int put_facts(struct db *d)
{
	sqlite3_stmt *statement = NULL;

	if (db_prepare(d, "INSERT INTO meta VALUES(?,?)", &statement))
		return d->error;
	bind_text(d, statement, 1, "program");
	bind_text(d, statement, 2, "ktrace " KTRACE_VERSION);
	db_step(d, statement);
	put_meta(d, statement, "start", d->x->scope.start);
	put_meta(d, statement, "events", d->events);
	put_meta(d, statement, "lost", lost_total(d->x->scope.lost));
	sqlite3_finalize(statement);
	return d->error;
}

int schema_end(struct db *d)
{
	put_facts(d);
	return d->error ? d->error : db_run(d, finish);
}
