// SPDX-License-Identifier: GPL-2.0
/* clocks_cache.c - files of results in the user's cache */
#include "clocks_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "viewer.h"

#define PREFIX "clocks-"
#define NAME_SIZE (sizeof(PREFIX) - 1 + 16)	/* clocks-0123456789abcdef */
#define FILES_MAX 64u
#define BYTES_MAX (256ull << 20)
#define ORPHAN_S 3600	/* a temporary file of this age belongs to no process */

char *clocks_file_read(const char *path, size_t *size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	char *text = NULL;
	ssize_t n = 1;

	*size = 0;
	if (fd < 0 || fstat(fd, &st))
		goto out;
	errno = S_ISREG(st.st_mode) ? EFBIG : EINVAL;
	if (!S_ISREG(st.st_mode) || st.st_size > CLOCKS_FILE_MAX)
		goto out;
	text = malloc((size_t)st.st_size + 1);
	while (text && *size < (size_t)st.st_size && n > 0) {
		n = read(fd, text + *size, (size_t)st.st_size - *size);
		*size += n > 0 ? (size_t)n : 0;
	}
	if (n < 0) {
		free(text);
		text = NULL;
	}
out:
	if (fd >= 0)
		close(fd);
	return text;
}

/*
 * Writes the name of the folder ktrace in @base/@below, makes it if @makes. Returns 0, or -1: @base
 * is no folder of this user, as that of another one after sudo(8).
 */
static int folder_below(char *folder, const char *base, const char *below, bool makes)
{
	struct stat st;

	if (*base != '/' || stat(base, &st) || st.st_uid != geteuid() ||
	    snprintf(folder, PATH_MAX, "%s%s", base, below) >= PATH_MAX - 64)
		return -1;
	if (makes && *below)
		mkdir(folder, 0700);
	strcat(folder, "/ktrace");
	return 0;
}

/* Writes the folder's name, and makes it if @makes. Returns false if there is to be none. */
static bool find_folder(char *folder, bool makes)
{
	const char *own = getenv("KTRACE_CLOCKS_CACHE"), *xdg = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	int ret = -1;

	if (own)
		ret = *own && snprintf(folder, PATH_MAX, "%s", own) < PATH_MAX - 64 ? 0 : -1;
	else if (xdg && *xdg)
		ret = folder_below(folder, xdg, "", makes);
	else if (home)
		ret = folder_below(folder, home, "/.cache", makes);
	return !ret && (!makes || !mkdir(folder, 0700) || errno == EEXIST);
}

static bool find_file(char *path, __u64 key, bool makes)
{
	const bool has_folder = key && find_folder(path, makes);
	const size_t len = has_folder ? strlen(path) : 0;

	if (has_folder)
		snprintf(path + len, PATH_MAX - len, "/" PREFIX "%016llx", (unsigned long long)key);
	return has_folder;
}

bool clocks_cache_restore(struct ktrace_traceset *set, const struct ktrace_sync_options *opts)
{
	char path[PATH_MAX], *text;
	size_t size;
	__u64 place;
	int ret;

	if (!find_file(path, ktrace_sync_key(set, opts), false))
		return false;
	text = clocks_file_read(path, &size);
	if (!text)
		return false;
	ret = ktrace_sync_restore(set, opts, text, size, &place);
	free(text);
	/* So that the oldest ones are those that were not used for longest */
	if (!ret)
		utimensat(AT_FDCWD, path, NULL, 0);
	return !ret;
}

/* struct kept_file - a file of the cache */
struct kept_file {
	char name[NAME_SIZE + 1];
	time_t time;
	__u64 size;
};

static int by_age(const void *a, const void *b)
{
	const struct kept_file *f = a, *g = b;

	return (f->time < g->time) - (f->time > g->time);
}

/* Takes in a file of the folder; removes a temporary one that nobody writes to any more. */
static void take_file(int folder, const char *name, struct kept_file *files, size_t *nr)
{
	struct stat st;

	if (strncmp(name, PREFIX, sizeof(PREFIX) - 1) ||
	    fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
		return;
	if (strlen(name) != NAME_SIZE) {
		if (st.st_mtime < time(NULL) - ORPHAN_S)
			unlinkat(folder, name, 0);
		return;
	}
	memcpy(files[*nr].name, name, sizeof(files[*nr].name));
	files[*nr].time = st.st_mtime;
	files[(*nr)++].size = (__u64)st.st_size;
}

/* Removes the oldest files if there are too many or they are too large. */
static void prune(const char *path)
{
	static struct kept_file files[2 * FILES_MAX];
	DIR *dir = opendir(path);
	const struct dirent *entry;
	size_t nr = 0, i;
	__u64 bytes = 0;

	while (dir && nr < 2 * FILES_MAX && (entry = readdir(dir)))
		take_file(dirfd(dir), entry->d_name, files, &nr);
	qsort(files, nr, sizeof(*files), by_age);
	for (i = 0; i < nr; i++) {
		bytes += files[i].size;
		if (i && (i >= FILES_MAX || bytes > BYTES_MAX))
			unlinkat(dirfd(dir), files[i].name, 0);
	}
	if (dir)
		closedir(dir);
}

/* Several processes may do this at a time: a file gets its name when it is complete. */
void clocks_cache_save(const struct ktrace_sync *sync, const struct ktrace_traceset *set,
		       const struct ktrace_sync_options *opts)
{
	char path[PATH_MAX], temporary[PATH_MAX + 8];
	int fd, ret;

	if (!find_file(path, ktrace_sync_key(set, opts), true))
		return;
	snprintf(temporary, sizeof(temporary), "%s-XXXXXX", path);
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return;
	ret = output_room(fd, 0);
	if (!ret)
		ret = ktrace_sync_save(sync, set, fd);
	if (close(fd) || ret || rename(temporary, path))
		unlink(temporary);
	*strrchr(path, '/') = '\0';
	prune(path);
}
