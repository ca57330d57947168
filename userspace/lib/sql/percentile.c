// SPDX-License-Identifier: LGPL-2.1
/*
 * percentile.c - the aggregate function percentile(x, p)
 *
 * It has the buckets that the analyses have, so that numbers are equal, and memory does not grow
 * with the rows.
 */
#include "sql.h"

#include <errno.h>

#include "model/histogram.h"

#define NAME "percentile"

/* struct percentile - of one group; @percent_1000: thousandths of a percent */
struct percentile {
	struct histogram values;
	unsigned int percent_1000;
	bool has_percent;
};

static void step(sqlite3_context *to, int argc, sqlite3_value **argv)
{
	struct percentile *p = sqlite3_aggregate_context(to, sizeof(*p));
	const double percent = sqlite3_value_double(argv[1]);
	unsigned int percent_1000;

	(void)argc;
	if (!p) {
		sqlite3_result_error_nomem(to);
		return;
	}
	if (sqlite3_value_numeric_type(argv[1]) == SQLITE_NULL ||
	    !(percent >= 0 && percent <= 100)) {
		sqlite3_result_error(to, NAME ": the second argument is from 0 to 100", -1);
		return;
	}
	percent_1000 = (unsigned int)(percent * 1000 + 0.5);
	if (p->has_percent && p->percent_1000 != percent_1000) {
		sqlite3_result_error(to, NAME ": the second argument is not constant", -1);
		return;
	}
	p->percent_1000 = percent_1000;
	p->has_percent = true;
	if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
		return;
	if (sqlite3_value_numeric_type(argv[0]) != SQLITE_INTEGER ||
	    sqlite3_value_int64(argv[0]) < 0)
		sqlite3_result_error(to, NAME ": values are integers, 0 or more", -1);
	else if (histogram_add(&p->values, (__u64)sqlite3_value_int64(argv[0])))
		sqlite3_result_error_nomem(to);
}

/* SQLite calls this after an error, too. */
static void finish(sqlite3_context *to)
{
	struct percentile *p = sqlite3_aggregate_context(to, 0);
	__u64 value;

	if (!p)
		return;
	value = histogram_percentile_fine(&p->values, p->percent_1000);
	if (p->values.nr)
		sqlite3_result_int64(to, (sqlite3_int64)value);
	histogram_free(&p->values);
}

int ktrace_percentile_add(struct ktrace_sql *sql)
{
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;

	return sqlite3_create_function_v2(sql->db, NAME, 2, flags, NULL, NULL, step, finish,
					  NULL) == SQLITE_OK ? 0 : -ENOMEM;
}

static const struct ktrace_sql_function functions[] = {
	{ .name = NAME, .args = "x, p", .doc = "an aggregate: a value that p percent of the values "
	  "x do not exceed, NULL without values. These are integers, 0 or more. It is the upper "
	  "end of a bucket, as p50 and p99 of the analyses: too large by at most 3 %, and never "
	  "above the largest one" },
};

bool ktrace_sql_function(size_t i, struct ktrace_sql_function *out)
{
	if (i >= sizeof(functions) / sizeof(functions[0]))
		return false;
	*out = functions[i];
	return true;
}
