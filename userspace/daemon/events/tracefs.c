// SPDX-License-Identifier: GPL-2.0
/* tracefs.c - files of tracefs: the kernel's events, and dynamic probes */
#include "tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Limit for files read here; the kernel generates them page by page */
#define TEXT_MAX (4u << 20)

const char *tracefs_dir(void)
{
	static const char *const places[] = {
		"/sys/kernel/tracing", "/sys/kernel/debug/tracing",
	};
	char path[64];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s/events", places[i]);
		if (!access(path, R_OK | X_OK))
			return places[i];
	}
	return NULL;
}

static int open_file(const char *file, int flags)
{
	const char *dir = tracefs_dir();
	char path[PATH_MAX];
	int fd;

	if (!dir)
		return -ENOENT;
	if (snprintf(path, sizeof(path), "%s/%s", dir, file) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Reads all of @fd and adds a NUL. */
static char *read_all(int fd)
{
	size_t len = 0, cap = 8192;
	char *text = malloc(cap), *more;
	ssize_t n;

	while (text && (n = read(fd, text + len, cap - len - 1)) > 0) {
		len += (size_t)n;
		if (cap - len > 1)
			continue;
		cap *= 2;
		more = cap <= TEXT_MAX ? realloc(text, cap) : NULL;
		if (!more)
			free(text);
		text = more;
	}
	if (text)
		text[len] = '\0';
	return text;
}

char *tracefs_read(const char *file)
{
	int fd = open_file(file, O_RDONLY);
	char *text;

	if (fd < 0)
		return NULL;
	text = read_all(fd);
	close(fd);
	return text;
}

int tracefs_append(const char *file, const char *line)
{
	int fd = open_file(file, O_WRONLY | O_APPEND);
	size_t len = strlen(line);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = write(fd, line, len);
	if (n < 0)
		n = -errno;
	else
		n = n == (ssize_t)len ? 0 : -EIO;
	close(fd);
	return (int)n;
}
