// SPDX-License-Identifier: LGPL-2.1
/*
 * span_join.c - a virtual table of the intersections of two tables of intervals
 *
 * Rows of both tables are taken in order of partition and time. A row that is taken meets the open
 * intervals of the other table, each a row of the result, and then is an open interval of its own.
 * Intervals that have ended are dropped as rows are taken, so that all that are open do overlap.
 */
#include "span_join.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "span_table.h"
#include "sql.h"

/* Tables may be made of each other, even in a circle. */
#define DEPTH_MAX 8

/* struct interval - a row of one table; @values are those of its statement */
struct interval {
	sqlite3_int64 from;
	sqlite3_int64 to;
	int nr;
	sqlite3_value *values[];
};

/* struct intervals - a list of them */
struct intervals {
	struct interval **at;
	size_t nr;
	size_t cap;
};

/**
 * struct join_cursor - reading it
 * @base:	SQLite's
 * @statements:	of the two tables
 * @next:	their next rows; NULL = none
 * @open:	their open intervals
 * @taken:	the row that meets those of the other table; NULL = none
 * @side:	whose it is
 * @met:	how many it has met
 * @row:	number of the current row
 */
struct join_cursor {
	sqlite3_vtab_cursor base;
	sqlite3_stmt *statements[2];
	struct interval *next[2];
	struct intervals open[2];
	struct interval *taken;
	int side;
	size_t met;
	sqlite3_int64 row;
};

static struct span_table *join_of(const struct join_cursor *c)
{
	return (struct span_table *)c->base.pVtab;
}

static void free_interval(struct interval *i)
{
	int k;

	for (k = 0; i && k < i->nr; k++)
		sqlite3_value_free(i->values[k]);
	free(i);
}

static void empty(struct intervals *list)
{
	while (list->nr)
		free_interval(list->at[--list->nr]);
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	(void)base;
	info->estimatedCost = 1e9;
	info->estimatedRows = 1000000;
	return SQLITE_OK;
}

/* Orders values as SQLite does with BINARY; NULL is equal to NULL. */
static int compare(sqlite3_value *a, sqlite3_value *b)
{
	static const int order[] = {
		[SQLITE_NULL] = 0, [SQLITE_INTEGER] = 1, [SQLITE_FLOAT] = 1, [SQLITE_TEXT] = 2,
		[SQLITE_BLOB] = 3,
	};
	const int x = sqlite3_value_type(a), y = sqlite3_value_type(b);
	int n, m, is;

	if (order[x] != order[y] || x == SQLITE_NULL)
		return order[x] - order[y];
	if (x == SQLITE_INTEGER && y == SQLITE_INTEGER)
		return (sqlite3_value_int64(a) > sqlite3_value_int64(b)) -
		       (sqlite3_value_int64(a) < sqlite3_value_int64(b));
	if (order[x] == 1)
		return (sqlite3_value_double(a) > sqlite3_value_double(b)) -
		       (sqlite3_value_double(a) < sqlite3_value_double(b));
	n = sqlite3_value_bytes(a);
	m = sqlite3_value_bytes(b);
	is = n && m ? memcmp(sqlite3_value_blob(a), sqlite3_value_blob(b),
			     (size_t)(n < m ? n : m)) : 0;
	return is ? is : n - m;
}

static int compare_partitions(const struct span_table *join, const struct interval *a,
			      const struct interval *b)
{
	int i, is = 0;

	for (i = 0; i < join->partition_nr && !is; i++)
		is = compare(a->values[2 + i], b->values[2 + i]);
	return is;
}

/* True for an interval that can overlap another one of its partition. */
static bool is_usable(const struct span_table *join, const struct interval *i)
{
	int k;

	for (k = 0; k < join->partition_nr; k++)
		if (sqlite3_value_type(i->values[2 + k]) == SQLITE_NULL)
			return false;
	return sqlite3_value_type(i->values[0]) != SQLITE_NULL && i->from < i->to;
}

/* Copies the current row of a statement; NULL without memory. */
static struct interval *copy_row(sqlite3_stmt *statement)
{
	const int nr = sqlite3_column_count(statement);
	struct interval *i = calloc(1, sizeof(*i) + (size_t)nr * sizeof(i->values[0]));

	for (; i && i->nr < nr; i->nr++) {
		i->values[i->nr] = sqlite3_value_dup(sqlite3_column_value(statement, i->nr));
		if (!i->values[i->nr]) {
			free_interval(i);
			return NULL;
		}
	}
	if (!i)
		return NULL;
	i->from = sqlite3_value_int64(i->values[0]);
	i->to = sqlite3_value_type(i->values[1]) == SQLITE_NULL ? INT64_MAX :
		sqlite3_value_int64(i->values[1]);
	return i;
}

/* Reads the next usable row of a table. Returns a result of SQLite. */
static int read_next(struct join_cursor *c, int side)
{
	int result;

	c->next[side] = NULL;
	while ((result = sqlite3_step(c->statements[side])) == SQLITE_ROW) {
		c->next[side] = copy_row(c->statements[side]);
		if (!c->next[side])
			return SQLITE_NOMEM;
		if (is_usable(join_of(c), c->next[side]))
			return SQLITE_OK;
		free_interval(c->next[side]);
		c->next[side] = NULL;
	}
	return result == SQLITE_DONE ? SQLITE_OK : result;
}

/* Drops what has ended before an interval begins, or is of another partition. */
static void drop_ended(struct join_cursor *c, const struct interval *by)
{
	struct intervals *list;
	struct interval *i;
	size_t k, kept;

	for (list = c->open; list < c->open + 2; list++) {
		for (k = kept = 0; k < list->nr; k++) {
			i = list->at[k];
			if (i->to <= by->from || compare_partitions(join_of(c), i, by))
				free_interval(i);
			else
				list->at[kept++] = i;
		}
		list->nr = kept;
	}
}

/* Takes the row that begins first, of the first partition. Returns a result of SQLite. */
static int take(struct join_cursor *c)
{
	struct interval *a = c->next[0], *b = c->next[1];
	int is = a && b ? compare_partitions(join_of(c), a, b) : a ? -1 : 1;

	if (a && b && !is)
		is = (a->from > b->from) - (a->from < b->from);
	c->side = is > 0;
	c->taken = c->next[c->side];
	c->met = 0;
	if (!c->taken)
		return SQLITE_OK;
	drop_ended(c, c->taken);
	return read_next(c, c->side);
}

/* Lets the row that was taken be an open interval. */
static int put_back(struct join_cursor *c)
{
	struct intervals *list = &c->open[c->side];

	if (!LIST_GROW(list->at, list->nr, list->cap))
		return SQLITE_NOMEM;
	list->at[list->nr++] = c->taken;
	c->taken = NULL;
	return SQLITE_OK;
}

/*
 * Enters the reading of a table. Tables of each other, in a circle, would read each other without
 * end. Returns a result of SQLite.
 */
static int enter(struct join_cursor *c)
{
	struct ktrace_sql *sql = join_of(c)->sql;

	if (sql->depth >= DEPTH_MAX) {
		sqlite3_free(c->base.pVtab->zErrMsg);
		c->base.pVtab->zErrMsg = sqlite3_mprintf(SPAN_JOIN ": too many of each other");
		return SQLITE_ERROR;
	}
	sql->depth++;
	return SQLITE_OK;
}

static int step(struct join_cursor *c)
{
	int result = SQLITE_OK;

	c->row++;
	c->met++;
	while (c->taken && c->met > c->open[!c->side].nr && result == SQLITE_OK) {
		result = put_back(c);
		if (result == SQLITE_OK)
			result = take(c);
		c->met++;
	}
	return result;
}

static int next(sqlite3_vtab_cursor *base)
{
	struct join_cursor *c = (struct join_cursor *)base;
	int result = enter(c);

	if (result != SQLITE_OK)
		return result;
	result = step(c);
	join_of(c)->sql->depth--;
	return result;
}

static void end(struct join_cursor *c)
{
	int i;

	for (i = 0; i < 2; i++) {
		sqlite3_finalize(c->statements[i]);
		c->statements[i] = NULL;
		free_interval(c->next[i]);
		c->next[i] = NULL;
		empty(&c->open[i]);
	}
	free_interval(c->taken);
	c->taken = NULL;
}

static int start(struct join_cursor *c)
{
	struct span_table *join = join_of(c);
	int i, result = SQLITE_OK;

	for (i = 0; i < 2 && result == SQLITE_OK; i++)
		result = sqlite3_prepare_v2(join->sql->db, join->texts[i], -1, &c->statements[i],
					    NULL);
	for (i = 0; i < 2 && result == SQLITE_OK; i++)
		result = read_next(c, i);
	if (result == SQLITE_OK)
		result = take(c);
	if (result == SQLITE_OK && c->taken)
		result = step(c);
	return result;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *text, int argc,
		  sqlite3_value **values)
{
	struct join_cursor *c = (struct join_cursor *)base;
	struct ktrace_sql *sql = join_of(c)->sql;
	int result;

	(void)number;
	(void)text;
	(void)argc;
	(void)values;
	end(c);
	c->row = 0;
	result = enter(c);
	if (result != SQLITE_OK)
		return result;
	result = start(c);
	sql->depth--;
	if (result != SQLITE_OK && result != SQLITE_NOMEM && result != SQLITE_INTERRUPT) {
		sqlite3_free(base->pVtab->zErrMsg);
		base->pVtab->zErrMsg = sqlite3_mprintf(SPAN_JOIN ": %s", sqlite3_errmsg(sql->db));
	}
	return result;
}

static int at_end(sqlite3_vtab_cursor *base)
{
	return !((struct join_cursor *)base)->taken;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *to, int i)
{
	const struct join_cursor *c = (struct join_cursor *)base;
	const struct span_table *join = join_of(c);
	const struct interval *rows[2], *own = c->taken;
	const struct interval *other = c->open[!c->side].at[c->met - 1];
	const sqlite3_int64 until = own->to < other->to ? own->to : other->to;
	int k;

	rows[c->side] = own;
	rows[!c->side] = other;
	if (i == 0)
		sqlite3_result_int64(to, own->from);
	else if (i == 1 && until != INT64_MAX)
		sqlite3_result_int64(to, until);
	else if (i == 2 && until != INT64_MAX)
		sqlite3_result_int64(to, until - own->from);
	k = i - 3;
	if (k >= 0 && k < join->partition_nr)
		sqlite3_result_value(to, own->values[2 + k]);
	k -= join->partition_nr;
	if (k >= 0)
		sqlite3_result_value(to, rows[join->sources[k].side]->
				     values[join->sources[k].column]);
	return SQLITE_OK;
}

static int row_number(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	*out = ((struct join_cursor *)base)->row;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
	struct join_cursor *c = calloc(1, sizeof(*c));

	(void)base;
	if (!c)
		return SQLITE_NOMEM;
	*out = &c->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	struct join_cursor *c = (struct join_cursor *)base;

	end(c);
	free(c->open[0].at);
	free(c->open[1].at);
	free(c);
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.iVersion = 1,
	.xCreate = ktrace_span_table_connect,
	.xConnect = ktrace_span_table_connect,
	.xBestIndex = best_index,
	.xDisconnect = ktrace_span_table_disconnect,
	.xDestroy = ktrace_span_table_disconnect,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = filter,
	.xNext = next,
	.xEof = at_end,
	.xColumn = column,
	.xRowid = row_number,
};

int ktrace_span_join_add(struct ktrace_sql *sql)
{
	return sqlite3_create_module(sql->db, SPAN_JOIN, &module, sql) == SQLITE_OK ? 0 : -ENOMEM;
}
