// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - ktrace export --to perfetto: writes a trace of Perfetto's packets
 *
 * A separate program, so that ktrace starts without loading the protocol buffers library. Times
 * are those of ktrace list, in ns since the epoch, on all clocks of the trace.
 */
#include "perfetto.h"

#include "base/hosts.h"
#include "base/progress.h"
#include "events/line.h"

#include <linux/ktrace_events.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Perfetto's ids of clocks */
enum { CLOCK_IS_REALTIME = 1, CLOCK_IS_MONOTONIC = 3, CLOCK_IS_BOOTTIME = 6 };

/* Kinds of tracks, in the upper bits of a track's number, above the machine */
enum { TRACK_THREAD = 1, TRACK_CPU = 2, TRACK_MEMORY = 8 };
#define TRACK(kind, machine, number) \
	((__u64)(kind) << 56 | (__u64)(machine) << 32 | (__u32)(number))

/* struct track - a track already described; uuid is the key */
struct track {
	__u64 uuid;
	bool is_there;
	__u32 pid;
	char comm[COMM_MAX];
};

/* True if the track needs a description: it is new or was renamed. */
static bool is_new(struct perfetto *p, __u64 uuid, __u32 pid, const char *name)
{
	struct track *t = hash_table_need(&p->tracks, &uuid, &p->error);

	if (!t)
		return false;
	if (t->is_there && t->pid == pid && !strncmp(t->comm, name, sizeof(t->comm)))
		return false;
	t->is_there = true;
	t->pid = pid;
	memset(t->comm, 0, sizeof(t->comm));
	memcpy(t->comm, name, strnlen(name, sizeof(t->comm)));
	return true;
}

static void put_descriptor(struct perfetto *p, Perfetto__Protos__TrackDescriptor *d, __u32 machine)
{
	TracePacket packet = PERFETTO__PROTOS__TRACE_PACKET__INIT;

	packet.data_case = PERFETTO__PROTOS__TRACE_PACKET__DATA_TRACK_DESCRIPTOR;
	packet.track_descriptor = d;
	packet_put(p, &packet, machine);
}

/* Writes a process tree, which the scheduler's events need to be shown by process. */
static void put_tree(struct perfetto *p, __u32 machine, __u32 pid, __u32 tid, char *name,
		     __u64 time)
{
	Perfetto__Protos__ProcessTree__Thread thread = PERFETTO__PROTOS__PROCESS_TREE__THREAD__INIT;
	Perfetto__Protos__ProcessTree__Process process =
		PERFETTO__PROTOS__PROCESS_TREE__PROCESS__INIT;
	Perfetto__Protos__ProcessTree__Thread *threads[] = { &thread };
	Perfetto__Protos__ProcessTree__Process *processes[] = { &process };
	Perfetto__Protos__ProcessTree tree = PERFETTO__PROTOS__PROCESS_TREE__INIT;
	TracePacket packet = PERFETTO__PROTOS__TRACE_PACKET__INIT;

	process.has_pid = thread.has_tid = thread.has_tgid = true;
	process.pid = thread.tgid = (__s32)pid;
	process.n_cmdline = 1;
	process.cmdline = &name;
	thread.tid = (__s32)tid;
	thread.name = name;
	tree.n_processes = pid == tid;
	tree.processes = processes;
	tree.n_threads = 1;
	tree.threads = threads;
	packet.has_timestamp = true;
	packet.timestamp = time;
	packet.data_case = PERFETTO__PROTOS__TRACE_PACKET__DATA_PROCESS_TREE;
	packet.process_tree = &tree;
	packet_put(p, &packet, machine);
}

static __u64 describe_thread(struct perfetto *p, const struct ktrace_trace_event *e, __u32 machine)
{
	Perfetto__Protos__TrackDescriptor d = PERFETTO__PROTOS__TRACK_DESCRIPTOR__INIT;
	Perfetto__Protos__ThreadDescriptor t = PERFETTO__PROTOS__THREAD_DESCRIPTOR__INIT;
	const __u64 uuid = TRACK(TRACK_THREAD, machine, e->tid);
	struct line_thread thread;
	__u32 pid;

	if (!line_find_thread(e, &thread))
		return 0;
	pid = thread.has_pid ? thread.pid : e->tid;
	if (!is_new(p, uuid, pid, thread.comm))
		return uuid;
	d.has_uuid = t.has_pid = t.has_tid = true;
	d.uuid = uuid;
	d.thread = &t;
	t.pid = (__s32)pid;
	t.tid = (__s32)e->tid;
	if (*thread.comm)
		t.thread_name = text_copy(p, thread.comm, strlen(thread.comm));
	put_descriptor(p, &d, machine);
	if (*thread.comm)
		put_tree(p, machine, pid, e->tid, t.thread_name, e->time);
	return uuid;
}

static __u64 describe_named(struct perfetto *p, __u64 uuid, __u32 machine, const char *name,
			    bool is_counter)
{
	Perfetto__Protos__TrackDescriptor d = PERFETTO__PROTOS__TRACK_DESCRIPTOR__INIT;
	Perfetto__Protos__CounterDescriptor counter = PERFETTO__PROTOS__COUNTER_DESCRIPTOR__INIT;

	if (!is_new(p, uuid, 0, ""))
		return uuid;
	d.has_uuid = true;
	d.uuid = uuid;
	d.name = text_copy(p, name, strlen(name));
	d.counter = is_counter ? &counter : NULL;
	put_descriptor(p, &d, machine);
	return uuid;
}

/*
 * Returns the track of the event's thread, or of its CPU if it is an interrupt's or idle's; 0: the
 * global one
 */
static __u64 track_of(struct perfetto *p, const struct ktrace_trace_event *e, __u32 machine)
{
	char name[64];

	if (e->id == KTRACE_ID_LOST || e->stream->cpu < 0 ||
	    !(!e->tid || e->flags & KTRACE_EVENT_IRQ))
		return describe_thread(p, e, machine);
	snprintf(name, sizeof(name), "interrupts of CPU %d", e->stream->cpu);
	return describe_named(p, TRACK(TRACK_CPU, machine, e->stream->cpu), machine, name, false);
}

static void put_track_event(struct perfetto *p, TrackEvent *event, __u64 time, __u32 machine)
{
	TracePacket packet = PERFETTO__PROTOS__TRACE_PACKET__INIT;

	packet.has_timestamp = true;
	packet.timestamp = time;
	packet.data_case = PERFETTO__PROTOS__TRACE_PACKET__DATA_TRACK_EVENT;
	packet.track_event = event;
	packet_put(p, &packet, machine);
}

/* Writes a process's memory of one kind as a counter. */
static void put_counter(struct perfetto *p, const struct ktrace_trace_event *e, __u32 machine)
{
	TrackEvent event = PERFETTO__PROTOS__TRACK_EVENT__INIT;
	const __u32 pid = (__u32)event_integer(e, "pid");
	const __u32 kind = (__u32)event_integer(e, "kind") & 0xf;
	char name[64];

	if (!pid)
		return;
	snprintf(name, sizeof(name), "memory of %u, kind %u", pid, kind);
	event.has_track_uuid = event.has_type = event.has_counter_value = true;
	event.track_uuid = describe_named(p, TRACK(TRACK_MEMORY + kind, machine, pid), machine,
					  name, true);
	event.type = PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_COUNTER;
	event.counter_value = event_integer(e, "bytes");
	put_track_event(p, &event, e->time, machine);
}

/* Ends the slices still open above the one that an event ends. */
static void put_ends(struct perfetto *p, __u64 track, __u64 time, __u32 machine, int nr)
{
	for (; nr > 0; nr--) {
		TrackEvent event = PERFETTO__PROTOS__TRACK_EVENT__INIT;

		event.has_track_uuid = event.has_type = true;
		event.track_uuid = track;
		event.type = PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_SLICE_END;
		put_track_event(p, &event, time, machine);
	}
}

/*
 * Sets the names of an event: the shown one; its own is its category. Return: iid of the category.
 */
static __u64 name_event(struct perfetto *p, TrackEvent *event, const struct ktrace_trace_event *e,
			bool is_span)
{
	char own[KTRACE_OUT_MIN + 1], shown[KTRACE_OUT_MIN + 1];
	struct ktrace_out a = { .buf = own, .cap = KTRACE_OUT_MIN };
	struct ktrace_out b = { .buf = shown, .cap = KTRACE_OUT_MIN };
	const void *what = e->type ? (const void *)e->type : e->stream->trace;
	struct ktrace_values it;
	struct ktrace_value v;
	__u64 which = e->type ? 0 : (__u64)e->stream->kind << 32 | e->id;

	ktrace_event_name(&a, e);
	own[a.len] = '\0';
	event->has_name_iid = true;
	if (is_span) {
		slices_put_name(&p->spans, &b, e);
		shown[b.len] = '\0';
		ktrace_values_init(&it, e->type, e->payload, e->len);
		if (ktrace_values_next(&it, &v))
			which = (__u64)(uintptr_t)ktrace_value_marked(&v);
	}
	event->name_iid = name_iid(p, NAME_EVENT, what, which + 2 * is_span,
				   is_span ? shown : own);
	return name_iid(p, NAME_CATEGORY, what, e->type ? 0 : which, own);
}

static void put_event(struct perfetto *p, const struct ktrace_trace_event *e, __u32 machine)
{
	TrackEvent event = PERFETTO__PROTOS__TRACK_EVENT__INIT;
	const __u64 track = track_of(p, e, machine);
	enum span_role role = SPAN_NONE;
	Annotation **annotations = NULL;
	uint64_t category;
	int above = 0;
	__u32 stem;

	if (line_has_fields(e) && e->id != KTRACE_ID_LOST)
		above = slices_take(&p->spans, e, track, &role);
	if (above < 0)
		p->error = above;
	/* The slice it ends may have been begun by another writer. */
	if (p->x->is_apart && line_has_fields(e) && e->id != KTRACE_ID_LOST &&
	    role == SPAN_NONE && slices_role(e, &stem, NULL) == SPAN_END)
		role = SPAN_END;
	put_ends(p, track, e->time, machine, above);
	event.has_track_uuid = event.has_type = true;
	event.track_uuid = track;
	event.type = role == SPAN_BEGIN ? PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN :
		     role == SPAN_END ? PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_SLICE_END :
					PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_INSTANT;
	category = name_event(p, &event, e, role != SPAN_NONE);
	event.n_category_iids = 1;
	event.category_iids = &category;
	event.n_debug_annotations = annotate(p, e, &annotations);
	event.debug_annotations = annotations;
	if (!p->error)
		put_track_event(p, &event, e->time, machine);
}

static void put_clocks(struct perfetto *p, __u32 machine)
{
	static const __u32 ids[] = { CLOCK_IS_REALTIME, CLOCK_IS_MONOTONIC, CLOCK_IS_BOOTTIME };
	Perfetto__Protos__ClockSnapshot snapshot = PERFETTO__PROTOS__CLOCK_SNAPSHOT__INIT;
	Perfetto__Protos__ClockSnapshot__Clock clocks[3], *list[3];
	TracePacket packet = PERFETTO__PROTOS__TRACE_PACKET__INIT;
	size_t i;

	for (i = 0; i < 3; i++) {
		perfetto__protos__clock_snapshot__clock__init(&clocks[i]);
		clocks[i].has_clock_id = clocks[i].has_timestamp = true;
		clocks[i].clock_id = ids[i];
		clocks[i].timestamp = p->x->scope.start;
		list[i] = &clocks[i];
	}
	snapshot.n_clocks = 3;
	snapshot.clocks = list;
	snapshot.has_primary_trace_clock = true;
	snapshot.primary_trace_clock = CLOCK_IS_BOOTTIME;
	packet.has_timestamp = true;
	packet.timestamp = p->x->scope.start;
	packet.data_case = PERFETTO__PROTOS__TRACE_PACKET__DATA_CLOCK_SNAPSHOT;
	packet.clock_snapshot = &snapshot;
	packet_put(p, &packet, machine);
}

static char *fact(const struct ktrace_trace *t, const char *keyword, const char *key)
{
	return (char *)ktrace_trace_meta(t, keyword, key);
}

static void put_system(struct perfetto *p, const struct ktrace_trace *t, __u32 machine)
{
	Perfetto__Protos__SystemInfo info = PERFETTO__PROTOS__SYSTEM_INFO__INIT;
	Perfetto__Protos__Utsname name = PERFETTO__PROTOS__UTSNAME__INIT;
	TracePacket packet = PERFETTO__PROTOS__TRACE_PACKET__INIT;

	name.sysname = (char *)"Linux";
	name.release = fact(t, "host", "kernel");
	name.machine = fact(t, "host", "machine");
	info.utsname = &name;
	packet.data_case = PERFETTO__PROTOS__TRACE_PACKET__DATA_SYSTEM_INFO;
	packet.system_info = &info;
	packet_put(p, &packet, machine);
}

/*
 * Writes the packets that a reader needs before the first event of a machine. Packets of others
 * with which events are mixed are those of machine 0, and have its clocks.
 */
static void put_head(struct perfetto *p, const struct ktrace_trace *t, __u32 machine)
{
	struct machine *m = machine_get(p, machine);

	if (!m || m->has_head)
		return;
	m->has_head = true;
	if (!p->is_mixed || machine)
		put_clocks(p, machine);
	put_system(p, t, machine);
}

/* Repeats after a loss what was described before it, for all machines. */
static void take_loss(struct perfetto *p, const struct ktrace_trace_event *e, __u32 machine)
{
	struct machine *m;

	ftrace_lost(p, e, machine);
	names_forget(p);
	hash_table_free(&p->tracks);
	p->tracks = (struct hash_table)HASH_TABLE_INIT(struct track, uuid);
	hash_table_for_each(m, &p->machines) {
		m->clears = true;
		m->is_lost |= m->number == machine;
	}
}

static void take_event(struct perfetto *p, const struct ktrace_trace_event *e)
{
	const __u32 machine = machine_of(p->x->set, e->stream->trace);

	if (raw_take(p, e))
		return;
	p->machine = machine;
	put_head(p, e->stream->trace, machine);
	event_room(p, e);
	if (p->error)
		return;
	if (e->id == KTRACE_ID_LOST)
		take_loss(p, e, machine);
	if (ftrace_take(p, e, machine)) {
		describe_thread(p, e, machine);
		return;
	}
	put_event(p, e, machine);
	if (e->stream->kind == KTRACE_CHANNEL_KERNEL && e->id == KTRACE_EV_MEMORY_RSS &&
	    line_has_fields(e))
		put_counter(p, e, machine);
}

static int put_events(struct perfetto *p)
{
	const struct ktrace_trace_event *e;
	int ret = time_range_begin(&p->x->scope, p->x->set);

	if (!ret)
		raw_begin(p);
	if (!ret && !p->raw)
		put_head(p, ktrace_traceset_trace(p->x->set, 0), 0);
	while (!ret && !p->out->error && (ret = time_range_next(&p->x->scope, &e)) == 1) {
		take_event(p, e);
		ret = p->error ? p->error : p->text.error;
	}
	progress_end();
	ftrace_end(p);
	raw_end(p);
	return ret ? ret : p->error;
}

static int write_perfetto(struct export *x)
{
	struct perfetto p = {
		.x = x, .out = output(), .tracks = HASH_TABLE_INIT(struct track, uuid),
	};
	int ret, t;

	x->scope.prints = true;
	x->scope.keeps_losses = true;
	slices_init(&p.spans);
	ret = put_events(&p);
	deep_slices_warn(p.spans.deeper);
	slices_free(&p.spans);
	names_forget(&p);
	hash_table_free(&p.tracks);
	hash_table_free(&p.machines);
	for (t = 0; t < NAME_TABLES; t++) {
		free(p.fresh[t]);
		free(p.listed[t]);
	}
	free(p.nodes);
	free(p.listed_nodes);
	free(p.text.buf);
	return ret;
}

static const struct export_format format = {
	.name = "perfetto",
	.takes = EXPORT_APART,
	.write = write_perfetto,
};

static int run(int argc, char **argv)
{
	return export_main(&format, argc, argv);
}

int main(int argc, char **argv)
{
	return command_main(run, argc, argv);
}
