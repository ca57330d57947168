/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * span_table.h - a table of span_join: its two statements, and where its columns are from
 *
 * "CREATE VIRTUAL TABLE temp.x USING span_join(A, B, COLUMN...)" declares it; span_join.c reads it.
 */
#ifndef KTRACE_SQL_SPAN_TABLE_H
#define KTRACE_SQL_SPAN_TABLE_H

#include <sqlite3.h>

struct ktrace_sql;

/* struct span_source - column of the result: which table, which column of its statement */
struct span_source {
	int side;
	int column;
};

/**
 * struct span_table - what a table is made of
 * @base:	SQLite's
 * @sql:	the database
 * @texts:	the two statements: time, end_time, partitions, the other columns
 * @partition_nr: number of columns that have to be equal
 * @sources:	columns of the result after the first three
 * @nr:		number of these
 */
struct span_table {
	sqlite3_vtab base;
	struct ktrace_sql *sql;
	char *texts[2];
	int partition_nr;
	struct span_source *sources;
	int nr;
};

/* SQLite's xConnect and xDisconnect */
int ktrace_span_table_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
			      sqlite3_vtab **out, char **error);
int ktrace_span_table_disconnect(sqlite3_vtab *base);

#endif
