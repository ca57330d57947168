// SPDX-License-Identifier: LGPL-2.1
/*
 * filter_known.c - does a filter ask for a field that no event has?
 *
 * Such a comparison is false for all events, as the language has it, and mostly a slip.
 */
#include "filter.h"

#include <errno.h>
#include <string.h>

#include <ktrace/nearest.h>

#include "set.h"

static bool has_field(const struct ktrace_event_type *type, struct ktrace_nearest *near)
{
	__u32 i;

	for (i = 0; type && i < type->field_nr; i++) {
		if (!strcmp(type->fields[i].name, near->wanted))
			return true;
		ktrace_nearest_try(near, type->fields[i].name);
	}
	return false;
}

/* If not, the nearest to it goes into @near, also of fields that all events have. */
static bool is_known(const struct ktrace_filter *f, const struct ktrace_traceset *set,
		     struct ktrace_nearest *near)
{
	const struct ktrace_trace *trace;
	__u32 kind, id;
	size_t i;

	for (i = 0; (trace = ktrace_traceset_trace(set, i)); i++)
		for (kind = KTRACE_CHANNEL_KERNEL; kind <= KTRACE_CHANNEL_USER; kind++)
			for (id = 0; id < ktrace_trace_types(trace, kind); id++)
				if (has_field(ktrace_trace_type(trace, kind, id), near))
					return true;
	ktrace_filter_try_fields(f, near);
	/* Losses are described by no file. */
	return has_field(set->lost_type, near);
}

int ktrace_filter_unknown(const struct ktrace_filter *f, const struct ktrace_traceset *set,
			  __u32 i, struct ktrace_filter_error *error)
{
	const struct test *t = i < f->test_nr ? &f->tests[i] : NULL;
	struct ktrace_nearest near;

	if (!t)
		return -ENOENT;
	if (t->owner != OWNER_PAYLOAD)
		return 0;
	ktrace_nearest_init(&near, t->name);
	if (is_known(f, set, &near))
		return 0;
	ktrace_filter_refuse(error, t, "no event has a field '%.40s'%s", t->name,
			     ktrace_nearest_hint(&near));
	return 1;
}
