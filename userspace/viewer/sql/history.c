// SPDX-License-Identifier: GPL-2.0
/* history.c - the file of lines that were typed */
#include "history.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/viewer.h"

#define NAME "sql_history"
#define SIZE_MAX_BYTES (16 << 20)

/* A path has to be absolute, and to have room for ours. */
static bool is_usable(const char *base)
{
	return *base == '/' && strlen(base) < PATH_MAX - 64;
}

/* Makes the folder of an absolute path, and those above it, unless they are there. */
static void make_folder(const char *path)
{
	char part[PATH_MAX];
	const char *at = path;

	while (*at) {
		at += 1 + strcspn(at + 1, "/");
		snprintf(part, sizeof(part), "%.*s", (int)(at - path), path);
		mkdir(part, 0700);
	}
}

/* Makes the folders below @base. Return: false = it is not ours, or that fails. */
static bool make_folders(char *path, const char *base, const char *const *below)
{
	struct stat st;
	size_t len;

	if (stat(base, &st) || st.st_uid != geteuid())
		return false;
	strcpy(path, base);
	for (; *below; below++) {
		len = strlen(path);
		snprintf(path + len, PATH_MAX - len, "/%s", *below);
		if (mkdir(path, 0700) && errno != EEXIST)
			return false;
	}
	return true;
}

/* Writes the file's name. Return: false = there is none. */
static bool find_file(char *path)
{
	static const char *const of_xdg[] = { "ktrace", NULL };
	static const char *const of_home[] = { ".local", "state", "ktrace", NULL };
	const char *own = getenv("KTRACE_SQL_HISTORY"), *xdg = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");

	if (own)
		return *own && snprintf(path, PATH_MAX, "%s", own) < PATH_MAX;
	if (xdg && *xdg) {
		if (!is_usable(xdg))
			return false;
		make_folder(xdg);
		if (!make_folders(path, xdg, of_xdg))
			return false;
	} else if (!home || !is_usable(home) || !make_folders(path, home, of_home)) {
		return false;
	}
	strcat(path, "/" NAME);
	return true;
}

/* Reads the whole file. NULL: it is no file of ours, or too large, or there is no memory. */
static char *read_file(int fd, size_t *size)
{
	struct stat st;
	char *text;
	ssize_t n;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    st.st_size > SIZE_MAX_BYTES)
		return NULL;
	if (st.st_mode & 077 && fchmod(fd, 0600))
		return NULL;
	text = malloc((size_t)st.st_size + 1);
	n = text ? pread(fd, text, (size_t)st.st_size, 0) : -1;
	if (n < 0) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	*size = (size_t)n;
	return text;
}

/* Returns the beginning of the latest HISTORY_LINES lines. */
static size_t latest(const char *text, size_t size, size_t *lines)
{
	size_t at = size, from = 0;

	for (*lines = 0; at; at--) {
		if (text[at - 1] != '\n')
			continue;
		if (*lines == HISTORY_LINES)
			from = at;
		++*lines;
	}
	return from;
}

static void take_lines(char *text, void (*take)(void *arg, const char *line), void *arg)
{
	char *end;

	for (; (end = strchr(text, '\n')); text = end + 1) {
		*end = '\0';
		take(arg, text);
	}
}

/* Writes all of a text at the end. Return: 0, -errno. */
static int append(int fd, const char *text, size_t size)
{
	ssize_t n;

	for (; size; text += n, size -= (size_t)n) {
		n = write(fd, text, size);
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n <= 0)
			return n ? -errno : -ENOSPC;
	}
	return 0;
}

/* Keeps the latest lines only. The caller has the lock. */
static void cut(int fd, const char *path, const char *text, size_t size)
{
	const int ret = ftruncate(fd, 0) ? -errno : append(fd, text, size);

	if (ret)
		complain_about(path, "%s: lines are lost", strerror(-ret));
}

/* Another shell must not append between reading and cutting. Return: what read_file() returns. */
static char *read_and_cut(int fd, const char *path, size_t *from)
{
	size_t size, lines;
	char *text;

	*from = 0;
	flock(fd, LOCK_EX);
	text = read_file(fd, &size);
	if (text) {
		*from = latest(text, size, &lines);
		if (lines >= 2 * HISTORY_LINES)
			cut(fd, path, text + *from, size - *from);
	}
	flock(fd, LOCK_UN);
	return text;
}

int history_open(void (*take)(void *arg, const char *line), void *arg)
{
	char path[PATH_MAX], *text;
	size_t from;
	int fd;

	if (!find_file(path))
		return -1;
	fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (fd < 0) {
		complain_about(path, "%s: lines are not kept", strerror(errno));
		return -1;
	}
	text = read_and_cut(fd, path, &from);
	if (!text) {
		complain_about(path, "no file of yours, or too large: lines are not kept");
		close(fd);
		return -1;
	}
	take_lines(text + from, take, arg);
	free(text);
	return fd;
}

void history_add(int *fd, const char *line)
{
	int ret;

	if (*fd < 0)
		return;
	flock(*fd, LOCK_EX);
	ret = append(*fd, line, strlen(line));
	flock(*fd, LOCK_UN);
	if (!ret)
		return;
	complain_safely("ktrace sql: the history: %s: lines are no longer kept", strerror(-ret));
	close(*fd);
	*fd = -1;
}
