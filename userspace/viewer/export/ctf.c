// SPDX-License-Identifier: GPL-2.0
/*
 * ctf.c - ktrace export --to ctf: a folder of the Common Trace Format, version 1.8
 *
 * Readers merge streams by time, and by stream number for equal times. To keep the order of ktrace
 * list, times never go back from one event to the next: where they do in the files, the event gets
 * the previous time, and its true one in addition.
 *
 * A loss is an event "ktrace:lost" as in ktrace list. It also begins a packet, whose context
 * counts the discarded events.
 */
#include "ctf.h"

#include "base/output_dir.h"
#include "base/progress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* Size after which a packet ends */
#define PACKET_MAGIC 0xc1fc1fc1u
#define PACKET_SIZE (64u << 10)
/*
 * Readers know no time after 2^63 - 1 ns; later events are clamped, which leaves 2^40 ns to keep
 * them in order.
 */
#define CLOCK_END ((1ull << 63) - (1ull << 40))

/* struct packet - header and context of a packet, as described in metadata */
struct packet {
	__u32 magic;
	unsigned char uuid[16];
	__u64 stream_instance_id;
	__u64 timestamp_begin;
	__u64 timestamp_end;
	__u64 content_size;	/* bits */
	__u64 packet_size;
	__u64 packet_seq_num;
	__u64 events_discarded;
	__s32 cpu_id;
	__u32 ring;
	__u32 trace;
	__u32 kind;
} __attribute__((packed));

static void end_packet(struct ctf *c, struct ctf_stream *s)
{
	const __u64 bits = (sizeof(struct packet) + s->body.len) * 8;
	struct packet head = {
		.magic = PACKET_MAGIC,
		.stream_instance_id = s->number,
		.timestamp_begin = s->first,
		.timestamp_end = s->last,
		.content_size = bits,
		.packet_size = bits,
		.packet_seq_num = s->packets++,
		.events_discarded = s->lost,
		.cpu_id = s->ring->cpu,
		.ring = s->ring->id,
		.trace = (__u32)ktrace_trace_index(s->ring->trace),
		.kind = s->ring->kind,
	};

	memcpy(head.uuid, c->uuid, sizeof(head.uuid));
	if (!c->error)
		c->error = output_dir_append_stream(s->number, (char *)&head, sizeof(head),
						    s->body.buf, s->body.len);
	s->body.len = 0;
	s->first = s->last;
	s->has_packet = true;
}

/*
 * Ends the current packet, even an empty one: readers look at the difference between two packets.
 */
static void take_loss(struct ctf *c, struct ctf_stream *s, const struct ktrace_trace_event *e)
{
	__u64 nr = 0;
	__u32 reason;

	lost_events_read(e, &reason, &nr);
	if (s->body.len || !s->has_packet)
		end_packet(c, s);
	s->lost = nr > ~0ull - s->lost ? ~0ull : s->lost + nr;
}

/* Returns the clock value for an event, never before that of the previous one. */
static __u64 clock_of(struct ctf *c, const struct ctf_stream *s, const struct ktrace_trace_event *e)
{
	__u64 time = e->time < CLOCK_END ? e->time : CLOCK_END;

	time = time > c->start ? time - c->start : 0;
	if (time < c->last)
		time = c->last;
	if (time == c->last && s->number < c->before)
		time++;
	c->last = time;
	c->before = s->number;
	return time;
}

static void take_event(struct ctf *c, const struct ktrace_trace_event *e)
{
	struct ctf_stream *s = hash_table_find(&c->streams, &e->stream);
	__u64 time;

	if (!s) {
		c->error = -EINVAL;
		return;
	}
	time = clock_of(c, s, e);
	if (!s->body.len) {
		s->first = s->has_packet ? s->last : time;
		s->last = time;
	}
	if (e->id == KTRACE_ID_LOST)
		take_loss(c, s, e);
	s->last = time;
	ctf_put_event(c, s, e, time);
	if (s->body.error)
		c->error = s->body.error;
	if (s->body.len >= PACKET_SIZE)
		end_packet(c, s);
}

static int by_key(const void *x, const void *y)
{
	const struct ktrace_trace_stream *a = *(struct ktrace_trace_stream *const *)x;
	const struct ktrace_trace_stream *b = *(struct ktrace_trace_stream *const *)y;
	const size_t i = ktrace_trace_index(a->trace), j = ktrace_trace_index(b->trace);

	return ORDER(a->id, b->id) ?: ORDER(i, j);
}

/* Adds a stream for each ring, in the order of ktrace list. Return: 0, -ENOMEM. */
static int find_streams(struct ctf *c)
{
	struct hash_table rings = { .size = sizeof(void *), .key = sizeof(void *) };
	const struct ktrace_trace_stream *ring;
	const struct ktrace_trace *trace;
	struct ctf_stream *s;
	size_t i, k;
	int ret = 0;

	for (i = 0; !ret && (trace = ktrace_traceset_trace(c->x->set, i)); i++)
		for (k = 0; !ret && (ring = ktrace_trace_stream(trace, k)); k++)
			ret = hash_table_get(&rings, &ring) ? 0 : -ENOMEM;
	if (rings.nr)
		qsort(rings.at, rings.nr, rings.size, by_key);
	for (i = 0; !ret && i < rings.nr; i++) {
		s = hash_table_get(&c->streams, hash_table_at(&rings, i));
		if (!s) {
			ret = -ENOMEM;
			break;
		}
		s->number = (__u32)i;
		s->body.flush = output_grow;
	}
	hash_table_free(&rings);
	return ret;
}

static int take_events(struct ctf *c)
{
	const struct ktrace_trace_event *e;
	struct ctf_stream *s;
	int ret = time_range_begin(&c->x->scope, c->x->set);
	size_t i;

	c->start = c->x->scope.start < CLOCK_END ? c->x->scope.start : CLOCK_END;
	if (!ret)
		ret = find_streams(c);
	while (!ret && (ret = time_range_next(&c->x->scope, &e)) == 1) {
		take_event(c, e);
		ret = c->error;
	}
	progress_end();
	for (i = 0; i < c->streams.nr && !ret; i++) {
		s = hash_table_at(&c->streams, i);
		if (s->body.len)
			end_packet(c, s);
		ret = c->error;
	}
	return ret;
}

static int write_metadata(struct ctf *c)
{
	struct ktrace_out out = { .flush = output_grow };

	ctf_put_metadata(&out, c);
	if (!out.error)
		out.error = output_dir_append_metadata(out.buf, out.len);
	free(out.buf);
	return out.error;
}

static int write_ctf(struct export *x)
{
	struct ctf c = {
		.x = x, .classes = HASH_TABLE_INIT(struct ctf_class, is_late),
		.streams = HASH_TABLE_INIT(struct ctf_stream, ring),
	};
	int ret, ended;

	if (output_dir_begin(x->path))
		return EXPORT_SAID;
	x->scope.keeps_losses = true;
	ret = getrandom(c.uuid, sizeof(c.uuid), 0) == sizeof(c.uuid) ? 0 : -EIO;
	if (!ret)
		ret = take_events(&c);
	if (!ret)
		ret = write_metadata(&c);
	ended = output_dir_end(!ret);
	hash_table_free_with(&c.streams, offsetof(struct ctf_stream, body.buf));
	hash_table_free(&c.classes);
	return ret ? ret : ended ? EXPORT_SAID : 0;
}

const struct export_format export_ctf = {
	.name = "ctf",
	.is_folder = true,
	.write = write_ctf,
};
