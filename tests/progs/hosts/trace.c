// SPDX-License-Identifier: GPL-2.0
/* trace.c - the tracefile of a simulated host, as ktraced would write it */
#include "trace.h"

#include <ktrace/session.h>
#include <linux/ktrace_events.h>

#include <stdlib.h>
#include <string.h>

static const char *const user_events[] = {
	[SIM_APP_REQUEST] = "app:request{u64 id;u32 server;}",
	[SIM_APP_ANSWER] = "app:answer{u64 id;u32 server;}",
	[SIM_APP_WORK] = "app:work{u64 id;u32 server;}",
};

static void check(int ret)
{
	if (ret) {
		fprintf(stderr, "mkhosts: %s\n", strerror(-ret));
		exit(1);
	}
}

static void put_lines(struct sim_trace *t, struct ktrace_text *text)
{
	check(ktrace_text_flush(text, t->tf));
	ktrace_text_free(text);
}

static void describe(struct ktrace_text *text, const char *kind, __u32 id, const char *desc)
{
	ktrace_text_line(text, "event");
	ktrace_text_str(text, "kind", kind);
	ktrace_text_u64(text, "id", id);
	ktrace_text_str(text, "desc", desc);
}

static void describe_all(struct sim_trace *t)
{
	const struct ktrace_kernel_event *ev;
	struct ktrace_text text = { 0 };

	for (__u32 i = 0; (ev = ktrace_kernel_event(i)); i++)
		describe(&text, "kernel", ev->id, ev->desc);
	for (__u32 id = SIM_APP_REQUEST; id <= SIM_APP_WORK; id++)
		describe(&text, "user", id, user_events[id]);
	put_lines(t, &text);
}

static void announce_streams(struct sim_trace *t)
{
	struct ktrace_text text = { 0 };

	for (__u32 i = 0; i < 2 * t->cpus; i++) {
		t->streams[i].data = malloc(SIM_BLOCK);
		t->streams[i].block.stream = i;
		if (!t->streams[i].data)
			abort();
		ktrace_text_line(&text, "stream");
		ktrace_text_u64(&text, "id", i);
		ktrace_text_str(&text, "kind", i < t->cpus ? "kernel" : "user");
		ktrace_text_u64(&text, "cpu", i % t->cpus);
		ktrace_text_u64(&text, "ring", 64 * SIM_BLOCK);
		ktrace_text_u64(&text, "block", SIM_BLOCK);
		ktrace_text_str(&text, "policy", "drop");
	}
	put_lines(t, &text);
}

/* Writes what the file says about its host; a clock line and sim_trace_start() have to follow. */
void sim_trace_create(struct sim_trace *t, const char *path, const struct sim_host_name *name,
		      __u32 cpus, __u64 real_ns)
{
	struct ktrace_text text = { 0 };

	memset(t, 0, sizeof(*t));
	t->cpus = cpus;
	check(ktrace_tracefile_create(path, &t->tf));
	ktrace_text_line(&text, "trace version=1");
	ktrace_text_u64(&text, "start_ns", real_ns);
	ktrace_text_str(&text, "backend", "dev");
	ktrace_text_str(&text, "clock", name->is_monotonic ? "monotonic" : "tsc");
	ktrace_text_str(&text, "cmd", "");
	ktrace_text_line(&text, "host");
	ktrace_text_str(&text, "name", name->name);
	ktrace_text_str(&text, "kernel", "6.12.0-simulated");
	ktrace_text_str(&text, "machine", "x86_64");
	ktrace_text_u64(&text, "cpus", cpus);
	ktrace_text_str(&text, "boot", name->boot);
	put_lines(t, &text);
}

void sim_trace_compress(struct sim_trace *t)
{
	check(ktrace_tracefile_compress(t->tf, KTRACE_COMPRESS_DEFAULT));
}

void sim_trace_clock(struct sim_trace *t, const struct sim_reading *r, __u64 hz)
{
	struct ktrace_text text = { 0 };

	ktrace_text_line(&text, "clock");
	ktrace_text_u64(&text, "raw", r->raw);
	ktrace_text_u64(&text, "mono_ns", r->mono_ns);
	ktrace_text_u64(&text, "real_ns", r->real_ns);
	ktrace_text_u64(&text, "boot_ns", r->mono_ns);
	ktrace_text_u64(&text, "hz", hz);
	put_lines(t, &text);
}

void sim_trace_start(struct sim_trace *t)
{
	describe_all(t);
	announce_streams(t);
}

void sim_trace_thread(struct sim_trace *t, __u32 pid, __u32 tid, const char *comm, __u64 raw)
{
	struct ktrace_text text = { 0 };

	ktrace_text_line(&text, pid == tid ? "process" : "thread");
	if (pid != tid)
		ktrace_text_u64(&text, "tid", tid);
	ktrace_text_u64(&text, "pid", pid);
	ktrace_text_u64(&text, "ts", raw);
	ktrace_text_str(&text, "comm", comm);
	put_lines(t, &text);
}

static void end_block(struct sim_trace *t, struct sim_stream *s)
{
	if (!s->block.size)
		return;
	s->block.data = s->data;
	check(ktrace_tracefile_block(t->tf, &s->block));
	s->pos += SIM_BLOCK;
	s->records += s->block.records;
	s->block = (struct ktrace_tracefile_block){ .stream = s->block.stream };
}

static void append(struct sim_stream *s, const void *data, size_t size)
{
	memcpy(s->data + s->block.size, data, size);
	s->block.size += (__u32)size;
}

void sim_trace_record(struct sim_trace *t, __u32 stream, const struct ktrace_record *rec,
		      const void *payload)
{
	static const char zeros[KTRACE_ALIGN];
	struct sim_stream *s = &t->streams[stream];
	struct ktrace_block header = { .magic = KTRACE_BLOCK_MAGIC, .ring = stream,
				       .flags = KTRACE_BLOCK_COUNTED };

	if (s->block.size + KTRACE_RECORD_SIZE(rec->len) > SIM_BLOCK)
		end_block(t, s);
	if (!s->block.size) {
		header.pos = s->block.pos = s->pos;
		header.ts = s->block.first_ts = rec->ts;
		header.records = s->records;
		append(s, &header, sizeof(header));
	}
	append(s, rec, sizeof(*rec));
	append(s, payload, rec->len);
	append(s, zeros, -rec->len & (KTRACE_ALIGN - 1));
	s->block.records++;
	if (rec->ts > s->block.last_ts)
		s->block.last_ts = rec->ts;
}

/* Writes all blocks, as ktraced does once a second. */
void sim_trace_flush(struct sim_trace *t)
{
	for (__u32 i = 0; i < 2 * t->cpus; i++)
		end_block(t, &t->streams[i]);
}

void sim_trace_close(struct sim_trace *t)
{
	static const char end[] = "end reason=recording%20ended\n";

	sim_trace_flush(t);
	check(ktrace_tracefile_meta(t->tf, end, sizeof(end) - 1));
	check(ktrace_tracefile_close(t->tf));
	for (__u32 i = 0; i < 2 * t->cpus; i++)
		free(t->streams[i].data);
}
