/* SPDX-License-Identifier: LGPL-2.1 */
/* field.h - values of fields, and conditions on them */
#ifndef KTRACE_SQL_FIELD_H
#define KTRACE_SQL_FIELD_H

#include <ktrace/traceset.h>

#include "condition.h"

/**
 * struct field_condition - a condition on a field of one type
 * @condition:	the condition
 * @field:	number of the field
 * @is_fixed:	its place is the same in all payloads
 * @offset:	then: the place
 * @scalar:	then: its type
 * @size:	then: its bytes
 */
struct field_condition {
	const struct condition *condition;
	__u32 field;
	bool is_fixed;
	__u32 offset;
	enum ktrace_scalar scalar;
	__u32 size;
};

/**
 * struct field_row - values of an event, decoded up to the last one that was asked for
 * @it:		decodes them
 * @values:	values so far
 * @nr:		their number
 * @room:	of @values
 */
struct field_row {
	struct ktrace_values it;
	struct ktrace_value *values;
	__u32 nr;
	__u32 room;
};

/* Prepares a condition on field @i, for which it can go down. */
void ktrace_field_condition_set(struct field_condition *c, const struct condition *condition,
				const struct ktrace_event_type *type, __u32 i);
bool ktrace_field_may_match(const struct field_condition *c, const struct ktrace_trace_event *e);

/* Begins the values of an event that has fields. Return: 0, -ENOMEM. */
int ktrace_field_row_begin(struct field_row *row, const struct ktrace_trace_event *e);
/* Returns a value; NULL = the payload ends before. */
const struct ktrace_value *ktrace_field_row_at(struct field_row *row, __u32 i);

/* The result for a value */
void ktrace_result_value(sqlite3_context *to, struct ktrace_out *cell,
			 const struct ktrace_value *v);

/* True if the event has fields; otherwise only its bytes are known. */
static inline bool event_has_fields(const struct ktrace_trace_event *e)
{
	return e->type && !(e->flags & KTRACE_EVENT_NO_START);
}

#endif
