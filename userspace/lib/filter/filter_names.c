// SPDX-License-Identifier: LGPL-2.1
/*
 * filter_names.c - find the numbers that a name in an expression stands for
 *
 * The reader looks values up in the same list of ranges that the steps of the kernel's program are
 * made from, so a name means the same in both.
 */
#include "filter_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "decode/errors.h"
#include "decode/syscall.h"
#include "decode/value.h"

struct name_list ktrace_names_of(const struct ktrace_field *field, bool is_signed)
{
	struct name_list l = { .is_signed = is_signed };

	if (field && field->enum_nr) {
		l.enums = field->enums;
		l.nr = field->enum_nr;
		l.is_calls = ktrace_syscall_is(field);
		l.calls = ktrace_syscall_field(field, KTRACE_SYSCALL_NATIVE) ? field : NULL;
	} else if (is_signed) {
		l.enums = errors;
		l.nr = sizeof(errors) / sizeof(errors[0]);
		l.is_errors = true;
	}
	return l;
}

/**
 * struct walk - iterates over all names, those of calls ABI by ABI
 * @list:	the names
 * @enums:	names of this ABI
 * @nr:		number of @enums
 * @abi:	the current ABI
 * @next:	index of the next name
 */
struct walk {
	const struct name_list *list;
	const struct ktrace_enumerator *enums;
	__u32 nr;
	__u32 abi;
	__u32 next;
};

static void walk_abi(struct walk *w, __u32 abi)
{
	const struct ktrace_field *f = w->list->calls ? ktrace_syscall_field(w->list->calls, abi) :
							NULL;

	w->abi = abi;
	w->next = 0;
	w->enums = f ? f->enums : w->list->enums;
	w->nr = f ? f->enum_nr : w->list->nr;
}

static const struct ktrace_enumerator *walk_next(struct walk *w)
{
	while (w->next == w->nr) {
		if (!w->list->calls || w->abi + 1 == KTRACE_SYSCALL_ABI_NR)
			return NULL;
		walk_abi(w, w->abi + 1);
	}
	return &w->enums[w->next++];
}

static __u32 count_names(const struct name_list *l)
{
	struct walk w = { .list = l };
	__u32 nr = 0;

	for (walk_abi(&w, 0); walk_next(&w);)
		nr++;
	return nr;
}

/*
 * Returns the length of the literal's prefix if it applies to this name: "-" of an error, or
 * "i386:" of a call, which selects that ABI.
 */
static size_t skip_mark(const struct walk *w, const char *text)
{
	const char *mark;

	if (w->list->is_errors)
		return *text == '-';
	mark = w->list->calls ? ktrace_syscall_mark(w->abi) : "";
	return strncmp(text, mark, strlen(mark)) ? 0 : strlen(mark);
}

/* True if the literal means the name. */
static bool is_meant(const struct walk *w, const struct test *t, const char *name)
{
	const size_t skipped = skip_mark(w, t->literal.text);
	struct test positive = *t;

	positive.literal.text += skipped;
	positive.literal.len -= skipped;
	if (positive.op == OP_NE)
		positive.op = OP_EQ;
	return ktrace_filter_compare_text(&positive, name, strlen(name));
}

static __int128 value_of(const struct walk *w, const struct ktrace_enumerator *n)
{
	if (w->list->calls)
		return ktrace_syscall_pair(w->abi, n->value);
	return w->list->is_signed ? (__int128)n->value : (__int128)(__u64)n->value;
}

static int compare(const void *a, const void *b)
{
	const struct name_range *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* Merges adjacent ranges. */
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
	struct name_set *s = malloc(sizeof(*s) + count_names(l) * sizeof(s->ranges[0]));
	const struct ktrace_enumerator *n;
	struct walk w = { .list = l };

	if (!s)
		return NULL;
	s->nr = 0;
	s->is_inverse = t->op == OP_NE;
	s->is_pair = l->calls;
	for (walk_abi(&w, 0); (n = walk_next(&w));) {
		if (!is_meant(&w, t, n->name))
			continue;
		s->ranges[s->nr].first = s->ranges[s->nr].last = value_of(&w, n);
		s->nr++;
	}
	join_ranges(s);
	return s;
}

bool ktrace_name_set_has(const struct name_set *s, __int128 value)
{
	const __u32 low = PARTITION_POINT(s->nr, i, s->ranges[i].last < value);

	return (low < s->nr && s->ranges[low].first <= value) != s->is_inverse;
}

void ktrace_value_check(struct value_check *v, const struct test *t, const struct name_list *l)
{
	const struct ktrace_enumerator *n;
	struct walk w = { .list = l };

	if (!v->near.wanted)
		ktrace_nearest_init(&v->near, t->literal.text);
	v->is_known |= !is_named(t);
	v->has_names |= l->nr && !l->is_errors;
	v->has_errors |= l->is_errors;
	v->has_calls |= l->is_calls;
	for (walk_abi(&w, 0); !v->is_known && (n = walk_next(&w));) {
		v->is_known = is_meant(&w, t, n->name);
		ktrace_nearest_try(&v->near, n->name);
	}
}

void ktrace_value_check_address(struct value_check *v, const struct test *t)
{
	v->has_addresses = true;
	v->is_known |= t->op == OP_GLOB || t->literal.is_address;
}

void ktrace_value_check_field(struct value_check *v, const struct test *t,
			      const struct ktrace_field *f)
{
	const struct name_list l = ktrace_names_of(f, is_signed(f->scalar));

	if (f->shape == KTRACE_STRING || f->scalar == KTRACE_CHAR)
		v->is_known = true;
	if (is_of_address(t, f))
		ktrace_value_check_address(v, t);
	else
		ktrace_value_check(v, t, &l);
}

int ktrace_value_unknown(struct value_check *v, const struct test *t,
			 struct ktrace_filter_error *error)
{
	if (v->is_known)
		return 0;
	if (v->has_addresses)
		ktrace_filter_refuse_value(error, t, "expected an IP address such as 10.0.0.1 or "
					   "fe80::1, found '%.40s'", t->literal.text);
	else if (v->has_calls)
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
