// SPDX-License-Identifier: GPL-2.0
/* packets.c - walks the packets of a trace, including compressed ones */
#include "packets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

/* Field numbers */
enum { TRACE_PACKET = 1, PACKET_MARK = 36, PACKET_DEFLATE = 50, PACKET_ZSTD = 133 };

/*
 * Perfetto's mark of synchronization, and the most bytes between the start of its packet and the
 * mark
 */
static const unsigned char mark_bytes[16] = {
	0x82, 0x47, 0x7a, 0x76, 0xb2, 0x8d, 0x42, 0xba,
	0x81, 0xdc, 0x33, 0x32, 0x6d, 0x57, 0xa0, 0x79,
};
#define MARK_BEFORE 64u

#define VARINT_BITS 64

static int take_varint(const struct packet *p, size_t *at, __u64 *out)
{
	*out = 0;
	for (unsigned int shift = 0; shift < VARINT_BITS; shift += 7) {
		if (*at >= p->size)
			return -EINVAL;
		*out |= (__u64)(p->data[*at] & 0x7f) << shift;
		if (p->data[(*at)++] < 0x80)
			return 0;
	}
	return -EINVAL;
}

int packet_next(const struct packet *p, size_t *at, struct packet_field *f)
{
	__u64 size = 0;

	if (*at >= p->size)
		return 0;
	*f = (struct packet_field){ 0 };
	if (take_varint(p, at, &f->value) || f->value >> 32)
		return -EINVAL;
	f->number = (__u32)f->value >> 3;
	f->wire = (__u32)f->value & 7;
	if (f->wire == 0)
		return take_varint(p, at, &f->value) ? -EINVAL : 1;
	if (f->wire == 2) {
		if (take_varint(p, at, &size))
			return -EINVAL;
	} else if (f->wire == 1 || f->wire == 5) {
		size = f->wire == 1 ? 8 : 4;
	} else {
		return -EINVAL;
	}
	if (!f->number || size > p->size - *at)
		return -EINVAL;
	f->data = p->data + *at;
	f->size = (size_t)size;
	*at += f->size;
	return 1;
}

/*
 * struct walk - a walk through all packets
 * left: bytes that compressed packets may still expand to
 */
struct walk {
	int (*take)(void *arg, const struct packet *p);
	void *arg;
	struct packets_trouble *trouble;
	__u64 left;
};

/* struct plain - decompressed bytes */
struct plain {
	unsigned char *buf;
	size_t size;
	size_t cap;
	size_t max;
};

/* Makes room for more bytes. Return: 0, -E2BIG: the maximum is reached, -ENOMEM. */
static int grow(struct plain *p)
{
	size_t cap = p->cap ? 2 * p->cap : 64 << 10;
	unsigned char *new;

	if (p->size < p->cap)
		return 0;
	if (cap > p->max)
		cap = p->max;
	if (cap == p->cap)
		return -E2BIG;
	new = realloc(p->buf, cap);
	if (!new)
		return -ENOMEM;
	p->buf = new;
	p->cap = cap;
	return 0;
}

static int inflate_all(const struct packet_field *f, struct plain *p)
{
	z_stream z = { .next_in = (unsigned char *)f->data, .avail_in = (uInt)f->size };
	int ret = f->size <= PACKETS_MAX && inflateInit(&z) == Z_OK ? Z_OK : Z_MEM_ERROR, error = 0;

	while (ret == Z_OK && !error) {
		error = grow(p);
		if (error)
			break;
		z.next_out = p->buf + p->size;
		z.avail_out = (uInt)(p->cap - p->size);
		ret = inflate(&z, Z_NO_FLUSH);
		p->size = p->cap - z.avail_out;
	}
	inflateEnd(&z);
	return error ? error : ret == Z_STREAM_END ? 0 : ret == Z_MEM_ERROR ? -ENOMEM : -EINVAL;
}

static int unzstd_all(const struct packet_field *f, struct plain *p)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_inBuffer in = { .src = f->data, .size = f->size };
	size_t left = 1;
	int error = z ? 0 : -ENOMEM;

	while (!error && left) {
		error = grow(p);
		if (!error) {
			ZSTD_outBuffer out = { .dst = p->buf, .size = p->cap, .pos = p->size };
			const size_t before = in.pos + out.pos;

			left = ZSTD_decompressStream(z, &out, &in);
			if (ZSTD_isError(left) || (left && in.pos + out.pos == before))
				error = -EINVAL;
			p->size = out.pos;
		}
	}
	ZSTD_freeDStream(z);
	return error;
}

static int walk(struct walk *w, const struct packet *trace);

/* Records an error in the packet itself and lets the walk go on; returns any other error. */
static int note(struct walk *w, const struct packet *p, int error)
{
	if (error != -EINVAL && error != -E2BIG)
		return error;
	if (!w->trouble->nr++) {
		w->trouble->at = p->at;
		w->trouble->why = error == -EINVAL ? "it is damaged" :
				  "unpacked, it is too large";
	}
	return 0;
}

static int walk_compressed(struct walk *w, const struct packet *p, const struct packet_field *f)
{
	struct packet inner = { .number = p->number, .at = p->at, .is_inner = true };
	struct plain plain = { .max = w->left < PACKETS_MAX ? (size_t)w->left : PACKETS_MAX };
	int ret = f->number == PACKET_DEFLATE ? inflate_all(f, &plain) : unzstd_all(f, &plain);

	w->left -= plain.size;
	inner.data = plain.buf;
	inner.size = plain.size;
	/* Also walks the readable part of a truncated one */
	if (!ret || ret == -EINVAL) {
		const int error = walk(w, &inner);

		ret = error ? error : ret;
	}
	free(plain.buf);
	return note(w, p, ret);
}

/* Takes the packet and then, if it is a compressed trace, the packets inside. */
static int take(struct walk *w, const struct packet *p)
{
	struct packet_field f;
	size_t at = 0;
	int ret = w->take(w->arg, p);

	while (!ret && !p->is_inner && packet_next(p, &at, &f) == 1)
		if (f.wire == 2 && (f.number == PACKET_DEFLATE || f.number == PACKET_ZSTD))
			ret = walk_compressed(w, p, &f);
	return ret;
}

/*
 * Largest packet with a mark, as such packets contain little else; a damaged file may claim large
 * sizes.
 */
#define MARKED_MAX 4096

/* True if a packet with the mark at @mark begins at @at. */
static bool has_mark(const struct packet *trace, size_t at, size_t mark)
{
	struct packet_field f, inner;
	struct packet p = { 0 };
	bool has = false;
	int more;

	if (packet_next(trace, &at, &f) != 1 || f.number != TRACE_PACKET || f.wire != 2 ||
	    f.size > MARKED_MAX)
		return false;
	p.data = f.data;
	p.size = f.size;
	at = 0;
	while ((more = packet_next(&p, &at, &inner)) == 1)
		has |= inner.number == PACKET_MARK && inner.data == trace->data + mark &&
		       inner.size == sizeof(mark_bytes);
	return has && !more;
}

/* Finds the beginning of the next packet with a mark; the size of the trace: none */
static size_t find_mark(const struct packet *trace, size_t from)
{
	const unsigned char *found;

	while ((found = memmem(trace->data + from, trace->size - from, mark_bytes,
			       sizeof(mark_bytes)))) {
		const size_t mark = (size_t)(found - trace->data);

		for (size_t n = 2; n <= MARK_BEFORE && n <= mark - from; n++)
			if (has_mark(trace, mark - n, mark))
				return mark - n;
		from = mark + 1;
	}
	return trace->size;
}

/* Skips bytes that are no packet. Return: false: no packet with a mark follows. */
static bool resume(struct walk *w, const struct packet *trace, size_t begin, size_t *at)
{
	struct packets_trouble *t = w->trouble;

	*at = trace->is_inner ? trace->size : find_mark(trace, begin);
	if (!trace->is_inner)
		t->end = begin;
	if (*at == trace->size)
		return false;
	if (!t->gaps++) {
		t->gap_begin = begin;
		t->gap_end = *at;
	}
	return true;
}

static int walk(struct walk *w, const struct packet *trace)
{
	struct packet p = *trace;
	struct packet_field f;
	size_t at = 0, begin = 0;
	int ret = 0, more = 1;

	while (!ret && (more = packet_next(trace, &at, &f))) {
		if (more < 0 && !resume(w, trace, begin, &at))
			break;
		begin = at;
		p.is_behind |= more < 0;
		if (more < 0 || f.number != TRACE_PACKET || f.wire != 2)
			continue;
		p.data = f.data;
		p.size = f.size;
		if (!p.is_inner)
			p.at = (__u64)(f.data - trace->data);
		ret = take(w, &p);
		p.number += !p.is_inner;
		p.is_behind = false;
	}
	return ret ? ret : more;
}

int packets_walk(const unsigned char *data, size_t size,
		 int (*take_packet)(void *arg, const struct packet *p), void *arg,
		 struct packets_trouble *trouble)
{
	struct walk w = {
		.take = take_packet, .arg = arg, .trouble = trouble,
		.left = PACKETS_MAX + (__u64)size * PACKETS_RATIO,
	};
	const struct packet trace = { .data = data, .size = size };

	*trouble = (struct packets_trouble){ 0 };
	return walk(&w, &trace);
}
