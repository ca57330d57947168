// SPDX-License-Identifier: GPL-2.0
/* output_dir.c - files that appear together, in a folder */
#include "output_dir.h"

#include "base/output_file.h"
#include "viewer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Temporary name until the folder is complete, empty = there is none; then its final name */
static char temporary[PATH_MAX];
static char final[PATH_MAX];
static int folder_fd = -1;
/* All stream numbers are below this one. */
static __u32 stream_nr;

/* Writes "stream_NUMBER", using only functions that a signal handler may call. */
static void name_stream(char *name, __u32 number)
{
	char digits[12], *at = digits + sizeof(digits);
	const size_t prefix = sizeof("stream_") - 1;

	*--at = '\0';
	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	memcpy(name, "stream_", prefix);
	memcpy(name + prefix, at, (size_t)(digits + sizeof(digits) - at));
}

/* Called by the signal handler and by exit(), too. */
static void drop_folder(void)
{
	char name[24];
	__u32 i;

	if (!*temporary)
		return;
	for (i = 0; i < stream_nr; i++) {
		name_stream(name, i);
		unlinkat(folder_fd, name, 0);
	}
	unlinkat(folder_fd, "metadata", 0);
	rmdir(temporary);
	*temporary = '\0';
}

/* Return: 0 if the path is free or an empty folder, -errno. */
static int check_path(const char *path)
{
	struct dirent *entry;
	DIR *dir = opendir(path);
	int nr = 0;

	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while (nr < 3 && (entry = readdir(dir)))
		nr++;
	closedir(dir);
	return nr > 2 ? -ENOTEMPTY : 0;
}

/*
 * Finds the final name; if @path is a link, its target is replaced, not the link. Return: 0,
 * -errno.
 */
static int name_final(const char *path)
{
	char cut[PATH_MAX];
	struct stat st;
	size_t len;
	int ret = output_resolve(path, O_RDONLY | O_DIRECTORY, final);

	if (ret != -ENOENT)
		return ret;
	snprintf(cut, sizeof(cut), "%s", path);
	for (len = strlen(cut); len > 1 && cut[len - 1] == '/'; len--)
		cut[len - 1] = '\0';
	/* A dangling link */
	return lstat(cut, &st) ? output_resolve(cut, 0, final) : -ENOENT;
}

static int make_folder(const char *path)
{
	int ret = name_final(path);

	if (ret)
		return ret;
	if (snprintf(temporary, sizeof(temporary), "%s.XXXXXX", final) >= (int)sizeof(temporary)) {
		*temporary = '\0';
		return -ENAMETOOLONG;
	}
	output_watch(drop_folder);
	if (!mkdtemp(temporary)) {
		*temporary = '\0';
		return -errno;
	}
	folder_fd = open(temporary, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return folder_fd < 0 ? -errno : output_give_mode(folder_fd, true);
}

int output_dir_begin(const char *path)
{
	int ret = check_path(path);

	if (!ret)
		ret = make_folder(path);
	if (ret == -ENOTEMPTY)
		complain_about(path, "exists and is not an empty folder");
	else if (ret)
		complain_about(path, "%s", strerror(-ret));
	if (ret)
		drop_folder();
	return ret;
}

static int append(const char *name, struct iovec *parts, int nr)
{
	int fd = openat(folder_fd, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
			OUTPUT_MODE);
	__u64 size = 0;
	int ret = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	for (int i = 0; i < nr; i++)
		size += parts[i].iov_len;
	ret = output_give_mode(fd, false);
	if (!ret)
		ret = output_room(fd, size);
	while (!ret && nr) {
		n = writev(fd, parts, nr);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			ret = -errno;
		for (; nr && n >= (ssize_t)parts->iov_len; nr--)
			n -= (ssize_t)(parts++)->iov_len;
		if (nr && n > 0) {
			parts->iov_base = (char *)parts->iov_base + n;
			parts->iov_len -= (size_t)n;
		}
	}
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

int output_dir_append_metadata(const char *data, size_t size)
{
	struct iovec part = { .iov_base = (void *)data, .iov_len = size };

	return append("metadata", &part, 1);
}

int output_dir_append_stream(__u32 number, const char *head, size_t head_size, const char *data,
			     size_t size)
{
	struct iovec parts[] = {
		{ .iov_base = (void *)head, .iov_len = head_size },
		{ .iov_base = (void *)data, .iov_len = size },
	};
	char name[24];

	if (number >= stream_nr)
		stream_nr = number + 1;
	name_stream(name, number);
	return append(name, parts, 2);
}

/*
 * Blocks signals: between rename() and clearing the name, the handler would empty the complete
 * folder. Return: 0, -errno.
 */
static int name_folder(void)
{
	sigset_t all, old;
	int ret = 0;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	if (rename(temporary, final))
		ret = -errno;
	else
		*temporary = '\0';
	sigprocmask(SIG_SETMASK, &old, NULL);
	return ret;
}

int output_dir_end(bool is_whole)
{
	int ret = 0;

	if (is_whole)
		ret = syncfs(folder_fd) ? -errno : name_folder();
	if (ret)
		complain_about(final, "%s", strerror(-ret));
	drop_folder();
	close(folder_fd);
	folder_fd = -1;
	return ret;
}
