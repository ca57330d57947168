// SPDX-License-Identifier: GPL-2.0
/*
 * files.c - the folder of a store
 *
 * A file grows under a name of its own, only at its end, and gets its place when it is complete,
 * has the host's checksum, and is on the disk. So readers see only complete files, and wherever the
 * store is killed, an incomplete file has a length, and that is all there is to know.
 */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/store_index.h"
#include "base/viewer.h"

#define LOCK ".lock"
#define FOLDER_MODE 0700
#define FILE_MODE 0600

static int open_folder(int at, const char *name)
{
	int fd;

	if (mkdirat(at, name, FOLDER_MODE) && errno != EEXIST)
		return -errno;
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int files_open(struct files *f, const char *path)
{
	int ret;

	*f = (struct files){ -1, -1, -1 };
	ret = f->dir = open_folder(AT_FDCWD, path);
	if (ret >= 0)
		ret = f->incoming = open_folder(f->dir, STORE_INCOMING);
	if (ret >= 0) {
		f->lock = openat(f->incoming, LOCK, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
				 FILE_MODE);
		ret = f->lock < 0 ? -errno : 0;
	}
	if (ret >= 0 && flock(f->lock, LOCK_EX | LOCK_NB))
		ret = errno == EWOULDBLOCK ? -EBUSY : -errno;
	if (ret < 0)
		files_close(f);
	return ret < 0 ? ret : 0;
}

void files_close(struct files *f)
{
	if (f->lock >= 0)
		close(f->lock);
	if (f->incoming >= 0)
		close(f->incoming);
	if (f->dir >= 0)
		close(f->dir);
	*f = (struct files){ -1, -1, -1 };
}

unsigned int files_incoming(const struct files *f)
{
	return store_names(f->incoming);
}

unsigned int files_hosts(const struct files *f)
{
	return store_names(f->dir);
}

static void incoming_name(char name[64], const struct message_part *p)
{
	snprintf(name, 64, "%s.%u", p->uuid, p->number);
}

bool files_has(const struct files *f, const struct message_part *p, __u32 number)
{
	char path[MESSAGE_TEXT_MAX];

	message_path_of(path, p, number);
	return !faccessat(f->dir, path, F_OK, AT_SYMLINK_NOFOLLOW);
}

static int compare(int fd, const struct message_part *p)
{
	struct stat st;
	__u64 size;
	__u32 crc;
	int ret;

	if (fstat(fd, &st))
		return -errno;
	if ((__u64)st.st_size != p->size)
		return 0;
	ret = message_checksum(fd, &size, &crc);
	return ret ? ret : size == p->size && crc == p->crc;
}

static int sync_folder(int dir, const char *path)
{
	const int fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const int ret = fd < 0 || fsync(fd) ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return ret;
}

/* Writes the file and all folders on the way to it: a store may have been killed before it did. */
static int sync_all(int dir, int fd, char *path)
{
	int ret = fsync(fd) ? -errno : 0;
	char *slash;

	while (!ret && (slash = strrchr(path, '/'))) {
		*slash = '\0';
		ret = sync_folder(dir, path);
	}
	return ret ? ret : sync_folder(dir, ".");
}

int files_compare(const struct files *f, const struct message_part *p)
{
	char path[MESSAGE_TEXT_MAX];
	int fd, ret;

	message_path(path, p);
	fd = openat(f->dir, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	ret = compare(fd, p);
	if (ret > 0)
		ret = sync_all(f->dir, fd, path) ? : 1;
	close(fd);
	return ret;
}

__u64 files_have(const struct files *f, const struct message_part *p)
{
	char name[64];
	struct stat st;

	incoming_name(name, p);
	return fstatat(f->incoming, name, &st, AT_SYMLINK_NOFOLLOW) ? 0 : (__u64)st.st_size;
}

/* Adds what the file does not have yet. */
static int append(int fd, __u64 have, __u64 offset, const char *data, size_t size)
{
	const size_t skip = (size_t)(have - offset);
	int ret;

	if (lseek(fd, (off_t)have, SEEK_SET) < 0)
		return -errno;
	ret = output_write(fd, data + skip, size - skip);
	/* A part of a piece would do no harm, but the disk is full. */
	if (ret && ftruncate(fd, (off_t)have))
		return -errno;
	return ret ? ret : FILES_ADDED;
}

int files_add(struct files *f, const struct message_part *p, __u64 offset, const void *data,
	      size_t size)
{
	struct stat st;
	char name[64];
	int fd, ret;

	incoming_name(name, p);
	fd = openat(f->incoming, name, O_WRONLY | (offset ? 0 : O_CREAT) | O_CLOEXEC | O_NOFOLLOW,
		    FILE_MODE);
	if (fd < 0)
		return errno == ENOENT ? -EAGAIN : -errno;
	if (fstat(fd, &st))
		ret = -errno;
	else if ((__u64)st.st_size < offset)
		ret = -EAGAIN;
	else if ((__u64)st.st_size >= offset + size)
		ret = FILES_HAS;
	else
		ret = append(fd, (__u64)st.st_size, offset, data, size);
	close(fd);
	return ret;
}

static int make_folders(int dir, char *path)
{
	int ret = 0;

	for (char *slash = path; !ret && (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		ret = mkdirat(dir, path, FOLDER_MODE) && errno != EEXIST ? -errno : 0;
		*slash = '/';
	}
	return ret;
}

/* Appends a line to a file; first ends one that is not whole. */
static int append_line(int fd, const char *line)
{
	char text[STORE_LINE_MAX + 2];
	struct stat st;
	char last = '\n';

	if (fstat(fd, &st) || (st.st_size && pread(fd, &last, 1, st.st_size - 1) != 1))
		return -EIO;
	snprintf(text, sizeof(text), "%s%s\n", last == '\n' ? "" : "\n", line);
	return output_write(fd, text, strlen(text));
}

/*
 * Says in the index of its folder when the events of a complete file are. That is only a hint: if
 * it fails, readers find out themselves. So it is not told, nor written to the disk at once.
 */
static void add_to_index(struct files *f, int fd, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct store_line line = { .name = slash + 1 };
	char text[STORE_LINE_MAX], index[MESSAGE_TEXT_MAX];
	struct stat st;
	int out;

	if (fstat(fd, &st) || store_line_look(&line, fd))
		return;
	store_line_stat(&line, &st);
	store_line_put(text, &line);
	snprintf(index, sizeof(index), "%.*s/" STORE_INDEX, (int)(slash - path), path);
	out = openat(f->dir, index,
		     O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, FILE_MODE);
	if (out < 0)
		return;
	append_line(out, text);
	close(out);
}

/* Gives a complete file its place. One store writes here, and has looked: nothing is replaced. */
static int place(struct files *f, int fd, const struct message_part *p, const char *incoming)
{
	char path[MESSAGE_TEXT_MAX];
	int ret;

	message_path(path, p);
	ret = make_folders(f->dir, path);
	if (!ret)
		add_to_index(f, fd, path);
	if (!ret && renameat(f->incoming, incoming, f->dir, path))
		ret = -errno;
	if (!ret)
		ret = sync_all(f->dir, fd, path);
	return ret ? ret : sync_folder(f->incoming, ".");
}

int files_sync(struct files *f, const struct message_part *p)
{
	char name[64];
	struct stat st;
	int fd, ret;

	incoming_name(name, p);
	fd = openat(f->incoming, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	ret = fstat(fd, &st) || fsync(fd) ? -errno : 0;
	if (!ret && (__u64)st.st_size >= p->size) {
		ret = compare(fd, p);
		if (ret > 0)
			ret = place(f, fd, p, name) ? : 1;
		else if (!ret)
			ret = unlinkat(f->incoming, name, 0) ? -errno : -EBADMSG;
	}
	close(fd);
	return ret;
}
