// SPDX-License-Identifier: GPL-2.0
/*
 * chrome.c - ktrace export --to chrome: JSON in Chrome's trace event format
 *
 * Writes one object per event, in the order of ktrace list. Only sched:switch becomes the slice
 * that it begins, written when the slice ends. Members of args that begin with @ are not fields of
 * the event.
 *
 * Processes and threads of the first machine keep their ids; those of others get higher ones.
 */
#include "export.h"

#include "analysis/followed.h"
#include "base/hosts.h"
#include "base/json.h"
#include "base/progress.h"
#include "events/context.h"
#include "events/line.h"
#include "model/slices.h"

#include <errno.h>
#include <linux/ktrace_events.h>
#include <stdio.h>
#include <string.h>

/*
 * Ids of a machine: its processes, then a process whose threads are the CPUs and their interrupts
 */
#define MACHINE_SHIFT 24
#define CPUS (1u << 22)
#define INTERRUPTS (3u << 21)

/* struct task - a named thread; key is the machine in the upper half, the tid in the lower */
struct task {
	__u64 key;
	bool is_named;
	__u32 pid;
	char comm[COMM_MAX];
};

/* struct waking - when and by which CPU a thread was woken, until it runs; key as in struct task */
struct waking {
	__u64 key;
	bool is_woken;
	__u64 time;
	__s32 cpu;
};

/* struct slice - a thread running on a CPU: its object but for the end; key is machine and CPU */
struct slice {
	__u64 key;
	__u64 since;
	const struct ktrace_trace *trace;
	__u32 tid;
	struct ktrace_out text;
};

/**
 * struct chrome - one run
 * @x:		options and files
 * @out:	output stream
 * @spans:	open slices
 * @tasks:	threads whose names have been written
 * @wakings:	threads that were woken
 * @slices:	threads running on CPUs
 * @followed:	tells whose switches are recorded
 * @arrows:	number of arrows written
 * @last:	time of the last event
 * @has_any:	an object has been written
 * @error:	0, -errno
 */
struct chrome {
	struct export *x;
	struct ktrace_out *out;
	struct slices spans;
	struct hash_table tasks;
	struct hash_table wakings;
	struct hash_table slices;
	struct followed followed;
	__u64 arrows;
	__u64 last;
	bool has_any;
	int error;
};

/* struct place - machine, process and thread under which an object is shown */
struct place {
	__u64 machine;
	__u64 pid;
	__u64 tid;
};

static void put_time(struct ktrace_out *out, const char *key, __u64 ns)
{
	ktrace_out_str(out, key);
	ktrace_out_u64(out, ns / 1000);
	ktrace_out_char(out, '.');
	ktrace_out_dec(out, ns % 1000, 3);
}

static __u64 since_start(const struct chrome *c, __u64 time)
{
	return time > c->x->scope.start ? time - c->x->scope.start : 0;
}

static void begin_object(struct chrome *c)
{
	ktrace_out_str(c->out, c->has_any ? ",\n" : "\n");
	c->has_any = true;
}

static void put_place(struct ktrace_out *out, const char *phase, const struct place *at)
{
	ktrace_out_str(out, "{\"ph\":\"");
	ktrace_out_str(out, phase);
	ktrace_out_str(out, "\",\"pid\":");
	ktrace_out_u64(out, at->machine << MACHINE_SHIFT | at->pid);
	ktrace_out_str(out, ",\"tid\":");
	ktrace_out_u64(out, at->machine << MACHINE_SHIFT | at->tid);
}

static void put_name(struct chrome *c, const struct place *at, const char *what, const char *name)
{
	begin_object(c);
	put_place(c->out, "M", at);
	ktrace_out_str(c->out, ",\"name\":\"");
	ktrace_out_str(c->out, what);
	ktrace_out_str(c->out, "\",\"args\":{\"name\":");
	ktrace_out_json(c->out, name, strlen(name));
	ktrace_out_str(c->out, "}}");
}

/* Names a thread when it first occurs, and again when it is renamed. */
static void name_task(struct chrome *c, const struct place *at, const struct line_thread *thread)
{
	const __u64 key = at->machine << 32 | at->tid;
	struct task *task = hash_table_need(&c->tasks, &key, &c->error);

	if (!task)
		return;
	if (task->is_named && task->pid == at->pid &&
	    !strncmp(task->comm, thread->comm, sizeof(task->comm)))
		return;
	task->is_named = true;
	task->pid = (__u32)at->pid;
	memset(task->comm, 0, sizeof(task->comm));
	memcpy(task->comm, thread->comm, strnlen(thread->comm, sizeof(task->comm)));
	if (!*thread->comm)
		return;
	put_name(c, at, "thread_name", thread->comm);
	if (at->pid == at->tid)
		put_name(c, at, "process_name", thread->comm);
}

/* Names a CPU's track "CPU 3" and so on when it first occurs. */
static void name_cpu(struct chrome *c, const struct place *at, const char *what, __s32 cpu)
{
	const __u64 key = at->machine << 32 | at->tid;
	struct task *task = hash_table_get(&c->tasks, &key);
	char name[64];

	if (!task || task->is_named)
		return;
	task->is_named = true;
	snprintf(name, sizeof(name), "%s %d", what, cpu);
	put_name(c, at, "process_name", "CPUs");
	put_name(c, at, "thread_name", name);
}

static struct place cpu_place(struct chrome *c, const struct ktrace_trace_event *e, __s32 cpu)
{
	struct place at = { machine_of(c->x->set, e->stream->trace), CPUS, CPUS + (__u32)cpu };

	name_cpu(c, &at, "CPU", cpu);
	return at;
}

/* Returns the thread of an event, or its CPU if the event is an interrupt's or idle's. */
static struct place place_of(struct chrome *c, const struct ktrace_trace_event *e)
{
	struct place at = { .machine = machine_of(c->x->set, e->stream->trace), .tid = e->tid };
	struct line_thread thread;

	if (e->stream->cpu >= 0 && (!e->tid || e->flags & KTRACE_EVENT_IRQ)) {
		at.pid = CPUS;
		at.tid = INTERRUPTS + (__u32)e->stream->cpu;
		name_cpu(c, &at, "interrupts of CPU", e->stream->cpu);
		return at;
	}
	if (!line_find_thread(e, &thread))
		return at;
	at.pid = thread.has_pid ? thread.pid : e->tid;
	name_task(c, &at, &thread);
	return at;
}

static void put_fields(struct ktrace_out *out, const struct ktrace_trace_event *e)
{
	struct ktrace_values it;
	struct ktrace_value v;

	line_for_each_value(v, it, e) {
		json_key(out, v.field->name);
		json_exact(out, &v);
	}
}

static void put_args(struct ktrace_out *out, const struct ktrace_trace_event *e)
{
	ktrace_out_str(out, ",\"args\":{");
	if (line_has_fields(e)) {
		put_fields(out, e);
	} else {
		ktrace_out_str(out, "\"@bytes\":\"");
		line_put_bytes(out, e);
		ktrace_out_char(out, '"');
	}
	if (e->stream->cpu >= 0)
		json_u64(out, "@cpu", (__u64)e->stream->cpu);
	if (e->id != KTRACE_ID_LOST)
		json_u64(out, "@tid", e->tid);
	if (e->flags & (KTRACE_EVENT_CONTEXT - 1)) {
		json_key(out, "@flags");
		ktrace_out_char(out, '"');
		line_put_flags(out, e->flags);
		ktrace_out_char(out, '"');
	}
	if (e->flags & KTRACE_EVENT_CONTEXT) {
		json_key(out, "@context");
		context_put_json(out, e);
	}
	ktrace_out_char(out, '}');
}

static void put_event_names(struct chrome *c, const struct ktrace_trace_event *e, bool is_span)
{
	ktrace_out_str(c->out, ",\"cat\":\"");
	ktrace_event_name(c->out, e);
	ktrace_out_str(c->out, "\",\"name\":\"");
	if (is_span)
		slices_put_name(&c->spans, c->out, e);
	else
		ktrace_event_name(c->out, e);
	ktrace_out_char(c->out, '"');
}

static struct slice *slice_of(struct chrome *c, const struct ktrace_trace_event *e)
{
	const __u64 key = (__u64)machine_of(c->x->set, e->stream->trace) << 32 |
			  (__u32)e->stream->cpu;
	struct slice *slice = hash_table_need(&c->slices, &key, &c->error);

	if (slice)
		slice->text.flush = output_grow;
	return slice;
}

/*
 * Writes a slice; gives it no length if the thread's switches are not recorded, as another thread
 * may have run on this CPU meanwhile.
 */
static void end_slice(struct chrome *c, struct slice *slice, __u64 time)
{
	if (!slice || !slice->text.len)
		return;
	if (!followed_has(&c->followed, slice->trace, slice->tid, (__s32)slice->key))
		time = slice->since;
	begin_object(c);
	ktrace_out_bytes(c->out, slice->text.buf, slice->text.len);
	put_time(c->out, ",\"dur\":", time > slice->since ? time - slice->since : 0);
	ktrace_out_char(c->out, '}');
	slice->text.len = 0;
}

/* Draws an arrow from the CPU that woke the thread to the one that now runs it. */
static void put_arrow(struct chrome *c, const struct ktrace_trace_event *e, const struct place *to)
{
	const __u64 key = to->machine << 32 | (__u32)event_integer(e, "next_tid");
	struct waking *waking = hash_table_find(&c->wakings, &key);
	struct place from;

	if (!waking || !waking->is_woken)
		return;
	waking->is_woken = false;
	from = cpu_place(c, e, waking->cpu);
	begin_object(c);
	put_place(c->out, "s", &from);
	ktrace_out_str(c->out, ",\"cat\":\"wakeup\",\"name\":\"wakeup\",\"id\":");
	ktrace_out_u64(c->out, ++c->arrows);
	put_time(c->out, ",\"ts\":", since_start(c, waking->time));
	ktrace_out_str(c->out, "},\n");
	put_place(c->out, "f", to);
	ktrace_out_str(c->out, ",\"bp\":\"e\",\"cat\":\"wakeup\",\"name\":\"wakeup\",\"id\":");
	ktrace_out_u64(c->out, c->arrows);
	put_time(c->out, ",\"ts\":", since_start(c, e->time));
	ktrace_out_char(c->out, '}');
}

static void take_wakeup(struct chrome *c, const struct ktrace_trace_event *e)
{
	const __u64 key = (__u64)machine_of(c->x->set, e->stream->trace) << 32 |
			  (__u32)event_integer(e, "tid");
	struct waking *waking = hash_table_need(&c->wakings, &key, &c->error);

	if (!waking)
		return;
	waking->is_woken = true;
	waking->time = e->time;
	waking->cpu = e->stream->cpu;
}

static void put_comm(struct ktrace_out *out, const struct ktrace_trace_event *e)
{
	struct ktrace_values it;
	struct ktrace_value v;

	line_for_each_value(v, it, e)
		if (!strcmp(v.field->name, "next_comm") && !v.field->enum_nr) {
			ktrace_value_json(out, &v);
			return;
		}
	ktrace_out_str(out, "\"?\"");
}

/* Ends the slice of the previous thread and begins that of the next one. */
static void take_switch(struct chrome *c, const struct ktrace_trace_event *e)
{
	struct place at = cpu_place(c, e, e->stream->cpu);
	struct slice *slice = slice_of(c, e);
	struct ktrace_out *out;

	if (!slice)
		return;
	end_slice(c, slice, e->time);
	put_arrow(c, e, &at);
	slice->since = e->time;
	slice->trace = e->stream->trace;
	slice->tid = (__u32)event_integer(e, "next_tid");
	out = &slice->text;
	put_place(out, "X", &at);
	ktrace_out_str(out, ",\"cat\":\"sched:switch\",\"name\":");
	put_comm(out, e);
	put_time(out, ",\"ts\":", since_start(c, e->time));
	put_args(out, e);
	c->error = out->error;
}

static void put_ends(struct chrome *c, const struct place *at, __u64 time, int nr)
{
	for (; nr > 0; nr--) {
		begin_object(c);
		put_place(c->out, "E", at);
		put_time(c->out, ",\"ts\":", since_start(c, time));
		ktrace_out_char(c->out, '}');
	}
}

/*
 * True if the field belongs in a counter's name. Excludes text, which other files may have there,
 * as it would need escaping.
 */
static bool is_of_counter(const struct ktrace_field *f)
{
	return (!strcmp(f->name, "kind") || !strcmp(f->name, "cpu")) && f->shape == KTRACE_ONE &&
	       f->scalar != KTRACE_CHAR;
}

static void put_counter(struct chrome *c, const struct ktrace_trace_event *e,
			const struct place *at, const char *name, const char *field)
{
	struct ktrace_values it;
	struct ktrace_value v;

	begin_object(c);
	put_place(c->out, "C", at);
	ktrace_out_str(c->out, ",\"name\":\"");
	ktrace_out_str(c->out, name);
	line_for_each_value(v, it, e)
		if (is_of_counter(v.field)) {
			ktrace_out_char(c->out, ' ');
			ktrace_value_text(c->out, &v);
		}
	put_time(c->out, "\",\"ts\":", since_start(c, e->time));
	ktrace_out_str(c->out, ",\"args\":{\"");
	ktrace_out_str(c->out, field);
	ktrace_out_str(c->out, "\":");
	ktrace_out_u64(c->out, (__u64)event_integer(e, field));
	ktrace_out_str(c->out, "}}");
}

static void put_counters(struct chrome *c, const struct ktrace_trace_event *e)
{
	struct place at = { .machine = machine_of(c->x->set, e->stream->trace), .pid = CPUS };

	if (e->id == KTRACE_EV_POWER_FREQUENCY)
		put_counter(c, e, &at, "frequency of CPU", "khz");
	at.pid = at.tid = (__u32)event_integer(e, "pid");
	if (e->id == KTRACE_EV_MEMORY_RSS && at.pid)
		put_counter(c, e, &at, "memory", "bytes");
}

static void put_event(struct chrome *c, const struct ktrace_trace_event *e)
{
	const struct place at = place_of(c, e);
	enum span_role role = SPAN_NONE;
	int above = 0;

	if (line_has_fields(e) && e->id != KTRACE_ID_LOST)
		above = slices_take(&c->spans, e, at.machine << 32 | at.tid, &role);
	if (above < 0)
		c->error = above;
	put_ends(c, &at, e->time, above);
	begin_object(c);
	put_place(c->out, role == SPAN_BEGIN ? "B" : role == SPAN_END ? "E" : "i", &at);
	if (role == SPAN_NONE)
		ktrace_out_str(c->out, e->id == KTRACE_ID_LOST ? ",\"s\":\"g\"" : ",\"s\":\"t\"");
	put_event_names(c, e, role != SPAN_NONE);
	put_time(c->out, ",\"ts\":", since_start(c, e->time));
	put_args(c->out, e);
	ktrace_out_char(c->out, '}');
}

static void take_event(struct chrome *c, const struct ktrace_trace_event *e)
{
	const bool is_kernel = e->stream->kind == KTRACE_CHANNEL_KERNEL && e->stream->cpu >= 0;
	const bool is_known = is_kernel && line_has_fields(e);

	c->last = e->time > c->last ? e->time : c->last;
	if (is_known && e->id == KTRACE_EV_SCHED_SWITCH) {
		take_switch(c, e);
		return;
	}
	/* After a loss the running thread is unknown. */
	if (is_kernel && e->id == KTRACE_ID_LOST)
		end_slice(c, slice_of(c, e), e->time);
	if (is_known && e->id == KTRACE_EV_SCHED_WAKEUP)
		take_wakeup(c, e);
	put_event(c, e);
	if (is_known)
		put_counters(c, e);
}

static void put_file(struct ktrace_out *out, const struct ktrace_trace *t)
{
	struct ktrace_clock_info clock;

	ktrace_trace_clock(t, &clock);
	json_item(out);
	json_str(out, "file", ktrace_trace_path(t));
	json_str(out, "command", ktrace_trace_meta(t, "trace", "cmd"));
	json_str(out, "host", ktrace_trace_meta(t, "host", "name"));
	json_str(out, "kernel", ktrace_trace_meta(t, "host", "kernel"));
	json_str(out, "machine", ktrace_trace_meta(t, "host", "machine"));
	json_str(out, "clock", clock.clock);
	json_u64(out, "clock_hz", clock.hz);
	json_u64(out, "clock_readings", clock.readings);
	json_u64(out, "is_closed", ktrace_trace_is_closed(t));
	ktrace_out_char(out, '}');
}

static void put_end(struct chrome *c)
{
	const struct ktrace_trace *t;
	size_t i;

	ktrace_out_str(c->out, "\n],\n\"displayTimeUnit\":\"ns\",\n"
		       "\"otherData\":{\"tracer\":\"ktrace\"");
	json_seconds(c->out, "start", c->x->scope.start);
	lost_events_json(c->out, c->x->scope.lost);
	json_open(c->out, "files", '[');
	for (i = 0; (t = ktrace_traceset_trace(c->x->set, i)); i++)
		put_file(c->out, t);
	ktrace_out_str(c->out, "]}}\n");
}

static int put_events(struct chrome *c)
{
	const struct ktrace_trace_event *e;
	int ret = time_range_begin(&c->x->scope, c->x->set);
	size_t i;

	ktrace_out_str(c->out, "{\"traceEvents\":[");
	while (!ret && !c->out->error && (ret = time_range_next(&c->x->scope, &e)) == 1) {
		ret = followed_see(&c->followed, e);
		if (!ret)
			take_event(c, e);
		ret = ret ? ret : c->error;
	}
	progress_end();
	for (i = 0; i < c->slices.nr && !ret; i++)
		end_slice(c, hash_table_at(&c->slices, i), c->last);
	if (!ret)
		put_end(c);
	return ret;
}

static int write_chrome(struct export *x)
{
	struct chrome c = {
		.x = x, .out = output(), .tasks = HASH_TABLE_INIT(struct task, key),
		.wakings = HASH_TABLE_INIT(struct waking, key), .slices =
			HASH_TABLE_INIT(struct slice, key),
	};
	int ret;

	x->scope.prints = true;
	x->scope.keeps_losses = true;
	slices_init(&c.spans);
	ret = followed_begin(&c.followed, x->set);
	if (!ret)
		ret = put_events(&c);
	hash_table_free(&c.tasks);
	hash_table_free(&c.wakings);
	hash_table_free_with(&c.slices, offsetof(struct slice, text.buf));
	deep_slices_warn(c.spans.deeper);
	slices_free(&c.spans);
	followed_end(&c.followed);
	return ret;
}

const struct export_format export_chrome = {
	.name = "chrome",
	.write = write_chrome,
};
