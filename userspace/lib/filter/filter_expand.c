// SPDX-License-Identifier: LGPL-2.1
/*
 * filter_expand.c - translate a comparison of an expression for the kernel
 *
 * Usually one step; several if any element of an array or any of several names of an enumeration
 * may match; none if the result is known for the type. Operations that the kernel lacks, such as
 * floating point, become integer comparisons or are refused.
 */
#include "filter_expand.h"
#include "base/grow.h"
#include "filter_names.h"

#include <errno.h>
#include <linux/ktrace_ring.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#define STEPS_MAX 192u
#define CGROUP2_MAGIC 0x63677270
#define NUMBER_MIN (-((__int128)1 << 63))
#define NUMBER_MAX (((__int128)1 << 64) - 1)

#define refuse(x, ...) ktrace_filter_refuse((x)->error, (x)->test, __VA_ARGS__)

static int settle(struct expansion *e, bool is_true)
{
	e->verdict = is_true ? VERDICT_YES : VERDICT_NO;
	return 0;
}

/* Appends a step unchanged. */
static int append(const struct expander *x, struct expansion *e,
		  const struct ktrace_match_step *step)
{
	if (e->nr == STEPS_MAX)
		return refuse(x, "too many comparisons for the kernel; filter when reading the "
			      "trace");
	if (!LIST_RESIZE(e->steps, e->nr + 1))
		return -ENOMEM;
	e->steps[e->nr++] = *step;
	e->verdict = VERDICT_MAYBE;
	return 0;
}

/* Appends a step that makes the comparison true, or else continues with the next step. */
static int add(const struct expander *x, struct expansion *e, const struct ktrace_match_step *step)
{
	struct ktrace_match_step s = *step;

	s.yes = EXPANSION_TRUE;
	s.no = (__u16)(e->nr + 1);
	return append(x, e, &s);
}

/* ---- numbers ---- */

static const __u8 ops[] = {
	[OP_EQ] = KTRACE_MATCH_EQ, [OP_NE] = KTRACE_MATCH_NE, [OP_LT] = KTRACE_MATCH_LT,
	[OP_LE] = KTRACE_MATCH_LE, [OP_GT] = KTRACE_MATCH_GT, [OP_GE] = KTRACE_MATCH_GE,
	[OP_GLOB] = KTRACE_MATCH_LIKE,
};

/* Finds an integer that divides integers as @real does; false if @real is not an integer. */
static bool round_real(double real, enum filter_op op, __int128 *integer)
{
	double rounded = op == OP_LT || op == OP_GE ? ceil(real) : floor(real);

	rounded = rounded > 0x1p70 ? 0x1p70 : rounded < -0x1p70 ? -0x1p70 : rounded;
	*integer = (__int128)rounded;
	return rounded == real;
}

/* Adds a step that holds for all 64-bit integers, but only if the value exists. */
static int add_any(const struct expander *x, struct expansion *e, struct ktrace_match_step s)
{
	s.op = KTRACE_MATCH_GE;
	s.flags |= KTRACE_MATCH_NEGATIVE;
	s.value = 1ull << 63;
	return add(x, e, &s);
}

static bool is_true_of_all(enum filter_op op, bool is_above)
{
	if (is_above)
		return op == OP_LT || op == OP_LE || op == OP_NE;
	return op == OP_GT || op == OP_GE || op == OP_NE;
}

static int add_number(const struct expander *x, struct expansion *e, struct ktrace_match_step s)
{
	const struct number *n = &x->test->literal.number;
	const enum filter_op op = x->test->op;
	__int128 integer = n->integer;

	if (n->is_real && !round_real(n->real, op, &integer) && (op == OP_EQ || op == OP_NE))
		return op == OP_NE ? add_any(x, e, s) : 0;
	if (integer < NUMBER_MIN || integer > NUMBER_MAX)
		return is_true_of_all(op, integer > 0) ? add_any(x, e, s) : 0;
	s.op = ops[op];
	s.flags |= integer < 0 ? KTRACE_MATCH_NEGATIVE : 0;
	s.value = (__u64)integer;
	return add(x, e, &s);
}

/* ---- names ---- */

/**
 * struct search - where to continue when a number is searched in ranges
 * @set:	the ranges
 * @step:	the value to compare; the other members are filled in
 * @in:		target if it is in any range
 * @out:	target if it is in none
 */
struct search {
	const struct name_set *set;
	struct ktrace_match_step step;
	__u32 in;
	__u32 out;
};

static int add_bound(const struct expander *x, struct expansion *e, const struct search *find,
		     __u8 op, __int128 value, __u32 yes, __u32 no)
{
	struct ktrace_match_step s = find->step;

	s.op = op;
	s.flags |= value < 0 ? KTRACE_MATCH_NEGATIVE : 0;
	s.value = (__u64)value;
	s.yes = (__u16)yes;
	s.no = (__u16)no;
	return append(x, e, &s);
}

/* Adds the steps for ranges [@low, @high), at least one, as a binary search. */
static int add_ranges(const struct expander *x, struct expansion *e, const struct search *find,
		      __u32 low, __u32 high)
{
	const __u32 middle = low + (high - low) / 2, at = e->nr;
	const struct name_range *r = &find->set->ranges[middle];
	int ret;

	if (high - low == 1 && r->first == r->last)
		return add_bound(x, e, find, KTRACE_MATCH_EQ, r->first, find->in, find->out);
	if (high - low == 1) {
		ret = add_bound(x, e, find, KTRACE_MATCH_LT, r->first, find->out, at + 1);
		return ret ? ret : add_bound(x, e, find, KTRACE_MATCH_LE, r->last, find->in,
					     find->out);
	}
	ret = add_bound(x, e, find, KTRACE_MATCH_LT, r->first, at + 1, 0);
	if (!ret)
		ret = add_ranges(x, e, find, low, middle);
	if (ret)
		return ret;
	e->steps[at].no = (__u16)e->nr;
	return add_ranges(x, e, find, middle, high);
}

/* Counts the steps for searching all ranges. */
static __u32 count_steps(const struct name_set *set)
{
	__u32 i, nr = set->nr ? set->nr - 1 : 0;

	for (i = 0; i < set->nr; i++)
		nr += set->ranges[i].first == set->ranges[i].last ? 1 : 2;
	return nr;
}

/*
 * Compares a number with the values of a name. For an inverse set, a first step that holds for all
 * numbers makes the comparison false if the number is missing: a missing number fails all steps.
 */
static int add_names(const struct expander *x, struct expansion *e, const struct name_set *set,
		     struct ktrace_match_step s)
{
	struct search find = { .set = set, .step = s };
	__u32 behind = e->nr + set->is_inverse + count_steps(set);
	int ret;

	if (!set->nr)
		return set->is_inverse ? add_any(x, e, s) : 0;
	find.in = set->is_inverse ? behind : EXPANSION_TRUE;
	find.out = set->is_inverse ? EXPANSION_TRUE : behind;
	if (set->is_inverse) {
		ret = add_bound(x, e, &find, KTRACE_MATCH_GE, NUMBER_MIN, e->nr + 1, behind);
		if (ret)
			return ret;
	}
	return add_ranges(x, e, &find, 0, set->nr);
}

/* Compares any element; @set: values that have the name, NULL = compare with a number */
static int expand_elements(const struct expander *x, struct expansion *e,
			   const struct ktrace_place *p, const struct name_set *set)
{
	const struct test *t = x->test;
	struct ktrace_match_step s = {
		.what = KTRACE_MATCH_NUMBER, .size = p->size,
		.flags = p->kind == KTRACE_PLACE_SIGNED ? KTRACE_MATCH_SIGNED : 0,
	};
	__u32 i, nr = p->count ? p->count : 1;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++) {
		if (t->element != ELEMENT_ALL && t->element != i)
			continue;
		s.off = p->off + i * p->size;
		if (set && set->is_pair) {	/* a system call's number, followed by the ABI */
			s.size = sizeof(__u64);
			s.flags = 0;
		}
		ret = set ? add_names(x, e, set, s) : add_number(x, e, s);
	}
	return ret;
}

static int expand_numbers(const struct expander *x, struct expansion *e,
			  const struct ktrace_place *p)
{
	const struct name_list l = ktrace_names_of(p->field, p->kind == KTRACE_PLACE_SIGNED);
	struct name_set *set;
	int ret;

	if (!is_named(x->test))
		return expand_elements(x, e, p, NULL);
	if (!l.nr)
		return 0;
	set = ktrace_name_set_make(&l, x->test);
	if (!set)
		return -ENOMEM;
	ret = expand_elements(x, e, p, set);
	free(set);
	return ret;
}

/* ---- text ---- */

static int add_text(const struct expander *x, struct expansion *e, struct ktrace_match_step s)
{
	const struct test *t = x->test;

	if (t->op >= OP_LT && t->op <= OP_GE)
		return 0;
	s.op = ops[t->op];
	s.text_len = (__u32)t->literal.len;
	return add(x, e, &s);
}

static int expand_text(const struct expander *x, struct expansion *e, const struct ktrace_place *p)
{
	struct ktrace_match_step s = {
		.what = KTRACE_MATCH_TEXT, .off = p->off, .size = KTRACE_MATCH_SIZE_MAX,
		.flags = p->kind == KTRACE_PLACE_REL ? KTRACE_MATCH_FAR | KTRACE_MATCH_REL :
			 p->kind == KTRACE_PLACE_FAR ? KTRACE_MATCH_FAR : 0,
	};
	const __u64 element = x->test->element;

	if (p->kind == KTRACE_PLACE_CHAR && p->count && element == ELEMENT_ALL) {
		s.size = p->count < s.size ? p->count : s.size;
	} else if (p->kind == KTRACE_PLACE_CHAR) {
		s.flags = KTRACE_MATCH_WHOLE;
		s.off += element < p->count ? (__u32)element : 0;
		s.size = 1;
	}
	return add_text(x, e, s);
}

/* ---- addresses ---- */

/* Compares an IP address as two numbers. */
static int expand_address(const struct expander *x, struct expansion *e,
			  const struct ktrace_place *p)
{
	struct ktrace_match_step s = {
		.what = KTRACE_MATCH_NUMBER, .size = sizeof(__u64), .off = p->off,
	};
	const struct test *t = x->test;
	__u64 halves[2];
	int ret;

	if (t->op == OP_GLOB)
		return refuse(x, "the kernel cannot compare an address with a pattern; filter when "
			      "reading the trace");
	if (!t->literal.is_address || (t->op != OP_EQ && t->op != OP_NE))
		return 0;
	memcpy(halves, t->literal.address, sizeof(halves));
	s.op = ops[t->op];
	s.value = halves[0];
	s.yes = t->op == OP_EQ ? (__u16)(e->nr + 1) : EXPANSION_TRUE;
	s.no = t->op == OP_EQ ? EXPANSION_FALSE : (__u16)(e->nr + 1);
	ret = append(x, e, &s);
	if (ret)
		return ret;
	s.off += sizeof(halves[0]);
	s.value = halves[1];
	return add(x, e, &s);
}

/* ---- what events have besides their payload ---- */

static int expand_flags(const struct expander *x, struct expansion *e)
{
	static const struct {
		__u32 flag;
		__u32 bit;
	} flags[] = {
		{ KTRACE_EVENT_IRQ, KTRACE_REC_IRQ },
		{ KTRACE_EVENT_TRUNCATED, KTRACE_REC_TRUNCATED },
	};
	struct ktrace_match_step s = { .what = KTRACE_MATCH_FLAGS, .op = KTRACE_MATCH_HAS };
	size_t i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (flags[i].flag == x->test->literal.flag)
			s.value = flags[i].bit;
	if (!s.value)
		return refuse(x, "the kernel can filter only by the flags irq and truncated; "
			      "filter by others when reading the trace");
	e->is_inverse = x->test->op == OP_NE;
	return add(x, e, &s);
}

/* Fields that every event has and the kernel knows, except those determined by the type */
static const struct {
	const char *name;
	__u8 what;
} known[] = {
	{ "pid", KTRACE_MATCH_PID }, { "tid", KTRACE_MATCH_TID },
	{ "cpu", KTRACE_MATCH_CPU }, { "comm", KTRACE_MATCH_COMM },
	{ "flags", KTRACE_MATCH_FLAGS },
};

void ktrace_filter_try_known(struct ktrace_nearest *near)
{
	struct test t = { .owner = OWNER_LIBRARY };
	const struct ktrace_filter_field *fields;
	__u32 nr;
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		ktrace_nearest_try(near, known[i].name);
	fields = ktrace_filter_fields(&nr);
	for (t.field = 0; t.field < nr; t.field++)
		if (ktrace_filter_is_of_type(&t))
			ktrace_nearest_try(near, fields[t.field].name);
	ktrace_nearest_try(near, "uid");
	ktrace_nearest_try(near, "cgroup");
}

/* Notes whether the literal is the name of an event that the expression is for. */
static void note_event_name(const struct expander *x, const struct ktrace_trace_event *event)
{
	struct value_check *values = &x->test->values;
	struct field_value v;
	struct test t = *x->test;

	if (!ktrace_filter_is_event_name(&t) || values->is_known)
		return;
	if (!values->near.wanted)
		ktrace_nearest_init(&values->near, t.literal.text);
	t.op = t.op == OP_NE ? OP_EQ : t.op;
	if (!ktrace_filter_field_value(x->filter, &t, event, &v))
		return;
	values->is_known = ktrace_filter_compare(&t, &v, 0);
	ktrace_nearest_try(&values->near, v.text);
}

static int expand_library(const struct expander *x, struct expansion *e)
{
	const struct ktrace_trace_stream stream = { .kind = KTRACE_CHANNEL_KERNEL };
	const struct ktrace_trace_event event = {
		.type = x->type, .stream = &stream, .id = x->type->id,
	};
	const struct test *t = x->test;
	const char *name;
	struct field_value v;
	__u32 nr;
	size_t i;

	name = ktrace_filter_fields(&nr)[t->field].name;
	note_event_name(x, &event);
	if (ktrace_filter_is_of_type(t))
		return settle(e, ktrace_filter_field_value(x->filter, t, &event, &v) &&
				 ktrace_filter_compare(t, &v, 0));
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct ktrace_match_step s = { .what = known[i].what };

		if (strcmp(known[i].name, name))
			continue;
		if (s.what == KTRACE_MATCH_FLAGS)
			return expand_flags(x, e);
		return s.what == KTRACE_MATCH_COMM ? add_text(x, e, s) : add_number(x, e, s);
	}
	return refuse(x, "the kernel cannot filter by %s; filter when reading the trace", name);
}

/* Finds a cgroup of version 2 by its path; its id is the inode number of its folder. */
static bool find_cgroup(const char *path, __u64 *id)
{
	static const char *const roots[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	struct statfs fs;
	struct stat st;
	char *name;
	size_t i;
	int ret;

	for (i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		if (statfs(roots[i], &fs) || fs.f_type != CGROUP2_MAGIC ||
		    asprintf(&name, "%s/%s", roots[i], path) < 0)
			continue;
		ret = stat(name, &st);
		free(name);
		*id = ret ? 0 : st.st_ino;
		return !ret && S_ISDIR(st.st_mode);
	}
	return false;
}

static int expand_cgroup(const struct expander *x, struct expansion *e)
{
	struct ktrace_match_step s = { .what = KTRACE_MATCH_CGROUP, .op = ops[x->test->op] };
	const struct literal *l = &x->test->literal;

	if (l->is_number && x->test->op != OP_GLOB)
		return add_number(x, e, s);
	if (x->test->op != OP_EQ && x->test->op != OP_NE)
		return refuse(x, "expected the number of a cgroup, or its path with == or !=");
	if (!find_cgroup(l->text, &s.value))
		return refuse(x, "there is no cgroup '%.80s'", l->text);
	return add(x, e, &s);
}

static int expand_uid(const struct expander *x, struct expansion *e)
{
	const struct ktrace_match_step s = { .what = KTRACE_MATCH_UID };

	if (!x->test->literal.is_number || x->test->op == OP_GLOB)
		return refuse(x, "expected a number as uid");
	return add_number(x, e, s);
}

static const struct ktrace_place *find_place(const struct expander *x)
{
	__u32 i;

	for (i = 0; i < x->place_nr; i++)
		if (!strcmp(x->places[i].name, x->test->name))
			return &x->places[i];
	return NULL;
}

/* Notes whether the literal can be a value of the field. */
static void note_value(struct test *t, const struct ktrace_place *p)
{
	const struct name_list l = ktrace_names_of(p->field, p->kind == KTRACE_PLACE_SIGNED);

	t->values.is_known |= p->kind > KTRACE_PLACE_SIGNED;
	if (is_of_address(t, p->field))
		ktrace_value_check_address(&t->values, t);
	else
		ktrace_value_check(&t->values, t, &l);
}

static int expand_payload(const struct expander *x, struct expansion *e)
{
	const struct ktrace_place *p = find_place(x);
	struct test *t = x->test;

	t->is_met |= p != NULL;
	if (p)
		note_value(t, p);
	if (p && p->kind == KTRACE_PLACE_OTHER)
		return refuse(x, "the kernel cannot filter by '%.40s' of %.60s; filter when "
			      "reading the trace", t->name, x->type->full_name);
	if (p && is_of_address(t, p->field))
		return expand_address(x, e, p);
	/* An element of a field that is not an array */
	if (t->element != ELEMENT_ALL && (!p || t->element >= p->count))
		return 0;
	if (p)
		return p->kind <= KTRACE_PLACE_SIGNED ? expand_numbers(x, e, p) :
							expand_text(x, e, p);
	if (!strcmp(t->name, "uid") || !strcmp(t->name, "cgroup"))
		t->is_met = t->values.is_known = true;
	if (!strcmp(t->name, "uid"))
		return expand_uid(x, e);
	if (!strcmp(t->name, "cgroup"))
		return expand_cgroup(x, e);
	return 0;
}

/* Expands a comparison into @e: its result, or steps of which any may be true. */
int ktrace_filter_expand(const struct expander *x, struct expansion *e)
{
	const struct ktrace_filter_source *source;
	const struct test *t = x->test;

	*e = (struct expansion){ .verdict = VERDICT_NO };
	if (t->owner == OWNER_PAYLOAD)
		return expand_payload(x, e);
	if (t->owner == OWNER_LIBRARY)
		return expand_library(x, e);
	source = x->filter->sources[t->owner - OWNER_SOURCE];
	return refuse(x, "the kernel cannot filter by %s; filter when reading the trace",
		      source->fields[t->field].name);
}
