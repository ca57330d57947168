// SPDX-License-Identifier: LGPL-2.1
/*
 * reopen.c - continues a tracefile whose writer died, or a copy of it
 *
 * Everything after the last whole section is cut off. The file is searched for the end of each
 * stream, so that the caller knows where in the rings to continue.
 */
#include <ktrace/tracefile.h>

#include "by_id.h"
#include "line.h"
#include "read.h"
#include "section.h"
#include "write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct stream_before *get_before(struct ktrace_tracefile *tf, __u32 id)
{
	struct stream_before *b = ktrace_find_id(&tf->before, id);

	return b ? b : ktrace_make_id(&tf->before, id, sizeof(*b));
}

/* Takes a stream of earlier parts: META has its last position there. */
static int take_stream(struct ktrace_tracefile *tf, const char *line)
{
	struct stream_before *b;

	if (!strstr(line, " pos="))
		return 0;
	b = get_before(tf, (__u32)ktrace_line_number(line, " id="));
	if (!b)
		return -ENOMEM;
	b->is.pos = ktrace_line_number(line, " pos=");
	b->is.records = ktrace_line_number(line, " records=");
	ktrace_line_lost(line, b->is.lost.count);
	return 0;
}

static int take_meta(struct ktrace_tracefile *tf, const struct reader *r, __u64 offset)
{
	struct section_buf b = { 0 };
	int ret = ktrace_reader_load_next(r, offset, r->size, &b);
	char *text = ret ? NULL : strndup(b.body, b.size), *rest = text, *line;

	ktrace_section_buf_free(&b);
	/* A damaged section has no information. */
	if (!text)
		return ret == -EBADMSG ? 0 : ret ? ret : -ENOMEM;
	while (!ret && (line = strsep(&rest, "\n")))
		if (!strncmp(line, "stream ", 7))
			ret = take_stream(tf, line);
	free(text);
	return ret;
}

static int take_section(struct ktrace_tracefile *tf, const struct reader *r, __u64 offset,
			const struct ktrace_section *s)
{
	struct stream_before *b;

	tf->size = offset;
	ktrace_writer_index(tf, s);
	if (s->type == KTRACE_SECTION_META && tf->part)
		return take_meta(tf, r, offset);
	if (s->type != KTRACE_SECTION_BLOCK && s->type != KTRACE_SECTION_LOST)
		return 0;
	b = get_before(tf, s->stream);
	if (!b)
		return -ENOMEM;
	if (s->type == KTRACE_SECTION_BLOCK) {
		b->is.pos = s->pos + s->raw_size;
		b->is.records += s->records;
		tf->level = ktrace_section_is_compressed(s) ? KTRACE_COMPRESS_DEFAULT : 0;
		return 0;
	}
	/* A damaged section has no information; a later one will. */
	ktrace_reader_lost(r, offset, &b->is.lost);
	return 0;
}

/* Finds the end of the last whole section, and records the sections before it. */
int ktrace_writer_take(struct ktrace_tracefile *tf, struct reader *r)
{
	struct ktrace_section s;
	__u64 offset, end = sizeof(struct ktrace_file);
	int ret;

	tf->counts.is_void = true;
	while ((ret = ktrace_reader_walk(r, &s, &offset)) == 1) {
		/* The counts of the file so far are cut off with its index. */
		if (s.type == KTRACE_SECTION_COUNTS)
			continue;
		ret = take_section(tf, r, offset, &s);
		if (ret)
			return ret;
		end = r->next;
	}
	tf->size = end;
	return ret || !r->is_newer ? ret : -EPROTONOSUPPORT;
}

/*
 * The name is from a note, and the file may have been replaced since: opening must not wait, follow
 * a link, or acquire a controlling terminal.
 */
#define NOTED_FLAGS (O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

/* Opens a file that a note names; -ESTALE if it is no longer a regular file. Changes nothing. */
static int open_noted(const char *path, int access)
{
	int fd = open(path, access | NOTED_FLAGS), error = errno;
	struct stat st;

	if (fd < 0)	/* a link, a socket, a folder */
		return error == ELOOP || error == ENXIO || error == EISDIR ? -ESTALE : -error;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -ESTALE;
}

/* Opens a reader of the open file @fd, which must have that @uuid; -ESTALE if not. */
static int open_reader(int fd, const char *path, const __u8 uuid[16], struct reader *r)
{
	struct ktrace_file h;
	int ret;

	/*
	 * No process writes the file: a section that seems cut off and is not the last is damage.
	 */
	*r = (struct reader){ 0 };
	ret = ktrace_reader_open_fd(r, fd, path);
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

/* Continues the file that @tf has open, if it is the right one. */
static int continue_file(struct ktrace_tracefile *tf, const char *path, const __u8 uuid[16])
{
	struct reader r;
	int ret = open_reader(tf->fd, path, uuid, &r);

	if (ret)
		return ret;
	tf->part = r.part;
	ret = ktrace_writer_take(tf, &r);
	ktrace_reader_close(&r);
	memcpy(tf->uuid, uuid, sizeof(tf->uuid));
	if (ret)
		return ret;
	return ftruncate(tf->fd, (off_t)tf->size) ? -errno : 0;
}

int ktrace_tracefile_reopen(const char *path, const __u8 uuid[16],
			    struct ktrace_tracefile **out)
{
	struct ktrace_tracefile *tf;
	int fd = open_noted(path, O_RDWR), ret;

	if (fd < 0)
		return fd;
	ret = ktrace_writer_new(fd, &tf);
	if (ret)
		return ret;
	ret = continue_file(tf, path, uuid);
	if (ret)
		ktrace_writer_free(tf);
	else
		*out = tf;
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
			ret = ktrace_write_all(to, &iov, 1, at);
	}
	free(buf);
	return ret;
}

/* Copies the file of @r, and continues the copy; both may be the same file. */
static int copy_file(const char *path, const struct reader *r, const __u8 uuid[16],
		     struct ktrace_tracefile **out)
{
	struct ktrace_tracefile *tf;
	int ret = ktrace_writer_open(path, 0, &tf);

	if (ret)
		return ret;
	if (!is_same_file(tf->fd, r->fd))
		ret = ktrace_tracefile_room(tf, r->size);
	if (!ret && !is_same_file(tf->fd, r->fd))
		ret = ftruncate(tf->fd, 0) ? -errno : copy_bytes(tf->fd, r);
	if (!ret)
		ret = continue_file(tf, path, uuid);
	if (ret)
		ktrace_writer_free(tf);
	else
		*out = tf;
	return ret;
}

int ktrace_tracefile_copy(const char *from, const __u8 uuid[16], const char *path,
			  struct ktrace_tracefile **out)
{
	int fd = open_noted(from, O_RDONLY), ret;
	struct reader r;

	if (fd < 0)
		return fd;
	ret = open_reader(fd, from, uuid, &r);
	close(fd);
	if (ret)
		return ret;
	ret = copy_file(path, &r, uuid, out);
	ktrace_reader_close(&r);
	return ret;
}

bool ktrace_tracefile_stream(const struct ktrace_tracefile *tf, __u32 stream,
			     struct ktrace_tracefile_stream *out)
{
	const struct stream_before *b = ktrace_find_id(&tf->before, stream);

	if (b)
		*out = b->is;
	return b;
}
