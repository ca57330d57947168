// SPDX-License-Identifier: GPL-2.0
/* test_sql.c - the library of ktrace sql: errors, parameters, arrays of rows, limits, cursors */
#include <errno.h>
#include <ktrace/sql.h>
#include <unistd.h>

#include "make_trace.h"

#define EVENTS 5000u

static char path[64];

static void make_one(void)
{
	struct ktrace_tracefile *tf;
	struct maker m[2];
	__u64 i;

	snprintf(path, sizeof(path), "/tmp/test_sql-%d", (int)getpid());
	tf = make_file(path, 1000000000000ull);
	make_stream(&m[0], tf, 0);
	make_stream(&m[1], tf, 1);
	for (i = 0; i < EVENTS; i++)
		make_event(&m[i % 2], 10 * i, i);
	make_lost(&m[0], 10 * EVENTS, 7, 2);
	make_end_block(&m[0]);
	make_end_block(&m[1]);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
}

static struct ktrace_traceset *open_set(void)
{
	struct ktrace_traceset *set;

	CHECK_EQ(ktrace_traceset_open(NULL, &set), 0);
	CHECK_EQ(ktrace_traceset_add(set, path), 0);
	return set;
}

static struct ktrace_sql *open_sql(struct ktrace_traceset *set,
				   const struct ktrace_sql_options *opts)
{
	struct ktrace_sql *sql;

	CHECK_EQ(ktrace_sql_open(set, opts, &sql), 0);
	return sql;
}

static struct ktrace_sql_query *prepare(struct ktrace_sql *sql, const char *text)
{
	struct ktrace_sql_query *query;

	CHECK_EQ(ktrace_sql_prepare(sql, text, &query, NULL), 0);
	CHECK(query);
	return query;
}

static __s64 ask(struct ktrace_sql *sql, const char *text)
{
	struct ktrace_sql_query *query = prepare(sql, text);
	struct ktrace_sql_value v;

	CHECK_EQ(ktrace_sql_step(query), 1);
	ktrace_sql_value(query, 0, &v);
	CHECK_EQ(v.type, KTRACE_SQL_INTEGER);
	ktrace_sql_finish(query);
	return v.integer;
}

static void check_error(struct ktrace_sql *sql, const char *text, int error, int offset)
{
	struct ktrace_sql_query *query;
	int where;

	CHECK_EQ(ktrace_sql_prepare(sql, text, &query, NULL), error);
	CHECK(!query && *ktrace_sql_error(sql, &where));
	CHECK_EQ(where, offset);
}

static void test_statements(struct ktrace_sql *sql)
{
	struct ktrace_sql_query *query;
	const char *rest;

	check_error(sql, "SELECT nosuch FROM events", -EINVAL, 7);
	check_error(sql, "ATTACH 'x' AS x", -EPERM, -1);
	CHECK_EQ(ktrace_sql_prepare(sql, " SELECT 1; SELECT 2", &query, &rest), 0);
	CHECK(!strcmp(rest, " SELECT 2"));
	CHECK_EQ(ktrace_sql_columns(query), 1);
	CHECK(!strcmp(ktrace_sql_column(query, 0), "1"));
	ktrace_sql_finish(query);
	CHECK_EQ(ktrace_sql_prepare(sql, " -- nothing", &query, &rest), 0);
	CHECK(!query && !*rest);
	ktrace_sql_finish(NULL);
}

static void test_parameters(struct ktrace_sql *sql)
{
	struct ktrace_sql_query *query = prepare(sql, "SELECT :a, @b, $c, :d, :e");
	struct ktrace_sql_value v = { .type = KTRACE_SQL_INTEGER, .integer = 1ll << 62 };

	CHECK_EQ(ktrace_sql_parameters(query), 5);
	CHECK(!strcmp(ktrace_sql_parameter(query, 1), "@b"));
	CHECK_EQ(ktrace_sql_bind(query, "a", &v), 0);
	v = (struct ktrace_sql_value){ .type = KTRACE_SQL_REAL, .real = 0.5 };
	CHECK_EQ(ktrace_sql_bind(query, "@b", &v), 0);
	v = (struct ktrace_sql_value){ .type = KTRACE_SQL_TEXT, .bytes = "text", .len = 3 };
	CHECK_EQ(ktrace_sql_bind(query, "c", &v), 0);
	v.type = KTRACE_SQL_BLOB;
	CHECK_EQ(ktrace_sql_bind(query, "d", &v), 0);
	v.type = KTRACE_SQL_NULL;
	CHECK_EQ(ktrace_sql_bind(query, "e", &v), 0);
	CHECK_EQ(ktrace_sql_bind(query, "f", &v), -ENOENT);
	CHECK_EQ(ktrace_sql_step(query), 1);
	ktrace_sql_value(query, 0, &v);
	CHECK(v.type == KTRACE_SQL_INTEGER && v.integer == 1ll << 62);
	ktrace_sql_value(query, 1, &v);
	CHECK(v.type == KTRACE_SQL_REAL && v.real == 0.5);
	ktrace_sql_value(query, 2, &v);
	CHECK(v.type == KTRACE_SQL_TEXT && v.len == 3 && !strcmp(v.bytes, "tex"));
	ktrace_sql_value(query, 3, &v);
	CHECK(v.type == KTRACE_SQL_BLOB && v.len == 3);
	ktrace_sql_value(query, 4, &v);
	CHECK(v.type == KTRACE_SQL_NULL);
	CHECK_EQ(ktrace_sql_step(query), 0);
	ktrace_sql_finish(query);
}

/* Rows come in arrays as they come one by one, whatever the size of the arrays. */
static void test_fetch(struct ktrace_sql *sql, int max, size_t room)
{
	struct ktrace_sql_query *query = prepare(sql, "SELECT n, name, cpu, n + 0.5 FROM \"t:e\" "
						 "JOIN (SELECT 't:e' AS name) ORDER BY time");
	__s64 n[64], cpus[64];
	__u64 ends[64];
	double reals[64];
	__u8 types[64];
	char names[1024];
	const struct ktrace_sql_array arrays[] = {
		{ .types = types, .integers = n }, { .ends = ends, .bytes = names, .room = room },
		{ .integers = cpus }, { .reals = reals },
	};
	__u64 i, at = 0;
	int ret;

	while ((ret = ktrace_sql_fetch(query, arrays, max)) > 0) {
		CHECK(ret <= max);
		for (i = 0; i < (__u64)ret; i++, at++) {
			CHECK_EQ(n[i], (__s64)at);
			CHECK_EQ(types[i], KTRACE_SQL_INTEGER);
			CHECK_EQ(cpus[i], (__s64)(at % 2));
			CHECK(reals[i] == (double)at + 0.5);
			CHECK_EQ(ends[i], 3 * (i + 1));
			CHECK(!memcmp(names + ends[i] - 3, "t:e", 3));
		}
	}
	CHECK_EQ(ret, room < 3 ? -ENOBUFS : 0);
	CHECK_EQ(at, room < 3 ? 0 : EVENTS);
	ktrace_sql_finish(query);
}

static void test_cursors(struct ktrace_sql *sql)
{
	struct ktrace_sql_query *a = prepare(sql, "SELECT n FROM \"t:e\" WHERE cpu = 0");
	struct ktrace_sql_query *b = prepare(sql, "SELECT n FROM \"t:e\" WHERE cpu = 1");
	struct ktrace_sql_value v, w;
	__s64 i;

	for (i = 0; i < EVENTS; i += 2) {
		CHECK_EQ(ktrace_sql_step(a), 1);
		CHECK_EQ(ktrace_sql_step(b), 1);
		ktrace_sql_value(a, 0, &v);
		ktrace_sql_value(b, 0, &w);
		CHECK(v.integer == i && w.integer == i + 1);
	}
	CHECK_EQ(ktrace_sql_step(a), 0);
	ktrace_sql_finish(a);
	ktrace_sql_finish(b);
	/* A range for each row of another table */
	CHECK_EQ(ask(sql, "SELECT count(*) FROM \"t:e\" a JOIN \"t:e\" b ON b.time > a.time AND "
		     "b.time <= a.time + 30 WHERE a.n < 100"), 300);
}

static void test_stats(struct ktrace_sql *sql)
{
	struct ktrace_sql_stats stats;

	CHECK_EQ(ask(sql, "SELECT count(*) FROM events a JOIN losses"), 2 * (EVENTS + 2));
	ktrace_sql_stats(sql, &stats);
	CHECK_EQ(stats.lost[KTRACE_LOST_FULL], 7);
	CHECK_EQ(stats.lost[KTRACE_LOST_TIMEOUT], 2);
	CHECK_EQ(ask(sql, "SELECT count(*) FROM events WHERE ns < 100"), 10);
	ktrace_sql_stats(sql, &stats);
	CHECK_EQ(stats.lost[KTRACE_LOST_FULL], 0);
}

static void test_tables(struct ktrace_sql *sql)
{
	struct ktrace_sql_column_info column;
	struct ktrace_sql_table table;
	bool has_own = false;
	size_t i, k;

	for (i = 0; ktrace_sql_table(sql, i, &table); i++) {
		CHECK(*table.name && *table.doc);
		has_own |= table.is_event && !strcmp(table.name, "t:e");
		for (k = 0; ktrace_sql_table_column(sql, i, k, &column); k++)
			CHECK(*column.name && *column.doc);
		CHECK_EQ(!k, table.view != NULL);
	}
	CHECK(has_own);
}

/* What a group had is freed, also if an error ends it. */
static void test_functions(struct ktrace_sql *sql)
{
	struct ktrace_sql_function function;
	struct ktrace_sql_query *query;
	size_t i;

	for (i = 0; ktrace_sql_function(i, &function); i++)
		CHECK(*function.name && *function.args && *function.doc);
	CHECK_EQ(i, 1);
	CHECK_EQ(ask(sql, "SELECT percentile(x, 50) FROM (SELECT 1 AS x UNION SELECT 9)"), 1);
	CHECK_EQ(ask(sql, "SELECT percentile(x, 50.001) FROM (SELECT 1 AS x UNION SELECT 9)"), 9);
	query = prepare(sql, "SELECT percentile(x, 50) FROM (SELECT 1000 AS x UNION SELECT 'a')");
	CHECK_EQ(ktrace_sql_step(query), -EINVAL);
	ktrace_sql_finish(query);
}

static __u64 told;

static void on_progress(void *arg, __u64 from, __u64 until, __u64 at, __u64 events)
{
	CHECK(arg == &told && from <= until && at);
	told += events;
}

static void test_limits(struct ktrace_traceset *set)
{
	struct ktrace_sql_options opts = {
		.size = sizeof(opts), .time_ms = 50, .progress = on_progress, .arg = &told,
	};
	struct ktrace_sql *sql = open_sql(set, &opts);
	struct ktrace_sql_query *query;

	CHECK_EQ(ask(sql, "SELECT count(*) FROM events"), EVENTS + 2);
	CHECK_EQ(told, EVENTS + 2);
	query = prepare(sql, "SELECT count(*) FROM events a, events b, events c");
	CHECK_EQ(ktrace_sql_step(query), -ETIME);
	CHECK(*ktrace_sql_error(sql, NULL));
	ktrace_sql_finish(query);
	/* The next statement has its own time. */
	CHECK_EQ(ask(sql, "SELECT count(*) FROM files"), 1);
	ktrace_sql_close(sql);
	opts.size--;
	CHECK_EQ(ktrace_sql_open(set, &opts, &sql), -EINVAL);
	ktrace_sql_close(NULL);
}

int main(void)
{
	struct ktrace_traceset *set;
	struct ktrace_sql *sql;

	make_one();
	set = open_set();
	sql = open_sql(set, NULL);
	test_statements(sql);
	test_parameters(sql);
	test_fetch(sql, 64, 1024);
	test_fetch(sql, 1, 3);
	test_fetch(sql, 64, 20);
	test_fetch(sql, 10, 2);
	test_cursors(sql);
	test_stats(sql);
	test_tables(sql);
	test_functions(sql);
	ktrace_sql_close(sql);
	test_limits(set);
	ktrace_traceset_close(set);
	unlink(path);
	return 0;
}
