// SPDX-License-Identifier: LGPL-2.1
/* query.c - statements, their parameters and rows */
#include "sql.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

/**
 * struct ktrace_sql_query - a statement
 * @sql:	the database
 * @statement:	SQLite's
 * @has_row:	a row was read that ktrace_sql_fetch() could not store
 * @is_over:	the last row was read, or a step failed: SQLite would begin again
 */
struct ktrace_sql_query {
	struct ktrace_sql *sql;
	sqlite3_stmt *statement;
	bool has_row;
	bool is_over;
};

static int set_error(struct ktrace_sql *sql, int error, const char *message)
{
	snprintf(sql->message, sizeof(sql->message), "%s", message);
	return sql->error = error;
}

/* Takes SQLite's last result as an error. Return: -errno. */
static int take_error(struct ktrace_sql *sql, int result)
{
	const int error = sql->error;

	sql->offset = sqlite3_error_offset(sql->db);
	if (sql->is_late)
		return set_error(sql, -ETIME, "it took longer than allowed");
	if (result == SQLITE_NOMEM)
		return set_error(sql, -ENOMEM, sql->opts.memory ?
				 "it needs more memory than allowed, or than there is" :
				 "out of memory");
	if (result == SQLITE_AUTH)
		return set_error(sql, -EPERM, "queries read only: tables and views have to be "
				 "temporary, and this is not allowed at all or not here");
	if (!error && result == SQLITE_FULL)
		return set_error(sql, -ENOSPC, "there is no room for temporary files");
	if (!error && (result & 0xff) == SQLITE_IOERR)
		return set_error(sql, -EIO, sqlite3_errmsg(sql->db));
	return set_error(sql, error ? error : -EINVAL, sqlite3_errmsg(sql->db));
}

static void begin(struct ktrace_sql *sql)
{
	const __u64 damaged = sql->stats.damaged;

	sql->stats = (struct ktrace_sql_stats){ .damaged = damaged };
	sql->error = 0;
	sql->offset = -1;
	sql->message[0] = '\0';
	sql->is_late = false;
	sql->deadline = sql->opts.time_ms ? now_ns() + sql->opts.time_ms * NS_PER_MS : 0;
}

int ktrace_sql_prepare(struct ktrace_sql *sql, const char *text, struct ktrace_sql_query **out,
		       const char **rest)
{
	struct ktrace_sql_query *query = calloc(1, sizeof(*query));
	const char *tail = NULL;
	int result;

	*out = NULL;
	begin(sql);
	if (!query)
		return set_error(sql, -ENOMEM, "out of memory");
	query->sql = sql;
	result = sqlite3_prepare_v2(sql->db, text, -1, &query->statement, &tail);
	if (rest)
		*rest = tail ? tail : text + strlen(text);
	if (result != SQLITE_OK || !query->statement) {
		free(query);
		return result == SQLITE_OK ? 0 : take_error(sql, result);
	}
	*out = query;
	return 0;
}

void ktrace_sql_finish(struct ktrace_sql_query *query)
{
	if (!query)
		return;
	sqlite3_finalize(query->statement);
	free(query);
}

/* Returns the number of a parameter, 0 = there is none. */
static int find_parameter(const struct ktrace_sql_query *query, const char *name)
{
	const int nr = sqlite3_bind_parameter_count(query->statement);
	const char *is;
	int i;

	for (i = 1; i <= nr; i++) {
		is = sqlite3_bind_parameter_name(query->statement, i);
		if (is && (!strcmp(is, name) || !strcmp(is + 1, name)))
			return i;
	}
	return 0;
}

int ktrace_sql_bind(struct ktrace_sql_query *query, const char *name,
		    const struct ktrace_sql_value *value)
{
	const int i = find_parameter(query, name);
	int result = SQLITE_OK;

	if (!i)
		return -ENOENT;
	switch (value->type) {
	case KTRACE_SQL_NULL:
		result = sqlite3_bind_null(query->statement, i);
		break;
	case KTRACE_SQL_INTEGER:
		result = sqlite3_bind_int64(query->statement, i, value->integer);
		break;
	case KTRACE_SQL_REAL:
		result = sqlite3_bind_double(query->statement, i, value->real);
		break;
	case KTRACE_SQL_TEXT:
		result = sqlite3_bind_text64(query->statement, i, value->bytes, value->len,
					     SQLITE_TRANSIENT, SQLITE_UTF8);
		break;
	case KTRACE_SQL_BLOB:
		result = sqlite3_bind_blob64(query->statement, i, value->bytes, value->len,
					     SQLITE_TRANSIENT);
		break;
	}
	return result == SQLITE_OK ? 0 : take_error(query->sql, result);
}

int ktrace_sql_parameters(const struct ktrace_sql_query *query)
{
	return sqlite3_bind_parameter_count(query->statement);
}

const char *ktrace_sql_parameter(const struct ktrace_sql_query *query, int i)
{
	return sqlite3_bind_parameter_name(query->statement, i + 1);
}

int ktrace_sql_columns(const struct ktrace_sql_query *query)
{
	return sqlite3_column_count(query->statement);
}

const char *ktrace_sql_column(const struct ktrace_sql_query *query, int i)
{
	const char *name = sqlite3_column_name(query->statement, i);

	return name ? name : "?";
}

int ktrace_sql_step(struct ktrace_sql_query *query)
{
	int result;

	if (query->has_row) {
		query->has_row = false;
		return 1;
	}
	if (query->is_over)
		return 0;
	result = sqlite3_step(query->statement);
	query->is_over = result != SQLITE_ROW;
	return result == SQLITE_ROW ? 1 : result == SQLITE_DONE ? 0 :
	       take_error(query->sql, result);
}

void ktrace_sql_value(const struct ktrace_sql_query *query, int i, struct ktrace_sql_value *out)
{
	sqlite3_stmt *s = query->statement;

	*out = (struct ktrace_sql_value){ .type = KTRACE_SQL_NULL };
	switch (sqlite3_column_type(s, i)) {
	case SQLITE_INTEGER:
		out->type = KTRACE_SQL_INTEGER;
		out->integer = sqlite3_column_int64(s, i);
		break;
	case SQLITE_FLOAT:
		out->type = KTRACE_SQL_REAL;
		out->real = sqlite3_column_double(s, i);
		break;
	case SQLITE_TEXT:
		out->type = KTRACE_SQL_TEXT;
		out->bytes = (const char *)sqlite3_column_text(s, i);
		out->len = (size_t)sqlite3_column_bytes(s, i);
		break;
	case SQLITE_BLOB:
		out->type = KTRACE_SQL_BLOB;
		out->bytes = sqlite3_column_blob(s, i);
		out->len = (size_t)sqlite3_column_bytes(s, i);
		break;
	}
	if (!out->bytes)
		out->bytes = "";
}

/* Stores a value as row @row of an array. Return: false = its text does not fit. */
static bool store(const struct ktrace_sql_query *query, int i, const struct ktrace_sql_array *a,
		  int row)
{
	const __u64 from = a->ends && row ? a->ends[row - 1] : 0;
	struct ktrace_sql_value v;

	ktrace_sql_value(query, i, &v);
	if (a->ends && v.len > a->room - from)
		return false;
	if (a->types)
		a->types[row] = (__u8)v.type;
	if (a->integers)
		a->integers[row] = v.type != KTRACE_SQL_REAL ? v.integer :
				   sqlite3_column_int64(query->statement, i);
	if (a->reals)
		a->reals[row] = v.type == KTRACE_SQL_INTEGER ? (double)v.integer : v.real;
	if (a->ends)
		a->ends[row] = from + v.len;
	if (a->ends && a->bytes && v.len)
		memcpy(a->bytes + from, v.bytes, v.len);
	return true;
}

int ktrace_sql_fetch(struct ktrace_sql_query *query, const struct ktrace_sql_array *arrays, int max)
{
	const int columns = ktrace_sql_columns(query);
	int row, i, ret;

	for (row = 0; row < max; row++) {
		ret = ktrace_sql_step(query);
		if (ret < 1)
			return ret < 0 ? ret : row;
		for (i = 0; i < columns; i++) {
			if (store(query, i, &arrays[i], row))
				continue;
			query->has_row = true;
			return row ? row : -ENOBUFS;
		}
	}
	return row;
}
