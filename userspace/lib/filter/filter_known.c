// SPDX-License-Identifier: LGPL-2.1
/*
 * filter_known.c - find comparisons with a field that no event has, or with an unknown value name
 *
 * The language gives such a comparison the same result for all events; mostly it is a mistake.
 */
#include "filter_names.h"

#include <errno.h>
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

int ktrace_filter_unknown(const struct ktrace_filter *f, const struct ktrace_traceset *set,
			  __u32 i, struct ktrace_filter_error *error)
{
	const struct test *t = i < f->test_nr ? &f->tests[i] : NULL;
	struct search s = { .test = t };

	if (!t)
		return -ENOENT;
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
