// SPDX-License-Identifier: LGPL-2.1
/*
 * filter_field.c - fields that every event has, whatever its type
 *
 * One row per field: name, description, type, and getter. Some fields depend only on the event's
 * type, so that a filter need not look at its events.
 */
#include "filter.h"

#include <ktrace/context.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "traceset/trace.h"

static bool set_text(struct field_value *v, const char *text)
{
	v->text = text;
	v->len = text ? strlen(text) : 0;
	return text;
}

static bool set_number(struct field_value *v, __int128 number)
{
	v->number = (struct number){ .integer = number };
	return true;
}

static const char *kind_name(const struct ktrace_trace_event *e)
{
	return e->stream->kind == KTRACE_CHANNEL_KERNEL ? "kernel" :
	       e->stream->kind == KTRACE_CHANNEL_USER ? "user" : "unknown";
}

static bool get_time(const struct ktrace_trace_event *e, struct field_value *v)
{
	return set_number(v, e->time);
}

static bool get_raw(const struct ktrace_trace_event *e, struct field_value *v)
{
	return set_number(v, e->raw);
}

static bool get_trace_index(const struct ktrace_trace_event *e, struct field_value *v)
{
	return set_number(v, (__int128)ktrace_trace_index(e->stream->trace));
}

static bool get_trace_name(const struct ktrace_trace_event *e, struct field_value *v)
{
	return set_text(v, ktrace_trace_path(e->stream->trace));
}

static bool get_trace_host(const struct ktrace_trace_event *e, struct field_value *v)
{
	return set_text(v, ktrace_trace_meta(e->stream->trace, "host", "name"));
}

static bool get_stream(const struct ktrace_trace_event *e, struct field_value *v)
{
	return set_number(v, e->stream->id);
}

static bool get_stream_kind(const struct ktrace_trace_event *e, struct field_value *v)
{
	return set_text(v, kind_name(e));
}

static bool get_cpu(const struct ktrace_trace_event *e, struct field_value *v)
{
	return set_number(v, e->stream->cpu) && e->stream->cpu >= 0;
}

static bool get_tid(const struct ktrace_trace_event *e, struct field_value *v)
{
	return set_number(v, e->tid) && e->id != KTRACE_ID_LOST;
}

/* Thread 0 is the idle task, of process 0. */
static bool get_pid(const struct ktrace_trace_event *e, struct field_value *v)
{
	__u32 pid = e->tid ? ktrace_trace_pid(e->stream->trace, e->tid, e->raw) : 0;

	return set_number(v, pid) && (pid || !e->tid) && e->id != KTRACE_ID_LOST;
}

static bool get_comm(const struct ktrace_trace_event *e, struct field_value *v)
{
	const char *comm = "swapper";

	if (e->tid)
		comm = ktrace_trace_comm(e->stream->trace, e->tid, e->raw);
	return set_text(v, comm) && e->id != KTRACE_ID_LOST;
}

static bool get_event(const struct ktrace_trace_event *e, struct field_value *v)
{
	if (e->type)
		return set_text(v, e->type->full_name);
	snprintf(v->room, sizeof(v->room), "%s:%u", kind_name(e), e->id);
	return set_text(v, v->room);
}

static bool get_event_family(const struct ktrace_trace_event *e, struct field_value *v)
{
	return set_text(v, e->type ? e->type->provider : kind_name(e));
}

static bool get_event_subname(const struct ktrace_trace_event *e, struct field_value *v)
{
	if (e->type)
		return set_text(v, e->type->name);
	snprintf(v->room, sizeof(v->room), "%u", e->id);
	return set_text(v, v->room);
}

static bool get_event_id(const struct ktrace_trace_event *e, struct field_value *v)
{
	return set_number(v, e->id);
}

static bool get_event_size(const struct ktrace_trace_event *e, struct field_value *v)
{
	return set_number(v, e->len);
}

static bool get_flags(const struct ktrace_trace_event *e, struct field_value *v)
{
	return set_number(v, e->flags);
}

static bool get_lost(const struct ktrace_trace_event *e, struct field_value *v)
{
	struct lost_payload lost;

	if (e->id != KTRACE_ID_LOST || e->len < sizeof(lost))
		return false;
	memcpy(&lost, e->payload, sizeof(lost));
	return set_number(v, lost.count);
}

static bool get_lost_reason(const struct ktrace_trace_event *e, struct field_value *v)
{
	struct lost_payload lost;

	if (e->id != KTRACE_ID_LOST || e->len < sizeof(lost))
		return false;
	memcpy(&lost, e->payload, sizeof(lost));
	return set_text(v, ktrace_lost_name(lost.reason));
}

static bool set_item(const struct ktrace_trace_event *e, __u32 kind, struct field_value *v)
{
	__u64 value;

	return ktrace_event_find_item(e, kind, &value) && set_number(v, value);
}

static bool get_cgroup(const struct ktrace_trace_event *e, struct field_value *v)
{
	__u64 id;

	return ktrace_event_find_item(e, KTRACE_ITEM_CGROUP, &id) &&
	       set_text(v, ktrace_trace_cgroup(e->stream->trace, id));
}

static bool get_nspid(const struct ktrace_trace_event *e, struct field_value *v)
{
	__u64 ids;

	return ktrace_event_find_item(e, KTRACE_ITEM_NSPID, &ids) &&
	       set_number(v, ids >> KTRACE_NSPID_SHIFT);
}

static bool get_nstid(const struct ktrace_trace_event *e, struct field_value *v)
{
	__u64 ids;

	return ktrace_event_find_item(e, KTRACE_ITEM_NSPID, &ids) &&
	       set_number(v, ids & ((1u << KTRACE_NSPID_SHIFT) - 1));
}

#define GET_ITEM(name, kind)                                                            \
	static bool get_##name(const struct ktrace_trace_event *e, struct field_value *v) \
	{                                                                               \
		return set_item(e, kind, v);                                            \
	}
#define GET_HARDWARE(name, config) GET_ITEM(name, KTRACE_ITEM_COUNTER + (config))
#define GET_SOFTWARE(name, config)                                                      \
	GET_ITEM(name, KTRACE_ITEM_COUNTER + KTRACE_COUNTER_CONFIGS + (config))

GET_ITEM(kstack, KTRACE_ITEM_KSTACK)
GET_ITEM(ustack, KTRACE_ITEM_USTACK)
GET_ITEM(cgroup_id, KTRACE_ITEM_CGROUP)
GET_HARDWARE(cycles, PERF_COUNT_HW_CPU_CYCLES)
GET_HARDWARE(instructions, PERF_COUNT_HW_INSTRUCTIONS)
GET_HARDWARE(cache_misses, PERF_COUNT_HW_CACHE_MISSES)
GET_HARDWARE(branch_misses, PERF_COUNT_HW_BRANCH_MISSES)
GET_SOFTWARE(cpu_clock, PERF_COUNT_SW_CPU_CLOCK)
GET_SOFTWARE(task_clock, PERF_COUNT_SW_TASK_CLOCK)
GET_SOFTWARE(page_faults, PERF_COUNT_SW_PAGE_FAULTS)
GET_SOFTWARE(switches, PERF_COUNT_SW_CONTEXT_SWITCHES)

/* Name, description, type, getter, and whether the value is the same for all of an event type */
#define FIELDS(X)										\
	X("time", "time of the event; values as for --since", TIME, get_time, false)		\
	X("raw", "stamp as recorded", NUMBER, get_raw, false)					\
	X("cpu", "CPU of the buffer; a thread's buffer has none", NUMBER, get_cpu, false)	\
	X("tid", "thread", NUMBER, get_tid, false)						\
	X("pid", "process, where known", NUMBER, get_pid, false)				\
	X("comm", "name of the thread, where known", TEXT, get_comm, false)			\
	X("event", "provider:name", TEXT, get_event, true)					\
	X("event.name", "same as event", TEXT, get_event, true)					\
	X("event.time", "same as time", TIME, get_time, false)					\
	X("event.tsc", "same as raw", NUMBER, get_raw, false)					\
	X("event.family", "provider or kernel family", TEXT, get_event_family, true)		\
	X("event.category", "same as event.family", TEXT, get_event_family, true)		\
	X("event.subname", "name without provider", TEXT, get_event_subname, true)		\
	X("event.id", "number of the event type", NUMBER, get_event_id, true)			\
	X("event.size", "bytes of payload", NUMBER, get_event_size, false)			\
	X("flags",										\
	  "== is set, != is not set: irq truncated incomplete no-start critical backwards",	\
	  FLAGS, get_flags, false)								\
	X("lost", "number of lost events (ktrace:lost)", NUMBER, get_lost, false)		\
	X("lost.reason", "why they were lost", TEXT, get_lost_reason, false)			\
	X("stream", "number of the stream in its file", NUMBER, get_stream, false)		\
	X("stream.kind", "kernel, user or unknown", TEXT, get_stream_kind, true)		\
	X("trace.index", "number of the file, from 0", NUMBER, get_trace_index, false)		\
	X("trace.name", "name of the file", TEXT, get_trace_name, false)			\
	X("trace.host", "name of the host", TEXT, get_trace_host, false)			\
	X("context.kstack", "number of the kernel stack (ktraced --context)",			\
	  NUMBER, get_kstack, false)								\
	X("context.ustack", "number of the program stack", NUMBER, get_ustack, false)		\
	X("context.cgroup", "path of the control group", TEXT, get_cgroup, false)		\
	X("context.cgroup_id", "number of the control group", NUMBER, get_cgroup_id, false)	\
	X("context.nspid", "process in its pid namespace", NUMBER, get_nspid, false)		\
	X("context.nstid", "thread in its pid namespace", NUMBER, get_nstid, false)		\
	X("context.cycles", "counter of the CPU", NUMBER, get_cycles, false)			\
	X("context.instructions", "counter of the CPU", NUMBER, get_instructions, false)	\
	X("context.cache-misses", "counter of the CPU", NUMBER, get_cache_misses, false)	\
	X("context.branch-misses", "counter of the CPU", NUMBER, get_branch_misses, false)	\
	X("context.cpu-clock", "counter of the kernel, ns", NUMBER, get_cpu_clock, false)	\
	X("context.task-clock", "counter of the kernel, ns", NUMBER, get_task_clock, false)	\
	X("context.page-faults", "counter of the kernel", NUMBER, get_page_faults, false)	\
	X("context.context-switches", "counter of the kernel", NUMBER, get_switches, false)

static const struct ktrace_filter_field fields[] = {
#define X(name, what, type, get, is_of_type) { name, what, KTRACE_FILTER_##type },
	FIELDS(X)
#undef X
};

static const struct {
	bool (*get)(const struct ktrace_trace_event *e, struct field_value *v);
	bool is_of_type;
} getters[] = {
#define X(name, what, type, get, is_of_type) { get, is_of_type },
	FIELDS(X)
#undef X
};

const struct ktrace_filter_field *ktrace_filter_fields(__u32 *nr)
{
	*nr = sizeof(fields) / sizeof(fields[0]);
	return fields;
}

/* Returns the index of the field with this name, -1 = none. */
int ktrace_filter_find_field(const struct ktrace_filter_field *list, __u32 nr, const char *name,
			     size_t len)
{
	__u32 i;

	for (i = 0; i < nr; i++)
		if (strlen(list[i].name) == len && !memcmp(list[i].name, name, len))
			return (int)i;
	return -1;
}

/* True if the field is the same for all events of a type. */
bool ktrace_filter_is_of_type(const struct test *t)
{
	return t->owner == OWNER_LIBRARY && getters[t->field].is_of_type;
}

/* True if it is the name of the event, or half of it. */
bool ktrace_filter_is_event_name(const struct test *t)
{
	return t->owner == OWNER_LIBRARY && (getters[t->field].get == get_event ||
					     getters[t->field].get == get_event_family ||
					     getters[t->field].get == get_event_subname);
}

/* True if the field depends on earlier events. */
bool ktrace_filter_is_learnt(const struct test *t)
{
	return t->owner == OWNER_LIBRARY && (getters[t->field].get == get_pid ||
					     getters[t->field].get == get_comm);
}

/* Gets the value of a field that is not a payload's; false if the event has none. */
bool ktrace_filter_field_value(const struct ktrace_filter *f, const struct test *t,
			       const struct ktrace_trace_event *e, struct field_value *v)
{
	const struct ktrace_filter_source *source;
	struct ktrace_filter_value given = { 0 };

	if (t->owner == OWNER_LIBRARY)
		return getters[t->field].get(e, v);
	source = f->sources[t->owner - OWNER_SOURCE];
	if (!source->get(source->arg, t->field, e, &given))
		return false;
	v->text = given.text;
	v->len = given.len;
	return set_number(v, given.number);
}

static const struct {
	const char *name;
	__u32 flag;
} flags[] = {
	{ "truncated", KTRACE_EVENT_TRUNCATED },
	{ "incomplete", KTRACE_EVENT_INCOMPLETE },
	{ "no-start", KTRACE_EVENT_NO_START },
	{ "irq", KTRACE_EVENT_IRQ },
	{ "critical", KTRACE_EVENT_CRITICAL },
	{ "backwards", KTRACE_EVENT_BACKWARDS },
};

/* Returns the flag of this name, 0 = none. */
__u32 ktrace_filter_flag(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (strlen(flags[i].name) == len && !memcmp(flags[i].name, name, len))
			return flags[i].flag;
	return 0;
}
