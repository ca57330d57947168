// SPDX-License-Identifier: LGPL-2.1
/*
 * filter_field.c - fields that every event has, whatever its type
 *
 * A row each: name, what it is, type, and how to get it. Some depend on the type of the
 * event alone, so that a filter need not look at its events.
 */
#include "filter.h"

#include <ktrace/context.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "trace.h"

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

/* Thread 0 is the idle CPU, of process 0. */
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

static const struct ktrace_filter_field fields[] = {
	{ "time", "when; compared with times as for --since", KTRACE_FILTER_TIME },
	{ "raw", "stamp as recorded", KTRACE_FILTER_NUMBER },
	{ "cpu", "CPU of the buffer; a thread's buffer has none", KTRACE_FILTER_NUMBER },
	{ "tid", "thread", KTRACE_FILTER_NUMBER },
	{ "pid", "process, where known", KTRACE_FILTER_NUMBER },
	{ "comm", "name of the thread, where known", KTRACE_FILTER_TEXT },
	{ "event", "provider:name", KTRACE_FILTER_TEXT },
	{ "event.name", "the same", KTRACE_FILTER_TEXT },
	{ "event.family", "provider or kernel family", KTRACE_FILTER_TEXT },
	{ "event.category", "the same", KTRACE_FILTER_TEXT },
	{ "event.subname", "name without provider", KTRACE_FILTER_TEXT },
	{ "event.id", "number of the event type", KTRACE_FILTER_NUMBER },
	{ "event.size", "bytes of payload", KTRACE_FILTER_NUMBER },
	{ "flags", "== has it, != has it not: irq truncated incomplete no-start critical backwards",
	  KTRACE_FILTER_FLAGS },
	{ "lost", "number of lost events, of ktrace:lost", KTRACE_FILTER_NUMBER },
	{ "lost.reason", "why they were lost", KTRACE_FILTER_TEXT },
	{ "stream", "number of the stream in its file", KTRACE_FILTER_NUMBER },
	{ "stream.kind", "kernel, user or unknown", KTRACE_FILTER_TEXT },
	{ "trace.index", "number of the file, from 0", KTRACE_FILTER_NUMBER },
	{ "trace.name", "name of the file", KTRACE_FILTER_TEXT },
	{ "trace.host", "name of the host", KTRACE_FILTER_TEXT },
	{ "context.kstack", "number of the kernel's stack, of ktraced --context",
	  KTRACE_FILTER_NUMBER },
	{ "context.ustack", "number of the program's stack", KTRACE_FILTER_NUMBER },
	{ "context.cgroup", "path of the control group", KTRACE_FILTER_TEXT },
	{ "context.cgroup_id", "number of the control group", KTRACE_FILTER_NUMBER },
	{ "context.nspid", "process in its pid namespace", KTRACE_FILTER_NUMBER },
	{ "context.nstid", "thread there", KTRACE_FILTER_NUMBER },
	{ "context.cycles", "counter of the CPU", KTRACE_FILTER_NUMBER },
	{ "context.instructions", "the same", KTRACE_FILTER_NUMBER },
	{ "context.cache-misses", "the same", KTRACE_FILTER_NUMBER },
	{ "context.branch-misses", "the same", KTRACE_FILTER_NUMBER },
	{ "context.cpu-clock", "the same, ns", KTRACE_FILTER_NUMBER },
	{ "context.task-clock", "the same, ns", KTRACE_FILTER_NUMBER },
	{ "context.page-faults", "the same", KTRACE_FILTER_NUMBER },
	{ "context.context-switches", "the same", KTRACE_FILTER_NUMBER },
};

#define FIELD_NR (sizeof(fields) / sizeof(fields[0]))

static const struct {
	bool (*get)(const struct ktrace_trace_event *e, struct field_value *v);
	bool is_of_type;
} getters[] = {
	{ get_time, false }, { get_raw, false }, { get_cpu, false }, { get_tid, false },
	{ get_pid, false }, { get_comm, false }, { get_event, true }, { get_event, true },
	{ get_event_family, true }, { get_event_family, true }, { get_event_subname, true },
	{ get_event_id, true }, { get_event_size, false }, { get_flags, false },
	{ get_lost, false }, { get_lost_reason, false }, { get_stream, false },
	{ get_stream_kind, true }, { get_trace_index, false }, { get_trace_name, false },
	{ get_trace_host, false }, { get_kstack, false }, { get_ustack, false },
	{ get_cgroup, false }, { get_cgroup_id, false }, { get_nspid, false },
	{ get_nstid, false }, { get_cycles, false }, { get_instructions, false },
	{ get_cache_misses, false }, { get_branch_misses, false }, { get_cpu_clock, false },
	{ get_task_clock, false }, { get_page_faults, false }, { get_switches, false },
};

_Static_assert(sizeof(getters) / sizeof(getters[0]) == FIELD_NR, "each field has its getter");

const struct ktrace_filter_field *ktrace_filter_fields(__u32 *nr)
{
	*nr = FIELD_NR;
	return fields;
}

/* Number of the field with this name, -1 = there is none. */
int ktrace_filter_find_field(const struct ktrace_filter_field *list, __u32 nr, const char *name,
			     size_t len)
{
	__u32 i;

	for (i = 0; i < nr; i++)
		if (strlen(list[i].name) == len && !memcmp(list[i].name, name, len))
			return (int)i;
	return -1;
}

/* Is the field the same for all events of a type? */
bool ktrace_filter_is_of_type(const struct test *t)
{
	return t->owner == OWNER_LIBRARY && getters[t->field].is_of_type;
}

/* Value of a field that is not one of the payload; false: the event has none. */
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

/* The flag that is called so, 0 = none is. */
__u32 ktrace_filter_flag(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (strlen(flags[i].name) == len && !memcmp(flags[i].name, name, len))
			return flags[i].flag;
	return 0;
}
