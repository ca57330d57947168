/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * condition.h - comparisons of a column with values, as far as they can be decided without SQLite
 *
 * "May match" is never false for a value that SQLite lets pass: a comparison that depends on
 * SQLite's conversions may match.
 */
#ifndef KTRACE_SQL_CONDITION_H
#define KTRACE_SQL_CONDITION_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

enum condition_op { OP_EQ, OP_GT, OP_GE, OP_LT, OP_LE, OP_NE, OP_GLOB, OP_LIKE, OP_NR };

/* struct operand - a value; @text has a NUL, @len is without it */
struct operand {
	int type;
	sqlite3_int64 integer;
	double real;
	char *text;
	int len;
};

/**
 * struct condition - a column is compared with one value, or with any of several for IN
 * @column:	which
 * @op:		enum condition_op; IN is EQ
 * @nr:		number of values
 * @values:	the values
 */
struct condition {
	int column;
	enum condition_op op;
	int nr;
	struct operand *values;
};

/* struct conditions - those of a cursor; all have to be met */
struct conditions {
	int nr;
	struct condition *at;
};

/* Takes over the right hand side. Return: 0, -ENOMEM. */
int ktrace_condition_set(struct condition *c, sqlite3_value *value, bool is_list);
void ktrace_conditions_free(struct conditions *c);

bool ktrace_condition_may_match(const struct condition *c, __s64 value);
bool ktrace_condition_may_match_text(const struct condition *c, const char *text, size_t n);
/* Narrows a range, both ends included; an impossible condition leaves none: @from > @to. */
void ktrace_condition_bound(const struct condition *c, __s64 *from, __s64 *to);

#endif
