// SPDX-License-Identifier: LGPL-2.1
/*
 * filter_known.c - find comparisons with a field or name that no event has, or an unknown value
 *
 * The language gives such a comparison the same result for all events; mostly it is a mistake.
 */
#include "filter_names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <ktrace/nearest.h>

#include "traceset/set.h"

/**
 * struct search - result of searching the files' event types for a comparison
 * @test:	the comparison
 * @is_met:	true if a type has the field
 * @near:	otherwise, the nearest field name
 * @values:	whether the literal can be a value of the field
 */
struct search {
	const struct test *test;
	bool is_met;
	struct ktrace_nearest near;
	struct value_check values;
};

static void look_into(struct search *s, const struct ktrace_event_type *type)
{
	__u32 i;

	for (i = 0; type && i < type->field_nr && !s->values.is_known; i++) {
		if (strcmp(type->fields[i].name, s->test->name)) {
			ktrace_nearest_try(&s->near, type->fields[i].name);
			continue;
		}
		s->is_met = true;
		ktrace_value_check_field(&s->values, s->test, &type->fields[i]);
	}
}

static void look_into_set(struct search *s, const struct ktrace_traceset *set)
{
	const struct ktrace_trace *trace;
	__u32 kind, id;
	size_t i;

	for (i = 0; (trace = ktrace_traceset_trace(set, i)); i++)
		for (kind = KTRACE_CHANNEL_KERNEL; kind <= KTRACE_CHANNEL_USER; kind++)
			for (id = 0; id < ktrace_trace_types(trace, kind); id++)
				look_into(s, ktrace_trace_type(trace, kind, id));
	/* No file describes losses. */
	look_into(s, set->lost_type);
}

/* struct name_search - result of searching the files' event types for the name of an event */
struct name_search {
	const struct ktrace_filter *filter;
	struct test test;
	bool is_met;
	char whole[2 * KTRACE_NEAREST_MAX];
	struct ktrace_nearest near;
};

static void look_for_name(struct name_search *s, const struct ktrace_event_type *type)
{
	const struct ktrace_trace_event e = { .type = type };
	struct field_value v;

	if (!type || !ktrace_filter_field_value(s->filter, &s->test, &e, &v))
		return;
	s->is_met |= ktrace_filter_compare_text(&s->test, v.text, v.len);
	ktrace_nearest_try(&s->near, v.text);
	if (!*s->whole && v.text == type->full_name && !strcmp(type->name, s->near.wanted))
		snprintf(s->whole, sizeof(s->whole), " (did you mean '%s'?)", type->full_name);
}

/* True if it may be the name of events without a description, such as "kernel:7" */
static bool is_undescribed(const struct literal *l)
{
	static const char *const families[] = { "kernel", "user", "unknown" };
	const size_t n = strcspn(l->text, ":*?[");

	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (n == strlen(families[i]) && !memcmp(l->text, families[i], n))
			return true;
	return *l->text >= '0' && *l->text <= '9';
}

/* Returns 3 if no event of the files has the name that is compared with, otherwise 0. */
static int is_name_unknown(const struct ktrace_filter *f, const struct test *t,
			   const struct ktrace_traceset *set, struct ktrace_filter_error *error)
{
	struct name_search s = { .filter = f, .test = *t };
	const struct ktrace_trace *trace;
	__u32 kind, id;
	size_t i;

	s.test.op = t->op == OP_NE ? OP_EQ : t->op;
	ktrace_nearest_init(&s.near, t->literal.text);
	for (i = 0; (trace = ktrace_traceset_trace(set, i)); i++)
		for (kind = KTRACE_CHANNEL_KERNEL; kind <= KTRACE_CHANNEL_USER; kind++)
			for (id = 0; id < ktrace_trace_types(trace, kind); id++)
				look_for_name(&s, ktrace_trace_type(trace, kind, id));
	look_for_name(&s, set->lost_type);
	if (s.is_met || is_undescribed(&t->literal))
		return 0;
	ktrace_filter_refuse_value(error, t, "no event is called '%.40s'%.80s", t->literal.text,
				   *s.whole ? s.whole : ktrace_nearest_hint(&s.near));
	return 3;
}

int ktrace_filter_unknown(const struct ktrace_filter *f, const struct ktrace_traceset *set,
			  __u32 i, struct ktrace_filter_error *error)
{
	const struct test *t = i < f->test_nr ? &f->tests[i] : NULL;
	struct search s = { .test = t };

	if (!t)
		return -ENOENT;
	if (ktrace_filter_is_event_name(t))
		return is_name_unknown(f, t, set, error);
	if (t->owner != OWNER_PAYLOAD)
		return 0;
	ktrace_nearest_init(&s.near, t->name);
	look_into_set(&s, set);
	if (s.is_met)
		return ktrace_value_unknown(&s.values, t, error) ? 2 : 0;
	ktrace_filter_try_fields(f, &s.near);
	ktrace_filter_refuse(error, t, "no event has a field '%.40s'%s", t->name,
			     ktrace_nearest_hint(&s.near));
	return 1;
}
