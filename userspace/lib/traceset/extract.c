// SPDX-License-Identifier: LGPL-2.1
/*
 * extract.c - writes some of the events of a traceset to a new tracefile
 *
 * META text comes first: see extract_meta.c. The events of each stream follow, in blocks of the
 * size that META gives, and losses as LOST sections. Long events are cut into fragments of that
 * size, all with the stamp of the event. Some names of threads were learned from events that may
 * not be in the new file, so they are written as META text at the end.
 *
 * A file has one host, one boot, one clock. So several files can become one if they are from the
 * same boot, where thread ids are unique and CLOCK_MONOTONIC is a clock of all of them.
 */
#include "extract.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <ktrace/context.h>

#include "base/search.h"
#include "tracefile/zstd_frame.h"

#define BLOCK_DEFAULT 65536u

/* True if the file to be written is one of those to be read. */
static bool is_input(const struct ktrace_traceset *set, const char *path)
{
	const struct trace *t;
	struct stat out, in;
	size_t i, k;

	if (stat(path, &out))
		return false;
	for (i = 0; i < set->trace_nr; i++) {
		t = set->traces[i];
		for (k = 0; k < t->part_nr; k++)
			if (!fstat(t->parts[k].fd, &in) && in.st_dev == out.st_dev &&
			    in.st_ino == out.st_ino)
				return true;
	}
	return false;
}

/* True if the events of all traces can be in one file. */
static bool is_one_boot(const struct ktrace_traceset *set)
{
	const char *boot = ktrace_meta_fact(set->traces[0], "host", "boot"), *other;
	size_t i;

	for (i = 0; set->trace_nr > 1 && i < set->trace_nr; i++) {
		other = ktrace_meta_fact(set->traces[i], "host", "boot");
		if (!boot || !other || strcmp(boot, other) || !set->traces[i]->has_offset)
			return false;
	}
	return true;
}

static int make_source(struct ktrace_extract *x, struct source *from, const struct trace *t)
{
	size_t i;

	from->trace = t;
	from->streams = calloc(t->stream_nr + 1, sizeof(*from->streams));
	if (extract_merges(x))
		from->ids = calloc(65536, sizeof(*from->ids));
	if (!from->streams || (extract_merges(x) && !from->ids))
		return -ENOMEM;
	for (i = 0; i < t->stream_nr; i++) {
		const struct ktrace_trace_stream *pub = &t->streams[i]->pub;

		from->streams[i].from = pub;
		from->streams[i].cap = pub->block_size >= KTRACE_BLOCK_MIN ? pub->block_size :
				       BLOCK_DEFAULT;
		from->streams[i].block.stream = pub->id;
	}
	return 0;
}

static int by_key(const void *a, const void *b)
{
	const struct out_stream *x = *(struct out_stream *const *)a;
	const struct out_stream *y = *(struct out_stream *const *)b;

	if (x->from->id != y->from->id)
		return x->from->id < y->from->id ? -1 : 1;
	return ktrace_trace_index(x->from->trace) < ktrace_trace_index(y->from->trace) ? -1 : 1;
}

/* Renumbers streams: events with the same time keep the order they have in the traceset. */
static int number_streams(struct ktrace_extract *x)
{
	struct out_stream **all;
	size_t nr = 0, i, k;

	for (i = 0; i < x->source_nr; i++)
		nr += x->sources[i].trace->stream_nr;
	all = calloc(nr + 1, sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (nr = i = 0; i < x->source_nr; i++)
		for (k = 0; k < x->sources[i].trace->stream_nr; k++)
			all[nr++] = &x->sources[i].streams[k];
	qsort(all, nr, sizeof(*all), by_key);
	for (i = 0; i < nr; i++)
		all[i]->block.stream = (__u32)i;
	free(all);
	return 0;
}

static int make_sources(struct ktrace_extract *x, const struct ktrace_traceset *set)
{
	size_t i;
	int ret = 0;

	x->next_id = KTRACE_ID_FIRST;
	x->next_kernel_id = KTRACE_EV_DYNAMIC;
	x->seen = calloc(1, (KTRACE_TID_MASK + 1) / 8);
	x->sources = calloc(set->trace_nr, sizeof(*x->sources));
	if (!x->seen || !x->sources)
		return -ENOMEM;
	x->source_nr = set->trace_nr;
	for (i = 0; i < set->trace_nr && !ret; i++)
		ret = make_source(x, &x->sources[i], set->traces[i]);
	return ret || !extract_merges(x) ? ret : number_streams(x);
}

static void free_all(struct ktrace_extract *x)
{
	size_t i, k;

	for (i = 0; i < x->source_nr; i++) {
		for (k = 0; x->sources[i].streams && k < x->sources[i].trace->stream_nr; k++)
			free(x->sources[i].streams[k].data);
		free(x->sources[i].streams);
		free(x->sources[i].ids);
	}
	free(x->sources);
	free(x->seen);
	free(x);
}

int ktrace_extract_create(const struct ktrace_traceset *set, const char *path, const char *what,
			  struct ktrace_extract **out)
{
	struct ktrace_extract *x;
	int ret;

	if (!set->trace_nr || !is_one_boot(set))
		return -EXDEV;
	if (is_input(set, path))
		return -EEXIST;
	x = calloc(1, sizeof(*x));
	if (!x)
		return -ENOMEM;
	ret = make_sources(x, set);
	if (!ret)
		ret = ktrace_tracefile_create(path, &x->tf);
	if (!ret)
		ret = ktrace_extract_meta(x, what);
	if (ret) {
		ktrace_tracefile_close(x->tf);
		free_all(x);
		return ret;
	}
	*out = x;
	return 0;
}

int ktrace_extract_compress(struct ktrace_extract *x, int level)
{
	return ktrace_tracefile_compress(x->tf, level);
}

static struct out_stream *find_stream(const struct source *source,
				      const struct ktrace_trace_stream *from)
{
	const size_t at = PARTITION_POINT(source->trace->stream_nr, i,
					  source->streams[i].from->id < from->id);

	return at < source->trace->stream_nr && source->streams[at].from == from ?
	       &source->streams[at] : NULL;
}

/* Writes the current block; the next one begins at the next multiple of the block size. */
static int flush(struct ktrace_extract *x, struct out_stream *o)
{
	int ret = o->block.size ? ktrace_tracefile_block(x->tf, &o->block) : 0;

	o->block.pos += (o->block.size + o->cap - 1) & ~(o->cap - 1);
	o->records += o->block.records;
	o->block.size = o->block.records = 0;
	return ret;
}

/* Begins a block for a record of @size bytes; makes it longer than META says if it must be. */
static int begin_block(struct out_stream *o, __u64 ts, __u32 size)
{
	struct ktrace_block header = {
		.pos = o->block.pos, .ts = ts, .records = o->records,
		.magic = KTRACE_BLOCK_MAGIC, .flags = KTRACE_BLOCK_COUNTED, .ring = o->block.stream,
		.owner = o->from->cpu > 0 ? (__u32)o->from->cpu : 0,
	};

	size += sizeof(header);
	if (ktrace_reserve(&o->data, &o->room, size > o->cap ? size : o->cap))
		return -ENOMEM;
	memcpy(o->data, &header, sizeof(header));
	o->block.data = o->data;
	o->block.size = sizeof(header);
	o->block.first_ts = o->block.last_ts = ts;
	return 0;
}

/* Writes a record with the payload @head, if any, and the rest of @rec->len from @bytes. */
static int put_record(struct ktrace_extract *x, struct out_stream *o,
		      const struct ktrace_record *rec, const __u32 *head, const char *bytes)
{
	__u32 size = KTRACE_RECORD_SIZE(rec->len), head_size = head ? sizeof(*head) : 0;
	char *at;
	int ret = 0;

	if (o->block.size + size > o->cap)
		ret = flush(x, o);
	if (!ret && !o->block.size)
		ret = begin_block(o, rec->ts, size);
	if (ret)
		return ret;
	at = o->data + o->block.size;
	memset(at + size - KTRACE_ALIGN, 0, KTRACE_ALIGN);
	memcpy(at, rec, sizeof(*rec));
	at += sizeof(*rec);
	if (head)
		memcpy(at, head, head_size);
	memcpy(at + head_size, bytes, rec->len - head_size);
	o->block.size += size;
	o->block.records++;
	if (rec->ts > o->block.last_ts)
		o->block.last_ts = rec->ts;
	if (rec->ts > o->last)
		o->last = rec->ts;
	return 0;
}

/* Writes an event as several records. An event without an end claims one byte more than it has. */
static int put_fragments(struct ktrace_extract *x, struct out_stream *o, struct ktrace_record rec,
			 const struct ktrace_trace_event *e)
{
	__u32 room = o->cap - (__u32)(sizeof(struct ktrace_block) + sizeof(rec)), n, done = 0;
	__u32 total = e->len + !!(e->flags & KTRACE_EVENT_INCOMPLETE), flags = rec.tid_flags;
	const __u32 *head = &total;
	int ret = 0;

	room = room < KTRACE_LEN_MAX ? room : KTRACE_LEN_MAX;
	do {
		n = room - (head ? (__u32)sizeof(*head) : 0);
		n = e->len - done < n ? e->len - done : n;
		rec.len = (__u16)(n + (head ? (__u32)sizeof(*head) : 0));
		rec.tid_flags = flags | (head ? KTRACE_REC_FRAG_FIRST : KTRACE_REC_FRAG_NEXT);
		ret = put_record(x, o, &rec, head, e->payload + done);
		done += n;
		head = NULL;
	} while (!ret && done < e->len);
	return ret;
}

/*
 * Writes the end of an event whose beginning was lost. It must not seem to continue another event:
 * blocks are missing before it, as in the old file.
 */
static int put_end(struct ktrace_extract *x, struct out_stream *o, struct ktrace_record rec,
		   const struct ktrace_trace_event *e)
{
	int ret = x->is_torn ? flush(x, o) : 0;

	if (x->is_torn)
		o->block.pos += o->cap;
	rec.len = (__u16)e->len;
	rec.tid_flags |= KTRACE_REC_FRAG_NEXT;
	return ret ? ret : put_record(x, o, &rec, NULL, e->payload);
}

static int add_lost(struct ktrace_extract *x, struct out_stream *o, __u64 ts,
		    const struct ktrace_trace_event *e)
{
	struct lost_payload lost;
	int ret = flush(x, o);

	memcpy(&lost, e->payload, sizeof(lost));
	o->lost.count[lost.reason % KTRACE_LOST_NR] += lost.count;
	o->last = ts > o->last ? ts : o->last;
	return ret ? ret : ktrace_tracefile_lost(x->tf, o->block.stream, o->block.pos, ts, &o->lost,
						 lost.count);
}

static __u32 record_flags(__u32 flags)
{
	return (flags & KTRACE_EVENT_TRUNCATED ? KTRACE_REC_TRUNCATED : 0) |
	       (flags & KTRACE_EVENT_IRQ ? KTRACE_REC_IRQ : 0) |
	       (flags & KTRACE_EVENT_CRITICAL ? KTRACE_REC_CRITICAL : 0) |
	       (flags & KTRACE_EVENT_CONTEXT ? KTRACE_REC_CONTEXT : 0);
}

int ktrace_extract_add(struct ktrace_extract *x, const struct ktrace_trace_event *e)
{
	struct source *source = &x->sources[ktrace_trace_index(e->stream->trace)];
	struct out_stream *o = find_stream(source, e->stream);
	bool is_user = e->stream->kind != KTRACE_CHANNEL_KERNEL;
	struct ktrace_record rec = {
		.ts = extract_stamp(x, source, e->raw), .id = (__u16)e->id,
		.tid_flags = e->tid | record_flags(e->flags),
	};
	__u32 size;

	if (e->id == KTRACE_ID_LOST)
		return add_lost(x, o, rec.ts, e);
	if (is_user)
		rec.id = ktrace_extract_id(x, source, e->id);
	else
		rec.id = ktrace_extract_kernel_id(x, source, e->id);
	if (rec.id < KTRACE_ID_FIRST)
		return -EOVERFLOW;
	x->seen[e->tid / 8] |= (unsigned char)(1u << e->tid % 8);
	if (e->flags & KTRACE_EVENT_NO_START)
		return put_end(x, o, rec, e);
	if (e->flags & KTRACE_EVENT_INCOMPLETE) {
		x->is_torn = true;
		rec.ts = rec.ts > o->last ? rec.ts : o->last;
		return put_fragments(x, o, rec, e);
	}
	size = e->len + ktrace_event_context_size(e);
	if (size > KTRACE_LEN_MAX ||
	    KTRACE_RECORD_SIZE(size) + sizeof(struct ktrace_block) > o->cap) {
		rec.tid_flags &= ~KTRACE_REC_CONTEXT;	/* a block was larger than META says */
		return put_fragments(x, o, rec, e);
	}
	rec.len = (__u16)size;
	return put_record(x, o, &rec, NULL, e->payload);
}

/* Writes the last block of a stream, and the sum of its losses */
static int end_stream(struct ktrace_extract *x, struct out_stream *o)
{
	int ret = flush(x, o);

	if (ret || !o->last)
		return ret;
	return ktrace_tracefile_lost(x->tf, o->block.stream, o->block.pos, o->last, &o->lost, 0);
}

int ktrace_extract_close(struct ktrace_extract *x)
{
	size_t i, k;
	int ret = 0, error;

	if (!x)
		return 0;
	for (i = 0; i < x->source_nr; i++)
		for (k = 0; k < x->sources[i].trace->stream_nr && !ret; k++)
			ret = end_stream(x, &x->sources[i].streams[k]);
	if (!ret)
		ret = ktrace_extract_names(x);
	error = ktrace_tracefile_close(x->tf);
	free_all(x);
	return ret ? ret : error;
}
