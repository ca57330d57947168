// SPDX-License-Identifier: GPL-2.0
/*
 * html_store.c - the deflated pieces of a page, in a temporary file
 *
 * See temporary.h.
 */
#include "html_store.h"

#include "base/temporary.h"
#include "base/viewer.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

/* struct place - position of a piece in the file; size 0: no such piece */
struct place {
	__u64 offset;
	size_t size;
};

struct places {
	struct place *at;
	__u32 nr;
	__u32 cap;
};

struct html_store {
	int fd;
	__u64 end;
	struct places places[HTML_PIECE_NR];
	struct bytes room;
	z_stream z;
};

int html_store_new(struct html_store **out)
{
	struct html_store *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	s->fd = temporary_file();
	/* No header and no checksum, because the page inflates with "deflate-raw". */
	if (s->fd >= 0 && deflateInit2(&s->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS,
				       MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK) {
		*out = s;
		return 0;
	}
	ret = s->fd < 0 ? s->fd : -ENOMEM;
	if (s->fd >= 0)
		close(s->fd);
	free(s);
	return ret;
}

void html_store_free(struct html_store *s)
{
	int i;

	if (!s)
		return;
	for (i = 0; i < HTML_PIECE_NR; i++)
		free(s->places[i].at);
	bytes_free(&s->room);
	deflateEnd(&s->z);
	close(s->fd);
	free(s);
}

static struct place *make_place(struct places *p, __u32 id)
{
	__u32 cap = p->cap ? p->cap : 64;
	struct place *at;

	while (cap <= id)
		cap *= 2;
	if (cap > p->cap) {
		at = realloc(p->at, cap * sizeof(*at));
		if (!at)
			return NULL;
		p->at = at;
		p->cap = cap;
	}
	while (p->nr <= id)
		p->at[p->nr++] = (struct place){ 0 };
	return &p->at[id];
}

static int write_all(int fd, const unsigned char *at, size_t size, __u64 offset)
{
	int ret = output_room(fd, size);
	ssize_t n;

	while (size && !ret) {
		n = pwrite(fd, at, size, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += n;
		size -= (size_t)n;
		offset += (__u64)n;
	}
	return ret;
}

int html_store_press(struct html_store *s, const struct bytes *b, struct bytes *to)
{
	int ret = b->error ? b->error : bytes_reserve(to, deflateBound(&s->z, b->nr));

	if (ret)
		return ret;
	s->z.next_in = b->at;
	s->z.avail_in = (uInt)b->nr;
	s->z.next_out = to->at + to->nr;
	s->z.avail_out = (uInt)(to->cap - to->nr);
	ret = deflate(&s->z, Z_FINISH);
	to->nr += s->z.total_out;
	deflateReset(&s->z);
	return ret == Z_STREAM_END ? 0 : -EINVAL;
}

int html_store_add(struct html_store *s, enum html_piece kind, __u32 id, const struct bytes *b)
{
	struct place *place = make_place(&s->places[kind], id);
	int ret = place ? 0 : -ENOMEM;

	s->room.nr = 0;
	if (!ret)
		ret = html_store_press(s, b, &s->room);
	if (!ret)
		ret = write_all(s->fd, s->room.at, s->room.nr, s->end);
	if (ret)
		return ret;
	*place = (struct place){ s->end, s->room.nr };
	s->end += s->room.nr;
	return 0;
}

__u32 html_store_count(const struct html_store *s, enum html_piece kind)
{
	return s->places[kind].nr;
}

size_t html_store_size(const struct html_store *s, enum html_piece kind, __u32 id)
{
	return id < s->places[kind].nr ? s->places[kind].at[id].size : 0;
}

int html_store_read(struct html_store *s, enum html_piece kind, __u32 id, void *to)
{
	const struct place *place = &s->places[kind].at[id];
	size_t at = 0;
	ssize_t n;

	while (at < place->size) {
		n = pread(s->fd, (char *)to + at, place->size - at, (off_t)(place->offset + at));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		at += (size_t)n;
	}
	return 0;
}

/* Inflates all of @from. Return: 0, -errno. */
static int inflate_all(const struct bytes *from, struct bytes *to)
{
	z_stream z = { .next_in = from->at, .avail_in = (uInt)from->nr };
	int ret = inflateInit2(&z, -MAX_WBITS) == Z_OK ? Z_OK : Z_MEM_ERROR;

	while (ret == Z_OK && !bytes_reserve(to, 2 * from->nr + 1)) {
		z.next_out = to->at + to->nr;
		z.avail_out = (uInt)(to->cap - to->nr);
		ret = inflate(&z, Z_NO_FLUSH);
		to->nr = to->cap - z.avail_out;
	}
	inflateEnd(&z);
	return ret == Z_STREAM_END ? 0 : ret == Z_OK || ret == Z_MEM_ERROR ? -ENOMEM : -EIO;
}

int html_store_inflate(struct html_store *s, enum html_piece kind, __u32 id, struct bytes *to)
{
	struct bytes room = { 0 };
	int ret = bytes_reserve(&room, html_store_size(s, kind, id));

	if (!ret)
		ret = html_store_read(s, kind, id, room.at);
	room.nr = html_store_size(s, kind, id);
	if (!ret)
		ret = inflate_all(&room, to);
	bytes_free(&room);
	return ret;
}
