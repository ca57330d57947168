// SPDX-License-Identifier: GPL-2.0
/*
 * chunk.c - a chunk of S.Ha.R.K. that is to be sent, in a file or in memory
 *
 * A program's chunk is read from its file with pread(2), never mapped: the file may be truncated
 * meanwhile. No byte is read twice, except for the check of the format.
 */
#include "chunk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#define PIECE 65536u
#define UNPACKED_MAX (4ull << 30)	/* a chunk's size is an int: more cannot be valid */

static const unsigned char frame_magic[] = { 0x28, 0xb5, 0x2f, 0xfd };

static ssize_t read_part(const struct chunk *c, const struct chunk_part *part, void *to,
			 size_t size)
{
	ssize_t n;

	if (c->memory) {
		memcpy(to, c->memory + part->off, size);
		return (ssize_t)size;
	}
	do {
		n = pread(c->fd, to, size, (off_t)part->off);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n ? n : -ENODATA;
}

ssize_t chunk_read(struct chunk *c, void *to, size_t size)
{
	struct chunk_part *part;
	size_t got = 0, want;
	ssize_t n;

	while (got < size && c->at < c->nr) {
		part = &c->parts[c->at];
		want = part->size < size - got ? (size_t)part->size : size - got;
		n = want ? read_part(c, part, (char *)to + got, want) : 0;
		if (n < 0)
			return n;
		part->off += (__u64)n;
		part->size -= (__u64)n;
		got += (size_t)n;
		c->at += !part->size;
	}
	return (ssize_t)got;
}

int chunk_look(struct chunk *c)
{
	unsigned char begin[sizeof(frame_magic)];
	struct chunk copy = *c;
	ssize_t n = chunk_read(&copy, begin, sizeof(begin));

	if (n < 0)
		return (int)n;
	c->is_packed = n == sizeof(begin) && !memcmp(begin, frame_magic, sizeof(begin));
	return !c->is_packed && c->parts[0].size % CHUNK_SLOT ? -EINVAL : 0;
}

int slots_init(struct slots *s, struct chunk *chunk, const atomic_bool *is_aborted)
{
	*s = (struct slots){
		.chunk = chunk, .is_aborted = is_aborted, .piece = malloc(PIECE),
	};
	if (s->piece && !chunk->is_packed)
		return 0;
	s->in = malloc(PIECE);
	s->stream = ZSTD_createDStream();
	if (s->piece && s->in && s->stream)
		return 0;
	slots_exit(s);
	return -ENOMEM;
}

void slots_exit(struct slots *s)
{
	ZSTD_freeDStream(s->stream);
	free(s->in);
	free(s->piece);
}

/* Reads more frame data, once all of it has been used. */
static int fill_in(struct slots *s)
{
	ssize_t n;

	if (s->in_at < s->in_len || s->is_end)
		return 0;
	n = chunk_read(s->chunk, s->in, PIECE);
	if (n < 0)
		return (int)n;
	s->in_at = 0;
	s->in_len = (size_t)n;
	s->is_end = !n;
	return 0;
}

/* Unpacks more data after the @len bytes that are in the piece. */
static int unpack(struct slots *s)
{
	ZSTD_outBuffer out = { .dst = s->piece, .size = PIECE, .pos = s->len };
	int ret;

	while (out.pos < out.size) {
		ZSTD_inBuffer in;

		ret = fill_in(s);
		if (ret)
			return ret;
		if (s->is_end)
			break;
		in = (ZSTD_inBuffer){ .src = s->in, .size = s->in_len, .pos = s->in_at };
		s->left = ZSTD_decompressStream(s->stream, &out, &in);
		if (ZSTD_isError(s->left))
			return -EILSEQ;
		s->in_at = in.pos;
	}
	s->unpacked += out.pos - s->len;
	s->len = out.pos;
	if (s->unpacked > UNPACKED_MAX)
		return -EFBIG;
	return s->is_end && (s->left || s->len % CHUNK_SLOT) ? -EILSEQ : 0;
}

/* Gets at least one slot into the piece, unless the end has been reached. */
static int refill(struct slots *s)
{
	ssize_t n;

	if (atomic_load(s->is_aborted))
		return -EINTR;
	memmove(s->piece, s->piece + s->at, s->len - s->at);
	s->len -= s->at;
	s->at = 0;
	if (s->stream)
		return unpack(s);
	n = chunk_read(s->chunk, s->piece + s->len, PIECE - s->len);
	if (n < 0)
		return (int)n;
	s->len += (size_t)n;
	return 0;
}

int slots_next(struct slots *s, unsigned char *to, int max)
{
	int nr = 0, ret;

	while (nr < max) {
		const unsigned char *slot = s->piece + s->at;

		if (s->len - s->at < CHUNK_SLOT) {
			ret = refill(s);
			if (ret)
				return ret;
			if (s->len < CHUNK_SLOT)
				break;
			continue;
		}
		s->at += CHUNK_SLOT;
		if (slot[0] || slot[1])
			memcpy(to + CHUNK_SLOT * (unsigned int)nr++, slot, CHUNK_SLOT);
	}
	return nr;
}
