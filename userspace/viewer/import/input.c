// SPDX-License-Identifier: GPL-2.0
/* input.c - copies pipes and contents of compressed files to temporary files */
#include "input.h"

#include "base/progress.h"
#include "base/temporary.h"
#include "uncompress.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A compressed file may be in another one */
#define LAYERS 3
/* Limit on the contents of a file: this, and so many times its size; gzip reaches 1032 times */
#define CONTENTS_MIN (64ull << 20)
#define CONTENTS_RATIO 1040u
#define TAR_MAGIC_AT 257u

static const char *name_of(const char *path)
{
	return strcmp(path, "-") ? path : "standard input";
}

/* Copies the rest of a pipe to a temporary file. Return: its descriptor, -errno. */
static int copy_pipe(int from)
{
	static char buf[1 << 16];
	int to = temporary_file(), ret = to < 0 ? to : 0;
	ssize_t nr = 1;

	while (!ret && nr) {
		nr = read(from, buf, sizeof(buf));
		if (nr < 0 && errno == EINTR)
			continue;
		ret = nr < 0 ? -errno : nr ? output_write(to, buf, (size_t)nr) : 0;
	}
	if (ret && to >= 0)
		close(to);
	return ret ? ret : to;
}

/* Opens a file; "-" is standard input. Return: descriptor, -errno. */
static int open_file(const char *path)
{
	const int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) :
		       fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);

	return fd < 0 ? -errno : fd;
}

/*
 * True if data has to be copied before it can be read from any place. Devices are left to the
 * converters, which refuse them: /dev/zero never ends.
 */
static bool is_pipe(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

static enum compression compression_at(int fd, const char **name)
{
	static unsigned char head[4096];
	const ssize_t nr = pread(fd, head, sizeof(head), 0);

	return nr > 0 ? compression_of(head, (size_t)nr, name) : COMPRESSION_NONE;
}

static __u64 limit_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? CONTENTS_MIN : CONTENTS_MIN + CONTENTS_RATIO * (__u64)st.st_size;
}

static void complain_damage(struct import *x, const char *path, const char *by,
			    const struct uncompress *result)
{
	x->is_damaged = true;
	complain_about(path, "compressed by %s, damaged at byte %llu: %s; the %llu bytes of "
		       "contents before that are imported", by, (unsigned long long)result->read,
		       result->why, (unsigned long long)result->written);
}

/* Replaces *@fd by the contents of that file. Return: 0, -ECANCELED after reporting the error. */
static int unpack(struct import *x, const char *path, enum compression by, const char *name,
		  int *fd)
{
	struct uncompress result;
	struct stat st = { 0 };
	int to = temporary_file(), ret = to < 0 ? to : 0;

	fstat(*fd, &st);
	progress_begin_bytes((__u64)st.st_size);
	if (!ret)
		ret = uncompress_file(by, *fd, to, limit_of(*fd), &result);
	progress_end();
	if (ret) {
		temporary_failed(-ret);
		if (to >= 0)
			close(to);
		return -ECANCELED;
	}
	if (result.why)
		complain_damage(x, path, name, &result);
	close(*fd);
	*fd = to;
	return 0;
}

static bool is_archive(int fd)
{
	char magic[5];

	return pread(fd, magic, sizeof(magic), TAR_MAGIC_AT) == sizeof(magic) &&
	       !memcmp(magic, "ustar", sizeof(magic));
}

/*
 * Removes all layers of compression; *@is_new: the file is another one. Return: 0, -ECANCELED after
 * reporting the error.
 */
static int unpack_all(struct import *x, const char *path, int *fd, bool *is_new)
{
	const char *name = "";
	enum compression by;
	int ret = 0;

	for (int i = 0; i < LAYERS && !ret; i++) {
		by = compression_at(*fd, &name);
		if (by == COMPRESSION_NONE || (by == COMPRESSION_ZSTD && x->format->has_zstd))
			break;
		if (by == COMPRESSION_OTHER) {
			complain_about(path, "compressed by %s, which ktrace cannot unpack: unpack "
				       "it first", name);
			return -ECANCELED;
		}
		ret = unpack(x, path, by, name, fd);
		*is_new = true;
	}
	if (ret || !is_archive(*fd))
		return ret;
	complain_about(path, "an archive of tar: unpack it, and import the file or folder in it");
	return -ECANCELED;
}

/* Lets the rest of the program use an open file by a path; messages show @path. */
static int replace(char **path, int fd)
{
	/* perf, which reads its own files, inherits it: no O_CLOEXEC. */
	const int inherited = dup(fd);
	char *to;

	if (inherited < 0 || asprintf(&to, "/proc/self/fd/%d", inherited) < 0)
		return -ENOMEM;
	complain_as(to, name_of(*path));
	*path = to;
	return 0;
}

static int prepare(struct import *x, char **path)
{
	int fd = open_file(*path), ret, copy;
	bool is_new = !strcmp(*path, "-");

	/* The converter reports that it cannot be opened. */
	if (fd < 0)
		return 0;
	if (is_pipe(fd)) {
		copy = copy_pipe(fd);
		close(fd);
		if (copy < 0) {
			complain_about(name_of(*path), "%s", output_error(copy));
			return -ECANCELED;
		}
		fd = copy;
		is_new = true;
	}
	ret = unpack_all(x, name_of(*path), &fd, &is_new);
	if (!ret && is_new)
		ret = replace(path, fd);
	close(fd);
	return ret;
}

int input_prepare(struct import *x, int nr, char **paths)
{
	int ret = 0;

	for (int i = 0; i < nr && !ret; i++)
		ret = prepare(x, &paths[i]);
	return ret;
}

/* Replaces *@fd by the first bytes of that file's contents. */
static int unpack_head(enum compression by, int *fd)
{
	struct uncompress result;
	int to = memfd_create("head", MFD_CLOEXEC), ret = to < 0 ? -errno : 0;

	if (!ret)
		ret = uncompress_file(by, *fd, to, INPUT_HEAD, &result);
	if (ret) {
		if (to >= 0)
			close(to);
		return ret;
	}
	close(*fd);
	*fd = to;
	return 0;
}

/* Makes a copy of a pipe the standard input. */
static int keep_pipe(char **path, int *fd)
{
	const int copy = copy_pipe(*fd);

	close(*fd);
	*fd = copy;
	if (copy < 0)
		return copy;
	*path = (char *)"-";
	return dup2(copy, STDIN_FILENO) < 0 ? -errno : 0;
}

ssize_t input_head(char **path, unsigned char *head)
{
	enum compression by;
	const char *name;
	int fd = open_file(*path), ret = fd < 0 ? fd : 0;
	ssize_t nr = 0;

	if (!ret && is_pipe(fd))
		ret = keep_pipe(path, &fd);
	for (int i = 0; i < LAYERS && !ret; i++) {
		by = compression_at(fd, &name);
		if (by == COMPRESSION_NONE || by == COMPRESSION_OTHER)
			break;
		ret = unpack_head(by, &fd);
	}
	if (!ret) {
		nr = pread(fd, head, INPUT_HEAD, 0);
		ret = nr < 0 && errno != EISDIR ? -errno : 0;
	}
	if (fd >= 0)
		close(fd);
	if (!ret)
		return nr > 0 ? nr : 0;
	complain_about(name_of(*path), "%s", output_error(ret));
	return -ECANCELED;
}
