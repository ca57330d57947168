// SPDX-License-Identifier: LGPL-2.1
/*
 * filter_compare.c - is a value equal, less, or like what the expression says?
 *
 * Numbers are compared exactly, integers with floating point too: long double holds all
 * 64-bit integers wherever this runs. Single precision is compared with what the literal
 * is in single precision, so that a field shown as 0.1 is equal to 0.1.
 */
#include "filter.h"

#include <math.h>
#include <string.h>

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

/*
 * "[" ... "]" of a pattern against @c. Returns behind it, NULL: it has no end, so "[" is
 * only itself.
 */
static const char *match_set(const char *p, const char *end, char c, bool *is_in)
{
	bool is_inverse = p < end && (*p == '!' || *p == '^'), is_found = false;
	const char *begin;

	p += is_inverse;
	for (begin = p; p < end && (*p != ']' || p == begin); p++) {
		unsigned char low = (unsigned char)*p, high = low;

		if (p + 2 < end && p[1] == '-' && p[2] != ']') {
			high = (unsigned char)p[2];
			p += 2;
		}
		is_found |= (unsigned char)c >= low && (unsigned char)c <= high;
	}
	if (p >= end)
		return NULL;
	*is_in = is_found != is_inverse;
	return p + 1;
}

/* One character against what stands in the pattern; moves @p behind it. */
static bool match_one(const char **p, const char *end, char c)
{
	const char *behind;
	bool is_in;

	if (**p == '?') {
		++*p;
		return true;
	}
	if (**p == '[') {
		behind = match_set(*p + 1, end, c, &is_in);
		if (behind) {
			*p = behind;
			return is_in;
		}
	}
	if (**p == '\\' && *p + 1 < end)
		++*p;
	return *(*p)++ == c;
}

/* Bytes, not characters. The last star alone is tried again: others could not do better. */
static bool is_like(const char *s, size_t n, const char *p, size_t pattern_len)
{
	const char *s_end = s + n, *end = p + pattern_len, *star = NULL, *tried = NULL;

	while (s < s_end) {
		if (p < end && *p == '*') {
			star = ++p;
			tried = s;
		} else if (p < end && match_one(&p, end, *s)) {
			s++;
		} else if (star) {
			p = star;
			s = ++tried;
		} else {
			return false;
		}
	}
	while (p < end && *p == '*')
		p++;
	return p == end;
}

static bool compare_text(const struct test *t, const char *s, size_t n)
{
	const struct literal *l = &t->literal;

	if (t->op == OP_GLOB)
		return is_like(s, n, l->text, l->len);
	if (t->op != OP_EQ && t->op != OP_NE)
		return false;
	return (n == l->len && !memcmp(s, l->text, n)) == (t->op == OP_EQ);
}

/* A field that is not one of the payload. */
bool ktrace_filter_compare(const struct test *t, const struct field_value *v, __u64 start)
{
	struct number time = { 0 };

	switch (t->type) {
	case KTRACE_FILTER_TEXT:
		return compare_text(t, v->text, v->len);
	case KTRACE_FILTER_FLAGS:
		return !((__u32)v->number.integer & t->literal.flag) == (t->op == OP_NE);
	case KTRACE_FILTER_TIME:
		time.integer = ktrace_when_absolute(&t->literal.when, start);
		return compare_numbers(t->op, &v->number, &time);
	default:
		return compare_numbers(t->op, &v->number, &t->literal.number);
	}
}

static bool is_signed(enum ktrace_scalar scalar)
{
	return scalar == KTRACE_S8 || scalar == KTRACE_S16 || scalar == KTRACE_S32 ||
	       scalar == KTRACE_S64;
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

/* Enumerations are numbers and names. */
static bool compare_integer(const struct test *t, const struct ktrace_value *v, __u32 i)
{
	__s64 value = ktrace_value_s64(v, i);
	struct number x = { .integer = value };
	const char *name;

	if (t->literal.is_number && t->op != OP_GLOB) {
		if (!is_signed(v->field->scalar))
			x.integer = (__u64)value;
		return compare_numbers(t->op, &x, &t->literal.number);
	}
	name = v->field->enum_nr ? ktrace_enumerator_find(v->field, value) : NULL;
	return name && compare_text(t, name, strlen(name));
}

static bool compare_element(const struct test *t, const struct ktrace_value *v, __u32 i)
{
	if (v->field->scalar == KTRACE_F32 || v->field->scalar == KTRACE_F64)
		return compare_real(t, v, i);
	if (v->field->scalar == KTRACE_CHAR)
		return compare_text(t, v->data + i, 1);
	return compare_integer(t, v, i);
}

/* A field of the payload, as far as it is there. */
bool ktrace_filter_compare_payload(const struct test *t, const struct ktrace_value *v)
{
	bool is_array = v->field->shape != KTRACE_ONE;
	__u32 i;

	if (t->element != ELEMENT_ALL)
		return is_array && v->field->shape != KTRACE_STRING && t->element < v->count &&
		       compare_element(t, v, (__u32)t->element);
	if (v->field->shape == KTRACE_STRING)
		return compare_text(t, v->data, v->count);
	if (is_array && v->field->scalar == KTRACE_CHAR)
		return compare_text(t, v->data, strnlen(v->data, v->count));
	for (i = 0; i < v->count; i++)
		if (compare_element(t, v, i))
			return true;
	return false;
}
