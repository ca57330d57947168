// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - ktrace import --from ctf: reads traces of CTF 1.8 with libbabeltrace2
 *
 * Each trace in a folder is a source of the library's graph, which merges their events by time and
 * hands them to our sink. Stamps are ns counted by the clock, so that stamps of LTTng, whose clock
 * is CLOCK_MONOTONIC of a given boot, compare exactly with ours.
 */
#include <babeltrace2/babeltrace.h>
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/progress.h"
#include "field.h"
#include "import/import.h"
#include "import/import_writer.h"
#include "metadata.h"
#include "own.h"
#include "times.h"

/**
 * struct job - one run
 * @x:		options and files
 * @f:		the tracefile being written
 * @ctf:	the library's plugin that reads CTF
 * @utils:	the library's plugin that merges
 * @record:	the current event
 * @clock:	the clock of the first event
 * @base_ns:	time since the epoch when @clock was 0
 * @last_ts:	stamp of the latest event
 * @packets:	lost packets, with an unknown number of events
 * @ret:	error of the sink, 0 or -errno
 */
struct job {
	struct import *x;
	struct import_writer *f;
	const bt_plugin *ctf;
	const bt_plugin *utils;
	struct record record;
	const bt_clock_class *clock;
	__s64 base_ns;
	__u64 last_ts;
	__u64 packets;
	int ret;
};

static const char *env_text(const bt_trace *trace, const char *key)
{
	const bt_value *v = bt_trace_borrow_environment_entry_value_by_name_const(trace, key);

	return v && bt_value_is_string(v) ? bt_value_string_get(v) : NULL;
}

static __u32 env_number(const bt_trace *trace, const char *key)
{
	const bt_value *v = bt_trace_borrow_environment_entry_value_by_name_const(trace, key);

	return v && bt_value_is_signed_integer(v) ?
	       (__u32)bt_value_integer_signed_get(v) : 0;
}

static bool is_monotonic(const bt_clock_class *clock)
{
	const char *name = bt_clock_class_get_name(clock);

	return name && !strcmp(name, "monotonic") && bt_clock_class_get_uuid(clock) &&
	       bt_clock_class_get_frequency(clock) == 1000000000;
}

/* True if @clock counts like the job's clock. */
static bool is_same_clock(const struct job *job, const bt_clock_class *clock)
{
	const bt_uuid a = bt_clock_class_get_uuid(job->clock), b = bt_clock_class_get_uuid(clock);

	return clock == job->clock || (a && b && !memcmp(a, b, 16) && is_monotonic(clock));
}

static void format_uuid(const bt_uuid uuid, char text[37])
{
	for (int i = 0, at = 0; i < 16; i++)
		at += sprintf(text + at, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
			      uuid[i]);
}

/* Applies --like and --offset, needed for a clock of unknown origin. Return: 0, -errno. */
static int learn_clock(struct job *job, struct import_writer_about *about,
		       struct import_clock *told,
		       const bt_trace *trace)
{
	int ret = import_clock(job->x, told);

	if (ret < 0)
		return ret;
	if (ret) {
		job->base_ns = (__s64)told->real_ns;
		if (*told->boot)
			about->boot = told->boot;
	} else if (!job->clock || !bt_clock_class_origin_is_unix_epoch(job->clock)) {
		complain_about(bt_trace_get_name(trace) ? bt_trace_get_name(trace) : "trace",
			       "its clock does not say what it counts from: --offset, --like");
	}
	return 0;
}

static int begin(struct job *job, const bt_trace *trace, const bt_clock_snapshot *first)
{
	const char *tool = env_text(trace, "tracer_name");
	struct import_writer_about about = {
		.tool = tool ? tool : "ctf", .host = env_text(trace, "hostname"),
		.kernel = env_text(trace, "kernel_release"),
		.machine = env_text(trace, "machine"),
		.x32 = env_text(trace, "x32"),
	};
	struct import_clock told;
	char boot[37];
	int64_t ns;
	int ret;

	/* LTTng does not tell its machine; its system calls are identified by name. */
	if (!about.machine)
		about.machine = "x86_64";
	if (first) {
		job->clock = bt_clock_snapshot_borrow_clock_class_const(first);
		if (!bt_clock_class_cycles_to_ns_from_origin(job->clock, 0, &ns))
			job->base_ns = ns;
	}
	if (job->clock && is_monotonic(job->clock)) {
		format_uuid(bt_clock_class_get_uuid(job->clock), boot);
		about.boot = boot;
	}
	ret = learn_clock(job, &about, &told, trace);
	about.real_ns = (__u64)job->base_ns;
	return ret ? ret : import_writer_about(job->f, &about);
}

/* Returns the stamp of a snapshot: its value or, for another clock, ns since the job's was 0. */
static __u64 stamp_of(const struct job *job, const bt_clock_snapshot *snapshot)
{
	const bt_clock_class *clock = bt_clock_snapshot_borrow_clock_class_const(snapshot);
	int64_t ns;

	if (job->clock && is_same_clock(job, clock) &&
	    bt_clock_class_get_frequency(clock) == 1000000000)
		return bt_clock_snapshot_get_value(snapshot);
	if (bt_clock_snapshot_get_ns_from_origin(snapshot, &ns) || ns < job->base_ns)
		return 0;
	return (__u64)(ns - job->base_ns);
}

static bool packet_number(const bt_packet *packet, const char *name, __s64 *value)
{
	const bt_field *context = packet ? bt_packet_borrow_context_field_const(packet) : NULL;

	return context && own_number(context, name, value);
}

/* Returns the kind of events: LTTng tells it per trace, ktrace per packet. */
static __u32 kind_of(const bt_trace *trace, const bt_packet *packet)
{
	const char *domain = env_text(trace, "domain");
	__s64 kind;

	if (own_is(trace) && packet_number(packet, "kind", &kind))
		return kind == KTRACE_CHANNEL_KERNEL ? KTRACE_CHANNEL_KERNEL : KTRACE_CHANNEL_USER;
	return domain && !strcmp(domain, "kernel") ? KTRACE_CHANNEL_KERNEL : KTRACE_CHANNEL_USER;
}

static int cpu_of(const bt_packet *packet)
{
	__s64 v;

	return packet_number(packet, "cpu_id", &v) && v >= 0 && v < IMPORT_WRITER_CPUS ? (int)v :
		-1;
}

/*
 * Takes a member that tells the event's thread, CPU or interrupt, stored elsewhere; false: the
 * member becomes a field.
 */
static bool take_context(struct import_writer_event *e, const bt_trace *trace, const char *name,
			 const bt_field *field)
{
	const char *text = field_text(field);
	__s64 v;

	if (own_is(trace) && own_is_context(name))
		return true;
	if (text) {
		if (e->comm || (strcmp(name, "procname") && strcmp(name, "comm")))
			return false;
		e->comm = text;
		return true;
	}
	if (!field_number(field, &v))
		return false;
	if (e->tid == IMPORT_WRITER_TID_UNKNOWN && (!strcmp(name, "tid") || !strcmp(name, "vtid")))
		e->tid = (__u32)v;
	else if (!e->pid && (!strcmp(name, "pid") || !strcmp(name, "vpid")))
		e->pid = (__u32)v;
	else if (e->cpu < 0 && !strcmp(name, "cpu_id") && v >= 0 && v < IMPORT_WRITER_CPUS)
		e->cpu = (int)v;
	else if (!strcmp(name, "irq"))
		e->flags |= v ? KTRACE_REC_IRQ : 0;
	else
		return false;
	return true;
}

static void put_context(struct job *job, struct import_writer_event *e, const bt_trace *trace,
			const bt_field *context)
{
	const bt_field_class *class = context ? bt_field_borrow_class_const(context) : NULL;

	for (__u64 i = 0; class && i < bt_field_class_structure_get_member_count(class); i++) {
		const bt_field *field =
			bt_field_structure_borrow_member_field_by_index_const(context, i);
		const char *name = bt_field_class_structure_member_get_name(
			bt_field_class_structure_borrow_member_by_index_const(class, i));

		if (take_context(e, trace, name, field))
			continue;
		ktrace_out_str(&job->record.name, "context");
		field_put(&job->record, name, field);
		job->record.name.len = 0;
	}
}

static void put_name(struct ktrace_out *out, const char *name)
{
	const char *colon = strchr(name, ':');
	char provider[256] = "ctf";

	if (colon)
		snprintf(provider, sizeof(provider), "%.*s", (int)(colon - name), name);
	import_writer_name(out, provider);
	ktrace_out_char(out, ':');
	import_writer_name(out, colon ? colon + 1 : name);
	ktrace_out_char(out, '{');
}

static void put_fields(struct job *job, struct import_writer_event *e, const bt_trace *trace,
		       const bt_event *event)
{
	const bt_field *payload = bt_event_borrow_payload_field_const(event);

	if (payload)
		field_put_members(&job->record, payload);
	put_context(job, e, trace, bt_event_borrow_specific_context_field_const(event));
	put_context(job, e, trace, bt_event_borrow_common_context_field_const(event));
}

static int put_event(struct job *job, const bt_event *event, const bt_trace *trace, __u64 ts)
{
	struct record *r = &job->record;
	struct import_writer_event e = { .cpu = -1, .ts = ts, .tid = IMPORT_WRITER_TID_UNKNOWN };
	const bt_event_class *class = bt_event_borrow_class_const(event);
	const bt_packet *packet =
		bt_stream_class_supports_packets(bt_event_class_borrow_stream_class_const(class)) ?
		bt_event_borrow_packet_const(event) : NULL;
	const __u32 kind = kind_of(trace, packet);
	struct ktrace_lost lost;
	int ret;

	r->desc.len = r->data.len = r->name.len = 0;
	put_name(&r->desc, bt_event_class_get_name(class) ?: "");
	e.cpu = cpu_of(packet);
	if (own_is(trace))
		own_take(event, &e, (__u64)job->base_ns);
	if (own_is(trace) && own_lost(event, &lost))
		return import_writer_lost(job->f, kind, e.cpu, e.ts, &lost);
	put_fields(job, &e, trace, event);
	ktrace_out_bytes(&r->desc, "}", 2);
	if (!e.comm)
		e.comm = env_text(trace, "procname");
	if (!e.pid)
		e.pid = env_number(trace, "vpid");
	e.data = r->data.buf;
	e.len = r->data.len;
	ret = r->desc.error ? r->desc.error : r->data.error ? r->data.error : r->name.error;
	return ret ? ret : import_event(job->x, job->f, kind, r->desc.buf, &e);
}

static int take_event(struct job *job, const bt_message *message)
{
	const bt_event *event = bt_message_event_borrow_event_const(message);
	const bt_stream *stream = bt_event_borrow_stream_const(event);
	const bt_trace *trace = bt_stream_borrow_trace_const(stream);
	const bool has_clock = bt_stream_class_borrow_default_clock_class_const(
		bt_stream_borrow_class_const(stream));
	const bt_clock_snapshot *at = has_clock ?
		bt_message_event_borrow_default_clock_snapshot_const(message) : NULL;
	int64_t ns;
	int ret = 0;

	if (!import_writer_has_about(job->f))
		ret = begin(job, trace, at);
	if (at)
		job->last_ts = stamp_of(job, at);
	if (at && !bt_clock_snapshot_get_ns_from_origin(at, &ns))
		progress_at((__u64)ns);
	return ret ? ret : put_event(job, event, trace, job->last_ts);
}

/*
 * Records a loss after the latest event. No-op for traces of ktrace, which have events for losses.
 */
static int put_lost(struct job *job, const bt_stream *stream, enum ktrace_lost_reason reason,
		    __u64 count)
{
	const bt_trace *trace = bt_stream_borrow_trace_const(stream);
	struct ktrace_lost lost = { 0 };
	int ret;

	if (own_is(trace))
		return 0;
	ret = import_writer_has_about(job->f) ? 0 : begin(job, trace, NULL);
	lost.count[reason] = count;
	return ret ? ret : import_writer_lost(job->f, kind_of(trace, NULL), -1, job->last_ts,
					      &lost);
}

static int take_message(struct job *job, const bt_message *message)
{
	uint64_t count;

	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_EVENT:
		return take_event(job, message);
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		if (!bt_message_discarded_events_get_count(message, &count))
			count = 1;
		return put_lost(job, bt_message_discarded_events_borrow_stream_const(message),
				KTRACE_LOST_FULL, count);
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		if (!bt_message_discarded_packets_get_count(message, &count))
			count = 1;
		job->packets += count;
		return put_lost(job, bt_message_discarded_packets_borrow_stream_const(message),
				KTRACE_LOST_OVERWRITTEN, count);
	default:
		return 0;
	}
}

static bt_graph_simple_sink_component_consume_func_status consume(bt_message_iterator *it,
								   void *arg)
{
	struct job *job = arg;
	bt_message_array_const messages;
	uint64_t nr;
	bt_message_iterator_next_status status = bt_message_iterator_next(it, &messages, &nr);

	/* Except for OK, the two enums have the same values. */
	if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK)
		return (bt_graph_simple_sink_component_consume_func_status)status;
	for (uint64_t i = 0; i < nr; i++) {
		if (!job->ret)
			job->ret = take_message(job, messages[i]);
		bt_message_put_ref(messages[i]);
	}
	return job->ret ? BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR :
			  BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

/* Reports the library's error; its first cause tells where it occurred. */
static void complain_of_library(const char *path)
{
	const bt_error *error = bt_current_thread_take_error();
	const bt_error_cause *cause;

	if (!error) {
		complain_about(path, "not a readable CTF trace");
		return;
	}
	cause = bt_error_borrow_cause_by_index(error, 0);
	complain_about(path, "damaged or not CTF: %s",
		       cause ? bt_error_cause_get_message(cause) : "unknown");
	bt_error_release(error);
}

/* Folders with traces. Global, as nftw() passes no argument to its callback. */
static bt_value *folders;

static int look(const char *path, const struct stat *st, int type, struct FTW *place)
{
	char folder[4096];

	(void)st;
	if (type != FTW_F || strcmp(path + place->base, "metadata"))
		return 0;
	snprintf(folder, sizeof(folder), "%.*s", place->base > 1 ? place->base - 1 : 1, path);
	return bt_value_array_append_string_element(folders, place->base ? folder : ".") ?
	       -1 : 0;
}

static const char *folder_at(__u64 i)
{
	return bt_value_string_get(bt_value_array_borrow_element_by_index_const(folders, i));
}

static bool are_whole(void)
{
	char path[4096 + sizeof("/metadata")];
	bool are = true;

	for (__u64 i = 0; i < bt_value_array_get_length(folders); i++) {
		snprintf(path, sizeof(path), "%s/metadata", folder_at(i));
		are = metadata_is_whole(path) && are;
	}
	return are;
}

static const bt_plugin *find_plugin(const char *name)
{
	const bt_plugin *plugin = NULL;

	bt_plugin_find(name, BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, &plugin);
	return plugin;
}

static const bt_component_class_source *source_class(const struct job *job)
{
	return bt_plugin_borrow_source_component_class_by_name_const(job->ctf, "fs");
}

/* Returns the parameters of a source for that folder; NULL: out of memory */
static bt_value *params_of(const char *folder)
{
	bt_value *params = bt_value_map_create(), *inputs;

	if (!params || (!bt_value_map_insert_empty_array_entry(params, "inputs", &inputs) &&
			!bt_value_array_append_string_element(inputs, folder)))
		return params;
	bt_value_put_ref(params);
	return NULL;
}

static bool add_source(const struct job *job, bt_graph *graph, const bt_component_filter *muxer,
		       const char *folder)
{
	const bt_component_source *source = NULL;
	bt_value *params = params_of(folder);
	char name[32];
	static int nr;
	bool is_fine;

	snprintf(name, sizeof(name), "trace %d", nr++);
	is_fine = params && !bt_graph_add_source_component(graph, source_class(job), name, params,
							   BT_LOGGING_LEVEL_NONE, &source);
	for (__u64 i = 0; is_fine && i < bt_component_source_get_output_port_count(source); i++)
		is_fine = !bt_graph_connect_ports(graph,
			bt_component_source_borrow_output_port_by_index_const(source, i),
			bt_component_filter_borrow_input_port_by_index_const(muxer,
				bt_component_filter_get_input_port_count(muxer) - 1), NULL);
	bt_value_put_ref(params);
	return is_fine;
}

/* Reads the headers of all packets, so it runs only if progress is shown. */
static void begin_progress(const struct job *job)
{
	__u64 from = ~0ull, until = 0;
	bt_value *params;

	if (!isatty(STDERR_FILENO))
		return;
	for (__u64 i = 0; i < bt_value_array_get_length(folders); i++) {
		params = params_of(folder_at(i));
		if (params)
			times_widen(source_class(job), params, &from, &until);
		bt_value_put_ref(params);
	}
	progress_begin(from, until);
}

/* Connects traces, muxer and our sink. False on failure, after reporting the library's error. */
static bool build(struct job *job, bt_graph *graph, const char *path)
{
	const bt_component_filter *muxer;
	const bt_component_sink *sink;

	if (!job->ctf || !job->utils || bt_graph_add_filter_component(graph,
			bt_plugin_borrow_filter_component_class_by_name_const(job->utils, "muxer"),
			"muxer", NULL, BT_LOGGING_LEVEL_NONE, &muxer) ||
	    bt_graph_add_simple_sink_component(graph, "ktrace", NULL, consume, NULL, job, &sink)) {
		complain_of_library(path);
		return false;
	}
	for (__u64 i = 0; i < bt_value_array_get_length(folders); i++) {
		if (!add_source(job, graph, muxer, folder_at(i))) {
			complain_of_library(folder_at(i));
			return false;
		}
	}
	return !bt_graph_connect_ports(graph,
		bt_component_filter_borrow_output_port_by_index_const(muxer, 0),
		bt_component_sink_borrow_input_port_by_index_const(sink, 0), NULL);
}

/* Converts all traces, and keeps what was read before damage. Return: the exit status, -errno. */
static int convert_all(struct job *job, const char *path)
{
	bt_graph *graph = bt_graph_create(0);
	bt_graph_run_status status;
	int ret = -ECANCELED;

	job->ctf = find_plugin("ctf");
	job->utils = find_plugin("utils");
	if (graph && build(job, graph, path)) {
		begin_progress(job);
		do
			status = bt_graph_run(graph);
		while (status == BT_GRAPH_RUN_STATUS_AGAIN);
		ret = job->ret;
		if (!ret && status != BT_GRAPH_RUN_STATUS_OK) {
			complain_of_library(path);
			ret = STATUS_DAMAGED;
		}
	}
	bt_current_thread_clear_error();
	bt_graph_put_ref(graph);
	bt_plugin_put_ref(job->ctf);
	bt_plugin_put_ref(job->utils);
	return ret;
}

static int put_nothing(struct job *job)
{
	const struct import_writer_about about = { .tool = "ctf" };

	return import_writer_has_about(job->f) ? 0 : import_writer_about(job->f, &about);
}

static bool find_folders(int nr, char **paths)
{
	for (int i = 0; i < nr; i++)
		if (!folders || nftw(paths[i], look, 16, FTW_PHYS)) {
			complain_about(paths[i], "%s", strerror(errno));
			return false;
		}
	if (bt_value_array_get_length(folders))
		return true;
	complain_about(paths[0], "not a CTF trace: no folder in it has a file \"metadata\"");
	return false;
}

static int convert(struct import *x, int nr, char **paths)
{
	struct job job = {
		.x = x, .record.desc.flush = output_grow, .record.data.flush = output_grow,
		.record.name.flush = output_grow,
	};
	int ret, error;

	folders = bt_value_array_create();
	ret = find_folders(nr, paths) && are_whole() ? import_open(x, &job.f) : -ECANCELED;
	if (ret) {
		bt_value_put_ref(folders);
		return ret;
	}
	ret = convert_all(&job, paths[0]);
	progress_end();
	error = ret < 0 ? 0 : put_nothing(&job);
	if (job.packets)
		complain_about(paths[0], "%" PRIu64 " packets were lost, each counted as one event",
			       (uint64_t)job.packets);
	bt_value_put_ref(folders);
	free(job.record.desc.buf);
	free(job.record.data.buf);
	free(job.record.name.buf);
	return import_close(x, job.f, error ? error : ret);
}

static int run(int argc, char **argv)
{
	return import_main(argc, argv, convert);
}

int main(int argc, char **argv)
{
	return command_main(run, argc, argv);
}
