// SPDX-License-Identifier: GPL-2.0
/*
 * ftrace.c - writes events also known to the kernel's own tracer, in bundles by CPU
 *
 * A table lists these events with the names of their fields there, in order. Other events become
 * track events.
 */
#include "perfetto.h"

#include "events/line.h"

#include <linux/ktrace_events.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUNDLE_SIZE (32u << 10)
#define FIELDS_MAX 7u
#define MESSAGE_MAX 128u
/* Bytes for the name of a thread or interrupt, even if no byte of it is UTF-8 */
#define NAME_SIZE (3 * KTRACE_COMM_LEN + 1)

static const struct mapping {
	__u16 id;
	const char *member;
	const char *fields[FIELDS_MAX];	/* in the order of our fields */
} mappings[] = {
	{ KTRACE_EV_SCHED_SWITCH, "sched_switch",
	  { "prev_pid", "next_pid", "prev_prio", "next_prio", "prev_state", "prev_comm",
	    "next_comm" } },
	{ KTRACE_EV_SCHED_WAKEUP, "sched_wakeup", { "pid", "prio", "target_cpu", "comm" } },
	{ KTRACE_EV_SYSCALL_ENTER, "sys_enter", { "id", "args" } },
	{ KTRACE_EV_SYSCALL_EXIT, "sys_exit", { "id", "ret" } },
	{ KTRACE_EV_IRQ_ENTER, "irq_handler_entry", { "irq", "name" } },
	{ KTRACE_EV_IRQ_EXIT, "irq_handler_exit", { "irq", "ret" } },
	{ KTRACE_EV_SOFTIRQ_ENTER, "softirq_entry", { "vec" } },
	{ KTRACE_EV_SOFTIRQ_EXIT, "softirq_exit", { "vec" } },
	{ KTRACE_EV_SOFTIRQ_RAISE, "softirq_raise", { "vec" } },
	{ KTRACE_EV_POWER_IDLE, "cpu_idle", { "cpu_id", "state" } },
	{ KTRACE_EV_POWER_FREQUENCY, "cpu_frequency", { "cpu_id", "state" } },
};

/*
 * Bits of the kernel's task state by enum ktrace_task_state, from a release on; what a release
 * lacks is a wait for the disk
 */
static const struct numbering {
	unsigned int major;
	unsigned int minor;
	__s64 bits[8];
} numberings[] = {
	{ 4, 14, { 0, 0x1, 0x2, 0x4, 0x8, 0x10, 0x80, 0x40 } },
	{ 4, 2, { 0, 0x1, 0x2, 0x4, 0x8, 0x40, 0x402, 0x200 } },
	{ 3, 9, { 0, 0x1, 0x2, 0x4, 0x8, 0x40, 0x2, 0x200 } },
	{ 0, 0, { 0, 0x1, 0x2, 0x4, 0x8, 0x40, 0x2, 0x2 } },
};

/* struct bundle - events of one CPU; machine and cpu are the key */
struct bundle {
	__u32 machine;
	__u32 cpu;
	bool is_lost;
	struct ktrace_out text;
};

static struct bundle *bundle_of(struct perfetto *p, __u32 machine, __u32 cpu)
{
	const struct bundle key = { .machine = machine, .cpu = cpu };
	struct bundle *b;

	if (!p->bundles.size)
		p->bundles = (struct hash_table)HASH_TABLE_INIT(struct bundle, cpu);
	b = hash_table_need(&p->bundles, &key, &p->error);
	if (b)
		b->text.flush = output_grow;
	return b;
}

/* Writes a bundle as a packet; it is the only field besides the common ones. */
static void end_bundle(struct perfetto *p, struct bundle *b)
{
	Perfetto__Protos__FtraceEventBundle head = PERFETTO__PROTOS__FTRACE_EVENT_BUNDLE__INIT;
	struct ktrace_out packet = { .flush = output_grow }, bundle = { .flush = output_grow };
	TracePacket rest = PERFETTO__PROTOS__TRACE_PACKET__INIT;
	struct ktrace_out *out = p->out;

	if (!b->text.len)
		return;
	head.has_cpu = true;
	head.cpu = b->cpu;
	head.has_lost_events = b->is_lost;
	head.lost_events = true;
	message_pack(&bundle, &head.base);
	ktrace_out_bytes(&bundle, b->text.buf, b->text.len);
	bytes_append(&packet, 1, bundle.buf, bundle.len);
	packet_fill(p, &rest, b->machine);
	message_pack(&packet, &rest.base);
	bytes_append(out, 1, packet.buf, packet.len);
	if (!p->error)
		p->error = packet.error ? packet.error : bundle.error;
	free(packet.buf);
	free(bundle.buf);
	b->text.len = 0;
	b->is_lost = false;
}

/* ftrace takes all calls as native: calls of other ABIs would get wrong names. */
static bool is_foreign_call(const struct ktrace_trace_event *e)
{
	return (e->id == KTRACE_EV_SYSCALL_ENTER || e->id == KTRACE_EV_SYSCALL_EXIT) &&
	       event_integer(e, "abi") != KTRACE_SYSCALL_NATIVE;
}

static const struct mapping *find_mapping(const struct ktrace_trace_event *e)
{
	size_t i;

	if (e->stream->kind != KTRACE_CHANNEL_KERNEL || e->stream->cpu < 0 || !line_has_fields(e) ||
	    is_foreign_call(e))
		return NULL;
	for (i = 0; i < sizeof(mappings) / sizeof(mappings[0]); i++)
		if (mappings[i].id == e->id)
			return &mappings[i];
	return NULL;
}

/* Converts a task state as the kernel of the trace, which readers are told, numbers it. */
static __s64 state_of(const struct ktrace_trace *t, __s64 state)
{
	const char *release = ktrace_trace_meta(t, "host", "kernel");
	const struct numbering *n = numberings;
	unsigned int major, minor;

	if (state < 0 || state >= (__s64)(sizeof(n->bits) / sizeof(n->bits[0])))
		return state;
	if (release && sscanf(release, "%3u.%3u", &major, &minor) == 2)
		while (n->major > major || (n->major == major && n->minor > minor))
			n++;
	return n->bits[state];
}

/* Returns false if the value does not fit, as the file may describe the field differently. */
static bool set_field(char *message, const ProtobufCFieldDescriptor *f,
		      const struct ktrace_value *v, char *text, __u64 *numbers)
{
	struct ktrace_out out = { .buf = text, .cap = NAME_SIZE };
	char *at = message + f->offset;
	__s64 number;
	__u32 i;

	if (f->type == PROTOBUF_C_TYPE_STRING) {
		if (v->field->scalar != KTRACE_CHAR || v->count > KTRACE_COMM_LEN)
			return false;
		ktrace_out_utf8(&out, v->data, strnlen(v->data, v->count));
		text[out.len] = '\0';
		*(char **)at = text;
		return true;
	}
	if (f->label == PROTOBUF_C_LABEL_REPEATED) {
		for (i = 0; i < v->count && i < FIELDS_MAX; i++)
			numbers[i] = (__u64)ktrace_value_s64(v, i);
		*(size_t *)(message + f->quantifier_offset) = i;
		*(__u64 **)at = numbers;
		return i == v->count;
	}
	if (v->field->shape != KTRACE_ONE || !v->count)
		return false;
	number = ktrace_value_s64(v, 0);
	*(protobuf_c_boolean *)(message + f->quantifier_offset) = true;
	if (f->type == PROTOBUF_C_TYPE_INT64 || f->type == PROTOBUF_C_TYPE_UINT64)
		*(__s64 *)at = number;
	else
		*(__s32 *)at = (__s32)number;
	return true;
}

static void set_state(char *message, const ProtobufCFieldDescriptor *f,
		      const struct ktrace_trace *t)
{
	__s64 *at = (__s64 *)(message + f->offset);

	*at = state_of(t, *at);
}

/* Returns false if the event cannot be expressed as this message. */
static bool fill(char *message, const ProtobufCMessageDescriptor *d, const struct mapping *m,
		 const struct ktrace_trace_event *e)
{
	static char texts[FIELDS_MAX][NAME_SIZE + 1];
	static __u64 numbers[FIELDS_MAX];
	const ProtobufCFieldDescriptor *f;
	struct ktrace_values it;
	struct ktrace_value v;
	__u32 i = 0, skipped = 0;

	line_for_each_value(v, it, e) {
		if (!strcmp(v.field->name, "abi")) {
			skipped++;
			continue;
		}
		if (i == FIELDS_MAX || !m->fields[i] || v.is_cut)
			return false;
		f = protobuf_c_message_descriptor_get_field_by_name(d, m->fields[i]);
		if (!f || !set_field(message, f, &v, texts[i], numbers))
			return false;
		if (!strcmp(f->name, "prev_state"))
			set_state(message, f, e->stream->trace);
		i++;
	}
	return i + skipped == e->type->field_nr;
}

bool ftrace_take(struct perfetto *p, const struct ktrace_trace_event *e, __u32 machine)
{
	Perfetto__Protos__FtraceEvent event = PERFETTO__PROTOS__FTRACE_EVENT__INIT;
	const struct mapping *m = find_mapping(e);
	const ProtobufCFieldDescriptor *member;
	static _Alignas(16) char message[MESSAGE_MAX];
	struct bundle *b;

	/*
	 * ftrace events have no room for other flags, such as a context, or for a clock of their
	 * own.
	 */
	if (!m || p->is_mixed || e->flags & (0xffu & ~(unsigned int)KTRACE_EVENT_IRQ))
		return false;
	member = protobuf_c_message_descriptor_get_field_by_name(
			&perfetto__protos__ftrace_event__descriptor, m->member);
	if (((const ProtobufCMessageDescriptor *)member->descriptor)->sizeof_message > MESSAGE_MAX)
		return false;
	protobuf_c_message_init(member->descriptor, message);
	if (!fill(message, member->descriptor, m, e))
		return false;
	b = bundle_of(p, machine, (__u32)e->stream->cpu);
	if (!b)
		return true;
	event.has_timestamp = true;
	event.timestamp = e->time;
	event.has_pid = true;
	event.pid = e->tid;
	event.event_case = (Perfetto__Protos__FtraceEvent__EventCase)member->id;
	event.sched_switch = (void *)message;
	message_append(&b->text, 2, &event.base);
	if (!p->error)
		p->error = b->text.error;
	if (b->text.len >= BUNDLE_SIZE)
		end_bundle(p, b);
	return true;
}

void ftrace_lost(struct perfetto *p, const struct ktrace_trace_event *e, __u32 machine)
{
	struct bundle *b;

	if (e->stream->kind != KTRACE_CHANNEL_KERNEL || e->stream->cpu < 0)
		return;
	b = bundle_of(p, machine, (__u32)e->stream->cpu);
	if (!b)
		return;
	end_bundle(p, b);
	b->is_lost = true;
}

void ftrace_end(struct perfetto *p)
{
	struct bundle *b;

	hash_table_for_each(b, &p->bundles) {
		end_bundle(p, b);
		free(b->text.buf);
	}
	hash_table_free(&p->bundles);
}
