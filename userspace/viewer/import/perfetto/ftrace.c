// SPDX-License-Identifier: GPL-2.0
/*
 * ftrace.c - converts bundles of a CPU's events, recorded by the kernel's own tracer
 *
 * An event becomes a kernel event with the name and the fields of its message, and so one of
 * ktrace's if there is one (import_map.h). An event unknown to perfetto.proto keeps its number.
 */
#include "convert.h"
#include "ftrace.h"
#include "ftrace_events.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#define CLONE_THREAD 0x10000u
#define ARGS 6u
/* common_flags: in a hardware interrupt's handler, in a softirq */
#define FLAGS_IRQ (8u | 16u)
/* FtraceClock */
#define CLOCK_MONO_RAW 4u
/* The kernel encodes devices as major << MINOR_BITS | minor */
#define MINOR_BITS 20

typedef Perfetto__Protos__FtraceEventBundle Bundle;
typedef Perfetto__Protos__FtraceEvent FtraceEvent;

/* Numbers of the fields that ftrace_learn() looks for before the conversion */
enum { BUNDLE_EVENT = 2, EVENT_WAKEUP = 17, EVENT_NEWTASK = 235 };

/* struct thread - a thread named by a process tree or an event; tid is the key */
struct thread {
	__u32 tid;
	__u32 pid;
	char comm[KTRACE_COMM_LEN];
};

void ftrace_init(struct ftrace *f)
{
	*f = (struct ftrace){
		.threads = HASH_TABLE_INIT(struct thread, tid),
		.cpus = HASH_TABLE_INIT(struct ftrace_cpu, cpu),
	};
}

void ftrace_free(struct ftrace *f)
{
	hash_table_free(&f->threads);
	hash_table_free(&f->cpus);
}

static int set_thread(struct conversion *c, __u32 tid, __u32 pid, const char *comm)
{
	struct thread *thread = hash_table_get(&c->ftrace.threads, &tid);

	if (!thread)
		return -ENOMEM;
	if (pid)
		thread->pid = pid;
	if (comm && *comm)
		strncpy(thread->comm, comm, sizeof(thread->comm) - 1);
	return 0;
}

static __u32 pid_of(const struct conversion *c, __u32 tid)
{
	const struct thread *thread = hash_table_find(&c->ftrace.threads, &tid);

	return thread ? thread->pid : 0;
}

int ftrace_learn_tree(struct conversion *c, const struct packet_field *f)
{
	Perfetto__Protos__ProcessTree *tree =
		perfetto__protos__process_tree__unpack(NULL, f->size, f->data);
	const char *name, *slash;
	int ret = 0;

	for (size_t i = 0; tree && i < tree->n_processes && !ret; i++) {
		const Perfetto__Protos__ProcessTree__Process *p = tree->processes[i];

		name = p->n_cmdline ? p->cmdline[0] : "";
		slash = strrchr(name, '/');
		ret = set_thread(c, (__u32)p->pid, (__u32)p->pid, slash ? slash + 1 : name);
	}
	for (size_t i = 0; tree && i < tree->n_threads && !ret; i++)
		ret = set_thread(c, (__u32)tree->threads[i]->tid, (__u32)tree->threads[i]->tgid,
				 tree->threads[i]->name);
	if (tree)
		perfetto__protos__process_tree__free_unpacked(tree, NULL);
	return ret;
}

void ftrace_learn(struct conversion *c, const struct packet_field *f)
{
	const struct packet bundle = { .data = f->data, .size = f->size };
	struct packet_field event, field;
	size_t at = 0;

	while (packet_next(&bundle, &at, &event) == 1) {
		const struct packet inner = { .data = event.data, .size = event.size };
		size_t inner_at = 0;

		if (event.number != BUNDLE_EVENT || event.wire != 2)
			continue;
		while (packet_next(&inner, &inner_at, &field) == 1) {
			c->ftrace.has_wakeup |= field.number == EVENT_WAKEUP;
			c->ftrace.has_newtask |= field.number == EVENT_NEWTASK;
		}
	}
}

/* Converts a stamp of a bundle; false if its clock is unknown. */
static bool stamp_time(struct conversion *c, const Bundle *b, __u64 stamp, __u64 *ts)
{
	struct clock_id clock = { .id = CLOCK_ID_BOOTTIME };

	if (b->ftrace_clock && b->has_boot_timestamp)
		stamp += (__u64)b->boot_timestamp - (__u64)b->ftrace_timestamp;
	else if (b->ftrace_clock == CLOCK_MONO_RAW)
		clock.id = CLOCK_ID_MONOTONIC_RAW;
	return clocks_convert(&c->clocks, clock, c->time, stamp, ts);
}

/* Returns the CPU, limited to what import_writer.h has a stream for. */
static __s32 cpu_of(const Bundle *b)
{
	return b->cpu < IMPORT_WRITER_CPUS ? (__s32)b->cpu : IMPORT_WRITER_CPUS;
}

static int end_event(struct conversion *c, const struct ftrace_place *at)
{
	const struct thread *thread = hash_table_find(&c->ftrace.threads, &at->tid);
	struct spooled e = {
		.tid = at->tid, .pid = thread ? thread->pid : 0,
		.cpu = cpu_of(at->bundle),
		.flags = at->flags & FLAGS_IRQ ? KTRACE_REC_IRQ : 0,
	};

	if (!stamp_time(c, at->bundle, at->stamp, &e.ts))
		c->timeless++;
	if (thread && at->tid)
		memcpy(e.comm, thread->comm, sizeof(e.comm));
	return event_put(c, e);
}

/* Begins an event: "sched_switch" is one of sched, a name without a prefix one of ftrace. */
static void begin_event(struct conversion *c, const char *name)
{
	const size_t n = strcspn(name, "_");
	char provider[32] = "ftrace";

	if (name[n] && n && n < sizeof(provider))
		snprintf(provider, sizeof(provider), "%.*s", (int)n, name);
	event_begin(c, provider, name, "");
}

/* Converts device numbers from user space's encoding to the kernel's. */
static __u64 unsigned_of(const ProtobufCFieldDescriptor *f, __u64 value)
{
	return strcmp(f->name, "dev") ? value :
	       (__u64)major(value) << MINOR_BITS | minor(value);
}

static void put_field(struct conversion *c, const ProtobufCMessage *m,
		      const ProtobufCFieldDescriptor *f)
{
	const char *at = (const char *)m + f->offset;

	switch (f->type) {
	case PROTOBUF_C_TYPE_STRING:
		event_text(c, f->name, *(char *const *)at ? *(char *const *)at : "");
		break;
	case PROTOBUF_C_TYPE_INT32:
		event_number(c, "s32", f->name, (__u64)*(const __s32 *)at);
		break;
	case PROTOBUF_C_TYPE_UINT32:
		event_number(c, "u32", f->name, *(const __u32 *)at);
		break;
	case PROTOBUF_C_TYPE_INT64:
		event_number(c, "s64", f->name, *(const __u64 *)at);
		break;
	default:
		event_number(c, "u64", f->name, unsigned_of(f, *(const __u64 *)at));
	}
}

/* The only array is the arguments of a system call. */
static void put_fields(struct conversion *c, const ProtobufCMessage *m)
{
	for (unsigned int i = 0; i < m->descriptor->n_fields; i++) {
		const ProtobufCFieldDescriptor *f = &m->descriptor->fields[i];

		if (f->label != PROTOBUF_C_LABEL_REPEATED)
			put_field(c, m, f);
		else
			event_numbers(c, f->name, ARGS,
				      *(const size_t *)((const char *)m + f->quantifier_offset),
				      *(__u64 *const *)((const char *)m + f->offset));
	}
}

int ftrace_put(struct conversion *c, const char *name, const ProtobufCMessage *m,
	       const struct ftrace_place *at)
{
	begin_event(c, name);
	put_fields(c, m);
	return end_event(c, at);
}

static int put_generic(struct conversion *c, const Perfetto__Protos__GenericFtraceEvent *m,
		       const struct ftrace_place *at)
{
	begin_event(c, m->event_name && *m->event_name ? m->event_name : "generic");
	for (size_t i = 0; i < m->n_field; i++) {
		const Perfetto__Protos__GenericFtraceEvent__Field *f = m->field[i];
		const char *name = f->name ? f->name : "value";

		switch (f->value_case) {
		case PERFETTO__PROTOS__GENERIC_FTRACE_EVENT__FIELD__VALUE_INT_VALUE:
			event_number(c, "s64", name, (__u64)f->int_value);
			break;
		case PERFETTO__PROTOS__GENERIC_FTRACE_EVENT__FIELD__VALUE_UINT_VALUE:
			event_number(c, "u64", name, f->uint_value);
			break;
		case PERFETTO__PROTOS__GENERIC_FTRACE_EVENT__FIELD__VALUE_STR_VALUE:
			event_text(c, name, f->str_value);
			break;
		default:
			event_text(c, name, "");
		}
	}
	return end_event(c, at);
}

/* @pid: process of the child; 0 = the one known for @tid, else @tid itself */
static int put_fork(struct conversion *c, const struct ftrace_place *at, __u32 tid, __u32 pid,
		    const char *comm)
{
	const __u32 parent = pid_of(c, at->tid);
	int ret;

	if (!pid)
		pid = pid_of(c, tid) ? pid_of(c, tid) : tid;
	ret = set_thread(c, tid, pid, NULL);
	if (ret)
		return ret;
	event_begin(c, "sched", "fork", "");
	event_number(c, "u32", "parent_tid", at->tid);
	event_number(c, "u32", "parent_pid", parent ? parent : at->tid);
	event_number(c, "u32", "child_tid", tid);
	event_number(c, "u32", "child_pid", pid);
	event_text(c, "comm", comm ? comm : "");
	return end_event(c, at);
}

/* task_newtask tells whether the child is a thread, which sched_process_fork does not. */
static int put_newtask(struct conversion *c, const Perfetto__Protos__TaskNewtaskFtraceEvent *m,
		       const struct ftrace_place *at)
{
	const __u32 parent = pid_of(c, at->tid), tid = (__u32)m->pid;
	const bool is_thread = m->clone_flags & CLONE_THREAD;

	return put_fork(c, at, tid, !is_thread ? tid : parent ? parent : at->tid, m->comm);
}

/*
 * Writes an event that perfetto.proto does not have, by its description; without one, only its
 * number.
 */
static int put_other(struct conversion *c, const FtraceEvent *e, const struct ftrace_place *at)
{
	const struct schema_field *f = ftrace_event_field(c, e);
	const unsigned int nr = e->base.n_unknown_fields;

	if (f && f->group)
		event_begin(c, schema_group(&c->schema, f), schema_name(&c->schema, f), "");
	else
		begin_event(c, f ? schema_name(&c->schema, f) : "other");
	if (f)
		ftrace_event_content(c, e);
	else
		event_number(c, "u32", "number", nr ? e->base.unknown_fields[nr - 1].tag : 0);
	return end_event(c, at);
}

/* Writes printed text, which may be a mark of Android. */
static int put_print(struct conversion *c, const FtraceEvent *e, const struct ftrace_place *at)
{
	const struct thread *thread = hash_table_find(&c->ftrace.threads, &at->tid);
	struct spooled mark = { .tid = at->tid, .pid = thread ? thread->pid : 0, .cpu = -1 };
	int ret = 1;

	if (thread)
		memcpy(mark.comm, thread->comm, sizeof(mark.comm));
	if (stamp_time(c, at->bundle, at->stamp, &mark.ts))
		ret = atrace_take(c, &mark, e->print->buf);
	return ret == 1 ? ftrace_put(c, "print", &e->print->base, at) : ret;
}

static int put_event(struct conversion *c, const Bundle *b, const FtraceEvent *e)
{
	const struct ftrace_place at = {
		.bundle = b, .stamp = e->timestamp, .tid = e->pid, .flags = e->common_flags,
	};
	const ProtobufCFieldDescriptor *f = e->event_case ? protobuf_c_message_descriptor_get_field(
			e->base.descriptor, e->event_case) : NULL;

	switch (e->event_case) {
	case PERFETTO__PROTOS__FTRACE_EVENT__EVENT__NOT_SET:
		return put_other(c, e, &at);
	case PERFETTO__PROTOS__FTRACE_EVENT__EVENT_GENERIC:
		return put_generic(c, e->generic, &at);
	case PERFETTO__PROTOS__FTRACE_EVENT__EVENT_PRINT:
		return put_print(c, e, &at);
	case PERFETTO__PROTOS__FTRACE_EVENT__EVENT_TASK_NEWTASK:
		return put_newtask(c, e->task_newtask, &at);
	case PERFETTO__PROTOS__FTRACE_EVENT__EVENT_SCHED_PROCESS_FORK:
		if (!c->ftrace.has_newtask)
			return put_fork(c, &at, (__u32)e->sched_process_fork->child_pid, 0,
					e->sched_process_fork->child_comm);
		break;
	case PERFETTO__PROTOS__FTRACE_EVENT__EVENT_SCHED_WAKING:
		/* Without wakeups in the trace, a waking counts as one. */
		return ftrace_put(c, c->ftrace.has_wakeup ? f->name : "sched_wakeup",
				   &e->sched_waking->base, &at);
	default:
		break;
	}
	return ftrace_put(c, f->name, &e->sched_switch->base, &at);
}

/* Sets the time to that of the first event, as the packet needs no stamp of its own. */
static void begin_time(struct conversion *c, const Bundle *b)
{
	const Perfetto__Protos__FtraceEventBundle__CompactSched *s = b->compact_sched;
	__u64 stamp;

	if (b->n_event)
		stamp = b->event[0]->timestamp;
	else if (s && s->n_switch_timestamp)
		stamp = s->switch_timestamp[0];
	else if (s && s->n_waking_timestamp)
		stamp = s->waking_timestamp[0];
	else
		return;
	stamp_time(c, b, stamp, &c->ts);
}

int convert_ftrace(struct conversion *c, const Bundle *b)
{
	int ret = 0;

	begin_time(c, b);
	if (b->lost_events)
		ret = spool_add(&c->spool, (struct spooled){ .ts = c->ts, .cpu = cpu_of(b),
							      .lost = 1 }, NULL);
	for (size_t i = 0; i < b->n_event && !ret; i++)
		ret = put_event(c, b, b->event[i]);
	return ret ? ret : ftrace_put_compact(c, b);
}
