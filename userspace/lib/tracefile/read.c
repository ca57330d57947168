// SPDX-License-Identifier: LGPL-2.1
/*
 * read.c - opens a tracefile, walks its sections; load.c loads one of them
 *
 * The file is read with pread(2) into memory of our own: it may shrink or change at any time, and a
 * mapping would turn that into SIGBUS. A header is used only after ktrace_section_is_possible() has
 * bounded its numbers.
 *
 * Walking trusts a header if its section is followed by another one, or by the end of the file, and
 * leaves the checksum to the code that loads the section. Sections that are not loaded are checked
 * here, so that a damaged type cannot hide events.
 */
#include "read.h"

#include "crc32c.h"
#include "section.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <ktrace/damage.h>

#define CHUNK 65536u
/* Limit of bytes checked in search of the next section, for each byte of the file. */
#define SEARCH_FACTOR 16u

void ktrace_reader_report(const struct reader *r, __u64 offset, const char *message)
{
	if (r->report)
		r->report(r->arg, r->path, offset == KTRACE_OFFSET_NONE ? offset : offset - r->base,
			  message);
}

static void about_file(const struct reader *r, const char *message)
{
	ktrace_reader_report(r, KTRACE_OFFSET_NONE, message);
}

/* Reads exactly @size bytes. Returns 0, -ENODATA if the file is shorter, -errno of pread(2). */
int ktrace_reader_bytes(const struct reader *r, __u64 offset, void *buf, size_t size)
{
	char *at = buf;
	ssize_t n;

	while (size) {
		n = pread(r->fd, at, size, (off_t)(offset - r->base));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -ENODATA;
		at += n;
		offset += (__u64)n;
		size -= (size_t)n;
	}
	return 0;
}

static __u64 section_end(__u64 offset, const struct ktrace_section *s)
{
	return offset + sizeof(*s) + ((s->size + KTRACE_SECTION_ALIGN - 1) &
				      ~(__u64)(KTRACE_SECTION_ALIGN - 1));
}

/* Returns the checksum of the header, to be continued with the body. */
__u32 ktrace_section_crc(const struct ktrace_section *s)
{
	struct ktrace_section h = *s;

	h.crc = 0;
	return ktrace_crc32c(0, &h, sizeof(h));
}

/* Checks the checksum without keeping the body. Returns 1 right, 0 wrong, -errno. */
int ktrace_reader_verify(const struct reader *r, __u64 offset,
			 const struct ktrace_section *s)
{
	char *buf = malloc(CHUNK);
	__u32 crc = ktrace_section_crc(s);
	__u64 left = s->size;
	size_t n;
	int ret = 0;

	if (!buf)
		return -ENOMEM;
	for (offset += sizeof(*s); left && !ret; offset += n, left -= n) {
		n = left < CHUNK ? (size_t)left : CHUNK;
		ret = ktrace_reader_bytes(r, offset, buf, n);
		crc = ret ? crc : ktrace_crc32c(crc, buf, n);
	}
	free(buf);
	if (ret == -ENODATA)
		return 0;
	return ret ? ret : crc == s->crc;
}

/*
 * Like ktrace_reader_verify(), for an offset that may hold no section at all: a file made of
 * nothing but false beginnings must not cost the square of its size.
 */
static int verify_claim(struct reader *r, __u64 offset, const struct ktrace_section *s)
{
	int ret;

	if (r->searched / SEARCH_FACTOR > r->size - r->base)
		return 0;
	ret = ktrace_reader_verify(r, offset, s);
	if (!ret)
		r->searched += s->size;
	return ret;
}

/* Checks for a whole section with the right checksum at @offset; returns as verify_claim(). */
static int is_section(struct reader *r, __u64 offset)
{
	struct ktrace_section s;
	int ret = ktrace_reader_header(r, offset, &s);

	if (ret == -EBADMSG || ret == -ENODATA)
		return 0;
	if (ret)
		return ret;
	return verify_claim(r, offset, &s);
}

/*
 * Searches for the next whole section from @offset on. Returns 1 and @found; 0 if there is none
 * yet:
 * @found is where to continue; -errno.
 */
static int resync(struct reader *r, __u64 offset, __u64 *found)
{
	__u32 *words = malloc(CHUNK);
	size_t n, i;
	int ret = words ? 0 : -ENOMEM;

	while (!ret && offset + sizeof(struct ktrace_section) <= r->size) {
		n = r->size - offset < CHUNK ? (size_t)(r->size - offset) : CHUNK;
		n &= ~(size_t)(KTRACE_SECTION_ALIGN - 1);
		ret = ktrace_reader_bytes(r, offset, words, n);
		for (i = 0; i < n && !ret; i += KTRACE_SECTION_ALIGN)
			if (words[i / sizeof(*words)] == KTRACE_SECTION_MAGIC) {
				*found = offset + i;
				ret = is_section(r, offset + i);
			}
		offset += n;
	}
	free(words);
	if (!ret)
		*found = offset;
	return ret == -ENODATA ? 0 : ret;
}

/*
 * Reads and checks the header at @offset. Returns 0, -ENODATA if the section is cut off, -EBADMSG
 * if there is none, -errno.
 */
int ktrace_reader_header(const struct reader *r, __u64 offset, struct ktrace_section *s)
{
	int ret;

	if (offset > r->size || r->size - offset < sizeof(*s))
		return -ENODATA;
	ret = ktrace_reader_bytes(r, offset, s, sizeof(*s));
	if (ret)
		return ret;
	if (!ktrace_section_is_possible(s))
		return -EBADMSG;
	return offset + sizeof(*s) + s->size > r->size ? -ENODATA : 0;
}

/* Moves from a damaged place to the next section; returns as ktrace_reader_walk(). */
static int find_next(struct reader *r, __u64 from)
{
	__u64 found = from;
	int ret = resync(r, from, &found);

	if (ret < 0)
		return ret;
	r->next = found;
	r->is_lost = !ret;
	return ret;
}

static int damaged_here(struct reader *r)
{
	ktrace_reader_report(r, r->next, "damaged section, skipped");
	return find_next(r, r->next + KTRACE_SECTION_ALIGN);
}

/* Handles a section at r->next that exceeds the file: it is either cut off, or damaged. */
static int cut_off(struct reader *r)
{
	__u64 found;
	int ret;

	if (r->is_live)
		return 0;
	ret = resync(r, r->next + KTRACE_SECTION_ALIGN, &found);
	if (ret <= 0)
		return ret;
	ktrace_reader_report(r, r->next, "damaged section, skipped");
	r->next = found;
	return 1;
}

/* True if another section, or the end of the file, follows at @offset. */
static bool has_successor(const struct reader *r, __u64 offset)
{
	__u32 magic;

	if (offset + sizeof(struct ktrace_section) > r->size)
		return true;
	return !ktrace_reader_bytes(r, offset, &magic, sizeof(magic)) &&
	       magic == KTRACE_SECTION_MAGIC;
}

/* Handles an intact section that ktrace_reader_walk() does not return: 1 = continue, 0 = stop. */
static int pass(struct reader *r, const struct ktrace_section *s)
{
	if (s->type == KTRACE_SECTION_END) {
		if (r->next < r->size)
			ktrace_reader_report(r, r->next, "data after the end mark, ignored");
		r->is_closed = true;
		return 0;
	}
	if (ktrace_section_type(s->type) || (s->flags & KTRACE_SECTION_MAY_IGNORE))
		return 1;
	ktrace_reader_report(r, r->next, "unknown section before here: a newer ktrace is needed");
	r->is_closed = true;
	r->is_newer = true;
	return 0;
}

/*
 * Converts the result of a search for the next section to that of step(): found, none, or -errno.
 */
static int searched(int ret)
{
	return ret > 0 ? 2 : ret;
}

/* Does one step of walking. Returns 1: section in @s, 2: none but continue, 0: stop, -errno. */
static int step(struct reader *r, struct ktrace_section *s)
{
	int ret = ktrace_reader_header(r, r->next, s);
	bool is_wanted = ktrace_section_has_content(s->type);
	__u64 end;

	if (ret == -EBADMSG)
		return searched(damaged_here(r));
	if (ret == -ENODATA)
		return searched(cut_off(r));
	if (ret)
		return ret;
	end = section_end(r->next, s);
	if (!is_wanted || !has_successor(r, end)) {
		ret = verify_claim(r, r->next, s);
		if (ret < 0)
			return ret;
		if (!ret)
			return searched(damaged_here(r));
	}
	r->next = end;
	if (is_wanted)
		return 1;
	return pass(r, s) ? 2 : 0;
}

/*
 * Finds the next section that has content, its body unchecked. Returns 1, 0 at the current end,
 * -errno.
 */
int ktrace_reader_walk(struct reader *r, struct ktrace_section *s, __u64 *offset)
{
	int ret;

	do {
		if (r->is_closed)
			return 0;
		if (r->is_lost) {
			ret = find_next(r, r->next);
			if (ret <= 0)
				return ret;
		}
		*offset = r->next;
		memset(s, 0, sizeof(*s));
		ret = step(r, s);
	} while (ret == 2);
	return ret;
}

static int refuse_version(const struct reader *r, __u32 version)
{
	char message[96];

	snprintf(message, sizeof(message), "tracefile of format version %u: another ktrace is "
		 "needed, this one reads version %u", version, KTRACE_FILE_VERSION);
	about_file(r, message);
	return -EPROTONOSUPPORT;
}

static int check_file_header(struct reader *r)
{
	struct ktrace_file h;
	int ret = ktrace_reader_bytes(r, 0, &h, sizeof(h));

	if (ret && ret != -ENODATA) {
		about_file(r, strerror(-ret));
		return ret;
	}
	if (ret || memcmp(h.magic, KTRACE_FILE_MAGIC, sizeof(h.magic))) {
		about_file(r, r->size ? "not a ktrace tracefile" : "empty, not a ktrace tracefile");
		return -EBADMSG;
	}
	if (h.byte_order != KTRACE_FILE_BYTE_ORDER) {
		about_file(r, "recorded in another byte order: not supported");
		return -EPROTONOSUPPORT;
	}
	memcpy(r->uuid, h.uuid, sizeof(r->uuid));
	r->part = h.part <= KTRACE_PART_MAX ? h.part : 0;
	return h.version != KTRACE_FILE_VERSION || h.header_size != sizeof(h) ?
		refuse_version(r, h.version) : 0;
}

/* Updates the size of the file. Returns 0, -errno. */
int ktrace_reader_refresh(struct reader *r)
{
	struct stat st;

	if (fstat(r->fd, &st))
		return -errno;
	r->size = r->base + (__u64)st.st_size;
	return 0;
}

/* Turns offsets from now on into those of the part in its trace. Call before walking. */
void ktrace_reader_set_base(struct reader *r)
{
	r->size -= r->base;
	r->base = reader_base(r->part);
	r->size += r->base;
	r->next = r->base + sizeof(struct ktrace_file);
}

/* Begins to read the open file. Closes it after an error. */
static int begin(struct reader *r)
{
	struct stat st;
	int ret;

	if (fstat(r->fd, &st)) {
		ret = -errno;
		about_file(r, strerror(-ret));
		goto err_close;
	}
	if (!S_ISREG(st.st_mode)) {
		about_file(r, "not a regular file");
		ret = -EBADMSG;
		goto err_close;
	}
	r->size = (__u64)st.st_size;
	r->next = sizeof(struct ktrace_file);
	ret = check_file_header(r);
	if (ret)
		goto err_close;
	return 0;

err_close:
	ktrace_reader_close(r);
	return ret;
}

/* Begins to read. @fd: the file, owned by @r from now on, or -1 with the reason in errno */
static int begin_with(struct reader *r, int fd, const char *path)
{
	int ret = fd < 0 ? -errno : 0;

	r->fd = fd;
	r->path = strdup(path);
	if (!r->path)
		ret = -ENOMEM;
	else if (ret)
		about_file(r, strerror(-ret));
	if (!ret)
		return begin(r);
	ktrace_reader_close(r);
	return ret;
}

/*
 * Opens a file; @r has report, arg and is_live set, the rest 0. Returns 0 or an error, which has
 * been reported: -EBADMSG, -EPROTONOSUPPORT, -errno.
 */
int ktrace_reader_open(struct reader *r, const char *path)
{
	return begin_with(r, open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), path);
}

/* Does the same for an open file; @fd stays the caller's, its offset unchanged. */
int ktrace_reader_open_fd(struct reader *r, int fd, const char *path)
{
	return begin_with(r, fcntl(fd, F_DUPFD_CLOEXEC, 0), path);
}

void ktrace_reader_close(struct reader *r)
{
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
	free(r->path);
	r->path = NULL;
}
