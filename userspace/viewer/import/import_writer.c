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
#include "import_map.h"

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
 * running: thread that was switched to last
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
	__u32 running;
	char data[BLOCK];
};

struct name {
	bool is_known;
	__u32 pid;
	char comm[KTRACE_COMM_LEN];
};

#define BUCKETS 1024u
#define IDS 65536u

/*
 * struct import_types - all types
 * next_id: by kind, for types that are not ktrace's own
 * own: the file's description of ktrace's own kernel events, NULL = none yet
 */
struct import_types {
	struct import_type *buckets[BUCKETS];
	__u32 next_id[IMPORT_WRITER_KINDS];
	char *own[KTRACE_EV_DYNAMIC];
};

struct import_writer {
	struct ktrace_tracefile *tf;
	bool has_about;
	char *machine;
	struct import_types types;
	struct stream *streams[IMPORT_WRITER_KINDS][IMPORT_WRITER_CPUS + 1];
	__u32 stream_nr;
	struct name *names[(KTRACE_TID_MASK + 1) / TIDS];
	struct ktrace_text name_text;
	struct ktrace_out payload;
	__u64 events;
	__u64 losses;
};

static void free_type(struct import_type *t)
{
	ktrace_event_type_free(t->parsed);
	import_map_free(t->plan);
	free(t->desc);
	free(t);
}

static void free_types(struct import_types *types)
{
	struct import_type *t, *next;

	for (__u32 i = 0; i < BUCKETS; i++)
		for (t = types->buckets[i]; t; t = next) {
			next = t->next;
			free_type(t);
		}
	for (__u32 i = 0; i < KTRACE_EV_DYNAMIC; i++)
		free(types->own[i]);
}

int import_writer_open(const char *path, int level, struct import_writer **out)
{
	struct import_writer *f = calloc(1, sizeof(*f));
	int ret = f ? ktrace_tracefile_create(path, &f->tf) : -ENOMEM;

	if (ret) {
		free(f);
		return ret;
	}
	f->types.next_id[KTRACE_CHANNEL_KERNEL] = KTRACE_EV_DYNAMIC;
	f->types.next_id[KTRACE_CHANNEL_USER] = KTRACE_ID_FIRST;
	ktrace_tracefile_compress(f->tf, level);
	f->payload.flush = output_grow;
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
	f->machine = about->machine ? strdup(about->machine) : NULL;
	ktrace_text_line(&t, "trace");
	ktrace_text_u64(&t, "version", 1);
	ktrace_text_u64(&t, "start_ns", about->real_ns);
	ktrace_text_str(&t, "backend", about->tool);
	ktrace_text_str(&t, "clock", "monotonic");
	ktrace_text_line(&t, "host");
	put_fact(&t, "name", about->host);
	put_fact(&t, "kernel", about->kernel);
	put_fact(&t, "machine", about->machine);
	put_fact(&t, "x32", about->x32);
	put_fact(&t, "boot", about->boot);
	ktrace_text_line(&t, "clock");
	ktrace_text_u64(&t, "raw", about->raw);
	ktrace_text_u64(&t, "mono_ns", about->raw);
	ktrace_text_u64(&t, "real_ns", about->real_ns);
	ktrace_text_u64(&t, "hz", 1000000000);
	ret = ktrace_text_flush(&t, f->tf);
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
	(*out)->running = IMPORT_WRITER_TID_UNKNOWN;
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

/* Keeps the thread that runs from now on. */
static void learn_switch(struct stream *s, const struct ktrace_out *payload)
{
	struct ktrace_ev_sched_switch event;

	if (payload->len < sizeof(event))
		return;
	memcpy(&event, payload->buf, sizeof(event));
	s->running = event.next_tid & KTRACE_TID_MASK;
}

static int put_payload(struct import_writer *f, struct stream *s,
		       const struct import_writer_event *e,
		       __u32 tid)
{
	struct ktrace_record rec = {
		.ts = e->ts, .id = e->type->id, .tid_flags = tid | e->flags,
	};
	const char *data = e->data;
	size_t len = e->len;

	if (e->type->plan) {
		f->payload.len = 0;
		import_map_apply(e->type->plan, f, e, &f->payload);
		if (f->payload.error)
			return f->payload.error;
		data = f->payload.buf;
		len = f->payload.len;
		if (import_map_id(e->type->plan) == KTRACE_EV_SCHED_SWITCH)
			learn_switch(s, &f->payload);
	}
	if (len > PAYLOAD_MAX)
		return put_fragments(f, s, rec, data, len);
	rec.len = (__u16)len;
	return put_record(f, s, &rec, NULL, data);
}

int import_writer_put(struct import_writer *f, const struct import_writer_event *e)
{
	struct stream *s;
	__u32 tid = e->tid;
	int ret = get_stream(f, e->type->parsed->kind, e->cpu, &s);

	if (ret)
		return ret;
	if (tid > KTRACE_TID_MASK)
		tid = IMPORT_WRITER_TID_UNKNOWN;
	if (tid == IMPORT_WRITER_TID_UNKNOWN)
		tid = s->running;
	ret = learn_name(f, e, tid);
	if (!ret)
		ret = put_payload(f, s, e, tid);
	f->events += !ret;
	return ret;
}

int import_writer_lost(struct import_writer *f, __u32 kind, int cpu, __u64 ts,
		       const struct ktrace_lost *newly)
{
	struct stream *s;
	__u64 sum = 0;
	int ret = get_stream(f, kind, cpu, &s);

	if (!ret)
		ret = flush(f, s);
	if (ret)
		return ret;
	for (int i = 0; i < KTRACE_LOST_NR; i++) {
		s->lost.count[i] += newly->count[i];
		sum += newly->count[i];
	}
	f->losses += sum;
	/* The lost events may include a switch. */
	s->running = IMPORT_WRITER_TID_UNKNOWN;
	return ktrace_tracefile_lost(f->tf, s->id, s->pos + s->end, ts, &s->lost, sum);
}

int import_writer_text(struct import_writer *f, struct ktrace_text *text)
{
	return ktrace_text_flush(text, f->tf);
}

__u64 import_writer_events(const struct import_writer *f)
{
	return f->events;
}

__u64 import_writer_losses(const struct import_writer *f)
{
	return f->losses;
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
	ret = flush_all(f);
	error = ktrace_tracefile_close(f->tf);
	for (size_t i = 0; i < sizeof(f->names) / sizeof(f->names[0]); i++)
		free(f->names[i]);
	ktrace_text_free(&f->name_text);
	free_types(&f->types);
	free(f->payload.buf);
	free(f->machine);
	free(f);
	return ret ? ret : error;
}

/*
 * Types of events of another tool's trace
 *
 * A type is found by the text of its description, which is written when the type is created,
 * before its first event.
 */

static struct import_type **find(struct import_types *types, __u32 kind, const char *desc)
{
	struct import_type **at;
	__u32 hash = 2166136261u ^ kind;

	for (const char *s = desc; *s; s++)
		hash = (hash ^ (unsigned char)*s) * 16777619u;
	at = &types->buckets[hash % BUCKETS];
	while (*at && ((*at)->parsed->kind != kind || strcmp((*at)->desc, desc)))
		at = &(*at)->next;
	return at;
}

/* Returns the number of ktrace's own event with this description, 0 = none */
static __u16 own_id(const char *desc)
{
	const struct ktrace_kernel_event *event;

	for (__u32 i = 0; (event = ktrace_kernel_event(i)); i++)
		if (!strcmp(event->desc, desc))
			return event->id;
	return 0;
}

static int put_line(struct import_writer *f, const struct import_type *t, const char *desc)
{
	struct ktrace_text text = { 0 };
	int ret;

	ktrace_text_line(&text, "event");
	ktrace_text_str(&text, "kind",
			t->parsed->kind == KTRACE_CHANNEL_KERNEL ? "kernel" : "user");
	ktrace_text_u64(&text, "id", t->id);
	ktrace_text_str(&text, "desc", desc);
	ret = ktrace_text_flush(&text, f->tf);
	ktrace_text_free(&text);
	return ret;
}

/*
 * Gives a type the number of ktrace's own event that it is, perhaps with fields appended; only the
 * first description of a number gets it. *@is_new: it still needs a description. Return: 0,
 * -ENOMEM.
 */
static int take_own_id(struct import_types *types, struct import_type *t, const char *desc,
		       bool *is_new)
{
	const __u16 id = t->plan ? import_map_id(t->plan) : own_id(desc);

	if (!id || (types->own[id] && strcmp(types->own[id], desc)))
		return 0;
	t->id = id;
	*is_new = !types->own[id];
	if (*is_new)
		types->own[id] = strdup(desc);
	return types->own[id] ? 0 : -ENOMEM;
}

/* @desc: describes its events in the file */
static int describe(struct import_writer *f, struct import_type *t, const char *desc)
{
	struct import_types *types = &f->types;
	const __u32 kind = t->parsed->kind;
	bool is_new = true;
	int ret = kind == KTRACE_CHANNEL_KERNEL ? take_own_id(types, t, desc, &is_new) : 0;

	if (ret || !is_new)
		return ret;
	/* Reserves the last number for IMPORT_WRITER_TEXT. */
	if (!t->id && types->next_id[kind] >= (strcmp(desc, IMPORT_WRITER_TEXT) ? IDS - 1 : IDS))
		return -EOVERFLOW;
	if (!t->id)
		t->id = (__u16)types->next_id[kind]++;
	return put_line(f, t, desc);
}

static int describe_as_planned(struct import_writer *f, struct import_type *t)
{
	char *desc = import_map_desc(t->plan, t->parsed);
	int ret;

	if (!desc)
		return -ENOMEM;
	ret = describe(f, t, desc);
	free(desc);
	return ret;
}

static int make(struct import_writer *f, struct import_type **place, const char *desc,
		struct ktrace_event_type *parsed)
{
	struct import_type *t = calloc(1, sizeof(*t));
	int ret = 0;

	if (!t) {
		ktrace_event_type_free(parsed);
		return -ENOMEM;
	}
	t->parsed = parsed;
	t->desc = strdup(desc);
	if (!t->desc)
		ret = -ENOMEM;
	if (!ret && parsed->kind == KTRACE_CHANNEL_KERNEL)
		ret = import_map_make(f, parsed, &t->plan);
	if (!ret)
		ret = t->plan ? describe_as_planned(f, t) : describe(f, t, desc);
	if (ret)
		free_type(t);
	else
		*place = t;
	return ret;
}

int import_type(struct import_writer *f, __u32 kind, const char *desc,
		const struct import_type **out)
{
	struct import_type **place = find(&f->types, kind, desc);
	struct ktrace_event_type *parsed;
	int ret = 0;

	if (!*place) {
		ret = ktrace_event_type_parse(desc, &parsed);
		if (ret)
			return ret;
		parsed->kind = (__u16)kind;
		ret = make(f, place, desc, parsed);
	}
	*out = *place;
	return ret;
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
