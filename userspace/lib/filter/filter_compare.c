// SPDX-License-Identifier: LGPL-2.1
/*
 * filter_compare.c - compare a value with the literal of an expression
 *
 * Compares numbers exactly, even integers with floating point: long double holds all 64-bit
 * integers on all supported machines. Single precision values are compared with the literal in
 * single precision, so that a field shown as 0.1 equals 0.1.
 */
#include "decode/value.h"
#include "filter_names.h"

#include <math.h>
#include <string.h>

#include "match/glob.h"

_Static_assert(__LDBL_MANT_DIG__ >= 64, "long double holds 64-bit integers");

static bool holds(enum filter_op op, int order)
{
	switch (op) {
	case OP_EQ:
		return order == 0;
	case OP_NE:
		return order != 0;
	case OP_LT:
		return order < 0;
	case OP_LE:
		return order <= 0;
	case OP_GT:
		return order > 0;
	case OP_GE:
		return order >= 0;
	default:
		return false;
	}
}

static long double real_of(const struct number *n)
{
	return n->is_real ? (long double)n->real : (long double)n->integer;
}

static bool compare_numbers(enum filter_op op, const struct number *a, const struct number *b)
{
	long double x, y;

	if (!a->is_real && !b->is_real)
		return holds(op, (a->integer > b->integer) - (a->integer < b->integer));
	x = real_of(a);
	y = real_of(b);
	if (isnan(x))
		return op == OP_NE;
	return holds(op, (x > y) - (x < y));
}

/* Compares a text of @n bytes, less than 4 GiB. */
bool ktrace_filter_compare_text(const struct test *t, const char *s, size_t n)
{
	const struct literal *l = &t->literal;

	if (t->op == OP_GLOB)
		return kt_glob_matches(s, (__u32)n, l->text, (__u32)l->len);
	if (t->op != OP_EQ && t->op != OP_NE)
		return false;
	return (n == l->len && !memcmp(s, l->text, n)) == (t->op == OP_EQ);
}

/* Compares a field that is not a payload's. */
bool ktrace_filter_compare(const struct test *t, const struct field_value *v, __u64 start)
{
	struct number time = { 0 };

	switch (t->type) {
	case KTRACE_FILTER_TEXT:
		return ktrace_filter_compare_text(t, v->text, v->len);
	case KTRACE_FILTER_FLAGS:
		return !((__u32)v->number.integer & t->literal.flag) == (t->op == OP_NE);
	case KTRACE_FILTER_TIME:
		time.integer = ktrace_when_absolute(&t->literal.when, start);
		return compare_numbers(t->op, &v->number, &time);
	default:
		return compare_numbers(t->op, &v->number, &t->literal.number);
	}
}

static bool compare_real(const struct test *t, const struct ktrace_value *v, __u32 i)
{
	struct number x = { .real = ktrace_value_f64(v, i), .is_real = true };
	struct number y = t->literal.number;

	if (!t->literal.is_number)
		return false;
	if (y.is_real && v->field->scalar == KTRACE_F32)
		y.real = t->literal.single;
	return compare_numbers(t->op, &x, &y);
}

/* Compares an integer with a number, or with the values of a name. */
static bool compare_integer(const struct test *t, const struct name_set *names,
			    const struct ktrace_value *v, __u32 i)
{
	__s64 value = ktrace_value_s64(v, i);
	struct number x = { .integer = value };

	if (!is_signed(v->field->scalar))
		x.integer = (__u64)value;
	if (is_named(t))
		return names && ktrace_name_set_has(names, x.integer);
	return compare_numbers(t->op, &x, &t->literal.number);
}

static bool compare_element(const struct test *t, const struct name_set *names,
			    const struct ktrace_value *v, __u32 i)
{
	if (v->field->scalar == KTRACE_F32 || v->field->scalar == KTRACE_F64)
		return compare_real(t, v, i);
	if (v->field->scalar == KTRACE_CHAR)
		return ktrace_filter_compare_text(t, v->data + i, 1);
	return compare_integer(t, names, v, i);
}

/* Addresses have no order; a pattern is compared with the address as it is shown. */
static bool compare_address(const struct test *t, const struct ktrace_value *v)
{
	char text[IP_ADDRESS_TEXT];

	if (v->is_cut)
		return false;
	if (t->op == OP_GLOB) {
		ip_address_text(v->data, text);
		return ktrace_filter_compare_text(t, text, strlen(text));
	}
	return t->literal.is_address && (t->op == OP_EQ || t->op == OP_NE) &&
	       !memcmp(v->data, t->literal.address, IP_ADDRESS_SIZE) == (t->op == OP_EQ);
}

/* Compares a payload's field, up to the end of the payload. */
bool ktrace_filter_compare_payload(const struct test *t, const struct name_set *names,
				   const struct ktrace_value *v)
{
	bool is_array = v->field->shape != KTRACE_ONE;
	__u32 i;

	if (is_of_address(t, v->field))
		return compare_address(t, v);
	if (t->element != ELEMENT_ALL)
		return is_array && v->field->shape != KTRACE_STRING && t->element < v->count &&
		       compare_element(t, names, v, (__u32)t->element);
	if (v->field->shape == KTRACE_STRING)
		return ktrace_filter_compare_text(t, v->data, v->count);
	if (is_array && v->field->scalar == KTRACE_CHAR)
		return ktrace_filter_compare_text(t, v->data, strnlen(v->data, v->count));
	for (i = 0; i < v->count; i++)
		if (compare_element(t, names, v, i))
			return true;
	return false;
}
