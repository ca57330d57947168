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
/* Thousandths of a percent that are one off by less are the same. */
#define ROUNDING 1e-9

/* struct percentile - of one group; @percent_1000: thousandths of a percent */
struct percentile {
	struct histogram values;
	unsigned int percent_1000;
	bool has_percent;
};

/* Finds thousandths of a percent. Return: NULL, or what is wrong. */
static const char *parse_percent(sqlite3_value *value, unsigned int *percent_1000)
{
	const int type = sqlite3_value_type(value);
	const double percent = sqlite3_value_double(value), wanted = percent * 1000;

	if ((type != SQLITE_INTEGER && type != SQLITE_FLOAT) || !(percent >= 0 && percent <= 100))
		return NAME ": the second argument is a number from 0 to 100";
	*percent_1000 = (unsigned int)(wanted + 0.5);
	if (wanted - *percent_1000 > ROUNDING || *percent_1000 - wanted > ROUNDING)
		return NAME ": the second argument has at most three decimals";
	return NULL;
}

static void step(sqlite3_context *to, int argc, sqlite3_value **argv)
{
	struct percentile *p = sqlite3_aggregate_context(to, sizeof(*p));
	unsigned int percent_1000;
	const char *wrong = parse_percent(argv[1], &percent_1000);

	(void)argc;
	if (!p) {
		sqlite3_result_error_nomem(to);
		return;
	}
	if (!wrong && p->has_percent && p->percent_1000 != percent_1000)
		wrong = NAME ": the second argument is not constant";
	if (wrong) {
		sqlite3_result_error(to, wrong, -1);
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
	  "x do not exceed, NULL without values. These are integers, 0 or more; p is a number "
	  "from 0 to 100 with at most three decimals, for all rows the same. It is the upper "
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
