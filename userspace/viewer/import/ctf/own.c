// SPDX-License-Identifier: GPL-2.0
/*
 * own.c - reads what ktrace export --to ctf writes in its own way
 *
 * Such a trace has both an event with a reason for each loss and the packets' counter of discarded
 * events. Importing ignores the counter.
 */
#include "own.h"

#include <string.h>

bool own_is(const struct ctf_trace *trace)
{
	const char *tool = ctf_schema_env_text(&trace->schema, "tracer_name");

	return tool && !strcmp(tool, "ktrace");
}

bool own_number(const struct ctf_value *of, const char *name, __s64 *value)
{
	return ctf_number(ctf_member_of(of, name), value);
}

static __u32 record_flags(__s64 flags)
{
	return (flags & KTRACE_EVENT_IRQ ? KTRACE_REC_IRQ : 0) |
	       (flags & KTRACE_EVENT_TRUNCATED ? KTRACE_REC_TRUNCATED : 0) |
	       (flags & KTRACE_EVENT_CRITICAL ? KTRACE_REC_CRITICAL : 0);
}

void own_take(const struct ctf_stream *s, struct import_writer_event *e, __u64 base_ns)
{
	const struct ctf_value *common = &s->cursor.scopes[CTF_COMMON_CONTEXT];
	const struct ctf_value *specific = &s->cursor.scopes[CTF_SPECIFIC_CONTEXT];
	const char *comm = ctf_text(ctf_member_of(common, "comm"));
	__s64 v;

	if (comm && strcmp(comm, "?"))
		e->comm = comm;
	if (own_number(common, "tid", &v))
		e->tid = (__u32)v;
	if (own_number(common, "pid", &v))
		e->pid = (__u32)v;
	if (own_number(common, "flags", &v))
		e->flags = record_flags(v);
	if (own_number(specific, "time", &v))
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

bool own_lost(const struct ctf_stream *s, struct ktrace_lost *lost)
{
	const struct ctf_value *fields = &s->cursor.scopes[CTF_PAYLOAD];
	const char *name = s->event->name;
	__s64 reason, count;

	if (!name || strcmp(name, "ktrace:lost") || !own_number(fields, "reason", &reason) ||
	    !own_number(fields, "count", &count) || reason < 0 || reason >= KTRACE_LOST_NR)
		return false;
	*lost = (struct ktrace_lost){ 0 };
	lost->count[reason] = (__u64)count;
	return true;
}
