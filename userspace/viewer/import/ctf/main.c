// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - ktrace import --from ctf: reads traces of CTF 1.8 and CTF 2
 *
 * All streams of all traces in a folder are merged by time. Stamps are ns counted by the clock, so
 * that stamps of LTTng, whose clock is CLOCK_MONOTONIC of a given boot, compare exactly with ours.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "field.h"
#include "import/import_hosts.h"
#include "import/import_writer.h"
#include "input.h"
#include "own.h"

/**
 * struct job - one run
 * @x:		options and files
 * @hosts:	the machines
 * @states:	by machine: some members below, while another machine is current
 * @f:		the tracefile being written
 * @in:		what is read
 * @record:	the current event
 * @clock:	the clock whose values are stamps, NULL = stamps are ns since @base_ns
 * @base_ns:	ns of a stamp of 0, since the clock's origin
 * @real_ns:	time since the epoch of a stamp of 0
 * @last_ts:	stamp of the latest event
 * @packets:	lost packets, with an unknown number of events
 * @timeless:	events with a time beyond 64 bits of ns
 */
struct job {
	struct import *x;
	struct import_hosts hosts;
	struct state {
		const struct ctf_clock *clock;
		__s64 base_ns;
		__s64 real_ns;
		__u64 last_ts;
	} states[IMPORT_MACHINES];
	struct import_writer *f;
	struct ctf_input in;
	struct record record;
	const struct ctf_clock *clock;
	__s64 base_ns;
	__s64 real_ns;
	__u64 last_ts;
	__u64 packets;
	__u64 timeless;
};

static const char *env_text(const struct ctf_trace *trace, const char *key)
{
	return ctf_schema_env_text(&trace->schema, key);
}

static __u32 env_number(const struct ctf_trace *trace, const char *key)
{
	const struct ctf_env *env = ctf_schema_env(&trace->schema, key);

	return env && !env->text ? (__u32)env->number : 0;
}

/* Returns the boot id whose CLOCK_MONOTONIC this clock is; NULL: it is another clock. */
static const char *boot_of(const struct ctf_clock *clock)
{
	unsigned char uuid[16];

	return clock && clock->name && !strcmp(clock->name, "monotonic") && clock->uid &&
	       clock->hz == 1000000000 && ctf_uuid_parse(clock->uid, uuid) ? clock->uid : NULL;
}

static const struct ctf_clock *clock_of(const struct ctf_stream *s)
{
	return s->class ? s->class->clock : NULL;
}

/* Makes the machine of a trace the current one. Return: 0, -errno. */
static int choose_host(struct job *job, const struct ctf_trace *trace)
{
	struct import_hosts *hosts = &job->hosts;
	struct import_host *before = hosts->now, *host;
	int ret = import_hosts_get(hosts, env_text(trace, "hostname"), &host);

	if (ret || host == before)
		return ret;
	if (before)
		job->states[before - hosts->at] = (struct state){ job->clock, job->base_ns,
								  job->real_ns, job->last_ts };
	job->f = host->f;
	job->clock = job->states[host - hosts->at].clock;
	job->base_ns = job->states[host - hosts->at].base_ns;
	job->real_ns = job->states[host - hosts->at].real_ns;
	job->last_ts = job->states[host - hosts->at].last_ts;
	return 0;
}

/* True if the trace is of the current machine. */
static bool is_of_host(const struct job *job, const struct ctf_trace *trace)
{
	const char *name = env_text(trace, "hostname");

	return !name || !*name || !strncmp(name, job->hosts.now->name,
					   sizeof(job->hosts.now->name) - 1);
}

/* Chooses what stamps count: the first clock, or ns if another one of the machine began earlier. */
static void choose_clock(struct job *job, const struct ctf_clock *first)
{
	job->clock = first;
	if (!first || !ctf_clock_ns(first, 0, &job->base_ns))
		job->base_ns = 0;
	for (size_t i = 0; i < job->in.heap_nr; i++) {
		const struct ctf_lane *lane = job->in.heap[i];
		const struct ctf_clock *clock = clock_of(&lane->stream);

		if (!clock || ctf_clock_is_same(clock, first) || lane->ns >= job->base_ns ||
		    lane->ns == INT64_MIN || !is_of_host(job, lane->stream.trace))
			continue;
		job->base_ns = lane->ns;
		job->clock = NULL;
	}
	if (job->clock && job->clock->hz != 1000000000)
		job->clock = NULL;
	job->real_ns = job->base_ns > 0 ? job->base_ns : 0;
}

/* Applies --like and --offset, needed for a clock of unknown origin. Return: 0, -errno. */
static int learn_clock(struct job *job, struct import_writer_about *about,
		       struct import_clock *told, const struct ctf_stream *s)
{
	const char *name = env_text(s->trace, "trace_name");
	int ret = import_clock(job->x, told);

	if (ret < 0)
		return ret;
	/* The boot of --like is that of the first machine, or of the one with its name. */
	if (*told->boot && job->hosts.now != job->hosts.at &&
	    (!about->host || strcmp(told->host, about->host)))
		ret = 0;
	if (ret) {
		job->real_ns = (__s64)told->real_ns;
		if (*told->boot)
			about->boot = told->boot;
	} else if (s->class && (!clock_of(s) || !clock_of(s)->is_epoch)) {
		complain_about(name && *name ? name : "trace",
			       "its clock does not say what it counts from: --offset, --like");
	}
	return 0;
}

static int begin(struct job *job, const struct ctf_stream *s)
{
	const struct ctf_trace *trace = s->trace;
	const char *tool = env_text(trace, "tracer_name");
	struct import_writer_about about = {
		.tool = tool ? tool : "ctf", .host = env_text(trace, "hostname"),
		/* perf data convert calls it "release". */
		.kernel = env_text(trace, "kernel_release") ?: env_text(trace, "release"),
		.machine = env_text(trace, "machine"),
		.x32 = env_text(trace, "x32"),
	};
	struct import_clock told;
	int ret;

	/* LTTng does not tell its machine; its system calls are identified by name. */
	if (!about.machine)
		about.machine = "x86_64";
	choose_clock(job, clock_of(s));
	about.boot = boot_of(job->clock);
	ret = learn_clock(job, &about, &told, s);
	about.real_ns = (__u64)job->real_ns;
	return ret ? ret : import_writer_about(job->f, &about);
}

/* Returns the stamp of the current message: without a time, that of the latest event. */
static __u64 stamp_of(struct job *job, const struct ctf_stream *s)
{
	const struct ctf_clock *clock = clock_of(s);
	__s64 ns;

	if (!clock)
		return job->last_ts;
	if (job->clock && ctf_clock_is_same(clock, job->clock))
		return s->time;
	if (!ctf_clock_ns(clock, s->time, &ns)) {
		job->timeless++;
		return job->last_ts;
	}
	return (__u64)ns - (__u64)job->base_ns;
}

static const struct ctf_value *scope(const struct ctf_stream *s, enum ctf_scope nr)
{
	return s->cursor.scopes[nr].class ? &s->cursor.scopes[nr] : NULL;
}

/* Returns the kind of events: LTTng tells it per trace, ktrace per packet. */
static __u32 kind_of(const struct ctf_stream *s)
{
	const char *domain = env_text(s->trace, "domain");
	__s64 kind;

	if (own_is(s->trace) && own_number(scope(s, CTF_PACKET_CONTEXT), "kind", &kind))
		return kind == KTRACE_CHANNEL_KERNEL ? KTRACE_CHANNEL_KERNEL : KTRACE_CHANNEL_USER;
	return domain && !strcmp(domain, "kernel") ? KTRACE_CHANNEL_KERNEL : KTRACE_CHANNEL_USER;
}

static int cpu_of(const struct ctf_stream *s)
{
	__s64 v;

	return own_number(scope(s, CTF_PACKET_CONTEXT), "cpu_id", &v) && v >= 0 &&
	       v < IMPORT_WRITER_CPUS ? (int)v : -1;
}

/*
 * Takes a member that tells the event's thread, CPU or interrupt, stored elsewhere; false: the
 * member becomes a field.
 */
static bool take_context(struct import_writer_event *e, const struct ctf_trace *trace,
			 const char *name, const struct ctf_value *value)
{
	const char *text = ctf_text(value);
	__s64 v;

	if (own_is(trace) && own_is_context(name))
		return true;
	if (text) {
		if (e->comm || (strcmp(name, "procname") && strcmp(name, "comm")))
			return false;
		e->comm = text;
		return true;
	}
	if (!ctf_number(value, &v))
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

static void put_context(struct job *job, struct import_writer_event *e,
			const struct ctf_trace *trace, const struct ctf_value *context)
{
	for (__u64 i = 0; context && i < context->nr; i++) {
		const char *name = context->class->members[i].name;

		if (take_context(e, trace, name, &context->items[i]))
			continue;
		ktrace_out_str(&job->record.name, "context");
		field_put(&job->record, name, &context->items[i]);
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

static void put_fields(struct job *job, struct import_writer_event *e, const struct ctf_stream *s)
{
	const struct ctf_value *payload = scope(s, CTF_PAYLOAD);

	if (payload)
		field_put_members(&job->record, payload);
	put_context(job, e, s->trace, scope(s, CTF_SPECIFIC_CONTEXT));
	put_context(job, e, s->trace, scope(s, CTF_COMMON_CONTEXT));
}

static int put_event(struct job *job, const struct ctf_stream *s)
{
	struct record *r = &job->record;
	struct import_writer_event e = {
		.cpu = cpu_of(s), .ts = job->last_ts, .tid = IMPORT_WRITER_TID_UNKNOWN,
	};
	const __u32 kind = kind_of(s);
	struct ktrace_lost lost;
	int ret;

	r->desc.len = r->data.len = r->name.len = 0;
	put_name(&r->desc, s->event->name ? s->event->name : "");
	if (own_is(s->trace))
		own_take(s, &e, (__u64)job->base_ns);
	if (own_is(s->trace) && own_lost(s, &lost))
		return import_writer_lost(job->f, kind, e.cpu, e.ts, &lost);
	put_fields(job, &e, s);
	ktrace_out_bytes(&r->desc, "}", 2);
	if (!e.comm)
		e.comm = env_text(s->trace, "procname");
	if (!e.pid)
		e.pid = env_number(s->trace, "vpid");
	e.data = r->data.buf;
	e.len = r->data.len;
	ret = r->desc.error ? r->desc.error : r->data.error ? r->data.error : r->name.error;
	return ret ? ret : import_event(job->x, job->f, kind, r->desc.buf, &e);
}

/*
 * Records a loss at its place. Those that the tracer counted are left out for traces of ktrace,
 * which have events for them.
 */
static int put_lost(struct job *job, const struct ctf_stream *s)
{
	static const enum ktrace_lost_reason reasons[] = {
		[CTF_LOST_EVENTS] = KTRACE_LOST_FULL,
		[CTF_LOST_PACKETS] = KTRACE_LOST_OVERWRITTEN,
		[CTF_LOST_DAMAGED] = KTRACE_LOST_CORRUPT,
	};
	struct ktrace_lost lost = { 0 };

	if (own_is(s->trace) && s->message != CTF_LOST_DAMAGED)
		return 0;
	if (s->message == CTF_LOST_PACKETS)
		job->packets += s->count;
	lost.count[reasons[s->message]] = s->count;
	return import_writer_lost(job->f, kind_of(s), cpu_of(s), stamp_of(job, s), &lost);
}

static int take_message(struct job *job, const struct ctf_stream *s)
{
	int ret = choose_host(job, s->trace);

	if (!ret && !import_writer_has_about(job->f))
		ret = begin(job, s);
	if (ret || s->message != CTF_EVENT)
		return ret ? ret : put_lost(job, s);
	job->last_ts = stamp_of(job, s);
	return put_event(job, s);
}

/* Converts all traces. Return: the exit status, -errno. */
static int convert_all(struct job *job)
{
	const struct ctf_stream *s;
	int ret = ctf_input_begin(&job->in) ? 0 : -ENOMEM;

	progress_begin_bytes(job->in.bytes);
	while (!ret && (s = ctf_input_now(&job->in))) {
		progress_at(job->in.read);
		ret = take_message(job, s);
		ctf_input_next(&job->in);
	}
	progress_end();
	return ret ? ret : ctf_input_is_damaged(&job->in) ? STATUS_DAMAGED : STATUS_OK;
}

static int put_nothing(struct job *job)
{
	const struct import_writer_about about = { .tool = "ctf" };

	struct import_host *host;
	const int ret = job->hosts.nr ? 0 : import_hosts_get(&job->hosts, NULL, &host);

	if (ret || import_writer_has_about(job->hosts.at[0].f))
		return ret;
	return import_writer_about(job->hosts.at[0].f, &about);
}

static int tell_losses(const struct job *job, const char *path, int status)
{
	if (job->packets)
		complain_about(path, "%" PRIu64 " packets were lost, each counted as one event",
			       (uint64_t)job->packets);
	if (!job->timeless)
		return status;
	complain_about(path, "%" PRIu64 " events have a time beyond any date: they got that of the "
		       "event before", (uint64_t)job->timeless);
	return status < 0 ? status : STATUS_DAMAGED;
}

static bool find_traces(struct job *job, int nr, char **paths)
{
	bool is_any = false;

	for (int i = 0; i < nr; i++) {
		if (ctf_input_add(&job->in, paths[i]))
			is_any = true;
		else
			job->in.is_damaged = true;
	}
	return is_any;
}

static int convert(struct import *x, int nr, char **paths)
{
	struct job job = {
		.x = x, .hosts.x = x, .record.desc.flush = output_grow,
		.record.data.flush = output_grow, .record.name.flush = output_grow,
	};
	int ret = find_traces(&job, nr, paths) ? 0 : -ECANCELED;
	int error;

	if (!ret) {
		ret = convert_all(&job);
		error = ret < 0 ? 0 : put_nothing(&job);
		ret = error ? error : tell_losses(&job, paths[0], ret);
		ret = import_hosts_close(&job.hosts, ret);
	}
	ctf_input_exit(&job.in);
	free(job.record.desc.buf);
	free(job.record.data.buf);
	free(job.record.name.buf);
	return ret;
}

static int run(int argc, char **argv)
{
	return import_main(argc, argv, convert);
}

int main(int argc, char **argv)
{
	return command_main(run, argc, argv);
}
