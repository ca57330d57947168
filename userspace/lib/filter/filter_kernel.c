// SPDX-License-Identifier: LGPL-2.1
/*
 * filter_kernel.c - compile an expression to a program that the kernel evaluates
 *
 * Programs of the kernel have no result bit and no stack: each comparison names the next step for
 * either result. So this code runs the steps between two comparisons once for each result and for
 * each stack that a comparison can be reached with; only "^" uses the stack. A pair of comparison
 * and stack is a node.
 *
 * Nodes are numbered in the order of the comparisons in the text, so jumps go forwards.
 */
#include <ktrace/kernel_filter.h>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter_expand.h"
#include "filter_names.h"
#include "match/filter_vm.h"

#define NODES_MAX KTRACE_MATCH_STEPS_MAX

/* Where to continue: at a node, or at the end with one of two results. */
enum { TO_WANTED = NODES_MAX, TO_UNWANTED, TO_NOWHERE };

/**
 * struct node - a comparison that the kernel has to evaluate
 * @step:	step of the filter's program
 * @stack:	bits on the stack at that point
 * @first:	index of its first step in the kernel's program
 * @yes:	where to continue if it is true
 * @no:		where to continue if it is false
 */
struct node {
	__u32 step;
	__u64 stack;
	__u32 first;
	__u32 yes;
	__u32 no;
};

/**
 * struct maker - state of making a program
 * @filter:	the filter to compile
 * @expansions:	indexed by test
 * @nodes:	nodes found so far
 * @node_nr:	number of @nodes
 * @step_nr:	total number of their steps
 */
struct maker {
	const struct ktrace_filter *filter;
	struct expansion *expansions;
	struct node nodes[NODES_MAX];
	__u32 node_nr;
	__u32 step_nr;
};

void ktrace_program_init(struct ktrace_program *p, bool wanted)
{
	p->is_constant = true;
	p->wanted = wanted;
	p->step_nr = 0;
	p->text_size = 0;
}

/* A filter that accepts nothing gets one step that never holds: no thread id is negative. */
struct ktrace_kernel_filter ktrace_program_filter(struct ktrace_program *p, __u16 id)
{
	if (p->is_constant && !p->wanted) {
		p->steps[0] = (struct ktrace_match_step){
			.what = KTRACE_MATCH_TID, .op = KTRACE_MATCH_LT, .yes = 1, .no = 2,
		};
		p->step_nr = 1;
		p->is_constant = false;
	}
	return (struct ktrace_kernel_filter){
		.size = sizeof(struct ktrace_kernel_filter), .id = id,
		.step_nr = (__u16)p->step_nr, .text_size = p->text_size,
		.steps = (uintptr_t)p->steps, .texts = (uintptr_t)p->texts,
	};
}

static __u32 node_of(struct maker *m, __u32 step, __u64 stack)
{
	__u32 i;

	for (i = 0; i < m->node_nr; i++)
		if (m->nodes[i].step == step && m->nodes[i].stack == stack)
			return i;
	if (i == NODES_MAX)
		return TO_NOWHERE;
	m->nodes[i] = (struct node){ .step = step, .stack = stack };
	m->node_nr++;
	return i;
}

/* Continues from step @i with this bit and stack up to the next comparison or the end. */
static __u32 go_on(struct maker *m, __u32 i, bool bit, __u64 stack)
{
	const struct ktrace_filter *f = m->filter;
	enum verdict verdict;

	while (i < f->step_nr) {
		if (f->steps[i].op == STEP_TEST) {
			verdict = m->expansions[f->steps[i].arg].verdict;
			if (verdict == VERDICT_MAYBE)
				return node_of(m, i, stack);
			bit = verdict == VERDICT_YES;
		}
		i = ktrace_filter_step(f, i, &bit, &stack);
	}
	return bit ? TO_WANTED : TO_UNWANTED;
}

/* Returns false if there are too many steps or nodes. */
static bool follow(struct maker *m, struct node *n)
{
	const struct expansion *e = &m->expansions[m->filter->steps[n->step].arg];

	n->first = m->step_nr;
	m->step_nr += e->nr;
	n->yes = go_on(m, n->step + 1, !e->is_inverse, n->stack);
	n->no = go_on(m, n->step + 1, e->is_inverse, n->stack);
	return m->step_nr <= KTRACE_MATCH_STEPS_MAX && n->yes != TO_NOWHERE && n->no != TO_NOWHERE;
}

/* Finds all reachable nodes; each comparison's nodes are reached only from earlier ones. */
static bool find_nodes(struct maker *m)
{
	__u32 step, i;

	for (step = 0; step < m->filter->step_nr; step++)
		for (i = 0; i < m->node_nr; i++)
			if (m->nodes[i].step == step && !follow(m, &m->nodes[i]))
				return false;
	return true;
}

/**
 * struct joint - how a program is appended to another one
 * @at:		where it begins
 * @wanted:	target if it accepts the event
 * @unwanted:	target if it rejects the event
 */
struct joint {
	__u32 at;
	__u32 wanted;
	__u32 unwanted;
};

static __u16 place_of(const struct maker *m, const struct joint *j, __u32 to)
{
	if (to == TO_WANTED)
		return (__u16)j->wanted;
	if (to == TO_UNWANTED)
		return (__u16)j->unwanted;
	return (__u16)(j->at + m->nodes[to].first);
}

/* Returns the place of step @to in a node's expansion, or the node's target. */
static __u16 place_within(const struct maker *m, const struct joint *j, const struct node *n,
			  __u32 to)
{
	const struct expansion *e = &m->expansions[m->filter->steps[n->step].arg];

	if (to == EXPANSION_TRUE)
		return place_of(m, j, n->yes);
	if (to == EXPANSION_FALSE || to == e->nr)
		return place_of(m, j, n->no);
	return (__u16)(j->at + n->first + to);
}

static bool add_text(struct ktrace_program *p, struct ktrace_match_step *s, const struct literal *l)
{
	if (!s->text_len)
		return true;
	if (s->text_len > KTRACE_MATCH_TEXTS_MAX - p->text_size)
		return false;
	s->text_off = p->text_size;
	memcpy(p->texts + p->text_size, l->text, s->text_len);
	p->text_size += s->text_len;
	return true;
}

static bool put_node(const struct maker *m, struct ktrace_program *p, const struct joint *j,
		     const struct node *n)
{
	const __u32 nr = m->filter->steps[n->step].arg;
	const struct expansion *e = &m->expansions[nr];
	struct ktrace_match_step *s = &p->steps[j->at + n->first];
	__u32 i;

	for (i = 0; i < e->nr; i++, s++) {
		*s = e->steps[i];
		s->yes = place_within(m, j, n, s->yes);
		s->no = place_within(m, j, n, s->no);
		if (!add_text(p, s, &m->filter->tests[nr].literal))
			return false;
	}
	return true;
}

/* Redirects the former ends of the program: to one of the new ends, or to the appended part. */
static void move_ends(struct ktrace_program *p, enum ktrace_join join, __u32 before, __u32 after)
{
	const __u32 wanted = join == KTRACE_JOIN_AND ? before : after;
	const __u32 unwanted = join == KTRACE_JOIN_AND ? after + 1 : before;
	__u32 i;

	for (i = 0; i < before; i++) {
		struct ktrace_match_step *s = &p->steps[i];

		s->yes = (__u16)(s->yes < before ? s->yes : s->yes == before ? wanted : unwanted);
		s->no = (__u16)(s->no < before ? s->no : s->no == before ? wanted : unwanted);
	}
}

/* Appends the nodes to @p. Returns false if it becomes too long. */
static bool put(const struct maker *m, struct ktrace_program *p, enum ktrace_join join)
{
	const __u32 before = p->step_nr, after = before + m->step_nr;
	const struct joint j = { before, after, after + 1 };
	const struct kt_filter_vm match = { p->steps, after, p->texts };
	__u32 i;

	if (after > KTRACE_MATCH_STEPS_MAX)
		return false;
	for (i = 0; i < m->node_nr; i++)
		if (!put_node(m, p, &j, &m->nodes[i]))
			return false;
	move_ends(p, join, before, after);
	p->step_nr = after;
	p->is_constant = false;
	return kt_filter_vm_check(&match, p->text_size);
}

static int too_long(struct ktrace_filter_error *error)
{
	*error = (struct ktrace_filter_error){ .line = 1, .column = 1 };
	snprintf(error->message, sizeof(error->message), "the expression is too long for the "
		 "kernel; filter when reading the trace");
	return -EINVAL;
}

static int make(struct maker *m, struct ktrace_program *p, enum ktrace_join join,
		struct ktrace_filter_error *error)
{
	const bool neutral = join == KTRACE_JOIN_AND;
	const __u32 start = go_on(m, 0, false, 0);

	if (start == TO_WANTED || start == TO_UNWANTED) {
		if ((start == TO_WANTED) != neutral)
			ktrace_program_init(p, !neutral);
		return 0;
	}
	if (!find_nodes(m))
		return too_long(error);
	if (p->is_constant && p->wanted != neutral)
		return 0;
	return put(m, p, join) ? 0 : too_long(error);
}

/* Collects the existing fields, to suggest one for a mistyped name. */
static void note_fields(struct test *t, const struct ktrace_place *places, __u32 place_nr)
{
	__u32 i;

	if (t->owner != OWNER_PAYLOAD || t->is_met)
		return;
	if (!t->near.wanted) {
		ktrace_nearest_init(&t->near, t->name);
		ktrace_filter_try_known(&t->near);
	}
	for (i = 0; i < place_nr; i++)
		if (places[i].kind != KTRACE_PLACE_OTHER)
			ktrace_nearest_try(&t->near, places[i].name);
}

int ktrace_program_join(struct ktrace_program *p, enum ktrace_join join, struct ktrace_filter *f,
			const struct ktrace_event_type *type, const struct ktrace_place *places,
			__u32 place_nr, struct ktrace_filter_error *error)
{
	struct maker *m = calloc(1, sizeof(*m));
	struct expander x = { f, NULL, type, places, place_nr, error };
	__u32 i;
	int ret = 0;

	if (m)
		m->expansions = calloc(f->test_nr, sizeof(*m->expansions));
	if (!m || !m->expansions) {
		free(m);
		return -ENOMEM;
	}
	m->filter = f;
	for (i = 0; i < f->test_nr && !ret; i++) {
		x.test = &f->tests[i];
		ret = ktrace_filter_expand(&x, &m->expansions[i]);
		note_fields(&f->tests[i], places, place_nr);
	}
	if (!ret)
		ret = make(m, p, join, error);
	for (i = 0; i < f->test_nr; i++)
		free(m->expansions[i].steps);
	free(m->expansions);
	free(m);
	return ret;
}

int ktrace_filter_unmet(const struct ktrace_filter *f, struct ktrace_filter_error *error)
{
	struct test *t;
	__u32 i;

	for (i = 0; i < f->test_nr; i++) {
		t = &f->tests[i];
		if (ktrace_filter_is_event_name(t) && !t->values.is_known) {
			ktrace_filter_refuse_value(error, t, "none of these events is called "
						   "'%.40s'%s", t->literal.text,
						   ktrace_nearest_hint(&t->values.near));
			return 1;
		}
		if (t->owner != OWNER_PAYLOAD)
			continue;
		if (t->is_met && ktrace_value_unknown(&t->values, t, error))
			return 1;
		if (t->is_met)
			continue;
		ktrace_filter_refuse(error, t, "none of these events has a field '%.40s'%s",
				     t->name, ktrace_nearest_hint(&t->near));
		return 1;
	}
	return 0;
}
