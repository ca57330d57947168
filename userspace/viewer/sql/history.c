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
#include <sys/stat.h>
#include <unistd.h>

#include "base/viewer.h"

#define NAME "sql_history"
#define SIZE_MAX_BYTES (16 << 20)

/* Makes @base and the folders below it. Return: false = it is not ours, or that fails. */
static bool make_folders(char *path, const char *base, const char *const *below)
{
	struct stat st;
	size_t len;

	if (*base != '/' || stat(base, &st) || st.st_uid != geteuid() ||
	    strlen(base) >= PATH_MAX - 64)
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
	if (xdg && *xdg ? !make_folders(path, xdg, of_xdg) :
	    !home || !make_folders(path, home, of_home))
		return false;
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

int history_open(void (*take)(void *arg, const char *line), void *arg)
{
	size_t size, lines, from;
	char path[PATH_MAX], *text;
	int fd;

	if (!find_file(path))
		return -1;
	fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (fd < 0) {
		complain_about(path, "%s: lines are not kept", strerror(errno));
		return -1;
	}
	text = read_file(fd, &size);
	if (!text) {
		complain_about(path, "no file of yours, or too large: lines are not kept");
		close(fd);
		return -1;
	}
	from = latest(text, size, &lines);
	if (lines >= 2 * HISTORY_LINES &&
	    (ftruncate(fd, 0) || write(fd, text + from, size - from) < 0))
		complain_about(path, "%s", strerror(errno));
	take_lines(text + from, take, arg);
	free(text);
	return fd;
}

void history_add(int *fd, const char *line)
{
	const size_t n = strlen(line);

	if (*fd < 0 || write(*fd, line, n) == (ssize_t)n)
		return;
	complain_safely("ktrace sql: the history: %s: lines are no longer kept",
			strerror(errno ? errno : ENOSPC));
	close(*fd);
	*fd = -1;
}
