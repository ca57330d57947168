// SPDX-License-Identifier: LGPL-2.1
/*
 * filter_plan.c - evaluate a program for an event type
 *
 * Tests of the type itself have one result for all its events, and so have tests of a field that
 * the type lacks. The program is run with these results and "maybe" for the other tests; often this
 * already decides.
 */
#include "decode/value.h"
#include "filter_names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PLANS_MIN 64u

static enum verdict verdict_of(bool is_true)
{
	return is_true ? VERDICT_YES : VERDICT_NO;
}

/* Finds the field in the payload: at an offset, or some fields after one with an offset. */
static void look_up(struct check *c, const struct test *t, const struct ktrace_event_type *type)
{
	bool is_fixed = true;	/* of a placed type: always true, with offset 0 */
	__u32 i, size;

	c->verdict = VERDICT_NO;
	for (i = 0; type && i < type->field_nr; i++) {
		if (is_fixed)
			c->from = i;
		if (!strcmp(type->fields[i].name, t->name)) {
			c->field = i;
			c->verdict = VERDICT_MAYBE;
			return;
		}
		if (type->is_placed)
			continue;
		size = fixed_size(&type->fields[i]);
		is_fixed = is_fixed && size && c->off <= KTRACE_DESC_SIZE_MAX;
		if (is_fixed)
			c->off += size;
	}
}

/* Finds the values of a name. Without memory, a comparison with a name is false. */
static void look_up_names(struct check *c, const struct test *t, const struct ktrace_field *f)
{
	const struct name_list names = ktrace_names_of(f, is_signed(f->scalar));

	if (is_named(t) && names.nr)
		c->names = ktrace_name_set_make(&names, t);
}

static void make_check(struct check *c, const struct ktrace_filter *f, const struct test *t,
		       const struct ktrace_trace_event *e)
{
	struct field_value v;

	free(c->names);
	*c = (struct check){ .verdict = VERDICT_MAYBE };
	if (t->owner == OWNER_PAYLOAD)
		look_up(c, t, e->type);
	if (t->owner == OWNER_PAYLOAD && c->verdict == VERDICT_MAYBE)
		look_up_names(c, t, &e->type->fields[c->field]);
	else if (ktrace_filter_is_of_type(t))
		c->verdict = verdict_of(ktrace_filter_field_value(f, t, e, &v) &&
					ktrace_filter_compare(t, &v, f->start));
}

/**
 * struct pending - the right side of "&&" or "||" whose left side is unknown
 * @until:	step after it
 * @is_and:	true for "&&"
 */
struct pending {
	__u32 until;
	bool is_and;
};

/* Joins "maybe" on the left with the verdict of the right side. */
static enum verdict join(const struct pending *p, enum verdict right)
{
	if (right == (p->is_and ? VERDICT_NO : VERDICT_YES))
		return right;
	return VERDICT_MAYBE;
}

static enum verdict exclusive(enum verdict a, enum verdict b)
{
	if (a == VERDICT_MAYBE || b == VERDICT_MAYBE)
		return VERDICT_MAYBE;
	return verdict_of(a != b);
}

/* Runs the program with the verdicts of the tests. */
static enum verdict judge(const struct ktrace_filter *f, const struct check *checks)
{
	struct pending pending[2 * KTRACE_FILTER_DEPTH_MAX + 2];
	enum verdict stack[KTRACE_FILTER_DEPTH_MAX], bit = VERDICT_NO;
	__u32 i = 0, depth = 0, waiting = 0;

	for (;;) {
		while (waiting && pending[waiting - 1].until == i)
			bit = join(&pending[--waiting], bit);
		if (i == f->step_nr)
			return bit;
		switch (f->steps[i].op) {
		case STEP_TEST:
			bit = checks[f->steps[i].arg].verdict;
			break;
		case STEP_NOT:
			bit = exclusive(bit, VERDICT_YES);
			break;
		case STEP_PUSH:
			stack[depth++] = bit;
			break;
		case STEP_XOR:
			bit = exclusive(bit, stack[--depth]);
			break;
		case STEP_AND:
		case STEP_OR:
			if (bit == (f->steps[i].op == STEP_AND ? VERDICT_NO : VERDICT_YES)) {
				i = f->steps[i].arg;
				continue;
			}
			if (bit == VERDICT_MAYBE)
				pending[waiting++] = (struct pending){
					f->steps[i].arg, f->steps[i].op == STEP_AND };
			break;
		}
		i++;
	}
}

static void make_plan(struct ktrace_filter *f, struct plan *p, const struct ktrace_trace_event *e)
{
	__u32 i;

	p->type = e->type;
	p->kind = e->stream->kind;
	p->id = e->id;
	p->is_used = true;
	for (i = 0; i < f->test_nr; i++)
		make_check(&p->checks[i], f, &f->tests[i], e);
	p->verdict = judge(f, p->checks);
}

static size_t slot_of(const struct ktrace_filter *f, const struct ktrace_event_type *type,
		      __u32 kind, __u32 id)
{
	__u64 hash = ((uintptr_t)type >> 4) + id * 31ull + kind;

	return (size_t)(hash * 0x9e3779b97f4a7c15ull >> 32) & (f->plan_cap - 1);
}

/* Returns the plan of the event's type, or the free slot for it. */
static struct plan *find_slot(const struct ktrace_filter *f, const struct ktrace_event_type *type,
			      __u32 kind, __u32 id)
{
	size_t i = slot_of(f, type, kind, id);
	struct plan *p;

	for (;; i = (i + 1) & (f->plan_cap - 1)) {
		p = &f->plans[i];
		if (!p->is_used || (p->type == type && p->kind == kind && p->id == id))
			return p;
	}
}

static bool grow(struct ktrace_filter *f)
{
	struct ktrace_filter bigger = { .plan_cap = f->plan_cap ? 2 * f->plan_cap : PLANS_MIN };
	size_t i;

	bigger.plans = calloc(bigger.plan_cap, sizeof(*bigger.plans));
	if (!bigger.plans)
		return false;
	for (i = 0; i < f->plan_cap; i++) {
		const struct plan *p = &f->plans[i];

		if (p->is_used)
			*find_slot(&bigger, p->type, p->kind, p->id) = *p;
	}
	free(f->plans);
	f->plans = bigger.plans;
	f->plan_cap = bigger.plan_cap;
	return true;
}

/* Makes the plan of a new type. */
static const struct plan *add_plan(struct ktrace_filter *f, const struct ktrace_trace_event *e)
{
	struct plan *p = &f->spare;

	if (2 * f->plan_nr < f->plan_cap || grow(f)) {
		p = find_slot(f, e->type, e->stream->kind, e->id);
		p->checks = calloc(f->test_nr, sizeof(*p->checks));
		if (!p->checks)
			p = &f->spare;
	}
	make_plan(f, p, e);
	f->plan_nr += p != &f->spare;
	return p;
}

/* Returns the filter's plan for the event's type. */
const struct plan *ktrace_filter_plan(struct ktrace_filter *f, const struct ktrace_trace_event *e)
{
	const struct plan *p;

	if (!f->plan_cap)
		return add_plan(f, e);
	p = find_slot(f, e->type, e->stream->kind, e->id);
	return p->is_used ? p : add_plan(f, e);
}
