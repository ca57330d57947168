// SPDX-License-Identifier: GPL-2.0
/*
 * own.c - reads what ktrace export --to ctf writes in its own way
 *
 * Such a trace has both an event with a reason for each loss and the packets' counter of discarded
 * events. Importing ignores the counter.
 */
#include "own.h"

#include <string.h>

#include "field.h"

bool own_is(const bt_trace *trace)
{
	const bt_value *tool = bt_trace_borrow_environment_entry_value_by_name_const(trace,
										     "tracer_name");

	return tool && bt_value_is_string(tool) && !strcmp(bt_value_string_get(tool), "ktrace");
}

bool own_number(const bt_field *of, const char *name, __s64 *value)
{
	const bt_field *field = bt_field_structure_borrow_member_field_by_name_const(of, name);

	return field && field_number(field, value);
}

static __u32 record_flags(__s64 flags)
{
	return (flags & KTRACE_EVENT_IRQ ? KTRACE_REC_IRQ : 0) |
	       (flags & KTRACE_EVENT_TRUNCATED ? KTRACE_REC_TRUNCATED : 0) |
	       (flags & KTRACE_EVENT_CRITICAL ? KTRACE_REC_CRITICAL : 0);
}

void own_take(const bt_event *event, struct import_writer_event *e, __u64 base_ns)
{
	const bt_field *common = bt_event_borrow_common_context_field_const(event);
	const bt_field *specific = bt_event_borrow_specific_context_field_const(event);
	const bt_field *comm = common ?
		bt_field_structure_borrow_member_field_by_name_const(common, "comm") : NULL;
	__s64 v;

	if (comm && field_text(comm) && strcmp(field_text(comm), "?"))
		e->comm = field_text(comm);
	if (common && own_number(common, "tid", &v))
		e->tid = (__u32)v;
	if (common && own_number(common, "pid", &v))
		e->pid = (__u32)v;
	if (common && own_number(common, "flags", &v))
		e->flags = record_flags(v);
	if (specific && own_number(specific, "time", &v))
		e->ts = (__u64)v - base_ns;
}

bool own_is_context(const char *name)
{
	static const char *const names[] = { "tid", "pid", "comm", "flags", "time" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

bool own_lost(const bt_event *event, struct ktrace_lost *lost)
{
	const char *name = bt_event_class_get_name(bt_event_borrow_class_const(event));
	const bt_field *fields = bt_event_borrow_payload_field_const(event);
	__s64 reason, count;

	if (!name || strcmp(name, "ktrace:lost") || !fields ||
	    !own_number(fields, "reason", &reason) || !own_number(fields, "count", &count) ||
	    reason < 0 || reason >= KTRACE_LOST_NR)
		return false;
	*lost = (struct ktrace_lost){ 0 };
	lost->count[reason] = (__u64)count;
	return true;
}
