// SPDX-License-Identifier: GPL-2.0
/*
 * batch.c - rows of files on their way to ClickHouse, each of which counts once
 *
 *   1. rows are added to the table "rows::NAME", each with the number of its load, a random one
 *   2. the load is added to the table "loads"
 *
 * The view NAME shows only rows of loads that are in "loads", and if a file has several there, of
 * one of them. So a load that stops anywhere, or two programs that load a file at a time, make rows
 * that nobody sees. A load that failed is never continued: whether the server has done what it did
 * not confirm cannot be known.
 */
#include "batch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/grow.h"
#include "base/viewer.h"

/* Bytes of all tables that are sent together: servers like few, large inserts. */
#define BATCH_MAX (32u << 20)
#define ROWS_PREFIX "rows::"
#define LOAD ROWS_PREFIX "load"
/* Errors that a column exists, of old servers and of new ones */
#define ILLEGAL_COLUMN 44
#define DUPLICATE_COLUMN 15

static int no_memory(struct batch *b)
{
	b->c->is_refusal = false;
	snprintf(b->c->error, sizeof(b->c->error), "%s", strerror(ENOMEM));
	return -EIO;
}

/* Returns the error of a statement that failed. */
static int failure(const struct batch *b)
{
	return b->c->is_refusal ? -EREMOTEIO : -EIO;
}

static struct ktrace_out begin_text(void)
{
	struct ktrace_out out = { .flush = output_grow };

	out.error = output_grow(&out);
	return out;
}

/* Ends a statement, runs it, and frees it. */
static int run(struct batch *b, struct ktrace_out *statement)
{
	int ret;

	ktrace_out_char(statement, '\0');
	ret = statement->error ? no_memory(b) :
	      clickhouse_do(b->c, statement->buf) ? 0 : failure(b);
	free(statement->buf);
	return ret;
}

int batch_begin(struct batch *b)
{
	static const char loads[] =
		"CREATE TABLE IF NOT EXISTS loads (tbl String, uuid String, part UInt32, "
		"load UInt64, host String, boot String, start Int64, size UInt64, rows UInt64, "
		"loaded UInt32) ENGINE = MergeTree() PARTITION BY tuple() "
		"ORDER BY (uuid, part, tbl, load)";

	return clickhouse_make_database(b->c) && clickhouse_do(b->c, loads) ? 0 : -EIO;
}

static void free_table(struct batch_table *t)
{
	for (size_t i = 0; i < t->column_nr; i++)
		free(t->columns[i].name);
	free(t->columns);
	free(t->name);
	free(t->rows.buf);
}

static void set_type(struct batch_column *column, const char *type)
{
	/* What tables are sorted by must not be NULL. */
	const bool is_key = !strcmp(column->name, "time") || !strcmp(column->name, "host");

	column->is_nullable = !is_key;
	if (!strcmp(type, "INTEGER")) {
		column->scalar = KTRACE_SQL_INTEGER;
		column->type = is_key ? "Int64" : "Nullable(Int64)";
	} else if (!strcmp(type, "REAL")) {
		column->scalar = KTRACE_SQL_REAL;
		column->type = is_key ? "Float64" : "Nullable(Float64)";
	} else {
		column->scalar = KTRACE_SQL_TEXT;
		column->type = is_key ? "String" : "Nullable(String)";
	}
}

/* Takes the columns of a table of a file. Return: 0, -ENOMEM. */
static int describe(struct ktrace_sql *sql, size_t i, struct batch_table *t)
{
	struct ktrace_sql_column_info info;
	struct ktrace_sql_table table;
	size_t cap = 0;

	*t = (struct batch_table){ .rows = begin_text() };
	ktrace_sql_table(sql, i, &table);
	t->name = strdup(table.name);
	while (t->name && ktrace_sql_table_column(sql, i, t->column_nr, &info)) {
		if (!LIST_GROW(t->columns, t->column_nr, cap))
			break;
		t->columns[t->column_nr].name = strdup(info.name);
		if (!t->columns[t->column_nr].name)
			break;
		set_type(&t->columns[t->column_nr++], info.type);
	}
	if (t->name && !ktrace_sql_table_column(sql, i, t->column_nr, &info))
		return 0;
	free_table(t);
	return -ENOMEM;
}

static bool has_column(const struct batch_table *t, const char *name)
{
	for (size_t i = 0; i < t->column_nr; i++)
		if (!strcmp(t->columns[i].name, name))
			return true;
	return false;
}

static bool is_alike(const struct batch_table *a, const struct batch_table *b)
{
	if (strcmp(a->name, b->name) || a->column_nr != b->column_nr)
		return false;
	for (size_t i = 0; i < a->column_nr; i++)
		if (strcmp(a->columns[i].name, b->columns[i].name) ||
		    strcmp(a->columns[i].type, b->columns[i].type))
			return false;
	return true;
}

/*
 * What each table has besides the columns of ktrace sql; a column of these takes the name. The
 * last one's is no name of a field, and what begins with "rows::" none of a type.
 */
static const struct {
	const char *name, *type;
} own_columns[] = {
	{ "host", "String" }, { "boot", "String" }, { "uuid", "String" }, { "part", "UInt32" },
	{ LOAD, "UInt64" },
};
#define OWN_NR (sizeof(own_columns) / sizeof(own_columns[0]))

/* True if a table has own column number @i: a column of ktrace sql has the name otherwise. */
static bool has_own(const struct batch_table *t, size_t i)
{
	return !has_column(t, own_columns[i].name);
}

static void put_rows_name(struct ktrace_out *out, const char *table)
{
	char *name;

	if (asprintf(&name, ROWS_PREFIX "%s", table) < 0) {
		out->error = -ENOMEM;
		return;
	}
	clickhouse_put_name(out, name);
	free(name);
}

/* Writes the names of the columns; the number of the load is last. */
static void put_names(struct ktrace_out *out, const struct batch_table *t)
{
	const char *comma = "";

	for (size_t i = 0; i < t->column_nr; i++, comma = ", ") {
		ktrace_out_str(out, comma);
		clickhouse_put_name(out, t->columns[i].name);
	}
	for (size_t i = 0; i < OWN_NR; i++) {
		if (!has_own(t, i))
			continue;
		ktrace_out_str(out, ", ");
		clickhouse_put_name(out, own_columns[i].name);
	}
}

/*
 * Days are partitions, so that old ones are dropped at once. In a partition, rows are sorted by
 * host and time.
 */
static int make_table(struct batch *b, const struct batch_table *t)
{
	struct ktrace_out out = begin_text();
	const bool has_time = has_column(t, "time");

	ktrace_out_str(&out, "CREATE TABLE IF NOT EXISTS ");
	put_rows_name(&out, t->name);
	ktrace_out_str(&out, " (");
	for (size_t i = 0; i < t->column_nr; i++) {
		clickhouse_put_name(&out, t->columns[i].name);
		ktrace_out_char(&out, ' ');
		ktrace_out_str(&out, t->columns[i].type);
		ktrace_out_str(&out, ", ");
	}
	for (size_t i = 0; i < OWN_NR; i++) {
		if (!has_own(t, i))
			continue;
		clickhouse_put_name(&out, own_columns[i].name);
		ktrace_out_char(&out, ' ');
		ktrace_out_str(&out, own_columns[i].type);
		ktrace_out_str(&out, i < OWN_NR - 1 ? ", " : "");
	}
	ktrace_out_str(&out, ") ENGINE = MergeTree() PARTITION BY ");
	ktrace_out_str(&out, has_time ? "intDiv(time, 86400000000000) ORDER BY (host, time)" :
		       "tuple() ORDER BY host");
	return run(b, &out);
}

static int add_column(struct batch *b, const struct batch_table *t,
		      const struct batch_column *column)
{
	struct ktrace_out out = begin_text();

	ktrace_out_str(&out, "ALTER TABLE ");
	put_rows_name(&out, t->name);
	ktrace_out_str(&out, " ADD COLUMN ");
	clickhouse_put_name(&out, column->name);
	ktrace_out_char(&out, ' ');
	ktrace_out_str(&out, column->type);
	return run(b, &out);
}

/*
 * Asks for the columns of a table or view in the store, called @prefix and the name of the table.
 * Return: 0, and lines "NAME\tTYPE" that the caller frees.
 */
static int ask_columns(struct batch *b, const char *prefix, const struct batch_table *t,
		       char **text)
{
	struct ktrace_out out = begin_text();
	size_t size;
	FILE *to = open_memstream(text, &size);
	bool is_told = false;

	ktrace_out_str(&out, "SELECT name, type FROM system.columns WHERE database = ");
	clickhouse_put_text(&out, b->c->database);
	ktrace_out_str(&out, " AND table = concat(");
	clickhouse_put_text(&out, prefix);
	ktrace_out_str(&out, ", ");
	clickhouse_put_text(&out, t->name);
	ktrace_out_str(&out, ") FORMAT TabSeparatedRaw");
	ktrace_out_char(&out, '\0');
	if (!to || out.error)
		no_memory(b);
	else
		is_told = clickhouse_ask(b->c, out.buf, "", to);
	if (to && fclose(to))
		is_told = false;
	free(out.buf);
	if (is_told)
		return 0;
	if (to)
		free(*text);
	return -EIO;
}

/* Returns the type of a column in the answer of ask_columns(), "" = it is not there. */
static const char *stored_type(const char *text, const char *name, size_t *size)
{
	const size_t length = strlen(name);

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		if (strncmp(text, name, length) || text[length] != '\t')
			continue;
		text += length + 1;
		*size = strcspn(text, "\n");
		return text;
	}
	*size = 0;
	return "";
}

/* Adds a column if it is missing; another process may do so at this time. */
static int fit_column(struct batch *b, const struct batch_table *t,
		      const struct batch_column *column, const char *stored, bool *has_more)
{
	size_t size;
	const char *type = stored_type(stored, column->name, &size);
	int ret;

	if (!size) {
		*has_more = true;
		ret = add_column(b, t, column);
		return ret == -EREMOTEIO && (b->c->code == ILLEGAL_COLUMN ||
					     b->c->code == DUPLICATE_COLUMN) ? 0 : ret;
	}
	if (size == strlen(column->type) && !strncmp(type, column->type, size))
		return 0;
	complain_safely("ktrace load: \"%s\": %s is %s here, %.*s in the store: its rows are left "
			"out", t->name, column->name, column->type, (int)size, type);
	return -EMEDIUMTYPE;
}

/* Makes all columns that a file needs. Return: 0, and the columns as of ask_columns(). */
static int fit_columns(struct batch *b, const struct batch_table *t, char **stored)
{
	bool has_more = true;
	int ret = 0;

	*stored = NULL;
	/* The second look checks those that were added. */
	for (int looks = 0; looks < 2 && has_more && !ret; looks++) {
		free(*stored);
		*stored = NULL;
		has_more = false;
		ret = ask_columns(b, ROWS_PREFIX, t, stored);
		for (size_t i = 0; i < t->column_nr && !ret; i++)
			ret = fit_column(b, t, &t->columns[i], *stored, &has_more);
	}
	if (!ret)
		return 0;
	free(*stored);
	return ret;
}

/* Writes the names of the columns in @stored, which is cut up. True if @shown has not all. */
static bool put_shown(struct ktrace_out *out, char *stored, const char *shown)
{
	const char *comma = "";
	bool lacks = false;
	size_t size;
	char *line;

	while ((line = strsep(&stored, "\n")) && *line) {
		line[strcspn(line, "\t")] = '\0';
		if (!strcmp(line, LOAD))
			continue;
		ktrace_out_str(out, comma);
		clickhouse_put_name(out, line);
		comma = ", ";
		stored_type(shown, line, &size);
		lacks |= !size;
	}
	return lacks;
}

static int drop_view(struct batch *b, const struct batch_table *t)
{
	struct ktrace_out out = begin_text();

	ktrace_out_str(&out, "DROP TABLE IF EXISTS ");
	clickhouse_put_name(&out, t->name);
	return run(b, &out);
}

/*
 * Makes the view of a table with the columns @stored, or makes it again if it has not all: this
 * process, or one that was killed since, has added some.
 */
static int fit_view(struct batch *b, const struct batch_table *t, char *stored)
{
	struct ktrace_out out = begin_text();
	bool lacks, is_there;
	char *shown;
	int ret = ask_columns(b, "", t, &shown);

	if (ret) {
		free(out.buf);
		return ret;
	}
	ktrace_out_str(&out, "CREATE VIEW IF NOT EXISTS ");
	clickhouse_put_name(&out, t->name);
	ktrace_out_str(&out, " AS SELECT ");
	lacks = put_shown(&out, stored, shown);
	is_there = *shown;
	free(shown);
	ktrace_out_str(&out, " FROM ");
	put_rows_name(&out, t->name);
	ktrace_out_str(&out, " WHERE `" LOAD "` IN (SELECT min(load) FROM loads WHERE tbl = ");
	clickhouse_put_text(&out, t->name);
	ktrace_out_str(&out, " GROUP BY uuid, part)");
	ret = lacks && is_there ? drop_view(b, t) : 0;
	if (!ret)
		return run(b, &out);
	free(out.buf);
	return ret;
}

/* Makes the table and its view as a file needs them. */
static int try_prepare(struct batch *b, const struct batch_table *t)
{
	char *stored;
	int ret = make_table(b, t);

	if (!ret)
		ret = fit_columns(b, t, &stored);
	if (ret)
		return ret;
	ret = fit_view(b, t, stored);
	free(stored);
	return ret;
}

/* The same; reports what the server refuses. */
static int prepare(struct batch *b, const struct batch_table *t)
{
	const int ret = try_prepare(b, t);

	if (ret != -EREMOTEIO)
		return ret;
	complain_safely("ktrace load: \"%s\": the server refuses the table: %s: its rows are left "
			"out", t->name, b->c->error);
	return -EMEDIUMTYPE;
}

/* Sends what there is of a table. */
static int send_table(struct batch *b, struct batch_table *t)
{
	struct ktrace_out out;
	int ret;

	if (!t->rows.len)
		return 0;
	out = begin_text();
	ktrace_out_str(&out, "INSERT INTO ");
	put_rows_name(&out, t->name);
	ktrace_out_str(&out, " (");
	put_names(&out, t);
	ktrace_out_str(&out, ") FORMAT RowBinary");
	ktrace_out_char(&out, '\0');
	if (out.error)
		ret = no_memory(b);
	else
		ret = clickhouse_insert(b->c, out.buf, t->rows.buf, t->rows.len) ? 0 : failure(b);
	free(out.buf);
	t->rows.len = 0;
	return ret;
}

static int send_tables(struct batch *b)
{
	int ret = 0;

	for (size_t i = 0; i < b->table_nr && !ret; i++)
		ret = send_table(b, &b->tables[i]);
	return ret;
}

/* Finds or makes the place for a table's rows; takes over @t. NULL: an error, in @ret. */
static struct batch_table *place(struct batch *b, struct batch_table *t, int *ret)
{
	struct batch_table *at = b->tables;

	while (at < b->tables + b->table_nr && strcmp(at->name, t->name))
		at++;
	if (at < b->tables + b->table_nr && is_alike(at, t)) {
		free_table(t);
		return at;
	}
	*ret = prepare(b, t);
	if (!*ret && at < b->tables + b->table_nr) {
		*ret = send_table(b, at);
		if (!*ret)
			free_table(at);
	} else if (!*ret) {
		if (!LIST_GROW(b->tables, b->table_nr, b->table_cap))
			*ret = no_memory(b);
		else
			at = &b->tables[b->table_nr++];
	}
	if (*ret) {
		free_table(t);
		return NULL;
	}
	*at = *t;
	return at;
}

static void put_varint(struct ktrace_out *out, size_t n)
{
	for (; n >= 0x80; n >>= 7)
		ktrace_out_char(out, (char)(n | 0x80));
	ktrace_out_char(out, (char)n);
}

static void put_string(struct ktrace_out *out, const char *text, size_t size)
{
	put_varint(out, size);
	ktrace_out_bytes(out, text, size);
}

/* Numbers of this format are little-endian, as are all machines that ktrace runs on. */
static void put_number(struct ktrace_out *out, const void *number, size_t size)
{
	ktrace_out_bytes(out, number, size);
}

static void put_hex(struct ktrace_out *out, const struct ktrace_sql_value *v)
{
	put_varint(out, 2 * v->len);
	for (size_t i = 0; i < v->len; i++)
		ktrace_out_hex(out, (unsigned char)v->bytes[i], 2);
}

/* Writes a value as text. */
static void put_text(struct ktrace_out *out, const struct ktrace_sql_value *v)
{
	char text[40] = "";

	if (v->type == KTRACE_SQL_BLOB)
		put_hex(out, v);
	else if (v->type == KTRACE_SQL_TEXT)
		put_string(out, v->bytes, v->len);
	else
		put_string(out, text, v->type == KTRACE_SQL_INTEGER ?
			   (size_t)snprintf(text, sizeof(text), "%lld", (long long)v->integer) :
			   v->type == KTRACE_SQL_REAL ?
			   (size_t)snprintf(text, sizeof(text), "%.17g", v->real) : 0);
}

static bool fits(const struct batch_column *column, const struct ktrace_sql_value *v)
{
	return column->scalar == KTRACE_SQL_TEXT || v->type == column->scalar ||
	       (column->scalar == KTRACE_SQL_REAL && v->type == KTRACE_SQL_INTEGER);
}

static void put_value(struct batch_load *load, struct ktrace_out *out,
		      const struct batch_column *column, struct ktrace_sql_value *v)
{
	const bool is_odd = v->type != KTRACE_SQL_NULL && !fits(column, v);
	const bool is_null = is_odd || v->type == KTRACE_SQL_NULL;
	double real;

	load->odd += is_odd;
	if (column->is_nullable)
		ktrace_out_char(out, is_null);
	if (is_null && column->is_nullable)
		return;
	if (is_null)
		*v = (struct ktrace_sql_value){ .type = KTRACE_SQL_NULL };
	if (column->scalar == KTRACE_SQL_INTEGER) {
		put_number(out, &v->integer, sizeof(v->integer));
	} else if (column->scalar == KTRACE_SQL_REAL) {
		real = v->type == KTRACE_SQL_REAL ? v->real : (double)v->integer;
		put_number(out, &real, sizeof(real));
	} else {
		put_text(out, v);
	}
}

static void put_row(struct batch_table *t, struct batch_load *load, struct ktrace_sql_query *query)
{
	const struct message_part *p = &load->part;
	struct ktrace_out *out = &t->rows;
	struct ktrace_sql_value v;

	for (size_t i = 0; i < t->column_nr; i++) {
		ktrace_sql_value(query, (int)i, &v);
		put_value(load, out, &t->columns[i], &v);
	}
	for (size_t i = 0; i < OWN_NR; i++) {
		if (!has_own(t, i))
			continue;
		if (!strcmp(own_columns[i].name, "host"))
			put_string(out, load->host, strlen(load->host));
		else if (!strcmp(own_columns[i].name, "boot"))
			put_string(out, p->boot, strlen(p->boot));
		else if (!strcmp(own_columns[i].name, "uuid"))
			put_string(out, p->uuid, strlen(p->uuid));
		else if (!strcmp(own_columns[i].name, "part"))
			put_number(out, &p->number, sizeof(p->number));
		else
			put_number(out, &load->id, sizeof(load->id));
	}
}

/* Names of ktrace sql in quotes of SQLite */
static void put_sqlite_name(struct ktrace_out *out, const char *name)
{
	ktrace_out_char(out, '"');
	for (; *name; name++) {
		if (*name == '"')
			ktrace_out_char(out, '"');
		ktrace_out_char(out, *name);
	}
	ktrace_out_char(out, '"');
}

static char *make_query(const struct batch_table *t)
{
	struct ktrace_out out = begin_text();

	ktrace_out_str(&out, "SELECT ");
	for (size_t i = 0; i < t->column_nr; i++) {
		ktrace_out_str(&out, i ? ", " : "");
		put_sqlite_name(&out, t->columns[i].name);
	}
	ktrace_out_str(&out, " FROM ");
	put_sqlite_name(&out, t->name);
	ktrace_out_char(&out, '\0');
	if (!out.error)
		return out.buf;
	free(out.buf);
	return NULL;
}

static size_t bytes(const struct batch *b)
{
	size_t sum = 0;

	for (size_t i = 0; i < b->table_nr; i++)
		sum += b->tables[i].rows.len;
	return sum;
}

static int add_rows(struct batch *b, struct batch_table *t, struct batch_load *load,
		    struct ktrace_sql *sql)
{
	char *text = make_query(t);
	struct ktrace_sql_query *query = NULL;
	int ret = 0, step = text ? ktrace_sql_prepare(sql, text, &query, NULL) : -ENOMEM;

	while (!step && !ret && (step = ktrace_sql_step(query)) == 1) {
		put_row(t, load, query);
		load->rows++;
		ret = t->rows.error ? no_memory(b) : 0;
		if (!ret && !(load->rows & 1023) && bytes(b) > BATCH_MAX)
			ret = send_tables(b);
		step = 0;
	}
	ktrace_sql_finish(query);
	free(text);
	/* Many files with few rows are many bytes, too. */
	if (!ret && !step && bytes(b) > BATCH_MAX)
		ret = send_tables(b);
	return ret ? ret : step ? -EBADMSG : 0;
}

static void free_load(struct batch_load *load)
{
	free(load->table);
	free(load->host);
}

int batch_add(struct batch *b, struct ktrace_sql *sql, size_t i, const struct message_part *part,
	      const char *host)
{
	struct batch_load load = { .part = *part, .host = strdup(host) };
	struct batch_table described, *t = NULL;
	int ret = load.host ? describe(sql, i, &described) : -ENOMEM;

	if (ret)
		ret = no_memory(b);
	if (!ret)
		t = place(b, &described, &ret);
	if (!ret) {
		load.table = strdup(t->name);
		if (!load.table || !LIST_GROW(b->loads, b->load_nr, b->load_cap) ||
		    getrandom(&load.id, sizeof(load.id), 0) != sizeof(load.id))
			ret = no_memory(b);
	}
	if (!ret)
		ret = add_rows(b, t, &load, sql);
	if (ret)
		free_load(&load);
	else
		b->loads[b->load_nr++] = load;
	return ret;
}

static void put_load(struct ktrace_out *out, const struct batch_load *load)
{
	const struct message_part *p = &load->part;
	const __s64 start = (__s64)p->start_ns;
	const __u32 now = (__u32)time(NULL);

	put_string(out, load->table, strlen(load->table));
	put_string(out, p->uuid, strlen(p->uuid));
	put_number(out, &p->number, sizeof(p->number));
	put_number(out, &load->id, sizeof(load->id));
	put_string(out, load->host, strlen(load->host));
	put_string(out, p->boot, strlen(p->boot));
	put_number(out, &start, sizeof(start));
	put_number(out, &p->size, sizeof(p->size));
	put_number(out, &load->rows, sizeof(load->rows));
	put_number(out, &now, sizeof(now));
}

int batch_send(struct batch *b)
{
	struct ktrace_out out = begin_text();
	int ret = b->load_nr ? send_tables(b) : 0;

	for (size_t i = 0; i < b->load_nr && !ret; i++)
		put_load(&out, &b->loads[i]);
	if (out.error)
		ret = no_memory(b);
	if (!ret && b->load_nr &&
	    !clickhouse_insert(b->c, "INSERT INTO loads (tbl, uuid, part, load, host, boot, start, "
			       "size, rows, loaded) FORMAT RowBinary", out.buf, out.len))
		ret = failure(b);
	free(out.buf);
	while (!ret && b->load_nr) {
		const struct batch_load *load = &b->loads[--b->load_nr];

		b->rows += load->rows;
		b->odd += load->odd;
		free_load(&b->loads[b->load_nr]);
	}
	return ret;
}

void batch_drop(struct batch *b)
{
	while (b->load_nr)
		free_load(&b->loads[--b->load_nr]);
	while (b->table_nr)
		free_table(&b->tables[--b->table_nr]);
}

void batch_free(struct batch *b)
{
	batch_drop(b);
	free(b->tables);
	free(b->loads);
}
