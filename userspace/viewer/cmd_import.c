// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_import.c - ktrace import: files of another tool as a tracefile
 *
 * S.Ha.R.K.: each file is a chunk and becomes a stream, whose events keep their order. Files
 * have neither magic nor clock: what they are is said on the command line, how many ticks are a
 * millisecond by the events trace_start and cycles_per_msec. Who runs is told by trace_start and
 * context_switch, and which task a context is by the last id event: so names are found by reading
 * all files as one sequence.
 */
#include "viewer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktrace/session.h>
#include <ktrace/tracefile.h>

#include "json.h"
#include "shark_file.h"

#define BLOCK 65536u
#define CONTEXTS 65536u
#define NAMES 65536u		/* bytes of text before they are written */
/* A thread has a number above 0: these are nobody's. */
#define TID_UNKNOWN KTRACE_TID_MASK
#define TID_ZERO (KTRACE_TID_MASK - 1)

/* struct stream - a chunk on its way into the tracefile */
struct stream {
	struct shark_file file;
	struct ktrace_tracefile_block block;
	__u64 records;
	char data[BLOCK];
};

/**
 * struct import - one run of the command
 * @is_shark:	--from shark
 * @path:	the tracefile
 * @level:	how its blocks are compressed
 * @ticks:	of a millisecond
 * @is_raw:	a tick is to be a nanosecond
 * @is_json:	one object
 * @streams:	the chunks
 * @nr:		how many
 * @tf:		what is written
 * @names:	of tasks
 * @pids:	by context, + 1; 0 = not known
 * @running:	context that runs, -1 = not known
 * @tid:	its thread
 * @events:	written
 */
struct import {
	bool is_shark;
	const char *path;
	int level;
	__u64 ticks;
	bool is_raw;
	bool is_json;
	struct stream *streams;
	__u32 nr;
	struct ktrace_tracefile *tf;
	struct ktrace_text names;
	__u64 *pids;
	int running;
	__u32 tid;
	__u64 events;
};

/* The earliest event that is left, and the chunk it is of. */
static struct stream *earliest(const struct import *x, struct shark_event *e)
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

/* The first event that says it, in the order of time. */
static void find_ticks(struct import *x)
{
	struct shark_event e;
	struct stream *s;

	while (!x->ticks && (s = earliest(x, &e))) {
		s->file.at++;
		x->ticks = shark_ticks(&e);
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

static int put_meta(const struct import *x)
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
	ktrace_text_u64(&t, "hz", x->is_raw ? 1000000000 : x->ticks * 1000);
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

static int flush(struct import *x, struct stream *s)
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

static int put_record(struct import *x, struct stream *s, const struct shark_event *e)
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

static __u32 tid_of(const struct import *x, __u16 context)
{
	const __u64 pid = x->pids[context];

	if (!pid || pid > TID_ZERO)
		return TID_UNKNOWN;
	return pid == 1 ? TID_ZERO : (__u32)pid - 1;
}

static void put_name(struct import *x, __u32 tid, __u64 ts, const char *name)
{
	ktrace_text_line(&x->names, "thread");
	ktrace_text_u64(&x->names, "tid", tid);
	if (tid < TID_ZERO)
		ktrace_text_u64(&x->names, "pid", tid);
	ktrace_text_u64(&x->names, "ts", ts);
	ktrace_text_str(&x->names, "comm", name);
}

/* What the event says of who runs from it on, and of who that is. */
static void learn(struct import *x, const struct shark_event *e)
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

static int put_events(struct import *x)
{
	struct shark_event e;
	struct stream *s;
	int ret = 0;

	put_name(x, TID_UNKNOWN, 0, "unknown");
	while (!ret && (s = earliest(x, &e))) {
		learn(x, &e);
		ret = put_record(x, s, &e);
		s->file.at++;
		x->events++;
		if (!ret && x->names.len >= NAMES)
			ret = ktrace_text_flush(&x->names, x->tf);
	}
	for (__u32 i = 0; i < x->nr && !ret; i++)
		ret = flush(x, &x->streams[i]);
	return ret ? ret : ktrace_text_flush(&x->names, x->tf);
}

static int write_all(struct import *x)
{
	int ret = ktrace_tracefile_create(x->path, &x->tf), error;

	if (ret)
		return ret;
	ktrace_tracefile_compress(x->tf, x->level);
	ret = put_meta(x);
	if (!ret)
		ret = put_events(x);
	error = ktrace_tracefile_close(x->tf);
	ktrace_text_free(&x->names);
	return ret ? ret : error;
}

/* The output must be none of what is read: it would be gone. */
static bool is_input(const char *path, const char *input)
{
	struct stat a, b;

	return !stat(path, &a) && !stat(input, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int read_all(struct import *x, char **paths)
{
	int ret, status = STATUS_OK;

	for (__u32 i = 0; i < x->nr; i++) {
		if (is_input(x->path, paths[i])) {
			complain_about(x->path, "is to be read");
			return -EEXIST;
		}
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

static void put_result(const struct import *x)
{
	struct ktrace_out *out = output();
	struct stat st = { 0 };

	stat(x->path, &st);
	if (x->is_json) {
		ktrace_out_char(out, '{');
		json_str(out, "file", x->path);
		json_u64(out, "events", x->events);
		json_u64(out, "bytes", (__u64)st.st_size);
		if (!x->is_raw)
			json_u64(out, "ticks_per_ms", x->ticks);
		ktrace_out_str(out, "}\n");
		return;
	}
	ktrace_out_safe(out, x->path);
	ktrace_out_str(out, ": ");
	ktrace_out_u64(out, x->events);
	ktrace_out_str(out, " events, ");
	ktrace_out_u64(out, (__u64)st.st_size);
	ktrace_out_str(out, " bytes\n");
}

static bool has_events(const struct import *x)
{
	struct shark_event e;

	return earliest(x, &e);
}

/* Reads, finds out what time is, writes. Return: the exit status. */
static int convert(struct import *x, char **paths)
{
	int status = read_all(x, paths), ret;

	if (status < 0)
		return STATUS_DAMAGED;
	if (!x->is_raw)
		find_ticks(x);
	if (!x->ticks && !x->is_raw && has_events(x)) {
		fprintf(stderr, "ktrace import: no event trace_start or cycles_per_msec says how "
			"many ticks are a millisecond: --ticks-per-ms N, or --raw-ticks\n");
		return STATUS_DAMAGED;
	}
	ret = write_all(x);
	if (!ret) {
		put_result(x);
		return output_end(status);
	}
	complain_about(x->path, "%s", strerror(-ret));
	return STATUS_DAMAGED;
}

static int import(struct import *x, int nr, char **paths)
{
	int status = STATUS_DAMAGED;

	x->nr = (__u32)nr;
	x->running = -1;
	x->streams = calloc((size_t)nr, sizeof(*x->streams));
	x->pids = calloc(CONTEXTS, sizeof(*x->pids));
	if (x->streams && x->pids)
		status = convert(x, paths);
	else
		fprintf(stderr, "ktrace: %s\n", strerror(ENOMEM));
	for (__u32 i = 0; x->streams && i < x->nr; i++)
		shark_file_free(&x->streams[i].file);
	free(x->streams);
	free(x->pids);
	return status;
}

enum { OPTION_TICKS = 800, OPTION_RAW };

static const struct option options[] = {
	{ "from", required_argument, NULL, 'f' },
	{ "output", required_argument, NULL, 'o' },
	{ "ticks-per-ms", required_argument, NULL, OPTION_TICKS },
	{ "raw-ticks", no_argument, NULL, OPTION_RAW },
	{ "compress", optional_argument, NULL, 'z' },
	{ "json", no_argument, NULL, 'j' },
	COMMON_OPTIONS
};

static const char *take_ticks(struct import *x, const char *text)
{
	char *end;

	errno = 0;
	x->ticks = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || !x->ticks || x->ticks > 0xffffffffu)
		return "--ticks-per-ms: not a number from 1 to 4294967295";
	return NULL;
}

static const char *take_option(struct import *x, int option)
{
	switch (option) {
	case 'f':
		x->is_shark = !strcmp(optarg, "shark");
		return x->is_shark ? NULL : "--from: no such format, but shark";
	case 'o':
		x->path = optarg;
		return NULL;
	case OPTION_TICKS:
		return take_ticks(x, optarg);
	case OPTION_RAW:
		x->is_raw = true;
		return NULL;
	case 'z':
		return ktrace_compress_level(optarg, &x->level) ? NULL :
			"--compress: a level is a number from -50 to 19, or none";
	default:
		x->is_json = true;
		return NULL;
	}
}

static const char *missing(const struct import *x, int nr)
{
	if (!x->is_shark)
		return "--from FORMAT is missing";
	if (!x->path)
		return "no output: -o FILE";
	if (x->ticks && x->is_raw)
		return "--ticks-per-ms and --raw-ticks exclude each other";
	return nr ? NULL : "no file";
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct import x = { 0 };
	const char *wrong = NULL;
	int option;

	while (!wrong && (option = getopt_long(argc, argv, "f:o:", options, NULL)) != -1) {
		if (option == '?' || option >= OPTION_HELP)
			return command_common_option(cmd, option);
		wrong = take_option(&x, option);
	}
	if (!wrong)
		wrong = missing(&x, argc - optind);
	return wrong ? command_usage(cmd, wrong) : import(&x, argc - optind, argv + optind);
}

const struct command cmd_import = {
	.name = "import",
	.args = "--from FORMAT -o OUTPUT [OPTION...] FILE...",
	.summary = "Make a tracefile of files of another tool",
	.help =
"  -f, --from FORMAT  shark: chunks of S.Ha.R.K., a file each, compressed or not\n"
"  -o, --output FILE  the new file; replaces what is there\n"
"  --ticks-per-ms N   so many ticks of the stamps are a millisecond, whatever the files say\n"
"  --raw-ticks        show ticks as if each were a nanosecond\n"
"  --compress[=LEVEL] compress blocks: -50 (fastest) to 19, 0 or none = not [1]\n"
"  --json             one JSON object\n"
"  --help, --version\n"
"\n"
"shark: each file becomes a stream of events log:event. Its first event trace_start or\n"
"cycles_per_msec says what a tick is; without one, say it yourself. Threads are tasks: who\n"
"runs follows from trace_start and context_switch, which task a context is from the last\n"
"event id. Empty slots are left out. ktrace export --to shark makes the same file again.\n"
"\n"
"JSON members: file, events, bytes, ticks_per_ms.\n",
	.run = run,
};
