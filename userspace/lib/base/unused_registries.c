// SPDX-License-Identifier: LGPL-2.1
/*
 * unused_registries.c - registries that programs with <trace.h> left in shared memory
 *
 * The last program of a user removes the registry, unless it is killed; then the next program uses
 * it. But a PID namespace has a registry of its own, and no program uses it after the namespace has
 * ended.
 *
 * Programs that use a registry have it mapped, in whatever namespace. The kernel grants a lease for
 * writing only on a file that nobody else has open or mapped, and lets those who open it wait as
 * long as the lease lasts. They try again: registry_file.c.
 */
#include "unused_registries.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "/dev/shm"

/* True if it is a registry by its name and owner, and this process may remove it. */
static bool is_registry(const char *name, const struct stat *st, bool all)
{
	unsigned int uid;
	char next = '-';

	return sscanf(name, "ktrace-posix-%u%c", &uid, &next) >= 1 &&
	       (next == '-' || next == '.') && S_ISREG(st->st_mode) && st->st_uid == uid &&
	       (uid == geteuid() || (all && !geteuid()));
}

/* Returns the size of an unused registry, 0 for any other file; removes it if asked to. */
static off_t look_at(int dir, const char *name, bool all, bool is_removed)
{
	struct stat st;
	off_t size = 0;
	int fd;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) || !is_registry(name, &st, all))
		return 0;
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (!fstat(fd, &st) && is_registry(name, &st, all) && !fcntl(fd, F_SETLEASE, F_WRLCK) &&
	    !(is_removed && unlinkat(dir, name, 0)))
		size = st.st_size;
	close(fd);
	return size;
}

struct unused_registries ktrace_unused_registries(bool all, bool is_removed)
{
	/* SIGIO is sent when another process opens a leased file. */
	void (*before)(int) = signal(SIGIO, SIG_IGN);
	struct unused_registries unused = { 0 };
	DIR *folder = opendir(FOLDER);
	const struct dirent *e;
	off_t size;

	while (folder && (e = readdir(folder))) {
		size = look_at(dirfd(folder), e->d_name, all, is_removed);
		unused.nr += size > 0;
		unused.bytes += (__u64)size;
	}
	if (folder)
		closedir(folder);
	signal(SIGIO, before);
	return unused;
}
