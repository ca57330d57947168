// SPDX-License-Identifier: LGPL-2.1
/*
 * filter_names.c - numbers that a name in an expression stands for
 *
 * The same list of ranges is what the reader looks a value up in, and what the steps of the
 * kernel's program are made of: so a name means the same in both.
 */
#include "filter_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "errors.h"
#include "trace.h"
#include "value.h"

struct name_list ktrace_names_of(const struct ktrace_field *field, bool is_signed)
{
	struct name_list l = { .is_signed = is_signed };

	if (field && field->enum_nr) {
		l.enums = field->enums;
		l.nr = field->enum_nr;
		l.is_calls = ktrace_syscall_is(field);
	} else if (is_signed) {
		l.enums = errors;
		l.nr = sizeof(errors) / sizeof(errors[0]);
		l.is_errors = true;
	}
	return l;
}

/* Is the name one that the literal means? */
static bool is_meant(const struct name_list *l, const struct test *t, const char *name)
{
	const char *text = t->literal.text;
	size_t len = t->literal.len;
	struct test positive = *t;

	if (l->is_errors && len && *text == '-') {
		positive.literal.text++;
		positive.literal.len--;
	}
	if (positive.op == OP_NE)
		positive.op = OP_EQ;
	return ktrace_filter_compare_text(&positive, name, strlen(name));
}

static __int128 value_of(const struct name_list *l, __u32 i)
{
	const __s64 value = l->enums[i].value;

	return l->is_signed ? (__int128)value : (__int128)(__u64)value;
}

static int compare(const void *a, const void *b)
{
	const struct name_range *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* Joins what has no gap between. */
static void join_ranges(struct name_set *s)
{
	__u32 i, nr = 0;

	qsort(s->ranges, s->nr, sizeof(s->ranges[0]), compare);
	for (i = 0; i < s->nr; i++) {
		if (nr && s->ranges[i].first <= s->ranges[nr - 1].last + 1)
			s->ranges[nr - 1].last = s->ranges[i].last;
		else
			s->ranges[nr++] = s->ranges[i];
	}
	s->nr = nr;
}

struct name_set *ktrace_name_set_make(const struct name_list *l, const struct test *t)
{
	struct name_set *s = malloc(sizeof(*s) + l->nr * sizeof(s->ranges[0]));
	__u32 i;

	if (!s)
		return NULL;
	s->nr = 0;
	s->is_inverse = t->op == OP_NE;
	for (i = 0; i < l->nr; i++) {
		if (!is_meant(l, t, l->enums[i].name))
			continue;
		s->ranges[s->nr].first = s->ranges[s->nr].last = value_of(l, i);
		s->nr++;
	}
	join_ranges(s);
	return s;
}

bool ktrace_name_set_has(const struct name_set *s, __int128 value)
{
	__u32 low = 0, high = s->nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (s->ranges[middle].last < value)
			low = middle + 1;
		else
			high = middle;
	}
	return (low < s->nr && s->ranges[low].first <= value) != s->is_inverse;
}

void ktrace_value_check(struct value_check *v, const struct test *t, const struct name_list *l)
{
	__u32 i;

	if (!v->near.wanted)
		ktrace_nearest_init(&v->near, t->literal.text);
	v->is_known |= !is_named(t);
	v->has_names |= l->nr && !l->is_errors;
	v->has_errors |= l->is_errors;
	v->has_calls |= l->is_calls;
	for (i = 0; i < l->nr && !v->is_known; i++) {
		v->is_known = is_meant(l, t, l->enums[i].name);
		ktrace_nearest_try(&v->near, l->enums[i].name);
	}
}

void ktrace_value_check_field(struct value_check *v, const struct test *t,
			      const struct ktrace_field *f)
{
	const struct name_list l = ktrace_names_of(f, is_signed(f->scalar));

	if (f->shape == KTRACE_STRING || f->scalar == KTRACE_CHAR)
		v->is_known = true;
	ktrace_value_check(v, t, &l);
}

int ktrace_value_unknown(struct value_check *v, const struct test *t,
			 struct ktrace_filter_error *error)
{
	if (v->is_known)
		return 0;
	if (v->has_calls)
		ktrace_filter_refuse_value(error, t, "there is no system call '%.40s'%s",
					   t->literal.text, ktrace_nearest_hint(&v->near));
	else if (!v->has_names && !*v->near.name)
		ktrace_filter_refuse_value(error, t, "expected a number%s: no value of '%.40s' "
					   "is called '%.40s'", v->has_errors ?
					   " or an error such as ENOENT" : "", t->name,
					   t->literal.text);
	else
		ktrace_filter_refuse_value(error, t, "no value of '%.30s' is called '%.30s'%s",
					   t->name, t->literal.text,
					   ktrace_nearest_hint(&v->near));
	return 1;
}
