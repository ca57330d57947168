// SPDX-License-Identifier: GPL-2.0
/*
 * import_shark.c - ktrace import --from shark: reads chunks of S.Ha.R.K.
 *
 * Each file is a chunk and becomes a stream, whose events keep their order. Files have neither
 * magic nor clock: their format is given on the command line, the ticks per millisecond by the
 * events trace_start and cycles_per_msec. The running context is given by trace_start and
 * context_switch, the task of a context by the last id event: so names are found by reading all
 * files as one sequence.
 */
#include "import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/session.h>
#include <ktrace/tracefile.h>

#include "shark_file.h"

#define BLOCK 65536u
#define CONTEXTS 65536u
#define NAMES 65536u		/* bytes of text after which names are written */
/* Thread ids are above 0: ids for events of no known thread, and of task 0 */
#define TID_UNKNOWN KTRACE_TID_MASK
#define TID_ZERO (KTRACE_TID_MASK - 1)

/* struct stream - a chunk being written to the tracefile */
struct stream {
	struct shark_file file;
	struct ktrace_tracefile_block block;
	__u64 records;
	char data[BLOCK];
};

/**
 * struct job - one run
 * @import:	options and files
 * @streams:	the chunks
 * @nr:		number of @streams
 * @tf:		the tracefile being written
 * @names:	of tasks
 * @pids:	task of each context, + 1; 0 = unknown
 * @running:	running context, -1 = unknown
 * @tid:	its thread id
 */
struct job {
	struct import *import;
	struct stream *streams;
	__u32 nr;
	struct ktrace_tracefile *tf;
	struct ktrace_text names;
	__u64 *pids;
	int running;
	__u32 tid;
};

/* Finds the earliest event left; returns its chunk. */
static struct stream *earliest(const struct job *x, struct shark_event *e)
{
	struct stream *found = NULL;
	struct shark_event next;

	for (__u32 i = 0; i < x->nr; i++)
		if (shark_file_peek(&x->streams[i].file, &next) && (!found || next.tsc < e->tsc)) {
			found = &x->streams[i];
			*e = next;
		}
	return found;
}

/* Reads the ticks from the earliest event that tells them. */
static void find_ticks(struct job *x)
{
	struct shark_event e;
	struct stream *s;

	while (!x->import->ticks && (s = earliest(x, &e))) {
		s->file.at++;
		x->import->ticks = shark_ticks(&e);
	}
	for (__u32 i = 0; i < x->nr; i++)
		x->streams[i].file.at = 0;
}

static const char *log_description(void)
{
	const struct ktrace_kernel_event *event;

	for (__u32 i = 0; (event = ktrace_kernel_event(i)); i++)
		if (event->id == KTRACE_EV_LOGEVENT)
			return event->desc;
	return "";
}

static int put_meta(const struct job *x)
{
	struct ktrace_text t = { 0 };
	int ret;

	ktrace_text_line(&t, "trace");
	ktrace_text_u64(&t, "version", 1);
	ktrace_text_u64(&t, "start_ns", 0);
	ktrace_text_str(&t, "backend", "shark");
	ktrace_text_str(&t, "clock", "tsc");
	ktrace_text_line(&t, "clock");
	ktrace_text_u64(&t, "raw", 0);
	ktrace_text_u64(&t, "mono_ns", 0);
	ktrace_text_u64(&t, "real_ns", 0);
	ktrace_text_u64(&t, "hz", x->import->is_raw ? 1000000000 : x->import->ticks * 1000);
	ktrace_text_line(&t, "event");
	ktrace_text_str(&t, "kind", "kernel");
	ktrace_text_u64(&t, "id", KTRACE_EV_LOGEVENT);
	ktrace_text_str(&t, "desc", log_description());
	for (__u32 i = 0; i < x->nr; i++) {
		ktrace_text_line(&t, "stream");
		ktrace_text_u64(&t, "id", i);
		ktrace_text_str(&t, "kind", "kernel");
		ktrace_text_u64(&t, "ring", x->streams[i].file.nr * SHARK_SLOT);
		ktrace_text_u64(&t, "block", BLOCK);
	}
	ret = ktrace_text_flush(&t, x->tf);
	ktrace_text_free(&t);
	return ret;
}

static int flush(struct job *x, struct stream *s)
{
	int ret = s->block.size ? ktrace_tracefile_block(x->tf, &s->block) : 0;

	s->block.pos += BLOCK;
	s->records += s->block.records;
	s->block.size = s->block.records = 0;
	return ret;
}

static void begin_block(struct stream *s, __u32 ring, __u64 ts)
{
	const struct ktrace_block header = {
		.pos = s->block.pos, .ts = ts, .records = s->records, .ring = ring,
		.magic = KTRACE_BLOCK_MAGIC, .flags = KTRACE_BLOCK_COUNTED,
	};

	memcpy(s->data, &header, sizeof(header));
	s->block.stream = ring;
	s->block.data = s->data;
	s->block.size = sizeof(header);
	s->block.first_ts = s->block.last_ts = ts;
}

static int put_record(struct job *x, struct stream *s, const struct shark_event *e)
{
	const struct ktrace_ev_logevent payload = { e->code, e->par1, e->par2 };
	const struct ktrace_record rec = {
		.ts = e->tsc, .id = KTRACE_EV_LOGEVENT, .len = sizeof(payload), .tid_flags = x->tid,
	};
	int ret = 0;

	if (s->block.size + KTRACE_RECORD_SIZE(sizeof(payload)) > BLOCK)
		ret = flush(x, s);
	if (!s->block.size)
		begin_block(s, (__u32)(s - x->streams), e->tsc);
	memcpy(s->data + s->block.size, &rec, sizeof(rec));
	memcpy(s->data + s->block.size + sizeof(rec), &payload, sizeof(payload));
	s->block.size += KTRACE_RECORD_SIZE(sizeof(payload));
	s->block.records++;
	if (e->tsc > s->block.last_ts)
		s->block.last_ts = e->tsc;
	return ret;
}

static __u32 tid_of(const struct job *x, __u16 context)
{
	const __u64 pid = x->pids[context];

	if (!pid || pid > TID_ZERO)
		return TID_UNKNOWN;
	return pid == 1 ? TID_ZERO : (__u32)pid - 1;
}

static void put_name(struct job *x, __u32 tid, __u64 ts, const char *name)
{
	ktrace_text_line(&x->names, "thread");
	ktrace_text_u64(&x->names, "tid", tid);
	if (tid < TID_ZERO)
		ktrace_text_u64(&x->names, "pid", tid);
	ktrace_text_u64(&x->names, "ts", ts);
	ktrace_text_str(&x->names, "comm", name);
}

/* Learns which context runs from this event on, and its task. */
static void learn(struct job *x, const struct shark_event *e)
{
	const unsigned int code = shark_code(e);
	char name[32];

	if (code == FTrace_EVT_id) {
		x->pids[e->par1] = (__u64)e->par2 + 1;
		snprintf(name, sizeof(name), "context %u", e->par1);
		if (tid_of(x, e->par1) != TID_UNKNOWN)
			put_name(x, tid_of(x, e->par1), e->tsc, name);
	} else if (code == FTrace_EVT_trace_start || code == FTrace_EVT_context_switch) {
		x->running = e->par1;
	}
	x->tid = x->running < 0 ? TID_UNKNOWN : tid_of(x, (__u16)x->running);
}

static int put_events(struct job *x)
{
	struct shark_event e;
	struct stream *s;
	int ret = 0;

	put_name(x, TID_UNKNOWN, 0, "unknown");
	while (!ret && (s = earliest(x, &e))) {
		learn(x, &e);
		ret = put_record(x, s, &e);
		s->file.at++;
		x->import->events++;
		if (!ret && x->names.len >= NAMES)
			ret = ktrace_text_flush(&x->names, x->tf);
	}
	for (__u32 i = 0; i < x->nr && !ret; i++)
		ret = flush(x, &x->streams[i]);
	return ret ? ret : ktrace_text_flush(&x->names, x->tf);
}

static int write_all(struct job *x)
{
	int ret = ktrace_tracefile_create(x->import->writes, &x->tf), error;

	if (ret)
		return ret;
	ktrace_tracefile_compress(x->tf, x->import->level);
	ret = put_meta(x);
	if (!ret)
		ret = put_events(x);
	error = ktrace_tracefile_close(x->tf);
	ktrace_text_free(&x->names);
	return ret ? ret : error;
}

static int read_all(struct job *x, char **paths)
{
	int ret, status = STATUS_OK;

	for (__u32 i = 0; i < x->nr; i++) {
		ret = shark_file_read(&x->streams[i].file, paths[i]);
		if (ret < 0)
			return ret;
		if (x->streams[i].file.first)
			complain_about(paths[i], "goes round: read from its oldest event on");
		if (ret)
			status = STATUS_DAMAGED;
	}
	return status;
}

static bool has_events(const struct job *x)
{
	struct shark_event e;

	return earliest(x, &e);
}

/* Reads the chunks, finds the ticks, writes. Return: the exit status; -errno. */
static int convert(struct job *x, char **paths)
{
	int status = read_all(x, paths), ret;

	if (status < 0)
		return -ECANCELED;
	if (!x->import->is_raw)
		find_ticks(x);
	if (!x->import->ticks && !x->import->is_raw && has_events(x)) {
		fprintf(stderr, "ktrace import: no event trace_start or cycles_per_msec says how "
			"many ticks are a millisecond: --ticks-per-ms N, or --raw-ticks\n");
		return -ECANCELED;
	}
	ret = write_all(x);
	return ret ? ret : status;
}

static int import(struct import *x, int nr, char **paths)
{
	struct job job = { .import = x, .nr = (__u32)nr, .running = -1 };
	int status = -ENOMEM;

	job.streams = calloc((size_t)nr, sizeof(*job.streams));
	job.pids = calloc(CONTEXTS, sizeof(*job.pids));
	if (job.streams && job.pids)
		status = convert(&job, paths);
	for (__u32 i = 0; job.streams && i < job.nr; i++)
		shark_file_free(&job.streams[i].file);
	free(job.streams);
	free(job.pids);
	return status;
}

const struct import_format import_shark = {
	.name = "shark", .convert = import, .has_zstd = true, .has_ticks = true,
};
