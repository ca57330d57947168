// SPDX-License-Identifier: LGPL-2.1
/* filter.c - runs the program of a filter over events */
#include "filter_names.h"

#include <stdlib.h>

/* True if the set has the number and ABI of a system call; false if the payload is too short. */
static bool test_call(const struct name_set *names, const char *data, const char *end)
{
	__u64 pair;

	if ((size_t)(end - data) < sizeof(pair))
		return false;
	memcpy(&pair, data, sizeof(pair));
	return ktrace_name_set_has(names, pair);
}

/* True if the comparison with a payload's field holds; false if the payload ends before it. */
static bool test_payload(const struct test *t, const struct check *c,
			 const struct ktrace_trace_event *e)
{
	struct ktrace_values it;
	struct ktrace_value v;

	if (c->off >= e->len || e->flags & KTRACE_EVENT_NO_START)
		return false;
	ktrace_values_init(&it, e->type, e->payload + c->off, e->len - c->off);
	it.next = c->from;
	while (ktrace_values_next(&it, &v))
		if (it.next == c->field + 1)
			break;
	if (it.next != c->field + 1)
		return false;
	/* A value without any byte in the payload does not exist. */
	if (v.is_cut && v.data == it.end)
		return false;
	if (c->names && c->names->is_pair && t->element == ELEMENT_ALL)
		return test_call(c->names, v.data, it.end);
	return ktrace_filter_compare_payload(t, c->names, &v);
}

static bool run_test(const struct ktrace_filter *f, const struct check *c, const struct test *t,
		     const struct ktrace_trace_event *e)
{
	struct field_value v;

	if (c->verdict != VERDICT_MAYBE)
		return c->verdict == VERDICT_YES;
	if (t->owner == OWNER_PAYLOAD)
		return test_payload(t, c, e);
	return ktrace_filter_field_value(f, t, e, &v) && ktrace_filter_compare(t, &v, f->start);
}

static bool run(const struct ktrace_filter *f, const struct check *checks,
		const struct ktrace_trace_event *e)
{
	const struct step *steps = f->steps;
	bool bit = false;
	__u64 stack = 0;
	__u32 i = 0;

	while (i < f->step_nr) {
		if (steps[i].op == STEP_TEST)
			bit = run_test(f, &checks[steps[i].arg], &f->tests[steps[i].arg], e);
		i = ktrace_filter_step(f, i, &bit, &stack);
	}
	return bit;
}

bool ktrace_filter_match(struct ktrace_filter *f, const struct ktrace_trace_event *event)
{
	const struct plan *p = ktrace_filter_plan(f, event);

	if (p->verdict != VERDICT_MAYBE)
		return p->verdict == VERDICT_YES;
	return run(f, p->checks, event);
}

void ktrace_filter_start(struct ktrace_filter *f, __u64 ns)
{
	f->start = ns;
}

bool ktrace_filter_uses(const struct ktrace_filter *f, const struct ktrace_filter_source *source)
{
	__u32 i;

	for (i = 0; i < f->test_nr; i++) {
		if (!source && ktrace_filter_is_learnt(&f->tests[i]))
			return true;
		if (f->tests[i].owner >= OWNER_SOURCE &&
		    f->sources[f->tests[i].owner - OWNER_SOURCE] == source)
			return true;
	}
	return false;
}

static void free_checks(struct check *checks, __u32 nr)
{
	__u32 i;

	for (i = 0; checks && i < nr; i++)
		free(checks[i].names);
	free(checks);
}

void ktrace_filter_free(struct ktrace_filter *f)
{
	size_t i;

	if (!f)
		return;
	for (i = 0; i < f->plan_cap; i++)
		free_checks(f->plans[i].checks, f->test_nr);
	for (i = 0; i < f->test_nr; i++) {
		free(f->tests[i].name);
		free(f->tests[i].literal.text);
	}
	free(f->plans);
	free_checks(f->spare.checks, f->test_nr);
	free(f->tests);
	free(f->steps);
	free(f);
}
