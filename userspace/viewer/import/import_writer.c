// SPDX-License-Identifier: GPL-2.0
/*
 * import_writer.c - writes the events of another tool's trace into a tracefile
 *
 * Each CPU and kind has a stream, whose last block is in memory. Blocks are padded to their end.
 * Before a loss is recorded, the current part of the block is written, so that the loss gets its
 * place. Memory grows with CPUs, threads and types of events, not with the trace.
 */
#include "import_writer.h"

#include <errno.h>
#include <ktrace/session.h>
#include <ktrace/tracefile.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/viewer.h"
#include "import_hold.h"
#include "import_map.h"
#include "import_stamps.h"
#include "import_types.h"

#define BLOCK 65536u
/* Largest payload of a record that fits in a block */
#define PAYLOAD_MAX \
	((BLOCK - (__u32)sizeof(struct ktrace_block) - (__u32)sizeof(struct ktrace_record)) & ~7u)
#define NAMES 65536u		/* bytes of text after which names are written */
#define TIDS 4096u		/* threads per page of names */

/*
 * struct stream - the events of a CPU
 * id: in the file
 * begin, end: range in data that is not in the file yet
 * pos: position of data in the ring
 */
struct stream {
	__u32 id;
	__u32 begin;
	__u32 end;
	__u64 pos;
	__u64 block_records;
	__u64 all_records;
	__u64 first_ts;
	__u64 last_ts;
	struct ktrace_lost lost;
	char data[BLOCK];
};

struct name {
	bool is_known;
	__u32 pid;
	char comm[KTRACE_COMM_LEN];
};

struct import_writer {
	struct ktrace_tracefile *tf;
	bool has_about;
	char *machine;
	char *boot;
	struct import_stamps stamps;
	__u64 clock_at;		/* the last reading of the clock */
	__u64 last;		/* latest stamp */
	struct import_types types;
	struct stream *streams[IMPORT_WRITER_KINDS][IMPORT_WRITER_CPUS + 1];
	__u32 stream_nr;
	struct name *names[(KTRACE_TID_MASK + 1) / TIDS];
	struct ktrace_text name_text;
	struct ktrace_out payload;
	struct import_hold hold;
	__u64 events;
	__u64 losses;
};

int import_writer_open(const char *path, int level, struct import_writer **out)
{
	struct import_writer *f = calloc(1, sizeof(*f));
	int ret = f ? ktrace_tracefile_create(path, &f->tf) : -ENOMEM;

	if (ret) {
		free(f);
		return ret;
	}
	import_types_init(&f->types);
	ktrace_tracefile_compress(f->tf, level);
	f->payload.flush = output_grow;
	task_states_init(&f->hold.states, NULL, NULL);
	*out = f;
	return 0;
}

static void put_fact(struct ktrace_text *t, const char *key, const char *value)
{
	if (value)
		ktrace_text_str(t, key, value);
}

int import_writer_about(struct import_writer *f, const struct import_writer_about *about)
{
	struct ktrace_text t = { 0 };
	int ret;

	f->has_about = true;
	f->boot = about->boot ? strdup(about->boot) : NULL;
	f->stamps.raw = about->raw;
	f->stamps.real_ns = about->real_ns;
	f->stamps.keeps_zero = about->keeps_zero;
	f->machine = about->machine ? strdup(about->machine) : NULL;
	task_states_init(&f->hold.states, about->kernel, about->tool);
	ktrace_text_line(&t, "trace");
	ktrace_text_u64(&t, "version", 1);
	ktrace_text_u64(&t, "start_ns", about->real_ns >> 63 ? 0 : about->real_ns);
	ktrace_text_str(&t, "backend", about->tool);
	ktrace_text_str(&t, "clock", "monotonic");
	ktrace_text_line(&t, "host");
	put_fact(&t, "name", about->host);
	put_fact(&t, "kernel", about->kernel);
	put_fact(&t, "machine", about->machine);
	put_fact(&t, "x32", about->x32);
	ret = ktrace_text_flush(&t, f->tf);
	ktrace_text_free(&t);
	return ret;
}

/* Adds a reading of the clock at a stamp of the file. The clock may have begun before its zero. */
static void put_clock(struct import_writer *f, struct ktrace_text *t, __u64 at)
{
	const __u64 raw = at > f->stamps.shift ? at : f->stamps.shift;

	ktrace_text_line(t, "clock");
	ktrace_text_u64(t, "raw", raw);
	ktrace_text_u64(t, "mono_ns", raw);
	ktrace_text_u64(t, "real_ns", import_stamps_zero(&f->stamps) + (raw - f->stamps.shift));
	ktrace_text_u64(t, "hz", 1000000000);
	f->clock_at = raw;
}

/*
 * Describes the clock at the first stamp. With a zero of its own it is not that of the boot, whose
 * traces share a zero.
 */
static int begin_clock(struct import_writer *f, __u64 first)
{
	struct ktrace_text t = { 0 };
	int ret;

	if (f->stamps.is_begun)
		return 0;
	import_stamps_begin(&f->stamps, first);
	if (import_writer_is_of_boot(f)) {
		ktrace_text_line(&t, "host");
		ktrace_text_str(&t, "boot", f->boot);
	}
	put_clock(f, &t, f->stamps.first_at);
	ret = ktrace_text_flush(&t, f->tf);
	ktrace_text_free(&t);
	return ret;
}

/* Describes the clock at the last stamp: readings tell over which times clocks are compared. */
static int end_clock(struct import_writer *f)
{
	struct ktrace_text t = { 0 };
	int ret = 0;

	if (f->stamps.is_begun && f->last > f->clock_at) {
		put_clock(f, &t, f->last);
		ret = ktrace_text_flush(&t, f->tf);
	}
	ktrace_text_free(&t);
	return ret;
}

bool import_writer_has_about(const struct import_writer *f)
{
	return f->has_about;
}

const char *import_writer_machine(const struct import_writer *f)
{
	return f->machine ? f->machine : "";
}

static int describe_stream(struct import_writer *f, const struct stream *s, __u32 kind, int cpu)
{
	struct ktrace_text t = { 0 };
	int ret;

	ktrace_text_line(&t, "stream");
	ktrace_text_u64(&t, "id", s->id);
	ktrace_text_str(&t, "kind", kind == KTRACE_CHANNEL_KERNEL ? "kernel" : "user");
	if (cpu >= 0)
		ktrace_text_u64(&t, "cpu", (__u64)cpu);
	ktrace_text_u64(&t, "ring", 4 * BLOCK);
	ktrace_text_u64(&t, "block", BLOCK);
	ret = ktrace_text_flush(&t, f->tf);
	ktrace_text_free(&t);
	return ret;
}

static int get_stream(struct import_writer *f, __u32 kind, int cpu, struct stream **out)
{
	struct stream **place;
	int ret;

	if (cpu < 0 || cpu >= IMPORT_WRITER_CPUS)
		cpu = -1;
	place = &f->streams[kind][cpu + 1];
	*out = *place;
	if (*place)
		return 0;
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	(*out)->id = f->stream_nr;
	ret = describe_stream(f, *out, kind, cpu);
	if (ret) {
		free(*out);
		return ret;
	}
	f->stream_nr++;
	*place = *out;
	return 0;
}

static int flush(struct import_writer *f, struct stream *s)
{
	const struct ktrace_tracefile_block block = {
		.stream = s->id, .records = (__u32)s->block_records, .pos = s->pos + s->begin,
		.first_ts = s->first_ts, .last_ts = s->last_ts,
		.data = s->data + s->begin, .size = s->end - s->begin,
	};
	int ret = block.size ? ktrace_tracefile_block(f->tf, &block) : 0;

	s->all_records += s->block_records;
	s->block_records = 0;
	s->begin = s->end;
	return ret;
}

/* Makes room for a record; pads the rest of a block without room with zeros. */
static int make_room(struct import_writer *f, struct stream *s, __u32 size, __u64 ts)
{
	struct ktrace_block header = { .magic = KTRACE_BLOCK_MAGIC, .flags = KTRACE_BLOCK_COUNTED };
	int ret = 0;

	if (s->end && s->end + size > BLOCK) {
		memset(s->data + s->end, 0, BLOCK - s->end);
		s->end = BLOCK;
		ret = flush(f, s);
		s->pos += BLOCK;
		s->begin = s->end = 0;
	}
	if (!s->end) {
		header.pos = s->pos;
		header.ts = ts;
		header.records = s->all_records;
		header.ring = s->id;
		memcpy(s->data, &header, sizeof(header));
		s->end = sizeof(header);
	}
	if (!s->block_records)
		s->first_ts = s->last_ts = ts;
	return ret;
}

static int put_record(struct import_writer *f, struct stream *s, const struct ktrace_record *rec,
		      const void *total, const void *data)
{
	const __u32 head = total ? sizeof(__u32) : 0, size = KTRACE_RECORD_SIZE(rec->len);
	int ret = make_room(f, s, size, rec->ts);
	char *to = s->data + s->end;

	memset(to + size - KTRACE_ALIGN, 0, KTRACE_ALIGN);
	memcpy(to, rec, sizeof(*rec));
	if (total)
		memcpy(to + sizeof(*rec), total, head);
	if (rec->len > head)
		memcpy(to + sizeof(*rec) + head, data, rec->len - head);
	s->end += size;
	s->block_records++;
	if (rec->ts > s->last_ts)
		s->last_ts = rec->ts;
	return ret;
}

/* Writes an event that is too long for a block as fragments. */
static int put_fragments(struct import_writer *f, struct stream *s, struct ktrace_record rec,
			 const char *data, size_t len)
{
	const __u32 total = (__u32)len;
	size_t n = PAYLOAD_MAX - sizeof(total);
	int ret;

	rec.tid_flags |= KTRACE_REC_FRAG_FIRST;
	rec.len = PAYLOAD_MAX;
	ret = put_record(f, s, &rec, &total, data);
	rec.tid_flags ^= KTRACE_REC_FRAG_FIRST | KTRACE_REC_FRAG_NEXT;
	for (; !ret && n < len; n += rec.len) {
		rec.len = (__u16)(len - n < PAYLOAD_MAX ? len - n : PAYLOAD_MAX);
		ret = put_record(f, s, &rec, NULL, data + n);
	}
	return ret;
}

static int get_name(struct import_writer *f, __u32 tid, struct name **out)
{
	struct name **page = &f->names[tid / TIDS];

	if (!*page)
		*page = calloc(TIDS, sizeof(**page));
	*out = *page ? *page + tid % TIDS : NULL;
	return *page ? 0 : -ENOMEM;
}

__u32 import_writer_pid(const struct import_writer *f, __u32 tid)
{
	const struct name *page = tid <= KTRACE_TID_MASK ? f->names[tid / TIDS] : NULL;

	return page ? page[tid % TIDS].pid : 0;
}

/* Writes the process and name of a thread if they are new. */
static int learn_name(struct import_writer *f, const struct import_writer_event *e, __u32 tid)
{
	const char *comm = tid == IMPORT_WRITER_TID_UNKNOWN ? "unknown" : e->comm;
	struct name *name;
	int ret = get_name(f, tid, &name);

	if (ret)
		return ret;
	if (name->is_known && (!e->pid || name->pid == e->pid) &&
	    (!comm || !strncmp(name->comm, comm, sizeof(name->comm) - 1)))
		return 0;
	name->is_known = true;
	if (e->pid)
		name->pid = e->pid;
	if (comm)
		strncpy(name->comm, comm, sizeof(name->comm) - 1);
	if (!tid || (!name->pid && !name->comm[0]))
		return 0;
	ktrace_text_line(&f->name_text, "thread");
	ktrace_text_u64(&f->name_text, "tid", tid);
	if (name->pid)
		ktrace_text_u64(&f->name_text, "pid", name->pid);
	ktrace_text_u64(&f->name_text, "ts", e->ts);
	ktrace_text_str(&f->name_text, "comm", name->comm);
	return f->name_text.len < NAMES ? f->name_text.error :
	       ktrace_text_flush(&f->name_text, f->tf);
}

static __u64 lost_sum(const struct ktrace_lost *lost)
{
	__u64 sum = 0;

	for (int i = 0; i < KTRACE_LOST_NR; i++)
		sum += lost->count[i];
	return sum;
}

static int put_payload(struct import_writer *f, struct stream *s,
		       const struct import_writer_event *e, const __u32 *state)
{
	struct ktrace_record rec = {
		.ts = e->ts, .id = e->type->id, .tid_flags = e->tid | e->flags,
	};
	const size_t state_off = offsetof(struct ktrace_ev_sched_switch, prev_state);
	const char *data = e->data;
	size_t len = e->len;

	if (e->type->plan) {
		f->payload.len = 0;
		import_map_apply(e->type->plan, f, e, &f->payload);
		if (f->payload.error)
			return f->payload.error;
		data = f->payload.buf;
		len = f->payload.len;
		if (state && len >= state_off + sizeof(*state))
			memcpy(f->payload.buf + state_off, state, sizeof(*state));
	}
	if (len > PAYLOAD_MAX)
		return put_fragments(f, s, rec, data, len);
	rec.len = (__u16)len;
	return put_record(f, s, &rec, NULL, data);
}

int import_writer_write(struct import_writer *f, const struct import_writer_event *e,
			const __u32 *state)
{
	struct import_writer_event known = *e;
	struct stream *s;
	int ret = get_stream(f, e->type->parsed->kind, e->cpu, &s);

	if (e->tid > KTRACE_TID_MASK)
		known.tid = IMPORT_WRITER_TID_UNKNOWN;
	if (!ret)
		ret = learn_name(f, &known, known.tid);
	return ret ? ret : put_payload(f, s, &known, state);
}

int import_writer_put(struct import_writer *f, const struct import_writer_event *e)
{
	struct import_writer_event placed = *e;
	int ret = begin_clock(f, e->ts);

	placed.ts = import_stamps_place(&f->stamps, e->ts);
	f->last = placed.ts > f->last ? placed.ts : f->last;
	if (!ret)
		ret = import_hold_put(&f->hold, f, &placed);
	f->events += !ret;
	return ret;
}

int import_writer_write_lost(struct import_writer *f, __u32 kind, int cpu, __u64 ts,
			     const struct ktrace_lost *newly)
{
	struct stream *s;
	int ret = get_stream(f, kind, cpu, &s);

	if (!ret)
		ret = flush(f, s);
	if (ret)
		return ret;
	for (int i = 0; i < KTRACE_LOST_NR; i++)
		s->lost.count[i] += newly->count[i];
	return ktrace_tracefile_lost(f->tf, s->id, s->pos + s->end, ts, &s->lost,
				     lost_sum(newly));
}

int import_writer_lost(struct import_writer *f, __u32 kind, int cpu, __u64 ts,
		       const struct ktrace_lost *newly)
{
	struct import_writer_event at = { .cpu = cpu };
	int ret = begin_clock(f, ts);

	at.ts = import_stamps_place(&f->stamps, ts);
	f->losses += lost_sum(newly);
	return ret ? ret : import_hold_lost(&f->hold, f, kind, &at, newly);
}

int import_writer_text(struct import_writer *f, struct ktrace_text *text)
{
	return ktrace_text_flush(text, f->tf);
}

bool import_writer_is_of_boot(const struct import_writer *f)
{
	return f->boot && !f->stamps.shift;
}

__u64 import_writer_events(const struct import_writer *f)
{
	return f->events;
}

__u64 import_writer_losses(const struct import_writer *f)
{
	return f->losses;
}

void import_writer_print_fmt(struct import_writer *f, const char *print_fmt)
{
	task_states_print_fmt(&f->hold.states, print_fmt);
}

static void complain(const char *path, bool has_any, struct ktrace_out *text)
{
	if (has_any && !text->error)
		complain_about(path, "%.*s", (int)text->len, text->buf);
	text->len = 0;
}

int import_writer_end(struct import_writer *f, const char *path)
{
	struct ktrace_out text = { .flush = output_grow };
	int ret = import_hold_end(&f->hold, f);

	if (!ret) {
		complain(path, task_states_say(&f->hold.states, &text), &text);
		complain(path, import_stamps_say(&f->stamps, &text), &text);
	}
	free(text.buf);
	return ret;
}

static int flush_all(struct import_writer *f)
{
	int ret = ktrace_text_flush(&f->name_text, f->tf);

	for (int kind = 0; kind < IMPORT_WRITER_KINDS; kind++)
		for (int i = 0; i <= IMPORT_WRITER_CPUS; i++) {
			if (f->streams[kind][i] && !ret)
				ret = flush(f, f->streams[kind][i]);
			free(f->streams[kind][i]);
		}
	return ret;
}

int import_writer_close(struct import_writer *f)
{
	int ret, error;

	if (!f)
		return 0;
	ret = import_hold_end(&f->hold, f);
	if (!ret && f->has_about)
		ret = begin_clock(f, 0);
	if (!ret)
		ret = end_clock(f);
	error = flush_all(f);
	ret = ret ? ret : error;
	error = ktrace_tracefile_close(f->tf);
	for (size_t i = 0; i < sizeof(f->names) / sizeof(f->names[0]); i++)
		free(f->names[i]);
	ktrace_text_free(&f->name_text);
	import_types_free(&f->types);
	import_hold_free(&f->hold);
	free(f->payload.buf);
	free(f->machine);
	free(f->boot);
	free(f);
	return ret ? ret : error;
}

void import_writer_name(struct ktrace_out *out, const char *s)
{
	if (!*s)
		ktrace_out_char(out, '_');
	for (; *s; s++) {
		const bool is_fine = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
				     (*s >= '0' && *s <= '9') || strchr("_.-+|", *s);

		ktrace_out_char(out, is_fine ? *s : '_');
	}
}

int import_type(struct import_writer *f, __u32 kind, const char *desc,
		const struct import_type **out)
{
	return import_types_get(&f->types, f, f->tf, kind, desc, out);
}
