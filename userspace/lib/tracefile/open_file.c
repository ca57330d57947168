// SPDX-License-Identifier: LGPL-2.1
/*
 * open_file.c - tracefiles in files that the caller has opened, and that change in place
 *
 * A log of bounded size writes its newest block over its oldest one. So the rule that sections
 * never change holds only once it is closed: the writer of such a file declares that.
 */
#include <ktrace/tracefile.h>

#include "base/search.h"
#include "section.h"
#include "write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes a writer of the open file @fd; the writer has no content yet. */
static int new_writer(int fd, struct ktrace_tracefile **out)
{
	struct ktrace_tracefile *tf = calloc(1, sizeof(*tf));
	struct stat st;
	int ret = 0;

	if (!tf)
		return -ENOMEM;
	tf->has_index = true;
	tf->room.min_free = ktrace_disk_room_default();
	tf->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (tf->fd < 0 || fstat(tf->fd, &st))
		ret = -errno;
	else if (!S_ISREG(st.st_mode))
		tf->is_pipe = true;
	else if (flock(tf->fd, LOCK_EX | LOCK_NB))
		ret = errno == EWOULDBLOCK ? -EBUSY : -errno;
	if (ret)
		ktrace_writer_free(tf);
	else
		*out = tf;
	return ret;
}

int ktrace_tracefile_create_fd(int fd, struct ktrace_tracefile **out)
{
	struct ktrace_tracefile *tf;
	int ret = new_writer(fd, &tf);

	if (ret)
		return ret;
	ret = !tf->is_pipe && ftruncate(tf->fd, 0) ? -errno : ktrace_writer_header(tf, NULL);
	if (ret)
		ktrace_tracefile_abandon(tf);
	else
		*out = tf;
	return ret;
}

void ktrace_tracefile_abandon(struct ktrace_tracefile *tf)
{
	/* Truncate while the file is locked: afterwards it may belong to another process. */
	if (!tf->is_pipe)
		(void)!ftruncate(tf->fd, 0);
	ktrace_writer_free(tf);
}

/* Opens a reader of @fd, which may be open for writing only. */
static int open_to_read(int fd, struct reader *r)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	*r = (struct reader){ 0 };
	return ktrace_reader_open(r, path);
}

int ktrace_tracefile_reopen_fd(int fd, struct ktrace_tracefile **out)
{
	struct ktrace_tracefile *tf;
	struct reader r;
	int ret = new_writer(fd, &tf);

	if (ret)
		return ret;
	ret = tf->is_pipe ? -EBADMSG : open_to_read(tf->fd, &r);
	if (ret)
		goto err_free;
	tf->part = r.part;
	memcpy(tf->uuid, r.uuid, sizeof(tf->uuid));
	ret = ktrace_writer_take(tf, &r);
	ktrace_reader_close(&r);
	if (!ret && ftruncate(tf->fd, (off_t)tf->size))
		ret = -errno;
	if (ret)
		goto err_free;
	*out = tf;
	return 0;

err_free:
	ktrace_writer_free(tf);
	return ret;
}

/* Returns the entry of the section that begins at @offset, NULL = none does. */
static struct ktrace_index *find(struct ktrace_tracefile *tf, __u64 offset)
{
	const size_t low = PARTITION_POINT(tf->index_nr, i, tf->index[i].offset < offset);

	return low < tf->index_nr && tf->index[low].offset == offset ? &tf->index[low] : NULL;
}

/* Returns the bytes that the section of an entry takes, including its header and padding. */
static __u64 room_of(const struct ktrace_tracefile *tf, const struct ktrace_index *e)
{
	const struct ktrace_index *end = tf->index + tf->index_nr;

	return (e + 1 < end ? e[1].offset : tf->size) - e->offset;
}

static int replace(struct ktrace_tracefile *tf, __u64 offset, struct ktrace_section *s,
		   const void *body)
{
	struct ktrace_index *e = tf->has_index && !tf->is_pipe ? find(tf, offset) : NULL;
	struct iovec iov[WRITER_IOV];
	__u64 size = 0;
	int ret;

	if (!e || e->type != s->type)
		return -EINVAL;
	ktrace_writer_section(s, body, s->raw_size, iov);
	for (int i = 0; i < WRITER_IOV; i++)
		size += iov[i].iov_len;
	if (size != room_of(tf, e))
		return -EINVAL;
	ret = ktrace_write_all(tf->fd, iov, WRITER_IOV, offset);
	if (ret)
		return ret;
	*e = ktrace_section_entry(s, offset);
	return 0;
}

int ktrace_tracefile_replace(struct ktrace_tracefile *tf, __u64 offset,
			     const struct ktrace_tracefile_block *b)
{
	struct ktrace_section s = {
		.type = KTRACE_SECTION_BLOCK, .stream = b->stream, .first_ts = b->first_ts,
		.last_ts = b->last_ts, .pos = b->pos, .records = b->records, .raw_size = b->size,
	};

	tf->counts.is_void = true;
	return replace(tf, offset, &s, b->data);
}

int ktrace_tracefile_replace_meta(struct ktrace_tracefile *tf, __u64 offset, const char *text,
				  size_t size)
{
	struct ktrace_section s = {
		.type = KTRACE_SECTION_META, .raw_size = (__u32)size,
	};

	return size > KTRACE_META_SIZE_MAX ? -EINVAL : replace(tf, offset, &s, text);
}

int ktrace_tracefile_cut(struct ktrace_tracefile *tf, __u64 offset, __u64 *records)
{
	const struct ktrace_index *e = tf->has_index && !tf->is_pipe ? find(tf, offset) : NULL;

	if (!e)
		return -EINVAL;
	if (ftruncate(tf->fd, (off_t)offset))
		return -errno;
	for (const struct ktrace_index *i = e; i < tf->index + tf->index_nr; i++)
		*records += i->type == KTRACE_SECTION_BLOCK ? i->records : 0;
	tf->counts.is_void = true;
	tf->index_nr = (size_t)(e - tf->index);
	tf->size = offset;
	return 0;
}

int ktrace_tracefile_reserve(struct ktrace_tracefile *tf, __u64 size)
{
	struct rlimit limit;

	if (tf->is_pipe)
		return 0;
	/* Room for index and end mark, and for the header of one META section. */
	size += tf->index_nr * sizeof(*tf->index) + 3 * sizeof(struct ktrace_section);
	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY &&
	    tf->size + size > limit.rlim_cur)
		return -EFBIG;
	if (ktrace_tracefile_room(tf, size))
		return ktrace_tracefile_room(tf, size);
	if (!fallocate(tf->fd, FALLOC_FL_KEEP_SIZE, (off_t)tf->size, (off_t)size))
		return 0;
	/* Other file systems report a lack of space only on writing. */
	return errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? -errno : 0;
}

int ktrace_tracefile_make_room(struct ktrace_tracefile *tf, __u64 size, __u64 from,
			       __u64 *records)
{
	int ret;

	while ((ret = ktrace_tracefile_reserve(tf, size)) && tf->has_index && tf->index_nr) {
		const __u64 last = tf->index[tf->index_nr - 1].offset;

		if (last < from || ktrace_tracefile_cut(tf, last, records))
			break;
	}
	return ret;
}
