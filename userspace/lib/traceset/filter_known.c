// SPDX-License-Identifier: LGPL-2.1
/*
 * filter_known.c - does a filter ask for a field that no event has?
 *
 * Such a comparison is false for all events, as the language has it, and mostly a slip.
 */
#include "filter.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "set.h"

static bool has_field(const struct ktrace_event_type *type, const char *name)
{
	__u32 i;

	for (i = 0; type && i < type->field_nr; i++)
		if (!strcmp(type->fields[i].name, name))
			return true;
	return false;
}

static bool is_known(const struct ktrace_traceset *set, const char *name)
{
	const struct ktrace_trace *trace;
	__u32 kind, id;
	size_t i;

	for (i = 0; (trace = ktrace_traceset_trace(set, i)); i++)
		for (kind = KTRACE_CHANNEL_KERNEL; kind <= KTRACE_CHANNEL_USER; kind++)
			for (id = 0; id < ktrace_trace_types(trace, kind); id++)
				if (has_field(ktrace_trace_type(trace, kind, id), name))
					return true;
	/* Losses are described by no file. */
	return has_field(set->lost_type, name);
}

int ktrace_filter_unknown(const struct ktrace_filter *f, const struct ktrace_traceset *set,
			  __u32 i, struct ktrace_filter_error *error)
{
	const struct test *t = i < f->test_nr ? &f->tests[i] : NULL;
	char *c;

	if (!t)
		return -ENOENT;
	if (t->owner != OWNER_PAYLOAD || is_known(set, t->name))
		return 0;
	*error = (struct ktrace_filter_error){ .at = t->at, .line = t->line, .column = t->column };
	snprintf(error->message, sizeof(error->message), "no event has a field '%.40s'", t->name);
	for (c = error->message; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return 1;
}
