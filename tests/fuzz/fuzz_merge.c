// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_merge.c - what the writer of tracefiles wrote is what the traceset delivers
 *
 * The input is a list of records, fragments and losses for a few streams of one or two
 * files. They are written by the tracefile writer, and beside that kept as they are. A
 * merge that is as plain as can be says what must come out: every event in its order with
 * its time, thread, flags and bytes, fragments put together, each loss once. The same when
 * many are read at once, and from any time on after a seek, and the beginning of it from a
 * file that is cut off anywhere.
 */
#include <ktrace/context.h>
#include <ktrace/traceset.h>
#include <ktrace/tracefile.h>

#include "fuzz.h"

#define FILES 2u
#define STREAMS 3u
#define ITEMS 512u
#define OUTS (ITEMS * 9)
#define BLOCK 4096u
#define DATA_MAX 64u
#define READ_MAX 40

/* struct item - a record, or what a LOST record or section adds to the counts */
struct item {
	struct ktrace_record rec;
	char data[DATA_MAX];
	bool is_lost;
	struct ktrace_lost lost;
};

/**
 * struct srcline - one stream, as it is written and as the reference reads it
 * @items:	in order
 * @nr:		how many
 * @ts:		stamp of the latest
 * @lost:	cumulative counts
 * @block:	section being put together
 * @pos:	end of the ring block that it belongs to
 * @has_lost:	the next block has to tell
 * @at:		reference: next item
 * @left:	reference: losses of item @at that have not been delivered, a bit each
 * @seen:	reference: counts met
 * @prev:	reference: stamp of the event before
 */
struct srcline {
	struct item items[ITEMS];
	size_t nr;
	__u64 ts;
	struct ktrace_lost lost;
	struct ktrace_tracefile_block block;
	char data[BLOCK];
	__u64 pos;
	bool has_lost;
	size_t at;
	__u32 left;
	struct ktrace_lost seen;
	struct ktrace_lost delta;
	__u64 prev;
};

/* struct out - an event that has to come */
struct out {
	__u64 time;
	__u64 raw;
	__u32 trace;
	__u32 stream;
	__u32 id;
	__u32 tid;
	__u32 flags;
	__u32 len;
	char data[ITEMS];
};

/* struct pending - reference: an event of which fragments are missing */
struct waiting {
	struct out out;
	__u32 total;
};

static struct memfile files[FILES];
static struct srcline sources[FILES][STREAMS];
static struct out outs[OUTS];
static size_t out_nr;
static struct waiting waiting[64];
static size_t waiting_nr;
static bool has_fragments;
static bool goes_back;
static __u32 file_nr;
static const __u32 kinds[STREAMS] = { 1, 0, 1 };

static void add_bytes(struct srcline *s, const void *data, size_t n)
{
	REQUIRE(s->block.size + n <= BLOCK);
	memcpy(s->data + s->block.size, data, n);
	s->block.size += (__u32)n;
}

/* Ends the section; the block goes on if @is_part. */
static void end_section(struct ktrace_tracefile *tf, struct srcline *s, bool is_part)
{
	__u64 pos = s->block.pos + s->block.size;

	if (s->block.size) {
		s->block.data = s->data;
		REQUIRE(!ktrace_tracefile_block(tf, &s->block));
	}
	s->block = (struct ktrace_tracefile_block){
		.stream = s->block.stream,
		.pos = is_part ? pos : (pos + BLOCK - 1) & ~(BLOCK - 1ull),
	};
}

static void add_record(struct srcline *s, const struct item *it, const void *data)
{
	static const char zeros[KTRACE_ALIGN];

	add_bytes(s, &it->rec, sizeof(it->rec));
	add_bytes(s, data, it->rec.len);
	add_bytes(s, zeros, -it->rec.len & (KTRACE_ALIGN - 1));
	if (it->rec.ts > s->block.last_ts)
		s->block.last_ts = it->rec.ts;
}

static struct item *new_item(struct srcline *s)
{
	REQUIRE(s->nr < ITEMS);
	memset(&s->items[s->nr], 0, sizeof(s->items[0]));
	return &s->items[s->nr++];
}

/* As kt_ring_open_block() does it: the header has the sum, a LOST record follows. */
static void open_block(struct srcline *s, __u64 ts)
{
	struct ktrace_block b = { .pos = s->block.pos, .ts = ts, .magic = KTRACE_BLOCK_MAGIC };
	struct item *it;
	int i;

	for (i = 0; i <= KTRACE_LOST_NORING; i++)
		b.lost += s->lost.count[i];
	add_bytes(s, &b, sizeof(b));
	if (!s->has_lost || s->nr == ITEMS)
		return;
	s->has_lost = false;
	it = new_item(s);
	it->is_lost = true;
	memcpy(&it->lost, &s->lost, offsetof(struct ktrace_lost, count[KTRACE_LOST_OVERWRITTEN]));
	it->rec = (struct ktrace_record){ .ts = ts, .id = KTRACE_ID_LOST, .len = sizeof(it->lost) };
	add_record(s, it, &s->lost);
}

static void write_record(struct ktrace_tracefile *tf, struct srcline *s, struct input *in)
{
	unsigned int how = (unsigned int)input_number(in, 1);
	struct item it = { .rec = { .id = (__u16)(16 + (how & 3)) } };
	size_t i;

	if (how & 0x80 && how & 0x40)
		s->ts -= input_number(in, 1);
	else
		s->ts += input_number(in, 1) & 0x1f;
	it.rec.ts = s->ts;
	it.rec.tid_flags = (how >> 2 & 3) << (how & 0x20 ? 0 : 1);
	it.rec.len = (__u16)(input_number(in, 1) % (DATA_MAX + 1));
	if (how & 0x10)
		it.rec.tid_flags |= (__u32)(input_number(in, 1) & 0x3f) << 24;
	for (i = 0; i < it.rec.len; i++)
		it.data[i] = (char)(s->nr + i);
	if (it.rec.tid_flags & KTRACE_REC_CONTEXT && it.rec.len >= 2)
		memcpy(it.data + it.rec.len - 2, &(__u16){ (__u16)input_number(in, 1) % 3 }, 2);
	if (it.rec.tid_flags & KTRACE_REC_FRAG_FIRST && it.rec.len >= 4)
		memcpy(it.data, &(__u32){ (__u32)input_number(in, 1) }, 4);
	if (s->block.pos % BLOCK + s->block.size + KTRACE_RECORD_SIZE(it.rec.len) > BLOCK)
		end_section(tf, s, false);
	if (!s->block.size) {
		s->block.first_ts = it.rec.ts;
		if (!(s->block.pos % BLOCK))
			open_block(s, it.rec.ts);
	}
	if (s->nr == ITEMS)
		return;
	add_record(s, &it, it.data);
	s->block.records++;
	*new_item(s) = it;
}

static void count_lost(struct srcline *s, struct input *in)
{
	unsigned int what = (unsigned int)input_number(in, 1);

	s->lost.count[what % KTRACE_LOST_NR] += what >> 3;
	s->has_lost |= what % KTRACE_LOST_NR <= KTRACE_LOST_NORING && what >> 3;
}

/* A section that tells all counts, as ktraced writes it. */
static void write_lost(struct ktrace_tracefile *tf, struct srcline *s)
{
	struct item *it = new_item(s);

	end_section(tf, s, true);
	it->is_lost = true;
	it->lost = s->lost;
	it->rec.ts = s->ts;
	REQUIRE(!ktrace_tracefile_lost(tf, s->block.stream, s->block.pos, s->ts, &s->lost, 0));
}

static void step(struct ktrace_tracefile *tf, struct srcline *streams, struct input *in)
{
	unsigned int op = (unsigned int)input_number(in, 1);
	struct srcline *s = &streams[op % STREAMS];

	if (s->nr + 2 > ITEMS)
		return;
	switch (op / STREAMS % 16) {
	case 0:
		end_section(tf, s, true);
		break;
	case 1:
		end_section(tf, s, false);
		break;
	case 2:
		count_lost(s, in);
		break;
	case 3:
		write_lost(tf, s);
		break;
	default:
		write_record(tf, s, in);
		break;
	}
}

static struct ktrace_tracefile *begin_file(__u32 f)
{
	struct ktrace_tracefile *tf;
	char text[512];
	__u32 i;
	int n;

	if (!files[f].path[0])
		memfile_make(&files[f]);
	REQUIRE(!ktrace_tracefile_create(files[f].path, &tf));
	n = snprintf(text, sizeof(text),
		     "host boot=b\nclock raw=0 mono_ns=0 real_ns=1000 hz=1000000000\n"
		     "event kind=user id=16 desc=t:e{u64%%20n;}\n");
	for (i = 0; i < STREAMS; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n,
			      "stream id=%u kind=%s cpu=%u ring=65536 block=%u policy=drop\n", i,
			      kinds[i] ? "user" : "kernel", i, BLOCK);
	REQUIRE(!ktrace_tracefile_meta(tf, text, (size_t)n));
	return tf;
}

static void write_files(struct input *in)
{
	struct ktrace_tracefile *tf[FILES];
	__u32 f, i;

	memset(sources, 0, sizeof(sources));
	for (f = 0; f < file_nr; f++) {
		tf[f] = begin_file(f);
		for (i = 0; i < STREAMS; i++) {
			sources[f][i].block.stream = i;
			sources[f][i].ts = 1u << 20;
		}
	}
	while (input_left(in)) {
		f = (__u32)input_number(in, 1) >> 7 & (file_nr - 1);
		in->at--;
		step(tf[f], sources[f], in);
	}
	for (f = 0; f < file_nr; f++) {
		for (i = 0; i < STREAMS; i++)
			end_section(tf[f], &sources[f][i], true);
		REQUIRE(!ktrace_tracefile_close(tf[f]));
	}
}

/* The losses of item @at that are new: reference. Steps over those that tell nothing new. */
static bool has_next(struct srcline *s)
{
	const struct item *it;
	int i;

	for (; s->at < s->nr; s->at++) {
		it = &s->items[s->at];
		if (!it->is_lost || s->left)
			return true;
		for (i = 0; i < KTRACE_LOST_NR; i++) {
			if (it->lost.count[i] <= s->seen.count[i])
				continue;
			s->delta.count[i] = it->lost.count[i] - s->seen.count[i];
			s->seen.count[i] = it->lost.count[i];
			s->left |= 1u << i;
		}
		if (s->left)
			return true;
	}
	return false;
}

static void expect(const struct out *o)
{
	REQUIRE(out_nr < OUTS);
	outs[out_nr++] = *o;
}

static void expect_lost(struct srcline *s, struct out *o)
{
	__u32 reason = (__u32)__builtin_ctz(s->left);

	o->id = KTRACE_ID_LOST;
	o->len = 12;
	memcpy(o->data, &reason, 4);
	memcpy(o->data + 4, &s->delta.count[reason], 8);
	expect(o);
	s->left &= s->left - 1;
	s->at += !s->left;
}

static struct waiting *find_waiting(const struct out *o)
{
	size_t i;

	for (i = 0; i < waiting_nr; i++)
		if (waiting[i].out.trace == o->trace && waiting[i].out.tid == o->tid &&
		    kinds[waiting[i].out.stream] == kinds[o->stream])
			return &waiting[i];
	return NULL;
}

static void expect_waiting(struct waiting *p, __u64 time)
{
	if (p->out.len < p->total)
		p->out.flags |= KTRACE_EVENT_INCOMPLETE;
	p->out.time = time;
	expect(&p->out);
	memmove(p, p + 1, (size_t)(waiting + --waiting_nr - p) * sizeof(*p));
}

static void wait_more(struct waiting *p, const struct out *o, const char *data, __u32 len)
{
	__u32 have = p->out.len, n = len < p->total - have ? len : p->total - have;

	memcpy(p->out.data + have, data, n);
	p->out.len = have + n;
	p->out.time = o->time;
	p->out.raw = o->raw;
	p->out.flags = o->flags;
	p->out.stream = o->stream;
	p->out.id = o->id;
}

static void expect_fragment(const struct item *it, struct out *o)
{
	struct waiting *p = find_waiting(o);

	if (it->rec.tid_flags & KTRACE_REC_FRAG_FIRST) {
		if (it->rec.len < 4) {
			o->flags |= KTRACE_EVENT_INCOMPLETE;
			expect(o);
			return;
		}
		p = &waiting[waiting_nr++];
		*p = (struct waiting){ .out = *o };
		p->out.len = 0;
		memcpy(&p->total, it->data, 4);
		wait_more(p, o, it->data + 4, it->rec.len - 4u);
	} else if (!p) {
		o->flags |= KTRACE_EVENT_NO_START | KTRACE_EVENT_INCOMPLETE;
		expect(o);
	} else {
		wait_more(p, o, it->data, it->rec.len);
		if (p->out.len >= p->total)
			expect_waiting(p, o->time);
	}
}

/* Items behind the payload of a kernel event; that there are none, or too many, is payload. */
static void expect_context(struct out *o)
{
	__u16 nr = 0;

	if (o->len >= 2)
		memcpy(&nr, o->data + o->len - 2, 2);
	if (!nr || nr > KTRACE_ITEMS_MAX || nr * 8u + 2 > o->len)
		return;
	o->len -= nr * 8u + 2;
	o->flags |= KTRACE_EVENT_CONTEXT | (__u32)nr << 24;
}

static void expect_event(struct srcline *s, const struct item *it, struct out *o)
{
	__u32 rec = it->rec.tid_flags;
	struct waiting *p;

	o->id = it->rec.id;
	o->tid = rec & KTRACE_TID_MASK;
	o->len = it->rec.len;
	memcpy(o->data, it->data, it->rec.len);
	p = find_waiting(o);
	if (p && (rec & KTRACE_REC_FRAG_FIRST || !(rec & KTRACE_REC_FRAG_NEXT) ||
		  p->out.id != it->rec.id))
		expect_waiting(p, o->time);
	o->flags = (rec & KTRACE_REC_TRUNCATED ? KTRACE_EVENT_TRUNCATED : 0) |
		   (rec & KTRACE_REC_IRQ ? KTRACE_EVENT_IRQ : 0) |
		   (rec & KTRACE_REC_CRITICAL ? KTRACE_EVENT_CRITICAL : 0) |
		   (it->rec.ts < s->prev ? KTRACE_EVENT_BACKWARDS : 0);
	goes_back |= it->rec.ts < s->prev;
	s->prev = it->rec.ts;
	if (rec & (KTRACE_REC_FRAG_FIRST | KTRACE_REC_FRAG_NEXT)) {
		has_fragments = true;
		expect_fragment(it, o);
	} else {
		if (rec & KTRACE_REC_CONTEXT && kinds[o->stream] == KTRACE_CHANNEL_KERNEL)
			expect_context(o);
		expect(o);
	}
	s->at++;
}

/* All that must come, by looking at every stream for every event. */
static void merge(void)
{
	__u64 end = 0, time;
	__u32 f, i;

	out_nr = waiting_nr = 0;
	has_fragments = goes_back = false;
	for (;;) {
		struct out best = { .time = ~0ull };
		struct srcline *from = NULL;

		for (i = 0; i < STREAMS; i++)
			for (f = 0; f < file_nr; f++) {
				struct srcline *s = &sources[f][i];
				const struct item *it;

				if (!has_next(s))
					continue;
				it = &s->items[s->at];
				if (from && it->rec.ts + 1000 >= best.time)
					continue;
				from = s;
				best = (struct out){ .time = it->rec.ts + 1000, .raw = it->rec.ts,
						     .trace = f, .stream = i };
			}
		if (!from)
			break;
		time = best.time;
		if (from->items[from->at].is_lost)
			expect_lost(from, &best);
		else
			expect_event(from, &from->items[from->at], &best);
		if (!has_next(from) && time > end)
			end = time;
	}
	while (waiting_nr)
		expect_waiting(waiting, waiting[0].out.time > end ? waiting[0].out.time : end);
}

static void compare(const struct ktrace_trace_event *e, const struct out *o, bool is_whole)
{
	__u32 mask = is_whole ? ~0u : ~(__u32)KTRACE_EVENT_BACKWARDS;

	REQUIRE(e->id == o->id && e->raw == o->raw && e->len == o->len);
	REQUIRE(e->time == o->time);
	REQUIRE(e->stream->id == o->stream && ktrace_trace_index(e->stream->trace) == o->trace);
	REQUIRE(e->tid == o->tid && (e->flags & mask) == (o->flags & mask));
	REQUIRE(!memcmp(e->payload, o->data, e->len));
	REQUIRE((e->type != NULL) == (o->id == KTRACE_ID_LOST ||
				      (o->id == 16 && kinds[o->stream] == 1)));
}

static struct ktrace_traceset *open_files(void)
{
	struct ktrace_traceset *set;
	__u32 f;

	REQUIRE(!ktrace_traceset_open(NULL, &set));
	for (f = 0; f < file_nr; f++)
		REQUIRE(!ktrace_traceset_add(set, files[f].path));
	return set;
}

static void check_scan(struct ktrace_traceset *set, size_t from, bool is_whole)
{
	struct ktrace_trace_event e;

	for (; ktrace_traceset_next(set, &e) == 1; from++) {
		REQUIRE(from < out_nr);
		compare(&e, &outs[from], is_whole);
	}
	REQUIRE(from == out_nr);
}

/* The same, up to @max events at once. */
static void check_read(struct ktrace_traceset *set, size_t from, int max, bool is_whole)
{
	struct ktrace_trace_event e[READ_MAX];
	int n, i;

	while ((n = ktrace_traceset_read(set, e, max)) > 0) {
		REQUIRE(n <= max && from + (size_t)n <= out_nr);
		for (i = 0; i < n; i++)
			compare(&e[i], &outs[from++], is_whole);
	}
	REQUIRE(!n && from == out_nr);
}

static void check_seek(struct ktrace_traceset *set, __u64 time, int max)
{
	size_t from = 0;

	REQUIRE(!ktrace_traceset_seek(set, time));
	while (from < out_nr && outs[from].time < time)
		from++;
	check_read(set, from, max, false);
}

/* What a crash at byte @size leaves is the beginning of each stream, and nothing wrong. */
static void check_cut(__u64 size)
{
	size_t next[FILES][STREAMS] = { { 0 } }, *at;
	struct ktrace_traceset_stats stats;
	struct ktrace_traceset *set;
	struct ktrace_trace_event e;

	REQUIRE(!ftruncate(files[0].fd, (off_t)size));
	set = open_files();
	while (ktrace_traceset_next(set, &e) == 1) {
		at = &next[ktrace_trace_index(e.stream->trace)][e.stream->id];
		while (*at < out_nr && (outs[*at].stream != e.stream->id ||
					outs[*at].trace != ktrace_trace_index(e.stream->trace)))
			++*at;
		REQUIRE(*at < out_nr);
		compare(&e, &outs[(*at)++], true);
	}
	ktrace_traceset_stats(set, &stats);
	/* Without the first META section there is not even a clock. */
	REQUIRE(!stats.damaged || size < 1024);
	ktrace_traceset_close(set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	unsigned int settings = (unsigned int)input_number(&in, 1);
	__u64 cut = input_number(&in, 2);
	struct ktrace_traceset *set;
	off_t whole;

	file_nr = 1 + (settings & 1);
	write_files(&in);
	merge();
	set = open_files();
	check_scan(set, 0, true);
	if (!has_fragments && !goes_back && out_nr) {
		check_seek(set, outs[settings % out_nr].time, 1);
		check_seek(set, outs[(settings * 7 + 1) % out_nr].time + 1, 2);
		check_seek(set, 0, READ_MAX);
	}
	ktrace_traceset_close(set);
	set = open_files();
	check_read(set, 0, 1 + (int)(settings % READ_MAX), true);
	ktrace_traceset_close(set);
	whole = lseek(files[0].fd, 0, SEEK_END);
	if (!has_fragments && whole > 1024)
		check_cut(1024 + cut % (__u64)(whole - 1024));
	return 0;
}
