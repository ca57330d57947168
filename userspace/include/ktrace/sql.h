/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * sql.h - ask a traceset with SQL, in place
 *
 * Tables are virtual: a query reads the files, nothing is copied. Documentation/sql.md lists the
 * tables. Conditions on time, event type, CPU and thread go down into the reader, as EXPLAIN QUERY
 * PLAN shows. Each table of a query reads the files by itself, from their state when it begins.
 *
 *	ktrace_sql_open(set, NULL, &sql);
 *	ktrace_sql_prepare(sql, "SELECT tid, count(*) FROM events GROUP BY tid", &query, NULL);
 *	while (ktrace_sql_step(query) == 1)
 *		ktrace_sql_value(query, 0, &value);
 *	ktrace_sql_finish(query);
 *
 * Queries read only: the only things they can make are temporary tables and views. Queries may be
 * hostile, if a time and a memory limit are set.
 *
 * Not installed yet: the command, Python and the page are built with it. Functions return 0 (or a
 * count) or -errno. A struct ktrace_sql is used by one thread.
 */
#ifndef KTRACE_SQL_H
#define KTRACE_SQL_H

#include <ktrace/traceset.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ktrace_sql;
struct ktrace_sql_query;

/**
 * struct ktrace_sql_options - may be NULL for the defaults
 * @size:	sizeof(struct ktrace_sql_options)
 * @cores:	of the readers
 * @report:	called once for each damage that reading finds; may be NULL
 * @progress:	called while a table is read: @at is between @from and @until, all ns since the
 *		epoch, after @events more events; may be NULL
 * @arg:	for @report and @progress
 * @time_ms:	a query ends with -ETIME after this time; 0 = no limit
 * @memory:	bytes that SQLite may use, in this process; 0 = no limit
 */
struct ktrace_sql_options {
	size_t size;
	enum ktrace_cores cores;
	void (*report)(void *arg, const struct ktrace_damage *damage);
	void (*progress)(void *arg, __u64 from, __u64 until, __u64 at, __u64 events);
	void *arg;
	__u64 time_ms;
	__u64 memory;
};

/**
 * ktrace_sql_open - prepare to ask a traceset
 * @set:	the traceset; must outlive @out. Its files are opened again; its clocks are used
 * @opts:	options
 * @out:	for queries
 *
 * Event types that the files get later have no table of their own.
 *
 * Return: 0, -ENOMEM, -EINVAL if the size of @opts is unknown, or as ktrace_traceset_reopen().
 */
int ktrace_sql_open(struct ktrace_traceset *set, const struct ktrace_sql_options *opts,
		    struct ktrace_sql **out);

/** ktrace_sql_close - free everything; all queries must be finished; NULL is allowed */
void ktrace_sql_close(struct ktrace_sql *sql);

/**
 * ktrace_sql_prepare - compile the first statement of a text
 * @sql:	from ktrace_sql_open()
 * @text:	the text
 * @out:	the query; NULL if the text has no statement
 * @rest:	out: what follows the statement; may be NULL
 *
 * Return: 0, -EINVAL if it is wrong, -EPERM if it would write, -ENOMEM; see ktrace_sql_error().
 */
int ktrace_sql_prepare(struct ktrace_sql *sql, const char *text, struct ktrace_sql_query **out,
		       const char **rest);

/** ktrace_sql_finish - free a query; NULL is allowed */
void ktrace_sql_finish(struct ktrace_sql_query *query);

/**
 * ktrace_sql_error - get the message of the last failure
 * @sql:	from ktrace_sql_open()
 * @offset:	out: where in the text, -1 = unknown; may be NULL
 */
const char *ktrace_sql_error(const struct ktrace_sql *sql, int *offset);

enum ktrace_sql_type {
	KTRACE_SQL_NULL,
	KTRACE_SQL_INTEGER,
	KTRACE_SQL_REAL,
	KTRACE_SQL_TEXT,
	KTRACE_SQL_BLOB,
};

/**
 * struct ktrace_sql_value - a value of a row or a parameter
 * @type:	enum ktrace_sql_type
 * @integer:	INTEGER
 * @real:	REAL
 * @bytes:	TEXT, followed by a NUL, or BLOB; valid until the next step
 * @len:	of @bytes
 */
struct ktrace_sql_value {
	enum ktrace_sql_type type;
	__s64 integer;
	double real;
	const char *bytes;
	size_t len;
};

/**
 * ktrace_sql_bind - set a parameter
 * @query:	the query, before its first step
 * @name:	as in the text: ":tid", or "tid" for any of :tid, @tid and $tid
 * @value:	the value
 *
 * Return: 0, -ENOENT if the query has no such parameter, -ENOMEM.
 */
int ktrace_sql_bind(struct ktrace_sql_query *query, const char *name,
		    const struct ktrace_sql_value *value);

/** ktrace_sql_parameters - get the number of parameters */
int ktrace_sql_parameters(const struct ktrace_sql_query *query);

/** ktrace_sql_parameter - get the name of parameter number @i, such as ":tid"; NULL = "?" */
const char *ktrace_sql_parameter(const struct ktrace_sql_query *query, int i);

/** ktrace_sql_columns - get the number of columns of a query's result */
int ktrace_sql_columns(const struct ktrace_sql_query *query);

/** ktrace_sql_column - get the name of a column */
const char *ktrace_sql_column(const struct ktrace_sql_query *query, int i);

/**
 * ktrace_sql_step - get the next row
 *
 * Return: 1, 0 after the last row, -EINVAL for an error of the query, -ETIME, -ENOMEM, -ENOSPC or
 * -EIO for temporary files, or -errno of reading; see ktrace_sql_error().
 */
int ktrace_sql_step(struct ktrace_sql_query *query);

/** ktrace_sql_value - get a value of the current row */
void ktrace_sql_value(const struct ktrace_sql_query *query, int i, struct ktrace_sql_value *out);

/**
 * struct ktrace_sql_array - where ktrace_sql_fetch() puts a column; any member may be NULL
 * @types:	enum ktrace_sql_type of each row
 * @integers:	INTEGER, or REAL without its fraction; otherwise 0
 * @reals:	REAL or INTEGER; otherwise 0
 * @ends:	offset in @bytes of the end of each row's TEXT or BLOB
 * @bytes:	texts, one after the other, without NUL
 * @room:	of @bytes
 */
struct ktrace_sql_array {
	__u8 *types;
	__s64 *integers;
	double *reals;
	__u64 *ends;
	char *bytes;
	size_t room;
};

/**
 * ktrace_sql_fetch - get many rows, column by column
 * @query:	the query
 * @arrays:	one for each column
 * @max:	rows for which the arrays have room
 *
 * Stops early if the texts of a row do not fit; that row is the first one of the next call.
 *
 * Return: number of rows, 0 after the last one; -ENOBUFS if the texts of the first row do not fit;
 * otherwise as ktrace_sql_step().
 */
int ktrace_sql_fetch(struct ktrace_sql_query *query, const struct ktrace_sql_array *arrays,
		     int max);

/**
 * struct ktrace_sql_stats - what reading met since the last statement was prepared
 * @lost:	lost events, by reason; of the table that met most
 * @backwards:	events with a stamp below their predecessor's: conditions on time took them where
 *		they are in the file
 * @damaged:	calls of @report, since ktrace_sql_open()
 * @deep_slices: slices that are left out, because 4096 others of their thread were open; of the
 *		table that met most
 */
struct ktrace_sql_stats {
	__u64 lost[KTRACE_LOST_NR];
	__u64 backwards;
	__u64 damaged;
	__u64 deep_slices;
};

/** ktrace_sql_stats - get what reading met */
void ktrace_sql_stats(const struct ktrace_sql *sql, struct ktrace_sql_stats *stats);

/**
 * struct ktrace_sql_table - a table or view
 * @name:	its name
 * @doc:	what a row is
 * @is_event:	the table of an event type of these files
 * @view:	text of a view, NULL = a table
 */
struct ktrace_sql_table {
	const char *name;
	const char *doc;
	bool is_event;
	const char *view;
};

/** struct ktrace_sql_column_info - a column of a table: name, SQLite's type or "", meaning */
struct ktrace_sql_column_info {
	const char *name;
	const char *type;
	const char *doc;
};

/** ktrace_sql_table - get table number @i; false after the last */
bool ktrace_sql_table(const struct ktrace_sql *sql, size_t i, struct ktrace_sql_table *table);

/** ktrace_sql_table_column - get column @k of table @i, which is no view; false after the last */
bool ktrace_sql_table_column(const struct ktrace_sql *sql, size_t i, size_t k,
			     struct ktrace_sql_column_info *column);

/** struct ktrace_sql_function - a function that SQLite does not have: name, arguments, meaning */
struct ktrace_sql_function {
	const char *name;
	const char *args;
	const char *doc;
};

/** ktrace_sql_function - get function number @i; false after the last */
bool ktrace_sql_function(size_t i, struct ktrace_sql_function *function);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
