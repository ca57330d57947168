// SPDX-License-Identifier: LGPL-2.1
/*
 * write.c - appends sections to a tracefile
 *
 * Invariants:
 *  - the file ends with a whole section whenever no call is in progress; the rest of a
 *    failed write is cut off, or overwritten by the next section;
 *  - data goes from the caller's memory to the kernel, and is copied only to be compressed;
 *  - the index is a convenience: if memory for it runs out, or it grows beyond a
 *    section's limit, the file goes without, and readers rebuild it.
 */
#include <ktrace/tracefile.h>

#include "by_id.h"
#include "crc32c.h"
#include "base/grow.h"
#include "section.h"
#include "write.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/output_file.h"

/* Drops the first @n bytes that remain to be written. */
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

/* Writes everything. Returns 0 or -errno; then a part may have been written. */
int ktrace_write_all(int fd, struct iovec *iov, int nr, __u64 offset)
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

void ktrace_writer_index(struct ktrace_tracefile *tf, const struct ktrace_section *s)
{
	if (LIST_GROW(tf->index, tf->index_nr, tf->index_cap))
		tf->index[tf->index_nr++] = ktrace_section_entry(s, tf->size);
	else
		tf->has_index = false;
}

static size_t padding(size_t size)
{
	return -size & (KTRACE_SECTION_ALIGN - 1);
}

/* Fills in magic, size and checksum of @s; sets @iov to @s, @body and padding. */
void ktrace_writer_section(struct ktrace_section *s, const void *body, size_t size,
			   struct iovec iov[WRITER_IOV])
{
	static const char zeros[KTRACE_SECTION_ALIGN];

	s->magic = KTRACE_SECTION_MAGIC;
	s->size = size;
	s->crc = ktrace_crc32c(ktrace_crc32c(0, s, sizeof(*s)), body, size);
	iov[0] = (struct iovec) { s, sizeof(*s) };
	iov[1] = (struct iovec) { (void *)body, size };
	iov[2] = (struct iovec) { (void *)zeros, padding(size) };
}

/* Writes to a pipe. Returns 0 or -errno; then a part may have been written for good. */
static int write_pipe(struct ktrace_tracefile *tf, struct iovec *iov, int nr)
{
	struct pollfd ready = { .fd = tf->fd, .events = POLLOUT };
	ssize_t n;
	int done;

	while (nr && !tf->error) {
		n = writev(tf->fd, iov, nr);
		if (n < 0 && errno == EAGAIN)
			poll(&ready, 1, -1);
		else if (n < 0 && errno != EINTR)
			tf->error = -errno;
		if (n <= 0)
			continue;
		done = consume(iov, nr, (size_t)n);
		iov += done;
		nr -= done;
	}
	return tf->error;
}

static int write_out(struct ktrace_tracefile *tf, struct iovec *iov, int nr)
{
	return tf->is_pipe ? write_pipe(tf, iov, nr) :
	       ktrace_write_all(tf->fd, iov, nr, tf->size);
}

/* Names the trace. @uuid: from the part before, NULL = none. Returns 0, -EIO. */
static int name_trace(struct ktrace_tracefile *tf, const __u8 *uuid)
{
	if (uuid)
		memcpy(tf->uuid, uuid, sizeof(tf->uuid));
	else if (getrandom(tf->uuid, sizeof(tf->uuid), 0) != sizeof(tf->uuid))
		return -EIO;
	return 0;
}

int ktrace_writer_header(struct ktrace_tracefile *tf, const __u8 *uuid)
{
	struct ktrace_file h = {
		.magic = KTRACE_FILE_MAGIC,
		.version = KTRACE_FILE_VERSION,
		.byte_order = KTRACE_FILE_BYTE_ORDER,
		.header_size = sizeof(h),
		.part = tf->part,
	};
	struct iovec iov = { &h, sizeof(h) };
	int ret = name_trace(tf, uuid);

	if (ret)
		return ret;
	memcpy(h.uuid, tf->uuid, sizeof(h.uuid));
	ret = write_out(tf, &iov, 1);
	if (!ret)
		tf->size = sizeof(h);
	return ret;
}

void ktrace_tracefile_limit(struct ktrace_tracefile *tf, __u64 max_size, __u64 min_free)
{
	tf->max_size = max_size;
	tf->room = (struct disk_room){ .min_free = min_free };
}

int ktrace_tracefile_room(struct ktrace_tracefile *tf, __u64 size)
{
	if (tf->is_pipe || tf->is_pending)
		return 0;
	if (tf->max_size && (tf->size > tf->max_size || tf->max_size - tf->size < size))
		return -EFBIG;
	return ktrace_disk_room_ask(&tf->room, tf->fd, size);
}

/* Replaces the old content of the file. */
static int begin_pending(struct ktrace_tracefile *tf)
{
	int ret = ftruncate(tf->fd, 0) ? -errno : ktrace_writer_header(tf, tf->uuid);

	tf->is_pending = ret;
	return ret;
}

/*
 * Writes whole sections, all or none of them. Index and end mark may use the room to be kept free.
 */
static int put_finished(struct ktrace_tracefile *tf, const struct ktrace_section *s,
			struct iovec *iov, __u32 nr)
{
	__u64 size = 0;
	int ret = tf->is_pending ? begin_pending(tf) : 0;

	if (ret)
		return ret;
	for (__u32 i = 0; i < nr; i++)
		size += sizeof(s[i]) + s[i].size + padding(s[i].size);
	ret = ktrace_section_has_content(s->type) ? ktrace_tracefile_room(tf, size) : 0;
	if (ret)
		return ret;
	ret = write_out(tf, iov, (int)nr * WRITER_IOV);
	if (ret) {
		/* If even this fails, the next section overwrites the rest. */
		if (!tf->is_pipe)
			(void)!ftruncate(tf->fd, (off_t)tf->size);
		return ret;
	}
	ktrace_disk_room_use(&tf->room, size);
	for (__u32 i = 0; i < nr; i++) {
		if (tf->has_index && ktrace_section_has_content(s[i].type))
			ktrace_writer_index(tf, &s[i]);
		tf->size += sizeof(s[i]) + s[i].size + padding(s[i].size);
	}
	return 0;
}

static int put_section(struct ktrace_tracefile *tf, struct ktrace_section *s,
		       const void *body, size_t size)
{
	struct iovec iov[WRITER_IOV];

	ktrace_writer_section(s, body, size, iov);
	return put_finished(tf, s, iov, 1);
}

/* Unlocks first: another descriptor of the same open file would keep the lock. */
static int close_file(struct ktrace_tracefile *tf)
{
	int fd = tf->fd;

	tf->fd = -1;
	flock(fd, LOCK_UN);
	return close(fd) ? -errno : 0;
}

void ktrace_writer_free(struct ktrace_tracefile *tf)
{
	if (tf->fd >= 0)
		close_file(tf);
	ktrace_packer_free(&tf->packer);
	ktrace_counts_free(&tf->counts);
	ktrace_free_ids(tf->before);
	free(tf->index);
	free(tf);
}

/* True for /dev/null, used to measure or to try: no content, and many may write to it at a time. */
static bool is_null_device(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3);
}

/* Makes a writer that has its file to itself, content included. Takes over @fd in any case. */
int ktrace_writer_new(int fd, struct ktrace_tracefile **out)
{
	struct ktrace_tracefile *tf = calloc(1, sizeof(*tf));
	int ret = 0;

	if (!tf) {
		close(fd);
		return -ENOMEM;
	}
	tf->has_index = true;
	tf->room.min_free = ktrace_disk_room_default();
	tf->fd = fd;
	if (!is_null_device(fd) && flock(fd, LOCK_EX | LOCK_NB))
		ret = errno == EWOULDBLOCK ? -EBUSY : -errno;
	if (ret)
		ktrace_writer_free(tf);
	else
		*out = tf;
	return ret;
}

/* Does the same for the file at @path, which is made if it does not exist; @flags: O_EXCL or 0. */
int ktrace_writer_open(const char *path, int flags, struct ktrace_tracefile **out)
{
	int fd = ktrace_output_file(path, O_RDWR | O_CREAT | flags);

	return fd < 0 ? fd : ktrace_writer_new(fd, out);
}

/* Removes a file that could not be begun, unless it is not a regular file or @path is a link. */
static void remove_file(const char *path, int fd)
{
	struct stat named, st;

	if (!lstat(path, &named) && !fstat(fd, &st) && S_ISREG(named.st_mode) &&
	    named.st_dev == st.st_dev && named.st_ino == st.st_ino)
		unlink(path);
}

static int create(const char *path, int flags, __u32 part, const __u8 *uuid,
		  struct ktrace_tracefile **out)
{
	struct ktrace_tracefile *tf;
	int ret = part > KTRACE_PART_MAX ? -EFBIG : ktrace_writer_open(path, flags, &tf);

	if (ret)
		return ret;
	tf->part = part;
	if (!is_null_device(tf->fd) && ftruncate(tf->fd, 0))
		ret = -errno;
	else
		ret = ktrace_writer_header(tf, uuid);
	if (!ret) {
		*out = tf;
		return 0;
	}
	remove_file(path, tf->fd);
	ktrace_writer_free(tf);
	return ret;
}

int ktrace_tracefile_replace_later(const char *path, struct ktrace_tracefile **out)
{
	struct ktrace_tracefile *tf;
	int ret = ktrace_writer_open(path, 0, &tf);

	if (ret)
		return ret;
	tf->is_pending = true;
	ret = name_trace(tf, NULL);
	if (ret)
		ktrace_writer_free(tf);
	else
		*out = tf;
	return ret;
}

int ktrace_tracefile_create(const char *path, struct ktrace_tracefile **out)
{
	return create(path, 0, 0, NULL, out);
}

int ktrace_tracefile_create_part(const char *path, __u32 part, const __u8 *uuid,
				 struct ktrace_tracefile **out)
{
	return create(path, O_EXCL, part, uuid, out);
}

int ktrace_tracefile_mode(const struct ktrace_tracefile *tf, __u32 mode)
{
	struct stat st;

	if (fstat(tf->fd, &st))
		return -errno;
	return S_ISREG(st.st_mode) && fchmod(tf->fd, mode) ? -errno : 0;
}

void ktrace_tracefile_uuid(const struct ktrace_tracefile *tf, __u8 uuid[16])
{
	memcpy(uuid, tf->uuid, sizeof(tf->uuid));
}

__u32 ktrace_tracefile_part(const struct ktrace_tracefile *tf)
{
	return tf->part;
}

/*
 * Returns how many bytes of @text make the next META section: whole lines, or 0 if one is too long.
 */
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

int ktrace_tracefile_compress(struct ktrace_tracefile *tf, int level)
{
	if (level < KTRACE_COMPRESS_MIN || level > KTRACE_COMPRESS_MAX)
		return -EINVAL;
	tf->level = level;
	return 0;
}

/*
 * Checks sizes, and makes room for the compressed blocks; sets @level to 0 if there is no memory
 * for that.
 */
static int prepare_blocks(struct ktrace_tracefile *tf, const struct ktrace_tracefile_block *b,
			  __u32 nr, int *level)
{
	size_t total = 0, largest = 0;

	if (nr > KTRACE_TRACEFILE_BLOCKS)
		return -E2BIG;
	for (__u32 i = 0; i < nr; i++) {
		if (b[i].size > KTRACE_BLOCK_MAX)
			return -E2BIG;
		total += b[i].size;
		largest = b[i].size > largest ? b[i].size : largest;
	}
	*level = tf->level;
	if (*level && ktrace_packer_begin(&tf->packer, total, largest))
		*level = 0;
	return 0;
}

/* Makes a section of a block; stores the block as it is if compression does not make it shorter. */
static void finish_block(struct packer *packer, int level, const struct ktrace_tracefile_block *b,
			 struct ktrace_section *s, struct iovec iov[WRITER_IOV])
{
	size_t size = level ? ktrace_packer_add(packer, b->data, b->size, level) : 0;
	const void *body = size ? packer->out + packer->out_len - size : b->data;

	*s = (struct ktrace_section) {
		.type = KTRACE_SECTION_BLOCK,
		.flags = size ? KTRACE_SECTION_ZSTD : 0,
		.stream = b->stream,
		.first_ts = b->first_ts,
		.last_ts = b->last_ts,
		.pos = b->pos,
		.records = b->records,
		.raw_size = b->size,
	};
	ktrace_writer_section(s, body, size ? size : b->size, iov);
}

int ktrace_tracefile_blocks(struct ktrace_tracefile *tf, const struct ktrace_tracefile_block *b,
			    __u32 nr)
{
	struct iovec iov[KTRACE_TRACEFILE_BLOCKS * WRITER_IOV];
	struct ktrace_section s[KTRACE_TRACEFILE_BLOCKS];
	int level, ret = prepare_blocks(tf, b, nr, &level);

	if (ret)
		return ret;
	for (__u32 i = 0; i < nr; i++)
		finish_block(&tf->packer, level, &b[i], &s[i], &iov[i * WRITER_IOV]);
	ret = put_finished(tf, s, iov, nr);
	for (__u32 i = 0; i < nr && !ret; i++)
		ktrace_counts_block(&tf->counts, b[i].stream, b[i].pos, b[i].data, b[i].size);
	return ret;
}

int ktrace_tracefile_block(struct ktrace_tracefile *tf, const struct ktrace_tracefile_block *b)
{
	return ktrace_tracefile_blocks(tf, b, 1);
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

/* Writes the counts, unless they are not known or there is no room: the file can go without. */
static void put_counts(struct ktrace_tracefile *tf)
{
	struct ktrace_section s = {
		.type = KTRACE_SECTION_COUNTS,
		.flags = KTRACE_SECTION_MAY_IGNORE,
	};
	struct ktrace_count *list;
	const long nr = ktrace_counts_sorted(&tf->counts, &list);
	const size_t size = nr > 0 ? (size_t)nr * sizeof(*list) : 0;

	if (nr < 0)
		return;
	s.raw_size = (__u32)size;
	if (size <= KTRACE_COUNTS_SIZE_MAX)
		(void)put_section(tf, &s, list, size);
	free(list);
}

/* Writes the index; sets @offset to where it is, 0 = the file goes without. */
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

static int end_file(struct ktrace_tracefile *tf, bool waits)
{
	__u64 index_offset;
	int ret, ret2;

	if (tf->is_pending) {
		ktrace_writer_free(tf);
		return 0;
	}
	put_counts(tf);
	ret = put_index(tf, &index_offset);
	ret2 = put_end(tf, index_offset);
	if (!ret)
		ret = ret2;
	ret2 = waits ? sync_file(tf->fd) : 0;
	if (!ret)
		ret = ret2;
	ret2 = close_file(tf);
	if (!ret)
		ret = ret2;
	ktrace_writer_free(tf);
	return ret;
}

int ktrace_tracefile_close(struct ktrace_tracefile *tf)
{
	return tf ? end_file(tf, true) : 0;
}

int ktrace_tracefile_close_part(struct ktrace_tracefile *tf)
{
	return tf ? end_file(tf, false) : 0;
}
