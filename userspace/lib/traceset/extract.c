// SPDX-License-Identifier: LGPL-2.1
/*
 * extract.c - some of the events of a traceset as a new tracefile
 *
 * The META text of the old file comes first, as it is. Each stream goes on under its number;
 * its events are put into blocks of the size that META says, losses into LOST sections.
 * Long events are cut into fragments anew, all with the stamp of the event. What threads
 * are called was partly learned from events that may not be in the new file, so it is
 * written as META text at the end.
 */
#include <ktrace/extract.h>
#include <ktrace/tracefile.h>

#include "set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BLOCK_DEFAULT 65536u

/**
 * struct out_stream - a stream of the new file
 * @from:	the stream it has the events of
 * @block:	the block being filled; no data yet if its size is 0
 * @data:	its bytes
 * @cap:	block size
 * @records:	in all blocks before
 * @last:	largest stamp
 * @lost:	so far
 */
struct out_stream {
	const struct ktrace_trace_stream *from;
	struct ktrace_tracefile_block block;
	char *data;
	__u32 cap;
	__u64 records;
	__u64 last;
	struct ktrace_lost lost;
};

/**
 * struct ktrace_extract - see <ktrace/extract.h>
 * @tf:		the new file
 * @set:	what it has the events of
 * @streams:	those of the only trace
 * @stream_nr:	how many
 * @seen:	threads that have events in it, a bit each
 * @is_torn:	there are events without an end
 */
struct ktrace_extract {
	struct ktrace_tracefile *tf;
	const struct ktrace_traceset *set;
	struct out_stream *streams;
	size_t stream_nr;
	unsigned char *seen;
	bool is_torn;
};

/* Is the file to be written one of those to be read? */
static bool is_input(const struct ktrace_traceset *set, const char *path)
{
	struct stat out, in;
	size_t i;

	if (stat(path, &out))
		return false;
	for (i = 0; i < set->trace_nr; i++)
		if (!fstat(set->traces[i]->reader.fd, &in) && in.st_dev == out.st_dev &&
		    in.st_ino == out.st_ino)
			return true;
	return false;
}

/* struct copying - META sections on their way */
struct copying {
	const struct reader *reader;
	struct ktrace_extract *x;
	struct section_buf loaded;
};

static int copy_meta(void *arg, const struct ktrace_index *e)
{
	struct copying *c = arg;
	struct ktrace_section s;
	char *text;
	int ret;

	if (e->type != KTRACE_SECTION_META)
		return 0;
	ret = ktrace_reader_load_next(c->reader, e->offset, &s, &c->loaded);
	if (ret == -EBADMSG || (!ret && (s.type != KTRACE_SECTION_META || !s.size ||
					 s.flags & ~KTRACE_SECTION_MAY_IGNORE)))
		return 0;	/* reported by who opened the traceset */
	text = c->loaded.bytes + sizeof(s);
	if (!ret && text[s.size - 1] != '\n')
		text[s.size - 1] = '\n';
	return ret ? ret : ktrace_tracefile_meta(c->x->tf, text, (size_t)s.size);
}

static void no_report(void *arg, const char *path, __u64 offset, const char *message)
{
	(void)arg;
	(void)path;
	(void)offset;
	(void)message;
}

/* The META text of a file, section by section */
static int copy_all_meta(struct ktrace_extract *x, const struct trace *t)
{
	struct reader r = { .fd = -1, .report = no_report };
	struct copying c = { .reader = &r, .x = x };
	struct ktrace_section s;
	struct ktrace_index e = { 0 };
	int ret = ktrace_reader_open(&r, t->reader.path);

	if (ret)
		return ret;
	ret = ktrace_reader_index(&r, copy_meta, &c);
	while (ret >= 0 && (ret = ktrace_reader_walk(&r, &s, &e.offset)) == 1) {
		e.type = s.type;
		ret = copy_meta(&c, &e);
	}
	free(c.loaded.bytes);
	ktrace_reader_close(&r);
	return ret < 0 ? ret : 0;
}

/* What the new file is, and streams that META does not announce. */
static int write_own_meta(struct ktrace_extract *x, const struct trace *t, const char *what)
{
	struct ktrace_text text = { 0 };
	size_t i;
	int ret;

	if (what) {
		ktrace_text_line(&text, "trace");
		ktrace_text_str(&text, "cut", what);
	}
	for (i = 0; i < t->stream_nr; i++) {
		if (t->streams[i]->pub.kind != KTRACE_KIND_UNKNOWN)
			continue;
		ktrace_text_line(&text, "stream");
		ktrace_text_u64(&text, "id", t->streams[i]->pub.id);
	}
	ret = ktrace_text_flush(&text, x->tf);
	ktrace_text_free(&text);
	return ret;
}

static int make_streams(struct ktrace_extract *x, const struct trace *t)
{
	size_t i;

	x->streams = calloc(t->stream_nr + 1, sizeof(*x->streams));
	x->seen = calloc(1, (KTRACE_TID_MASK + 1) / 8);
	if (!x->streams || !x->seen)
		return -ENOMEM;
	x->stream_nr = t->stream_nr;
	for (i = 0; i < t->stream_nr; i++) {
		const struct ktrace_trace_stream *from = &t->streams[i]->pub;

		x->streams[i].from = from;
		x->streams[i].cap = from->block_size >= KTRACE_BLOCK_MIN ? from->block_size :
				    BLOCK_DEFAULT;
		x->streams[i].block.stream = from->id;
	}
	return 0;
}

static void free_all(struct ktrace_extract *x)
{
	size_t i;

	for (i = 0; i < x->stream_nr; i++)
		free(x->streams[i].data);
	free(x->streams);
	free(x->seen);
	free(x);
}

int ktrace_extract_create(const struct ktrace_traceset *set, const char *path, const char *what,
			  struct ktrace_extract **out)
{
	struct ktrace_extract *x;
	int ret;

	if (set->trace_nr != 1)
		return -EXDEV;
	if (is_input(set, path))
		return -EEXIST;
	x = calloc(1, sizeof(*x));
	if (!x)
		return -ENOMEM;
	x->set = set;
	ret = make_streams(x, set->traces[0]);
	if (!ret)
		ret = ktrace_tracefile_create(path, &x->tf);
	if (!ret)
		ret = copy_all_meta(x, set->traces[0]);
	if (!ret)
		ret = write_own_meta(x, set->traces[0], what);
	if (ret) {
		ktrace_tracefile_close(x->tf);
		free_all(x);
		return ret;
	}
	*out = x;
	return 0;
}

static struct out_stream *find_stream(struct ktrace_extract *x,
				      const struct ktrace_trace_stream *from)
{
	size_t low = 0, high = x->stream_nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (x->streams[middle].from == from)
			return &x->streams[middle];
		if (x->streams[middle].from->id < from->id)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Writes the present block; the next one begins at the next multiple of the block size. */
static int flush(struct ktrace_extract *x, struct out_stream *o)
{
	int ret = o->block.size ? ktrace_tracefile_block(x->tf, &o->block) : 0;

	if (o->block.size)
		o->block.pos += o->cap;
	o->records += o->block.records;
	o->block.size = o->block.records = 0;
	return ret;
}

static int begin_block(struct out_stream *o, __u64 ts)
{
	struct ktrace_block header = {
		.pos = o->block.pos, .ts = ts, .records = o->records,
		.magic = KTRACE_BLOCK_MAGIC, .flags = KTRACE_BLOCK_COUNTED, .ring = o->from->id,
		.owner = o->from->cpu > 0 ? (__u32)o->from->cpu : 0,
	};

	if (!o->data)
		o->data = malloc(o->cap);
	if (!o->data)
		return -ENOMEM;
	memcpy(o->data, &header, sizeof(header));
	o->block.data = o->data;
	o->block.size = sizeof(header);
	o->block.first_ts = o->block.last_ts = ts;
	return 0;
}

/* Writes a record whose payload is @head, then @rec->len less these bytes of @bytes. */
static int put_record(struct ktrace_extract *x, struct out_stream *o,
		      const struct ktrace_record *rec, const __u32 *head, const char *bytes)
{
	__u32 size = KTRACE_RECORD_SIZE(rec->len), head_size = head ? sizeof(*head) : 0;
	char *at;
	int ret = 0;

	if (o->block.size + size > o->cap)
		ret = flush(x, o);
	if (!ret && !o->block.size)
		ret = begin_block(o, rec->ts);
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

/* As several records. An event without an end claims one byte more than it has. */
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
 * The end of an event whose beginning was lost. It must not seem to continue another event:
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

static int add_lost(struct ktrace_extract *x, struct out_stream *o,
		    const struct ktrace_trace_event *e)
{
	struct lost_payload lost;
	int ret = flush(x, o);

	memcpy(&lost, e->payload, sizeof(lost));
	o->lost.count[lost.reason % KTRACE_LOST_NR] += lost.count;
	o->last = e->raw > o->last ? e->raw : o->last;
	return ret ? ret : ktrace_tracefile_lost(x->tf, o->from->id, o->block.pos, e->raw,
						 &o->lost, lost.count);
}

static __u32 record_flags(__u32 flags)
{
	return (flags & KTRACE_EVENT_TRUNCATED ? KTRACE_REC_TRUNCATED : 0) |
	       (flags & KTRACE_EVENT_IRQ ? KTRACE_REC_IRQ : 0) |
	       (flags & KTRACE_EVENT_CRITICAL ? KTRACE_REC_CRITICAL : 0);
}

int ktrace_extract_add(struct ktrace_extract *x, const struct ktrace_trace_event *e)
{
	struct out_stream *o = find_stream(x, e->stream);
	struct ktrace_record rec = {
		.ts = e->raw, .id = (__u16)e->id, .tid_flags = e->tid | record_flags(e->flags),
	};

	if (!o)
		return -EXDEV;
	if (e->id == KTRACE_ID_LOST)
		return add_lost(x, o, e);
	x->seen[e->tid / 8] |= (unsigned char)(1u << e->tid % 8);
	if (e->flags & KTRACE_EVENT_NO_START)
		return put_end(x, o, rec, e);
	if (e->flags & KTRACE_EVENT_INCOMPLETE) {
		x->is_torn = true;
		rec.ts = rec.ts > o->last ? rec.ts : o->last;
		return put_fragments(x, o, rec, e);
	}
	rec.len = (__u16)e->len;
	if (e->len > KTRACE_LEN_MAX ||
	    KTRACE_RECORD_SIZE(e->len) + sizeof(struct ktrace_block) > o->cap)
		return put_fragments(x, o, rec, e);
	return put_record(x, o, &rec, NULL, e->payload);
}

/* All that is known of what a thread was called */
static void write_names(struct ktrace_text *text, const struct thread *thread)
{
	__u32 i;

	for (i = 0; i < thread->nr; i++) {
		ktrace_text_line(text, "thread");
		ktrace_text_u64(text, "tid", thread->tid);
		if (thread->names[i].pid)
			ktrace_text_u64(text, "pid", thread->names[i].pid);
		ktrace_text_u64(text, "ts", thread->names[i].raw);
		if (thread->names[i].comm[0])
			ktrace_text_str(text, "comm", thread->names[i].comm);
	}
}

static int write_all_names(struct ktrace_extract *x, const struct names *names)
{
	struct ktrace_text text = { 0 };
	const struct thread *thread;
	size_t i;
	int ret;

	for (i = 0; i < names->slot_nr; i++) {
		thread = &names->slots[i];
		if (thread->nr && x->seen[thread->tid / 8] & 1u << thread->tid % 8)
			write_names(&text, thread);
	}
	ret = ktrace_text_flush(&text, x->tf);
	ktrace_text_free(&text);
	return ret;
}

/* The last block, and the sum of losses, of a stream */
static int end_stream(struct ktrace_extract *x, struct out_stream *o)
{
	int ret = flush(x, o);

	if (ret || !o->last)
		return ret;
	return ktrace_tracefile_lost(x->tf, o->from->id, o->block.pos, o->last, &o->lost, 0);
}

int ktrace_extract_close(struct ktrace_extract *x)
{
	size_t i;
	int ret = 0, error;

	if (!x)
		return 0;
	for (i = 0; i < x->stream_nr && !ret; i++)
		ret = end_stream(x, &x->streams[i]);
	if (!ret)
		ret = write_all_names(x, &x->set->traces[0]->names);
	error = ktrace_tracefile_close(x->tf);
	free_all(x);
	return ret ? ret : error;
}
