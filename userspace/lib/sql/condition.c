// SPDX-License-Identifier: LGPL-2.1
/* condition.c - comparisons with values, as far as they can be decided without SQLite */
#include "condition.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* A number that every 64-bit integer is below */
#define TWO_63 9223372036854775808.0

static int add_value(struct condition *c, sqlite3_value *value)
{
	struct operand *v;

	if (!LIST_RESIZE(c->values, c->nr + 1))
		return -ENOMEM;
	v = &c->values[c->nr];
	*v = (struct operand){ .type = sqlite3_value_type(value) };
	if (v->type == SQLITE_INTEGER)
		v->integer = sqlite3_value_int64(value);
	else if (v->type == SQLITE_FLOAT)
		v->real = sqlite3_value_double(value);
	else if (v->type == SQLITE_TEXT) {
		v->len = sqlite3_value_bytes(value);
		v->text = malloc((size_t)v->len + 1);
		if (!v->text)
			return -ENOMEM;
		memcpy(v->text, sqlite3_value_text(value), (size_t)v->len);
		v->text[v->len] = '\0';
	}
	c->nr++;
	return 0;
}

int ktrace_condition_set(struct condition *c, sqlite3_value *value, bool is_list)
{
	sqlite3_value *one;
	int ret, result;

	if (!is_list)
		return add_value(c, value);
	result = sqlite3_vtab_in_first(value, &one);
	for (ret = 0; result == SQLITE_OK && !ret; result = sqlite3_vtab_in_next(value, &one))
		ret = add_value(c, one);
	return result == SQLITE_NOMEM ? -ENOMEM : ret;
}

void ktrace_conditions_free(struct conditions *c)
{
	int i, k;

	for (i = 0; i < c->nr; i++) {
		for (k = 0; k < c->at[i].nr; k++)
			free(c->at[i].values[k].text);
		free(c->at[i].values);
	}
	free(c->at);
	*c = (struct conditions){ 0 };
}

static bool compare(enum condition_op op, __s64 a, __s64 b)
{
	switch (op) {
	case OP_EQ:
		return a == b;
	case OP_GT:
		return a > b;
	case OP_GE:
		return a >= b;
	case OP_LT:
		return a < b;
	case OP_LE:
		return a <= b;
	case OP_NE:
		return a != b;
	default:
		return true;
	}
}

/* Conversion to double rounds, so values that are equal afterwards may match. */
static bool compare_real(enum condition_op op, double a, double b)
{
	switch (op) {
	case OP_EQ:
		return a == b;
	case OP_GT:
	case OP_GE:
		return a >= b;
	case OP_LT:
	case OP_LE:
		return a <= b;
	default:
		return true;
	}
}

static bool may_match(enum condition_op op, __s64 value, const struct operand *v)
{
	switch (v->type) {
	case SQLITE_INTEGER:
		return compare(op, value, v->integer);
	case SQLITE_FLOAT:
		return compare_real(op, (double)value, v->real);
	case SQLITE_NULL:
		return false;
	default:
		return true;	/* text of digits becomes a number; a BLOB is above numbers */
	}
}

bool ktrace_condition_may_match(const struct condition *c, __s64 value)
{
	int i;

	for (i = 0; i < c->nr; i++)
		if (may_match(c->op, value, &c->values[i]))
			return true;
	return false;
}

static bool has_replacement(const struct operand *v)
{
	return memmem(v->text, (size_t)v->len, "\xef\xbf\xbd", 3) != NULL;
}

static bool may_match_text(enum condition_op op, const char *text, size_t n,
			   const struct operand *v)
{
	if (v->type == SQLITE_NULL)
		return false;
	if (v->type != SQLITE_TEXT)
		return true;	/* a number becomes text */
	if (op == OP_EQ)	/* what is not UTF-8 is compared as U+FFFD */
		return (n == (size_t)v->len && !memcmp(text, v->text, n)) || has_replacement(v);
	if (strlen(v->text) != (size_t)v->len || text[n])
		return true;
	if (op == OP_GLOB)
		return !sqlite3_strglob(v->text, text);
	return op != OP_LIKE || !sqlite3_strlike(v->text, text, 0);
}

bool ktrace_condition_may_match_text(const struct condition *c, const char *text, size_t n)
{
	int i;

	for (i = 0; i < c->nr; i++)
		if (may_match_text(c->op, text, n, &c->values[i]))
			return true;
	return false;
}

/* Rounds towards @low or up; what no integer can be becomes the nearest one. */
static __s64 round_to(double real, bool is_low)
{
	real = is_low ? floor(real) : ceil(real);
	if (real >= TWO_63)
		return INT64_MAX;
	return real <= -TWO_63 ? INT64_MIN : (__s64)real;
}

/* Finds the least and the greatest integer that may match one value. */
static void bounds_of(enum condition_op op, const struct operand *v, __s64 *from, __s64 *to)
{
	const bool is_real = v->type == SQLITE_FLOAT;
	const __s64 low = is_real ? round_to(v->real, true) : v->integer;
	const __s64 high = is_real ? round_to(v->real, false) : v->integer;

	*from = INT64_MIN;
	*to = INT64_MAX;
	if (v->type == SQLITE_NULL) {
		*from = INT64_MAX;
		*to = INT64_MIN;
	} else if (v->type != SQLITE_INTEGER && (!is_real || isnan(v->real))) {
		return;
	} else if (op == OP_EQ) {
		*from = low;
		*to = high;
	} else if (op == OP_GE || op == OP_GT) {
		*from = low;
	} else if (op == OP_LE || op == OP_LT) {
		*to = high;
	}
}

void ktrace_condition_bound(const struct condition *c, __s64 *from, __s64 *to)
{
	__s64 least = INT64_MAX, greatest = INT64_MIN, low, high;
	int i;

	for (i = 0; i < c->nr; i++) {
		bounds_of(c->op, &c->values[i], &low, &high);
		least = low < least ? low : least;
		greatest = high > greatest ? high : greatest;
	}
	*from = least > *from ? least : *from;
	*to = greatest < *to ? greatest : *to;
}
