// SPDX-License-Identifier: GPL-2.0
/* packets.c - walks the packets of a trace, compressed ones too */
#include "packets.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

/* Numbers of fields */
enum { TRACE_PACKET = 1, PACKET_DEFLATE = 50, PACKET_ZSTD = 133 };

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

/* Makes a buffer larger; its size is 0 at first. */
static int grow(unsigned char **buf, size_t *cap)
{
	const size_t new_cap = *cap ? 2 * *cap : 64 << 10;
	unsigned char *new;

	if (new_cap > PACKETS_MAX)
		return -EINVAL;
	new = realloc(*buf, new_cap);
	if (!new)
		return -ENOMEM;
	*buf = new;
	*cap = new_cap;
	return 0;
}

static int inflate_all(const struct packet_field *f, unsigned char **buf, size_t *size)
{
	z_stream z = { .next_in = (unsigned char *)f->data, .avail_in = (uInt)f->size };
	size_t cap = 0;
	int ret = f->size <= PACKETS_MAX && inflateInit(&z) == Z_OK ? Z_OK : Z_MEM_ERROR, error = 0;

	while (ret == Z_OK && !error) {
		error = *size == cap ? grow(buf, &cap) : 0;
		if (error)
			break;
		z.next_out = *buf + *size;
		z.avail_out = (uInt)(cap - *size);
		ret = inflate(&z, Z_NO_FLUSH);
		*size = cap - z.avail_out;
	}
	inflateEnd(&z);
	return error ? error : ret == Z_STREAM_END ? 0 : ret == Z_MEM_ERROR ? -ENOMEM : -EINVAL;
}

static int unzstd_all(const struct packet_field *f, unsigned char **buf, size_t *size)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_inBuffer in = { .src = f->data, .size = f->size };
	size_t cap = 0, left = 1;
	int error = z ? 0 : -ENOMEM;

	while (!error && left) {
		error = *size == cap ? grow(buf, &cap) : 0;
		if (!error) {
			ZSTD_outBuffer out = { .dst = *buf, .size = cap, .pos = *size };
			const size_t before = in.pos + out.pos;

			left = ZSTD_decompressStream(z, &out, &in);
			if (ZSTD_isError(left) || (left && in.pos + out.pos == before))
				error = -EINVAL;
			*size = out.pos;
		}
	}
	ZSTD_freeDStream(z);
	return error;
}

struct walk {
	int (*take)(void *arg, const struct packet *p);
	void *arg;
};

static int walk(const struct walk *w, const struct packet *trace);

static int walk_compressed(const struct walk *w, const struct packet *p,
			   const struct packet_field *f)
{
	struct packet inner = { .number = p->number, .is_inner = true };
	unsigned char *buf = NULL;
	int ret;

	ret = f->number == PACKET_DEFLATE ? inflate_all(f, &buf, &inner.size) :
	      unzstd_all(f, &buf, &inner.size);
	inner.data = buf;
	if (!ret)
		ret = walk(w, &inner);
	free(buf);
	return ret;
}

/* The packet, and then, if it is a compressed trace, those that are in it */
static int take(const struct walk *w, const struct packet *p)
{
	struct packet_field f;
	size_t at = 0;
	int ret = w->take(w->arg, p);

	while (!ret && !p->is_inner && packet_next(p, &at, &f) == 1)
		if (f.wire == 2 && (f.number == PACKET_DEFLATE || f.number == PACKET_ZSTD))
			ret = walk_compressed(w, p, &f);
	return ret;
}

static int walk(const struct walk *w, const struct packet *trace)
{
	struct packet p = { .number = trace->number, .is_inner = trace->is_inner };
	struct packet_field f;
	size_t at = 0;
	int ret = 0, more = 1;

	while (!ret && (more = packet_next(trace, &at, &f)) == 1) {
		if (f.number != TRACE_PACKET || f.wire != 2)
			continue;
		p.data = f.data;
		p.size = f.size;
		ret = take(w, &p);
		p.number += !p.is_inner;
	}
	return ret ? ret : more;
}

int packets_walk(const unsigned char *data, size_t size,
		 int (*take_packet)(void *arg, const struct packet *p), void *arg)
{
	const struct walk w = { .take = take_packet, .arg = arg };
	const struct packet trace = { .data = data, .size = size };

	return walk(&w, &trace);
}
