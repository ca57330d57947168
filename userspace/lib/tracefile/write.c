// SPDX-License-Identifier: LGPL-2.1
/*
 * write.c - appends sections to a tracefile
 *
 * Invariants:
 *  - the file ends with a whole section whenever no call is under way; what a
 *    failed write left behind is cut off, or overwritten by the next section;
 *  - data goes from the caller's memory to the kernel, nothing is copied here;
 *  - the index is a convenience: if memory for it runs out, or it grows beyond a
 *    section's limit, the file goes without, and readers rebuild it.
 */
#include <ktrace/tracefile.h>

#include "crc32c.h"
#include "read.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* struct stream_before - what a reopened file has of stream @id */
struct stream_before {
	__u32 id;
	struct ktrace_tracefile_stream is;
};

/**
 * struct ktrace_tracefile - one file being written
 * @fd:		the file
 * @size:	bytes of whole sections; the next one goes there
 * @index:	what INDEX will say
 * @index_nr:	entries in use
 * @index_cap:	entries allocated
 * @has_index:	false once memory for the index ran out
 * @uuid:	name of the trace
 * @before:	what there was of each stream when the file was reopened
 * @before_nr:	how many
 */
struct ktrace_tracefile {
	int fd;
	__u64 size;
	__u8 uuid[16];
	struct stream_before *before;
	size_t before_nr;
	struct ktrace_index *index;
	size_t index_nr;
	size_t index_cap;
	bool has_index;
};

/* Drops the first @n bytes of what is left to write. */
static int consume(struct iovec *iov, int nr, size_t n)
{
	int first = 0;

	while (first < nr && n >= iov[first].iov_len)
		n -= iov[first++].iov_len;
	if (first < nr) {
		iov[first].iov_base = (char *)iov[first].iov_base + n;
		iov[first].iov_len -= n;
	}
	return first;
}

static int write_all(int fd, struct iovec *iov, int nr, __u64 offset)
{
	ssize_t n;
	int done;

	while (nr) {
		n = pwritev(fd, iov, nr, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -EIO;
		done = consume(iov, nr, (size_t)n);
		offset += (__u64)n;
		iov += done;
		nr -= done;
	}
	return 0;
}

static void index_add(struct ktrace_tracefile *tf, const struct ktrace_section *s)
{
	size_t cap = tf->index_cap ? 2 * tf->index_cap : 256;
	struct ktrace_index *index = tf->index;

	if (tf->index_nr == tf->index_cap) {
		index = realloc(index, cap * sizeof(*index));
		if (!index) {
			tf->has_index = false;
			return;
		}
		tf->index = index;
		tf->index_cap = cap;
	}
	index[tf->index_nr++] = (struct ktrace_index){
		.offset = tf->size, .first_ts = s->first_ts, .last_ts = s->last_ts,
		.pos = s->pos, .stream = s->stream, .records = s->records,
		.type = s->type, .lost = s->lost,
	};
}

/* Writes one section: @s with magic, size and checksum filled in, @body, padding. */
static int put_section(struct ktrace_tracefile *tf, struct ktrace_section *s,
		       const void *body, size_t size)
{
	static const char zeros[KTRACE_SECTION_ALIGN];
	struct iovec iov[3] = {
		{ s, sizeof(*s) },
		{ (void *)body, size },
		{ (void *)zeros, -size & (KTRACE_SECTION_ALIGN - 1) },
	};
	__u64 total = sizeof(*s) + size + iov[2].iov_len;
	int ret;

	s->magic = KTRACE_SECTION_MAGIC;
	s->size = size;
	s->crc = ktrace_crc32c(ktrace_crc32c(0, s, sizeof(*s)), body, size);
	ret = write_all(tf->fd, iov, 3, tf->size);
	if (ret) {
		/* If even this fails, the next section overwrites what is there. */
		(void)!ftruncate(tf->fd, (off_t)tf->size);
		return ret;
	}
	if (tf->has_index && s->type <= KTRACE_SECTION_LOST)
		index_add(tf, s);
	tf->size += total;
	return 0;
}

static int put_file_header(struct ktrace_tracefile *tf)
{
	struct ktrace_file h = {
		.magic = KTRACE_FILE_MAGIC,
		.version = KTRACE_FILE_VERSION,
		.byte_order = KTRACE_FILE_BYTE_ORDER,
		.header_size = sizeof(h),
	};
	struct iovec iov = { &h, sizeof(h) };
	int ret;

	if (getrandom(tf->uuid, sizeof(tf->uuid), 0) != sizeof(tf->uuid))
		return -EIO;
	memcpy(h.uuid, tf->uuid, sizeof(h.uuid));
	ret = write_all(tf->fd, &iov, 1, 0);
	if (!ret)
		tf->size = sizeof(h);
	return ret;
}

static void free_writer(struct ktrace_tracefile *tf)
{
	if (tf->fd >= 0)
		close(tf->fd);
	free(tf->before);
	free(tf->index);
	free(tf);
}

/* A writer whose file is its alone, with the content it has. */
static int open_alone(const char *path, int flags, struct ktrace_tracefile **out)
{
	struct ktrace_tracefile *tf = calloc(1, sizeof(*tf));
	int ret = 0;

	if (!tf)
		return -ENOMEM;
	tf->has_index = true;
	tf->fd = open(path, O_RDWR | O_CLOEXEC | flags, 0666);
	if (tf->fd < 0)
		ret = -errno;
	else if (flock(tf->fd, LOCK_EX | LOCK_NB))
		ret = errno == EWOULDBLOCK ? -EBUSY : -errno;
	if (ret)
		free_writer(tf);
	else
		*out = tf;
	return ret;
}

int ktrace_tracefile_create(const char *path, struct ktrace_tracefile **out)
{
	struct ktrace_tracefile *tf;
	int ret = open_alone(path, O_CREAT, &tf);

	if (ret)
		return ret;
	ret = ftruncate(tf->fd, 0) ? -errno : put_file_header(tf);
	if (ret)
		free_writer(tf);
	else
		*out = tf;
	return ret;
}

static struct stream_before *find_before(const struct ktrace_tracefile *tf, __u32 id)
{
	for (size_t i = 0; i < tf->before_nr; i++)
		if (tf->before[i].id == id)
			return &tf->before[i];
	return NULL;
}

static struct stream_before *get_before(struct ktrace_tracefile *tf, __u32 id)
{
	struct stream_before *b = find_before(tf, id);

	if (b)
		return b;
	b = realloc(tf->before, (tf->before_nr + 1) * sizeof(*b));
	if (!b)
		return NULL;
	tf->before = b;
	b += tf->before_nr++;
	*b = (struct stream_before) { .id = id };
	return b;
}

static int take_section(struct ktrace_tracefile *tf, const struct reader *r, __u64 offset,
			const struct ktrace_section *s)
{
	struct ktrace_lost lost = { { 0 } };
	struct ktrace_section again;
	struct stream_before *b;

	tf->size = offset;
	index_add(tf, s);
	if (s->type == KTRACE_SECTION_META)
		return 0;
	b = get_before(tf, s->stream);
	if (!b)
		return -ENOMEM;
	if (s->type == KTRACE_SECTION_BLOCK) {
		b->is.pos = s->pos + s->raw_size;
		b->is.records += s->records;
		return 0;
	}
	/* One that is damaged says nothing; a later one will. */
	if (!ktrace_reader_load(r, offset, &again, &lost, sizeof(lost)))
		b->is.lost = lost;
	return 0;
}

/* Finds the end of the last whole section, and what there is before it. */
static int take_sections(struct ktrace_tracefile *tf, struct reader *r)
{
	struct ktrace_section s;
	__u64 offset, end = sizeof(struct ktrace_file);
	int ret;

	while ((ret = ktrace_reader_walk(r, &s, &offset)) == 1) {
		ret = take_section(tf, r, offset, &s);
		if (ret)
			return ret;
		end = r->next;
	}
	tf->size = end;
	return ret;
}

static void say_nothing(void *arg, const char *path, __u64 offset, const char *message)
{
	(void)arg;
	(void)path;
	(void)offset;
	(void)message;
}

/* A reader of the file at @path, which has to have that @uuid; -ESTALE if not. */
static int open_reader(const char *path, const __u8 uuid[16], struct reader *r)
{
	struct ktrace_file h;
	int ret;

	/* Nobody writes it: a section that seems cut off and is not the last is damage. */
	*r = (struct reader) { .report = say_nothing };
	ret = ktrace_reader_open(r, path);
	if (ret)
		return ret;
	ret = ktrace_reader_bytes(r, 0, &h, sizeof(h));
	if (!ret && memcmp(h.uuid, uuid, sizeof(h.uuid)))
		ret = -ESTALE;
	if (ret)
		ktrace_reader_close(r);
	return ret;
}

static bool is_same_file(int a, int b)
{
	struct stat x, y;

	return !fstat(a, &x) && !fstat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int ktrace_tracefile_reopen(const char *path, const __u8 uuid[16],
			    struct ktrace_tracefile **out)
{
	struct ktrace_tracefile *tf;
	struct reader r;
	int ret = open_alone(path, 0, &tf);

	if (ret)
		return ret;
	ret = open_reader(path, uuid, &r);
	if (ret)
		goto err_free;
	ret = is_same_file(tf->fd, r.fd) ? take_sections(tf, &r) : -ESTALE;
	ktrace_reader_close(&r);
	if (!ret && ftruncate(tf->fd, (off_t)tf->size))
		ret = -errno;
	if (ret)
		goto err_free;
	memcpy(tf->uuid, uuid, sizeof(tf->uuid));
	*out = tf;
	return 0;

err_free:
	free_writer(tf);
	return ret;
}

static int copy_bytes(int to, const struct reader *r)
{
	const size_t size = 1 << 20;
	char *buf = malloc(size);
	int ret = buf ? 0 : -ENOMEM;

	for (__u64 at = 0; !ret && at < r->size; at += size) {
		struct iovec iov = { buf, r->size - at < size ? (size_t)(r->size - at) : size };

		ret = ktrace_reader_bytes(r, at, buf, iov.iov_len);
		if (!ret)
			ret = write_all(to, &iov, 1, at);
	}
	free(buf);
	return ret;
}

int ktrace_tracefile_copy(const char *from, const __u8 uuid[16], const char *path,
			  struct ktrace_tracefile **out)
{
	struct ktrace_tracefile *tf;
	struct reader r;
	int ret = open_reader(from, uuid, &r);

	if (ret)
		return ret;
	ret = open_alone(path, O_CREAT, &tf);
	if (ret)
		goto out_close;
	if (!is_same_file(tf->fd, r.fd))
		ret = ftruncate(tf->fd, 0) ? -errno : copy_bytes(tf->fd, &r);
	free_writer(tf);
	if (!ret)
		ret = ktrace_tracefile_reopen(path, uuid, out);
out_close:
	ktrace_reader_close(&r);
	return ret;
}

void ktrace_tracefile_uuid(const struct ktrace_tracefile *tf, __u8 uuid[16])
{
	memcpy(uuid, tf->uuid, sizeof(tf->uuid));
}

bool ktrace_tracefile_stream(const struct ktrace_tracefile *tf, __u32 stream,
			     struct ktrace_tracefile_stream *out)
{
	const struct stream_before *b = find_before(tf, stream);

	if (b)
		*out = b->is;
	return b;
}

/* How many bytes of @text make the next META section: whole lines, or 0 if one is too long. */
static size_t meta_piece(const char *text, size_t size)
{
	const char *end;

	if (size <= KTRACE_META_SIZE_MAX)
		return size;
	end = memrchr(text, '\n', KTRACE_META_SIZE_MAX);
	return end ? (size_t)(end - text) + 1 : 0;
}

int ktrace_tracefile_meta(struct ktrace_tracefile *tf, const char *text, size_t size)
{
	size_t n;
	int ret;

	for (; size; text += n, size -= n) {
		struct ktrace_section s = { .type = KTRACE_SECTION_META };

		n = meta_piece(text, size);
		if (!n)
			return -E2BIG;
		s.raw_size = (__u32)n;
		ret = put_section(tf, &s, text, n);
		if (ret)
			return ret;
	}
	return 0;
}

int ktrace_tracefile_block(struct ktrace_tracefile *tf, const struct ktrace_tracefile_block *b)
{
	struct ktrace_section s = {
		.type = KTRACE_SECTION_BLOCK,
		.stream = b->stream,
		.first_ts = b->first_ts,
		.last_ts = b->last_ts,
		.pos = b->pos,
		.records = b->records,
		.raw_size = b->size,
	};

	if (b->size > KTRACE_BLOCK_MAX)
		return -E2BIG;
	return put_section(tf, &s, b->data, b->size);
}

int ktrace_tracefile_lost(struct ktrace_tracefile *tf, __u32 stream, __u64 pos, __u64 ts,
			  const struct ktrace_lost *sum, __u64 newly)
{
	struct ktrace_section s = {
		.type = KTRACE_SECTION_LOST,
		.stream = stream,
		.first_ts = ts,
		.last_ts = ts,
		.pos = pos,
		.lost = newly > 0xffffffffu ? 0xffffffffu : (__u32)newly,
		.raw_size = sizeof(*sum),
	};

	return put_section(tf, &s, sum, sizeof(*sum));
}

__u64 ktrace_tracefile_size(const struct ktrace_tracefile *tf)
{
	return tf->size;
}

/* Writes the index; @offset is where, 0 = the file goes without. */
static int put_index(struct ktrace_tracefile *tf, __u64 *offset)
{
	struct ktrace_section s = {
		.type = KTRACE_SECTION_INDEX,
		.flags = KTRACE_SECTION_MAY_IGNORE,
	};
	size_t size = tf->index_nr * sizeof(*tf->index);
	__u64 at = tf->size;
	int ret;

	*offset = 0;
	if (!tf->has_index || size > KTRACE_SECTION_SIZE_MAX)
		return 0;
	s.raw_size = (__u32)size;
	ret = put_section(tf, &s, tf->index, size);
	if (!ret)
		*offset = at;
	return ret;
}

static int put_end(struct ktrace_tracefile *tf, __u64 index_offset)
{
	struct ktrace_section s = { .type = KTRACE_SECTION_END, .pos = index_offset };

	return put_section(tf, &s, NULL, 0);
}

static int sync_file(int fd)
{
	/* EINVAL, EROFS: not a file that can be synchronised, such as a device */
	if (fsync(fd) && errno != EINVAL && errno != EROFS)
		return -errno;
	return 0;
}

int ktrace_tracefile_close(struct ktrace_tracefile *tf)
{
	__u64 index_offset;
	int ret, ret2;

	if (!tf)
		return 0;
	ret = put_index(tf, &index_offset);
	ret2 = put_end(tf, index_offset);
	if (!ret)
		ret = ret2;
	ret2 = sync_file(tf->fd);
	if (!ret)
		ret = ret2;
	if (close(tf->fd) && !ret)
		ret = -errno;
	tf->fd = -1;
	free_writer(tf);
	return ret;
}
