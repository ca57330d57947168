/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * table.h - virtual tables: a class has the functions, a table the columns
 *
 * table.c does what all have in common: which conditions go down, what EXPLAIN QUERY PLAN shows,
 * the values of conditions. Conditions that go down only leave out rows: SQLite checks each row
 * again, so a class need not apply them exactly, and never leaves out a row that meets them.
 */
#ifndef KTRACE_SQL_TABLE_H
#define KTRACE_SQL_TABLE_H

#include <sqlite3.h>

#include "condition.h"

struct ktrace_out;
struct ktrace_sql;
struct cursor;

/* Which conditions on a column go down */
#define PUSH_EQUAL (1u << OP_EQ)
#define PUSH_RANGE (1u << OP_EQ | 1u << OP_GT | 1u << OP_GE | 1u << OP_LT | 1u << OP_LE)
#define PUSH_NUMBER (PUSH_RANGE | 1u << OP_NE)
#define PUSH_PATTERN (PUSH_EQUAL | 1u << OP_GLOB | 1u << OP_LIKE)

/**
 * struct column - a column of a table
 * @name:	its name
 * @type:	SQLite's type; "" = values of different types
 * @doc:	what it means
 * @push:	PUSH_*
 */
struct column {
	const char *name;
	const char *type;
	const char *doc;
	__u32 push;
};

/**
 * enum table_cost - how much reading a table takes
 * @COST_FACTS:	nothing: it is known
 * @COST_EVENTS: events, all or those of a range of time
 * @COST_ALL:	all events, whatever the conditions
 */
enum table_cost { COST_FACTS, COST_EVENTS, COST_ALL };

/**
 * struct table_class - functions of a kind of table
 * @cursor_size: bytes of its cursors, which begin with struct cursor
 * @cost:	enum table_cost
 * @time:	a column in whose order rows come; conditions on it bound what is read; -1 = none
 * @ns:		another one, the same time since the start of the traceset; -1 = none
 * @filter:	begin with new conditions, also again. Return: 0, -errno
 * @next:	go to the next row. Return: 1, 0 after the last, -errno
 * @column:	the value of a column; sets the result's error without memory
 * @close:	free what the cursor has; may be NULL
 */
struct table_class {
	size_t cursor_size;
	enum table_cost cost;
	int time;
	int ns;
	int (*filter)(struct cursor *c);
	int (*next)(struct cursor *c);
	void (*column)(struct cursor *c, sqlite3_context *to, int column);
	void (*close)(struct cursor *c);
};

/**
 * struct table - a table
 * @class:	its functions
 * @name:	its name
 * @doc:	what a row is
 * @columns:	its columns
 * @nr:		number of columns
 * @data:	for the class
 * @sql:	whose it is
 */
struct table {
	const struct table_class *class;
	const char *name;
	const char *doc;
	const struct column *columns;
	int nr;
	const void *data;
	struct ktrace_sql *sql;
};

/**
 * struct cursor - a table being read
 * @base:	SQLite's
 * @table:	the table
 * @conditions:	those that went down
 * @row:	number of the current row
 * @is_end:	there is no current row
 */
struct cursor {
	sqlite3_vtab_cursor base;
	const struct table *table;
	struct conditions conditions;
	sqlite3_int64 row;
	bool is_end;
};

/* Registers a table, which has to outlive the database. Return: 0, -ENOMEM. */
int ktrace_table_add(struct table *table, sqlite3 *db);

/* True if a column of the cursor's table has conditions. */
bool ktrace_cursor_has(const struct cursor *c, int column);
/* True unless a condition on an integer column, or a text column, cannot be met. */
bool ktrace_cursor_takes(const struct cursor *c, int column, __s64 value);
bool ktrace_cursor_takes_text(const struct cursor *c, int column, const char *text);
/* Bounds a time since the epoch by the conditions on the columns @time and @ns of the class. */
void ktrace_cursor_window(const struct cursor *c, __u64 *from, __u64 *to);

/* Results: a time, which no 64 bits of SQLite can exceed; text that need not be UTF-8 */
void ktrace_result_time(sqlite3_context *to, __u64 time);
void ktrace_result_text(sqlite3_context *to, struct ktrace_out *cell, const char *text, size_t n);
/* NULL: the column is NULL. */
void ktrace_result_string(sqlite3_context *to, struct ktrace_out *cell, const char *text);
/* The text in @cell, which becomes empty */
void ktrace_result_cell(sqlite3_context *to, struct ktrace_out *cell);

#endif
