// SPDX-License-Identifier: LGPL-2.1
/*
 * output_file.c - opens files for writing, without following links of other users
 *
 * Walks the path component by component, from a descriptor of the folder reached so far. So a
 * component that was checked is also the one used, even if others change the path meanwhile.
 */
#include "output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

/* The same as in the kernel */
#define LINKS_MAX 40
/* Time between two looks at a FIFO without a reader */
#define NAP_NS 10000000

/* struct walk - @dir: the folder reached, @rest: the path from there, @links: followed so far */
struct walk {
	int dir;
	char rest[PATH_MAX];
	unsigned int links;
};

/*
 * In a folder where everybody may make files, true only for files of this user and of the folder's
 * owner. Elsewhere always true.
 */
static bool is_trusted(int dir, const struct stat *st)
{
	const mode_t shared = S_ISVTX | S_IWOTH;
	struct stat folder;

	if (fstat(dir, &folder))
		return false;
	return (folder.st_mode & shared) != shared || st->st_uid == folder.st_uid ||
	       st->st_uid == (uid_t)setfsuid((uid_t)-1);
}

/* Continues in @dir; if that is negative, returns -errno. */
static int enter(struct walk *w, int dir)
{
	if (dir < 0)
		return -errno;
	if (w->dir >= 0)
		close(w->dir);
	w->dir = dir;
	return 0;
}

/* Begins with @path, then @tail, at the root or at the folder reached. Return: 0, -errno. */
static int begin(struct walk *w, const char *path, const char *tail)
{
	char rest[PATH_MAX];
	const int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;

	if (snprintf(rest, sizeof(rest), "%s%s%s", path, *tail ? "/" : "", tail) >= PATH_MAX)
		return -ENAMETOOLONG;
	strcpy(w->rest, rest);
	if (*path == '/')
		return enter(w, open("/", flags));
	return w->dir < 0 ? enter(w, open(".", flags)) : 0;
}

/* True in /proc, where /dev/stdout leads. The kernel follows its links, to files without a path. */
static bool is_in_proc(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

/* Follows link @fd in the current folder; the path continues with @tail. Return: 0, -errno. */
static int follow_link(struct walk *w, int fd, const struct stat *st, const char *tail)
{
	char target[PATH_MAX];
	ssize_t n;

	if (!is_trusted(w->dir, st))
		return -EACCES;
	if (++w->links > LINKS_MAX)
		return -ELOOP;
	n = readlinkat(fd, "", target, sizeof(target) - 1);
	if (n < 0)
		return -errno;
	target[n] = '\0';
	return begin(w, target, tail);
}

/* Enters folder or link @name; the path continues with @tail. Return: 0, -errno. */
static int follow(struct walk *w, const char *name, const char *tail)
{
	int fd = openat(w->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), ret;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISLNK(st.st_mode) && !is_in_proc(fd)) {
		ret = follow_link(w, fd, &st, tail);
		close(fd);
		return ret;
	}
	close(fd);
	fd = openat(w->dir, name, O_PATH | O_CLOEXEC | (is_in_proc(w->dir) ? 0 : O_NOFOLLOW));
	memmove(w->rest, tail, strlen(tail) + 1);
	return enter(w, fd);
}

/*
 * Opens an existing file. A FIFO without a reader, which another user may put there at any time,
 * must not block us; waits for a reader only if the FIFO is trusted. Drops O_DIRECTORY, with which
 * a link gives another error; with O_PATH, it gives none. Return: descriptor, -errno.
 */
static int open_existing(const struct walk *w, const char *name, int flags)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };
	struct stat st;
	int fd;

	for (;;) {
		fd = openat(w->dir, name, (flags & ~O_DIRECTORY) | O_NONBLOCK);
		if (fd >= 0 || (errno != ENXIO && errno != EAGAIN))
			break;
		if (fstatat(w->dir, name, &st, AT_SYMLINK_NOFOLLOW))
			return -errno;
		if (!is_trusted(w->dir, &st))
			return -EACCES;
		/* EAGAIN: another process has a lease on the file. */
		if (!S_ISFIFO(st.st_mode) && !S_ISREG(st.st_mode))
			return -ENXIO;
		nanosleep(&nap, NULL);
	}
	if (fd >= 0 && !(flags & (O_NONBLOCK | O_PATH)))
		fcntl(fd, F_SETFL, flags & O_APPEND);
	return fd < 0 ? -errno : fd;
}

/* Opens the last component. Return: descriptor, -errno; -ELOOP = it is a link. */
static int open_last(const struct walk *w, const char *name, int flags)
{
	const int all = flags | O_NOFOLLOW | O_CLOEXEC;
	int fd = -1, error;
	struct stat st;

	errno = EEXIST;
	if (flags & O_CREAT)
		fd = openat(w->dir, name, all | O_EXCL, OUTPUT_MODE);
	if (fd >= 0) {
		fchmod(fd, OUTPUT_MODE);
		return fd;
	}
	if (errno != EEXIST || flags & O_EXCL)
		return -errno;
	fd = open_existing(w, name, all & ~(O_CREAT | O_EXCL));
	if (fd < 0)
		return fd;
	error = fstat(fd, &st) ? -errno : S_ISLNK(st.st_mode) ? -ELOOP :
		S_ISDIR(st.st_mode) ? 0 : flags & O_DIRECTORY ? -ENOTDIR :
		is_trusted(w->dir, &st) ? 0 : -EACCES;
	if (!error)
		return fd;
	close(fd);
	return error;
}

/* Takes one component. Return: descriptor of the file, -EAGAIN = go on, -errno. */
static int step(struct walk *w, int flags)
{
	char *name = w->rest + strspn(w->rest, "/"), *tail = strchr(name, '/');
	int ret;

	if (!tail) {
		ret = open_last(w, *name ? name : ".", flags);
		if (ret != -ELOOP || flags & O_EXCL)
			return ret;
		if (is_in_proc(w->dir)) {
			ret = openat(w->dir, name, (flags & ~O_CREAT) | O_CLOEXEC);
			return ret < 0 ? -errno : ret;
		}
		tail = name + strlen(name);
	} else {
		*tail++ = '\0';
	}
	ret = follow(w, name, tail);
	return ret ? ret : -EAGAIN;
}

int ktrace_output_file(const char *path, int flags)
{
	struct walk w = { .dir = -1 };
	int ret = *path ? begin(&w, path, "") : -ENOENT;

	if (!ret)
		do
			ret = step(&w, flags);
		while (ret == -EAGAIN);
	if (w.dir >= 0)
		close(w.dir);
	return ret;
}
