/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ask.h - shared by the parts of ktrace sql
 *
 *   main.c     options, files
 *   ask.c      statements: parameters, rows, errors
 *   show.c     rows as a table, JSON, CSV
 *   shell.c    commands with a dot, statements line by line
 *   edit.c     lines on a terminal; complete.c, history.c: parts of it
 *   schema.c   tables and their columns
 *   remote.c   a statement for a store in ClickHouse
 */
#ifndef VIEWER_SQL_ASK_H
#define VIEWER_SQL_ASK_H

#include <ktrace/sql.h>

#include "base/query_limits.h"
#include "base/viewer.h"
#include "base/when.h"
#include "clickhouse/clickhouse.h"

enum show_mode { SHOW_TABLE, SHOW_CSV, SHOW_JSON, SHOW_LIST, SHOW_LINE, SHOW_NR };

/**
 * struct parameter - a value for statements
 * @name:	its name, without the character in front
 * @value:	as it was given
 * @is_used:	a statement had it
 */
struct parameter {
	char *name;
	char *value;
	bool is_used;
};

/**
 * struct ask - one run of the command
 * @opts:	of the library
 * @limits:	of statements
 * @since:	files of --store before it are not read
 * @until:	... and those from then on
 * @file:	with the statements, NULL = none
 * @is_json:	--json
 * @is_csv:	--csv
 * @wants_schema: print the documented schema
 * @store:	ask this instead of files, if it has a URL
 * @query:	the statements on the command line, NULL = none
 * @mode:	how rows are shown
 * @has_heads:	table, list: with names of columns
 * @parameters:	values for statements
 * @parameter_nr: their number
 * @set:	the files
 * @sql:	their tables
 * @out:	output
 * @status:	exit status so far
 */
struct ask {
	struct ktrace_sql_options opts;
	struct query_limits limits;
	struct when since;
	struct when until;
	const char *file;
	bool is_json;
	bool is_csv;
	bool wants_schema;
	struct clickhouse_options store;
	const char *query;
	enum show_mode mode;
	bool has_heads;
	struct parameter *parameters;
	size_t parameter_nr;
	struct ktrace_traceset *set;
	struct ktrace_sql *sql;
	struct ktrace_out *out;
	int status;
};

extern const char *const show_names[];

/* Sets a parameter: NAME=VALUE. Return: NULL, or what is wrong. */
const char *ask_set_parameter(struct ask *a, const char *text);
/* Runs all statements of a text; @name: of the file, NULL = none. Return: false after an error. */
bool ask_run(struct ask *a, const char *text, const char *name);
/* Reports parameters that no statement had. */
void ask_complain(struct ask *a);
void ask_free(struct ask *a);

/**
 * struct row_source - where rows come from
 * @columns:	returns their number of columns
 * @column:	returns the name of a column
 * @step:	goes to the next row: 1, 0 after the last one, -errno
 * @value:	gets a value of the row
 */
struct row_source {
	int (*columns)(const struct row_source *s);
	const char *(*column)(const struct row_source *s, int i);
	int (*step)(struct row_source *s);
	void (*value)(const struct row_source *s, int i, struct ktrace_sql_value *out);
};

/* Shows all rows. Return: 0, -errno of reading or writing. */
int show_rows(struct ask *a, struct row_source *from);

/* Runs a statement in the store, shows its rows, and reports errors. */
void remote_run(struct ask *a, const char *text);

/* Reads standard input: statements, and commands with a dot. */
void shell_run(struct ask *a);
/* True if a line begins with the name of a command with a dot. */
bool shell_is_command(const char *line);
/* Runs such a line. Return: false after an error, which is reported. */
bool shell_run_command(struct ask *a, const char *line);
/* Returns the name of command number @i, with its dot; NULL after the last. */
const char *shell_command(size_t i);

/* Lists the tables, those of event types last. */
void schema_tables(struct ask *a);
/* Shows the columns of a table, or of all; false = there is no such table. */
bool schema_show(struct ask *a, const char *name);
/* Prints the tables that are in all files as Markdown. */
void schema_document(struct ask *a);

#endif
